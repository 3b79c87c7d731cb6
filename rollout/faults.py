"""Closed enums: fault classes and codes, verdicts, stop reasons, statuses. A new name is added here or nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How an attempt ended. `finished` and `truncated` are final and gradable."""

    FINISHED = "finished"
    TRUNCATED = "truncated"
    FAULTED = "faulted"
    CANCELLED = "cancelled"


FINAL = frozenset({Status.FINISHED, Status.TRUNCATED})


class StopReason(StrEnum):
    """Why an agent's own attempt stopped. The first six are gelab-zero's names."""

    TASK_COMPLETED_SUCCESSFULLY = "TASK_COMPLETED_SUCCESSFULLY"
    """The agent *said* it completed the task. Rewards tell whether it did."""
    TASK_ABORTED_BY_AGENT = "TASK_ABORTED_BY_AGENT"
    MAX_STEPS_REACHED = "MAX_STEPS_REACHED"
    INFO_ACTION_NEEDS_REPLY = "INFO_ACTION_NEEDS_REPLY"
    MANUAL_STOP_SCREEN_OFF = "MANUAL_STOP_SCREEN_OFF"
    USER_PAUSED = "USER_PAUSED"
    UNREADABLE_REPLY = "UNREADABLE_REPLY"
    TIMEOUT = "TIMEOUT"
    CONTEXT = "CONTEXT"
    LIMIT = "LIMIT"
    CALL_USER = "CALL_USER"
    FAULT = "FAULT"
    CANCELLED = "CANCELLED"


TRUNCATING = frozenset(
    {
        StopReason.MAX_STEPS_REACHED,
        StopReason.TIMEOUT,
        StopReason.CONTEXT,
        StopReason.LIMIT,
        StopReason.MANUAL_STOP_SCREEN_OFF,
        StopReason.USER_PAUSED,
    }
)
"""Stop reasons that cut an attempt short: status `truncated`."""


def status_of(stop_reason: StopReason) -> Status:
    """The status that follows from a stop reason."""
    if stop_reason is StopReason.FAULT:
        return Status.FAULTED
    if stop_reason is StopReason.CANCELLED:
        return Status.CANCELLED
    return Status.TRUNCATED if stop_reason in TRUNCATING else Status.FINISHED


class FaultClass(StrEnum):
    """Whose fault it is. AGENT is scored and never retried; the others are never scored."""

    AGENT = "AGENT"
    DEVICE = "DEVICE"
    ENVIRONMENT = "ENVIRONMENT"
    MODEL = "MODEL"
    INFRASTRUCTURE = "INFRASTRUCTURE"
    CANCELLED = "CANCELLED"
    CONFIG = "CONFIG"


class FaultCode(StrEnum):
    """What happened, within a class."""

    # DEVICE
    OFFLINE = "OFFLINE"
    UNRESPONSIVE = "UNRESPONSIVE"
    ADB_SERVER = "ADB_SERVER"
    REBOOTED = "REBOOTED"
    NEEDS_HUMAN = "NEEDS_HUMAN"
    SCREENSHOT_BAD = "SCREENSHOT_BAD"
    # ENVIRONMENT
    APP_MISSING = "APP_MISSING"
    RESET_FAILED = "RESET_FAILED"
    CHECKER_ERROR = "CHECKER_ERROR"
    # MODEL
    RATE_LIMIT = "RATE_LIMIT"
    MODEL_TIMEOUT = "MODEL_TIMEOUT"
    SERVER_ERROR = "SERVER_ERROR"
    ABORTED = "ABORTED"
    CONNECTION = "CONNECTION"
    BAD_RESPONSE = "BAD_RESPONSE"
    AUTH = "AUTH"
    UNKNOWN_MODEL = "UNKNOWN_MODEL"
    BAD_REQUEST = "BAD_REQUEST"
    CONTEXT_OVERFLOW = "CONTEXT_OVERFLOW"
    # AGENT
    PARSE_FAIL = "PARSE_FAIL"
    REPLY_CUT = "REPLY_CUT"
    EMPTY_REPLY = "EMPTY_REPLY"
    # INFRASTRUCTURE
    WORKER_CRASH = "WORKER_CRASH"
    DISK = "DISK"
    BUG = "BUG"
    # CANCELLED
    USER_STOP = "USER_STOP"
    SHUTDOWN = "SHUTDOWN"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Three separate questions about an ended attempt."""

    retry: bool
    """May the rollout have another attempt?"""
    grade: bool
    """Does the attempt count in the score?"""
    reward_valid: bool
    """May a trainer trust the reward?"""


VERDICTS: dict[FaultClass, Verdicts] = {
    FaultClass.AGENT: Verdicts(retry=False, grade=True, reward_valid=True),
    FaultClass.DEVICE: Verdicts(retry=True, grade=False, reward_valid=False),
    FaultClass.ENVIRONMENT: Verdicts(retry=True, grade=False, reward_valid=False),
    FaultClass.MODEL: Verdicts(retry=True, grade=False, reward_valid=False),
    FaultClass.INFRASTRUCTURE: Verdicts(retry=True, grade=False, reward_valid=False),
    FaultClass.CANCELLED: Verdicts(retry=True, grade=False, reward_valid=False),
    FaultClass.CONFIG: Verdicts(retry=False, grade=False, reward_valid=False),
}

NO_FAULT = Verdicts(retry=False, grade=True, reward_valid=True)

MAX_ATTEMPTS: dict[FaultClass, int] = {
    FaultClass.DEVICE: 3,
    FaultClass.ENVIRONMENT: 2,
    FaultClass.MODEL: 3,
    FaultClass.INFRASTRUCTURE: 3,
    FaultClass.CANCELLED: 1,
}
"""Attempts one rollout may spend on faults of a class, the first included."""
