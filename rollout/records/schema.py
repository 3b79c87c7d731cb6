"""The record: every line a run writes, versioned. All other files are projections of these.

`schema_version` 1. A key is never missing; what is not known is null. Readers take unknown keys and keep them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from rollout.faults import FaultClass, FaultCode, Status, StopReason

SCHEMA_VERSION = 1


def utc_now() -> str:
    """The time as every record writes it: UTC, ISO 8601, milliseconds, `Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Record(BaseModel):
    """Base: keeps keys it does not know, so that newer files pass through older code whole."""

    model_config = ConfigDict(extra="allow", protected_namespaces=())


class Phases(Record):
    """Seconds spent in each phase of a step (monotonic clock)."""

    screenshot: float = 0.0
    encode: float = 0.0
    model: float = 0.0
    parse: float = 0.0
    act: float = 0.0
    settle: float = 0.0


class AgentPart(Record):
    """Which agent of a hierarchy took the step. A single agent has role and name `gui`."""

    role: str = "gui"
    name: str = "gui"
    round: int = 1
    round_step: int = 1
    agent_step: int = 1
    subtask: str | None = None
    subtask_index: int | None = None
    fields: dict[str, Any] = Field(default_factory=dict)


class ObservationPart(Record):
    """What the agent saw before it acted. `screenshot` and `ui_tree` are paths inside the attempt folder."""

    screenshot: str | None = None
    sha256: str | None = None
    width: int | None = None
    height: int | None = None
    orientation: int | None = None
    app: str | None = None
    activity: str | None = None
    ui_tree: str | None = None
    user_reply: str | None = None


class ImageRef(Record):
    path: str
    sha256: str
    format: str
    width: int
    height: int


class RequestPart(Record):
    """What was sent, images by path (`{"type": "image", "path": …}`)."""

    messages: list[dict[str, Any]]
    images: list[ImageRef] = Field(default_factory=list)


class ModelPart(Record):
    """Who answered, how it was sampled, what it cost. Ids and logprobs only when the server reported them."""

    provider: str
    name: str
    policy_version: str | None = None
    request_id: str | None = None
    sampling: dict[str, Any] = Field(default_factory=dict)
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float | None = None
    retries: int = 0
    weight_version: str | None = None
    prompt_token_ids: list[int] | None = None
    completion_token_ids: list[int] | None = None
    logprobs: list[float] | None = None
    logprobs_mode: str | None = None

    @model_validator(mode="after")
    def _lengths_agree(self) -> ModelPart:
        checks = (
            (self.prompt_token_ids, self.prompt_tokens, "prompt_token_ids", "prompt_tokens"),
            (self.completion_token_ids, self.completion_tokens, "completion_token_ids", "completion_tokens"),
            (self.logprobs, self.completion_tokens, "logprobs", "completion_tokens"),
        )
        for values, count, name, of in checks:
            if values is not None and count is not None and len(values) != count:
                raise ValueError(f"{name} has {len(values)} entries, {of} says {count}")
        return self


class ReplyPart(Record):
    text: str | None
    reasoning: str | None = None


CallPurpose = Literal["act", "reask", "auto_reply", "caption", "summary", "judge", "host", "app"]


class Call(Record):
    """One model call. A re-ask is a call of its own and never overwrites what it follows."""

    purpose: CallPurpose
    trainable: bool
    request: RequestPart
    model: ModelPart
    reply: ReplyPart | None
    error: str | None = None
    """Why there is no reply, or why the reply could not be read."""


class ActionPart(Record):
    """What was read from the reply. `valid` is false for an unreadable reply or an action outside its range."""

    type: str | None
    point: list[float] | None = None
    point2: list[float] | None = None
    pixels: list[int] | None = None
    """x, y of the point on the device (x2, y2 appended for a swipe)."""
    text: str | None = None
    valid: bool = True
    repairs: list[str] = Field(default_factory=list)
    args: dict[str, Any] = Field(default_factory=dict)
    """The action's remaining arguments (key, direction, distance, duration_s, seconds)."""


class OutcomePart(Record):
    """What came of the action on the phone."""

    commands: list[str] = Field(default_factory=list)
    ok: bool = True
    error: str | None = None


class StepRecord(Record):
    """One line of `steps.jsonl`."""

    schema_version: int = SCHEMA_VERSION
    run_id: str
    rollout_uid: str
    group_id: str
    task_id: str
    sample_index: int
    attempt: int
    session_id: str
    step: int
    """From 1."""
    started_at: str
    """UTC, ISO 8601, milliseconds, `Z`."""
    phases_s: Phases
    agent: AgentPart
    observation: ObservationPart
    calls: list[Call]
    thought: str | None = None
    summary: str | None = None
    action: ActionPart
    ignored_actions: list[str] = Field(default_factory=list)
    outcome: OutcomePart
    reward: float | None = None


class FaultPart(Record):
    """Why an attempt is not the agent's result."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    fault_class: FaultClass = Field(alias="class")
    code: FaultCode
    boundary: str
    """device, model, environment, worker, disk, user."""
    message: str
    fatal: bool = False
    """Every rollout would meet the same: the run stops."""


class DevicePart(Record):
    serial: str
    hardware_serial: str | None = None
    model: str | None = None
    android_version: str | None = None
    fingerprint: str | None = None
    size: list[int] | None = None
    density: int | None = None
    locale: str | None = None
    time_zone: str | None = None


class VerdictPart(Record):
    retry: bool
    grade: bool
    reward_valid: bool


class Evidence(Record):
    """What one verifier saw, enough to grade again without the phone."""

    verifier: str
    reward: float | None
    """None: the verifier could not tell (a fault, not a failure)."""
    saw: Any = None
    expected: Any = None
    error: str | None = None


class AttemptPart(Record):
    """One line of a result's history of attempts."""

    attempt: int
    serial: str | None
    lease: int | None
    status: Status
    stop_reason: StopReason | None = None
    fault: FaultPart | None = None
    started_at: str | None = None
    ended_at: str | None = None


class TokenCounts(Record):
    prompt: int = 0
    completion: int = 0
    cached: int = 0


class AgentIdentity(Record):
    """What makes two runs comparable: changed identity means other data."""

    kind: str
    dialect: str
    provider: str
    model: str
    policy_version: str | None
    prompt_hash: str
    sampling: dict[str, Any]


class ResultRecord(Record):
    """One line of `results.jsonl`, and `attempt-N/attempt.json` before it."""

    schema_version: int = SCHEMA_VERSION
    run_id: str
    rollout_uid: str
    group_id: str
    task_id: str
    task_hash: str
    sample_index: int
    attempt: int
    lease: int
    session_id: str
    instruction: str
    started_at: str
    ended_at: str
    status: Status
    stop_reason: StopReason
    fault: FaultPart | None
    verdicts: VerdictPart
    rewards: dict[str, float | None]
    evidence: list[Evidence]
    answer: str | None
    steps: int
    counts: dict[str, int]
    """calls, reasks, retries, questions, action_errors, unreadable."""
    tokens: TokenCounts
    cost_usd: float | None
    total_s: float
    working_s: float
    """total_s less waiting for retries and pauses."""
    phases_s: Phases
    attempts: list[AttemptPart] = Field(default_factory=list)
    """All attempts of the rollout, this one last. Filled by the writer."""
    device: DevicePart | None
    agent: AgentIdentity
    origin_meta_data: Any = None
    supersedes: int | None = None
    """Attempt number of the earlier final that a --redo replaces."""


class PlanEntry(Record):
    """One line of `plan.jsonl`: a rollout that must end."""

    schema_version: int = SCHEMA_VERSION
    run_id: str
    rollout_uid: str
    group_id: str
    task_id: str
    task_hash: str
    sample_index: int
    folder: str
    """Name of the rollout's folder inside the run directory (`<task_id>.s<k>`, escaped)."""
    task: dict[str, Any]
    """The whole task, so that a resume does not depend on the task file."""


class LeaseLine(Record):
    """One line of `leases.jsonl`: `open` before the assignment leaves, `close` when the attempt is over."""

    schema_version: int = SCHEMA_VERSION
    event: Literal["open", "close"]
    lease: int
    """Fencing number, increasing over the whole life of the run directory."""
    rollout_uid: str
    task_id: str
    sample_index: int
    attempt: int
    serial: str
    ticket: str | None = None
    """Of the phone's readiness that the lease answers: a repeated readiness is not taken for a lost assignment."""
    at: str
    status: Status | None = None
    stop_reason: StopReason | None = None
    fault: FaultPart | None = None
