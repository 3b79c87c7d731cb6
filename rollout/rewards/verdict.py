"""What a verifier is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import sleep
from typing import Any

from devices.base import Device
from rollout.faults import StopReason


@dataclass(frozen=True, slots=True)
class GradingInput:
    """What the attempt itself left, apart from the phone."""

    stop_reason: StopReason
    answer: str | None = None
    questions: int = 0
    """How many the agent asked the user."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything a verifier may look at."""

    attempt: GradingInput
    device: Device | None = None
    """None: graded again, from the record alone."""
    pause: Callable[[float], None] = field(default=sleep)

    def phone(self) -> Device:
        """Raises CannotTell without one."""
        if self.device is None:
            raise CannotTell("no phone to look at")
        return self.device


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verifier's answer: `reward` 0 or 1, what it saw, what it expected."""

    reward: float
    saw: Any
    expected: Any


class CannotTell(Exception):
    """The check itself failed. No reward follows from it, least of all 0."""


def verdict(is_right: bool, saw: Any, expected: Any) -> Verdict:
    return Verdict(1.0 if is_right else 0.0, saw, expected)


def short(text: str | None, limit: int = 500) -> str | None:
    """Text from a phone or a model as evidence holds it."""
    return text if text is None or len(text) <= limit else f"{text[:limit]}…"
