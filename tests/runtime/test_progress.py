"""What a person sees: honest figures, no escape sequences from a task's text."""

from __future__ import annotations

from rollout.faults import Status, StopReason
from rollout.runtime import messages as m
from rollout.runtime.progress import Progress, duration, printable


class Lines:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def update(self, progress: Progress) -> None: ...

    def line(self, text: str) -> None:
        self.lines.append(text)

    def close(self) -> None: ...


def started(task: str) -> m.AttemptStarted:
    return m.AttemptStarted(serial="A", task_id=task, sample_index=0, attempt=1)


def recorded(task: str, status: Status = Status.FINISHED, success: float | None = 1.0) -> m.ResultRecorded:
    return m.ResultRecorded(
        rollout_uid=task, task_id=task, sample_index=0, status=status,
        stop_reason=StopReason.TASK_COMPLETED_SUCCESSFULLY, success=success, serial="A",
    )  # fmt: skip


def test_figures_count_finals_faults_and_successes_apart() -> None:
    progress = Progress(Lines())
    progress.planned(4, 1)
    progress.recorded(recorded("a"))
    progress.recorded(recorded("b", success=0.0))
    progress.recorded(recorded("c", Status.FAULTED, None))
    assert (progress.final, progress.faulted, progress.succeeded, progress.graded) == (3, 1, 1, 2)
    assert progress.headline().startswith("3/4 final, 1 faulted, 1/2 succeeded")


def test_a_phone_at_its_next_rollout_is_busy_although_the_last_result_comes_late() -> None:
    progress = Progress(Lines())
    progress.attempt_started(started("a"))
    progress.attempt_started(started("b"))
    progress.recorded(recorded("a"))
    assert (progress.phones["A"].state, progress.phones["A"].task) == ("busy", "b #0")
    progress.recorded(recorded("b"))
    assert progress.phones["A"].state == "idle"


def test_durations_read_like_speech_and_hostile_text_stays_text() -> None:
    assert [duration(s) for s in (5, 65, 3700)] == ["5 s", "1 min 5 s", "1 h 1 min"]
    assert printable("a\x1b[2Jb\u202ec") == "a?[2Jb?c"
