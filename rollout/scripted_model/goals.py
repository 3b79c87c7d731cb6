"""What a play is made of: goals that look at the screen and give the next action. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from devices.simulated.strip import StripInfo
from rollout.actions.schema import (
    Abort,
    AnyAction,
    Awake,
    Click,
    Complete,
    Direction,
    HotKey,
    HotKeyPress,
    Info,
    LongPress,
    Scroll,
    Type,
    Wait,
)

MOST_SCROLLS = 14
"""Swipes spent on finding one element."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What the server knows at one request."""

    screen: StripInfo | None
    """None: no strip could be read."""
    tries: int
    """How often the present goal was tried already."""
    memory: str
    """The history text: earlier notes and the user's reply."""


@dataclass(frozen=True, slots=True)
class Move:
    """The next action. `is_done`: the goal is reached with it, the next request is for the next goal."""

    action: AnyAction
    says: str
    is_done: bool = True
    note: str = ""
    """Carried on in the summary."""


Goal = Callable[[Scene], Move]


def open_app(name: str) -> Goal:
    return lambda scene: Move(Awake(app=name), f"open {name}")


def press(key: HotKey) -> Goal:
    return lambda scene: Move(HotKeyPress(key=key), f"press {key.value}")


def tap(key: str) -> Goal:
    """Tap an element; scroll down to it first when it is not on the screen."""
    return lambda scene: _reach(scene, key, lambda point: Move(Click(point=point), f"tap {key}"))


def hold(key: str) -> Goal:
    return lambda scene: _reach(scene, key, lambda point: Move(LongPress(point=point), f"hold {key}"))


def type_text(text: str) -> Goal:
    return lambda scene: Move(Type(text=text), "type the text")


def ask(question: str) -> Goal:
    return lambda scene: Move(Info(question=question), "ask the user")


def finish(answer: str = "") -> Goal:
    return lambda scene: Move(Complete(answer=answer), "the task is done")


def give_up(reason: str) -> Goal:
    return lambda scene: Move(Abort(reason=reason), "the task cannot be done")


def tap_or_give_up(key: str, reason: str) -> Goal:
    """Tap an element that must be on the screen now; without it the task is impossible."""

    def goal(scene: Scene) -> Move:
        point = scene.screen.find(key) if scene.screen else None
        if point is None:
            return Move(Abort(reason=reason), "what is asked for is not there")
        return Move(Click(point=point), f"tap {key}", is_done=False)

    return goal


def tap_told(keys: dict[str, str], otherwise: str) -> Goal:
    """Tap the element for the first of the words that the user's reply holds; remember the word."""

    def goal(scene: Scene) -> Move:
        word = next((word for word in keys if re.search(rf"\b{word}\b", scene.memory, re.IGNORECASE)), otherwise)
        move = _reach(scene, keys[word], lambda point: Move(Click(point=point), f"choose {word}"))
        return Move(move.action, move.says, move.is_done, note=f"the user said {word}")

    return goal


def tap_for_ever() -> Goal:
    return lambda scene: Move(Click(point=(500, 500)), "tap the middle", is_done=False)


def _reach(scene: Scene, key: str, then: Callable[[tuple[float, float]], Move]) -> Move:
    screen = scene.screen
    if screen is None:
        return Move(HotKeyPress(key=HotKey.BACK), "the screen cannot be read", is_done=False)
    if "m" in screen.flags:
        return Move(Wait(seconds=0.2), "wait for the animation", is_done=False)
    if (point := screen.find(key)) is not None:
        return then(point)
    if scene.tries >= MOST_SCROLLS:
        return Move(Abort(reason=f"{key} is nowhere to be found"), "give up")
    if "k" in screen.flags:
        return Move(HotKeyPress(key=HotKey.BACK), "put the keyboard away", is_done=False)
    return Move(Scroll(direction=Direction.UP, point=(500, 750), distance=500), f"look for {key}", is_done=False)


@dataclass(frozen=True, slots=True)
class Play:
    """How one kind of task is played: instructions that match `pattern` → goals."""

    pattern: re.Pattern[str]
    goals: Callable[[re.Match[str]], list[Goal]] = field(repr=False)
