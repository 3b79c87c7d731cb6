"""How a run's end becomes an exit status, and who may use a run directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollout.commands.run import exit_status
from rollout.runtime.layout import LockHeld, lock
from rollout.runtime.orchestrator import RunEnd


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (RunEnd(total=2, final=2), 0),
        (RunEnd(total=2, final=1, faulted=1), 3),
        (RunEnd(total=2, final=1, left=1), 3),
        (RunEnd(total=2, final=1, left=1, phones_left=False), 1),
        (RunEnd(total=2, final=1, left=1, limit="the time limit"), 4),
        (RunEnd(total=2, final=2, limit="the time limit"), 0),
        (RunEnd(error="the reader keeps dying"), 1),
        (RunEnd(total=2, final=2, interrupted=True), 130),
    ],
)
def test_each_end_has_its_exit_status(end: RunEnd, status: int) -> None:
    assert exit_status(end, agents_failed=False) == status


def test_failed_agents_count_only_when_asked_for() -> None:
    assert exit_status(RunEnd(total=2, final=2), agents_failed=True) == 5


def test_a_lock_is_held_by_one_and_says_by_whom(tmp_path: Path) -> None:
    held = lock(tmp_path / "x.lock", "phone A", "run R")
    with pytest.raises(LockHeld, match=r"phone A is in use by process \d+, run R"):
        lock(tmp_path / "x.lock", "phone A", "run S")
    held.close()
    lock(tmp_path / "x.lock", "phone A", "run S").close()
