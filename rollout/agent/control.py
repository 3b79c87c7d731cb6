"""Stopping from outside (Control) and by limits (Budget)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rollout.config.schema import RolloutLimits
from rollout.faults import StopReason
from rollout.records.schema import Call


class Control:
    """How the worker's other thread reaches a running attempt: `cancelled` ends waits and model calls at once."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()

    def stop_reason(self) -> StopReason | None:
        return StopReason.CANCELLED if self.cancelled.is_set() else None

    def wait(self, seconds: float) -> None:
        """Sleep, unless cancelled."""
        if seconds > 0:
            self.cancelled.wait(seconds)


@dataclass(slots=True)
class Budget:
    """Limits of one attempt. Checked before each step, so that a spent budget starts nothing new."""

    limits: RolloutLimits
    max_steps: int
    """0 means no limit."""
    clock: Callable[[], float] = time.monotonic
    tokens: int = 0
    calls: int = 0
    cost_usd: float = 0.0
    waited_s: float = 0.0
    """For servers' retries and for people: not the agent's time."""
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()

    def spend(self, calls: Sequence[Call], waited_s: float = 0.0) -> None:
        self.waited_s += waited_s
        for call in calls:
            self.calls += 1
            self.tokens += (call.model.prompt_tokens or 0) + (call.model.completion_tokens or 0)
            self.cost_usd += call.model.cost_usd or 0.0

    def exhausted(self, steps: int) -> StopReason | None:
        """Why no further step may start after `steps` steps, or None."""
        limits = self.limits
        if self.max_steps and steps >= self.max_steps:
            return StopReason.MAX_STEPS_REACHED
        if limits.seconds is not None and self.clock() - self._began - self.waited_s >= limits.seconds:
            return StopReason.TIMEOUT
        spent = (
            (limits.tokens, self.tokens),
            (limits.calls, self.calls),
            (limits.cost_usd, self.cost_usd),
        )
        return StopReason.LIMIT if any(most is not None and used >= most for most, used in spent) else None
