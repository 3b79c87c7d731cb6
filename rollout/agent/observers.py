"""What the loop tells while it runs. Observers record, report, count; the loop knows none of them by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from devices.base import Look, Screenshot
from rollout.agent.executor import Effect
from rollout.agent.policy import Decision
from rollout.llm.messages import ImagePart


@dataclass(slots=True)
class StepTaken:
    """One step, filled while it happens. After a fault it holds what there was."""

    number: int
    """From 1."""
    started_at: str
    look: Look | None = None
    image: ImagePart | None = None
    decision: Decision = field(default_factory=Decision)
    effect: Effect = field(default_factory=Effect)
    user_reply: str | None = None
    """Answer to this step's own question."""
    earlier_reply: str | None = None
    """Answer to the previous step's question: part of what the agent saw now."""
    error: str | None = None
    """The fault that ended the step."""
    settle_s: float = 0.0
    """Waiting for the screen to rest before this step's observation."""
    screenshot_s: float = 0.0
    act_s: float = 0.0
    encode_s: float = 0.0
    """Hashing and storing the image; encoding too, once images are re-encoded."""


class Observer(Protocol):
    """Raises nothing but DiskTrouble-like errors of its own work; those end the attempt as INFRASTRUCTURE."""

    def step_done(self, step: StepTaken) -> None:
        """Called once per step, also for the step in which a fault struck."""


class ImageKeeper(Protocol):
    """Keeps the images a rollout saw and gives them the name the record uses."""

    def keep(self, number: int, screenshot: Screenshot) -> ImagePart: ...
