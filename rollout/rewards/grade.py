"""All verifiers of a task → rewards and the evidence behind them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from devices.base import Device
from devices.errors import DeviceUnavailable
from rollout.records.schema import Evidence
from rollout.rewards.conduct import answer, asked, stop_reason
from rollout.rewards.state import content_row, foreground_app, screen_text, setting
from rollout.rewards.verdict import GradingInput, Scene, Verdict
from rollout.tasks import Task
from rollout.tasks.verifiers import SUCCESS, Spec

Verifier = Callable[[Any, Scene], Verdict]
"""Takes its own spec. Raises CannotTell, or what the device raises; it never repairs and never guesses."""

VERIFIERS: Mapping[str, Verifier] = {
    "setting": setting,
    "content_row": content_row,
    "foreground_app": foreground_app,
    "screen_text": screen_text,
    "answer": answer,
    "stop_reason": stop_reason,
    "asked": asked,
}
"""`type` → function. A new kind: its spec in `rollout/tasks/verifiers.py`, its function, a line here."""


def grade(
    task: Task, device: Device | None, outcome: GradingInput, pause: Callable[[float], None] = time.sleep
) -> tuple[dict[str, float | None], list[Evidence]]:
    """Run every verifier of the task over the phone as the attempt left it.

    Returns:
        Rewards by verifier name, and `success`, the least of them. None: the verifier could not tell, for a reason its
        evidence gives; then `success` is None too. A task without verifiers has no rewards at all.

    Raises:
        DeviceUnavailable: the phone is gone, so nothing can be said.
    """
    scene = Scene(outcome, device, pause)
    names = unique_names(task.verifiers)
    evidence = [_look(name, spec, scene) for name, spec in zip(names, task.verifiers, strict=True)]
    rewards: dict[str, float | None] = {item.verifier: item.reward for item in evidence}
    if rewards:
        told = [reward for reward in rewards.values() if reward is not None]
        rewards[SUCCESS] = min(told) if len(told) == len(evidence) else None
    return rewards, evidence


def unique_names(specs: Sequence[Spec]) -> list[str]:
    """`name`, or the type; a second one of the same name is `name-2`."""
    names: list[str] = []
    for spec in specs:
        wanted = spec.name or str(getattr(spec, "type", ""))
        name, number = wanted, 1
        while name in names:
            number += 1
            name = f"{wanted}-{number}"
        names.append(name)
    return names


def _look(name: str, spec: Any, scene: Scene) -> Evidence:
    try:
        found = VERIFIERS[spec.type](spec, scene)
    except DeviceUnavailable:
        raise
    except Exception as error:  # noqa: BLE001  a broken check must not pass for a broken agent
        return Evidence(verifier=name, reward=None, expected=spec.model_dump(mode="json"), error=_told(error))
    return Evidence(verifier=name, reward=found.reward, saw=found.saw, expected=found.expected)


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__
