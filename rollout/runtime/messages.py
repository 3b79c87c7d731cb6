"""Everything that crosses a process boundary: small, validated, JSON. Names and paths, never images or live objects."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from rollout.faults import Status, StopReason
from rollout.records.schema import AttemptPart, FaultPart, PlanEntry

ORCHESTRATOR, READER, WRITER, LOGGER = "orchestrator", "reader", "writer", "logger"


MAX_TASK_BYTES = 40 * 1024
"""Of a task as JSON: it crosses to the worker in one frame."""


def worker_address(serial: str) -> str:
    return f"worker:{serial}"


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RoleReady(_Message):
    """Any role → orchestrator: it runs. The writer's is passed on to the reader, which asks it again for open work."""

    kind: Literal["role_ready"] = "role_ready"
    role: str


class PhoneReady(_Message):
    """Worker → reader: the phone is fit and idle. `ticket` is new each time; a repetition carries the same one."""

    kind: Literal["phone_ready"] = "phone_ready"
    serial: str
    ticket: str
    tags: list[str] = Field(default_factory=list)
    packages: list[str] | None = None
    """Installed packages; null when no task asks for any."""


class PhoneBusy(_Message):
    """Worker → reader, answering Resync: it is at work under this lease."""

    kind: Literal["phone_busy"] = "phone_busy"
    serial: str
    lease: int


class PhoneLost(_Message):
    """Worker → reader and orchestrator: the phone cannot take work now."""

    kind: Literal["phone_lost"] = "phone_lost"
    serial: str
    why: str


class WorkerLost(_Message):
    """Orchestrator → reader: the process of this phone died. `for_good`: it will not be replaced."""

    kind: Literal["worker_lost"] = "worker_lost"
    serial: str
    how: str
    """`signal SIGKILL`, `exit status 1`."""
    for_good: bool


class Assignment(_Message):
    """Reader → worker, after its lease was synced. Dropped unless `ticket` is the worker's present one."""

    kind: Literal["assignment"] = "assignment"
    lease: int
    ticket: str
    attempt: int
    entry: PlanEntry


class AttemptStarted(_Message):
    """Worker → orchestrator, for the progress table."""

    kind: Literal["attempt_started"] = "attempt_started"
    serial: str
    task_id: str
    sample_index: int
    attempt: int


class StepDone(_Message):
    """Worker → orchestrator, for the progress table: a step line was synced."""

    kind: Literal["step_done"] = "step_done"
    serial: str
    step: int
    tokens: int
    cost_usd: float | None


class AttemptEnded(_Message):
    """Worker → reader: the attempt folder is complete and synced."""

    kind: Literal["attempt_ended"] = "attempt_ended"
    serial: str
    lease: int
    rollout_uid: str
    attempt: int
    status: Status
    stop_reason: StopReason
    fault: FaultPart | None
    stop_run: str | None = None
    """A fault that every rollout would meet (wrong key, unknown model): why the run should stop."""


class RecordResult(_Message):
    """Reader → writer: the rollout has ended; write its line. Sent again until the writer says it is recorded."""

    kind: Literal["record_result"] = "record_result"
    entry: PlanEntry
    lease: int
    attempts: list[AttemptPart]
    supersedes: int | None = None
    """Attempt of the earlier final that --redo replaces."""


class ResultRecorded(_Message):
    """Writer → reader and orchestrator: the line is synced."""

    kind: Literal["result_recorded"] = "result_recorded"
    rollout_uid: str
    task_id: str
    sample_index: int
    status: Status
    stop_reason: StopReason
    success: float | None
    serial: str | None


class Planned(_Message):
    """Reader → orchestrator: what there is to do."""

    kind: Literal["planned"] = "planned"
    run_id: str
    total: int
    final: int
    """Already final from earlier runs of this directory."""


class RunOver(_Message):
    """Reader → orchestrator: nothing is running and nothing more will be. left.json says what is left and why."""

    kind: Literal["run_over"] = "run_over"
    left: int
    phones_left: bool


class Stop(_Message):
    """Orchestrator → anyone. `finish`: end after what runs now. `cancel`: end what runs now, keep what was written."""

    kind: Literal["stop"] = "stop"
    how: Literal["finish", "cancel"]
    why: str = ""


class RoleFailed(_Message):
    """Any role → orchestrator: it cannot do its work; the run cannot go on."""

    kind: Literal["role_failed"] = "role_failed"
    role: str
    message: str


class StopRun(_Message):
    """Reader → orchestrator: something that every rollout would meet (a wrong key). The run cannot go on."""

    kind: Literal["stop_run"] = "stop_run"
    why: str


class Resync(_Message):
    """Orchestrator → workers: the reader was replaced; say again where you are."""

    kind: Literal["resync"] = "resync"


class UserQuestion(_Message):
    """Worker → orchestrator (manual_reply): ask the person at the terminal."""

    kind: Literal["user_question"] = "user_question"
    serial: str
    question_id: str
    task: str
    question: str
    screenshot: str


class UserQuestionOver(_Message):
    """Worker → orchestrator: the question was given up (time-out, cancel); do not ask it any more."""

    kind: Literal["user_question_over"] = "user_question_over"
    question_id: str


class UserReply(_Message):
    """Orchestrator → worker. `text` null: nobody is there."""

    kind: Literal["user_reply"] = "user_reply"
    question_id: str
    text: str | None


class LogLines(_Message):
    """Anyone → logger: events as JSON, one a line, oldest first."""

    kind: Literal["log_lines"] = "log_lines"
    lines: list[str]


AnyMessage = (
    RoleReady
    | PhoneReady
    | PhoneBusy
    | PhoneLost
    | WorkerLost
    | Assignment
    | AttemptStarted
    | StepDone
    | AttemptEnded
    | RecordResult
    | ResultRecorded
    | Planned
    | RunOver
    | Stop
    | RoleFailed
    | StopRun
    | Resync
    | UserQuestion
    | UserQuestionOver
    | UserReply
    | LogLines
)
_ADAPTER: TypeAdapter[AnyMessage] = TypeAdapter(Annotated[AnyMessage, Field(discriminator="kind")])


def encode(message: AnyMessage) -> bytes:
    return message.model_dump_json(by_alias=True).encode()


def decode(body: bytes) -> AnyMessage:
    """Raises pydantic.ValidationError for anything that is no message."""
    return _ADAPTER.validate_json(body)
