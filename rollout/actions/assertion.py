"""What makes an action a possible one: ranges, bounds and which parts it needs. One rule an action, nothing is clamped.

A dialect reads text; this module judges what was read, whoever wrote it. 0 and 1000 are inside: 1000 is the last pixel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from rollout.actions.schema import (
    ACTION_CLASSES,
    Abort,
    ActionType,
    AnyAction,
    Awake,
    CallUser,
    Click,
    Complete,
    Direction,
    DoubleClick,
    HotKey,
    HotKeyPress,
    Info,
    LongPress,
    Point,
    Scroll,
    Slide,
    Type,
    Wait,
    action_from_dict,
)

MAX_GESTURE_S = 30.0
MAX_WAIT_S = 300.0
MAX_TEXT = 10_000
"""Characters of one typed text or answer."""
MAX_NAME = 200
"""Characters of an app's name."""


class InvalidAction(Exception):
    """The action cannot be done as it stands. `problems` says what is wrong and what would be allowed."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


def action_problems(action: AnyAction) -> list[str]:
    """Everything wrong with an action; empty when it may be done."""
    return RULES[action.type](action)


def assert_action(action: AnyAction) -> None:
    """Raises InvalidAction with every problem found."""
    if problems := action_problems(action):
        raise InvalidAction(problems)


def action_assertion(fields: Mapping[str, Any]) -> AnyAction:
    """Record form → a valid action.

    Raises:
        InvalidAction: an unknown type, a missing or unreadable part, or one outside its range.
    """
    try:
        action = action_from_dict(dict(fields))
    except ValidationError as error:
        raise InvalidAction(_explain(fields, error)) from error
    assert_action(action)
    return action


def _explain(fields: Mapping[str, Any], error: ValidationError) -> list[str]:
    kind = fields.get("type")
    if kind not in set(ActionType):
        return [f"{kind!r} is no action; actions are {', '.join(ActionType)}"]
    return [_explain_part(str(kind), item["loc"], item["msg"], item["type"]) for item in error.errors()]


def _explain_part(kind: str, place: tuple[int | str, ...], message: str, error_type: str) -> str:
    part = str(place[1]) if len(place) > 1 else kind
    allowed = ", ".join(sorted(set(ACTION_CLASSES[ActionType(kind)].model_fields) - {"type"})) or "nothing"
    if error_type == "missing":
        return f"{kind} needs {part}"
    if error_type == "extra_forbidden":
        return f"{kind} has no {part}; it takes {allowed}"
    choices = {"key": HotKey, "direction": Direction}.get(part)
    hint = f"; allowed: {', '.join(choices)}" if choices else ""
    return f"{kind}: {part} is unusable ({message}){hint}"


def _point(name: str, point: Point | None) -> list[str]:
    if point is None:
        return []
    # NaN fails both comparisons, so it is refused here too.
    if all(0 <= value <= 1000 for value in point):
        return []
    return [f"{name} {point[0]:g},{point[1]:g} is outside the screen; both numbers go from 0 to 1000"]


def _within(name: str, value: float, most: float, unit: str) -> list[str]:
    if 0 < value <= most:
        return []
    return [f"{name} is {value:g}; it must be above 0 and at most {most:g} {unit}"]


def _text(name: str, text: str, most: int, *, required: bool = False) -> list[str]:
    if required and not text.strip("\0 "):
        return [f"{name} is empty"]
    if len(text) > most:
        return [f"{name} has {len(text)} characters; at most {most} are allowed"]
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        return [f"{name} holds a NUL or half a surrogate pair, which no keyboard can type"]
    return []


def _slide(action: Slide) -> list[str]:
    problems = _point("SLIDE point", action.point) + _point("SLIDE point2", action.point2)
    if (action.point2 is None) == (action.direction is None):
        problems.append("SLIDE needs either a second point or a direction (UP, DOWN, LEFT, RIGHT), and not both")
    return problems + _gesture("SLIDE", action.distance, action.duration_s)


def _gesture(name: str, distance: float, duration_s: float) -> list[str]:
    return _within(f"{name} distance", distance, 1000, "(thousandths of the screen)") + _within(
        f"{name} duration", duration_s, MAX_GESTURE_S, "seconds"
    )


def _wait(action: Wait) -> list[str]:
    if math.isfinite(action.seconds) and 0 <= action.seconds <= MAX_WAIT_S:
        return []
    return [f"WAIT is {action.seconds:g}; it must be from 0 to {MAX_WAIT_S:g} seconds"]


def _typed(action: Type) -> list[str]:
    # Blanks alone are a text that someone may want typed; nothing at all is not.
    empty = [] if action.text else ["TYPE value is empty"]
    return empty + _text("TYPE value", action.text, MAX_TEXT) + _point("TYPE point", action.point)


def _long_press(action: LongPress) -> list[str]:
    return _point("LONG_PRESS point", action.point) + _within(
        "LONG_PRESS duration", action.duration_s, MAX_GESTURE_S, "seconds"
    )


def _complete(action: Complete) -> list[str]:
    return _text("COMPLETE answer", action.answer, MAX_TEXT)


def _click(action: Click) -> list[str]:
    return _point("CLICK point", action.point)


def _double_click(action: DoubleClick) -> list[str]:
    return _point("DOUBLE_CLICK point", action.point)


def _hot_key(action: HotKeyPress) -> list[str]:
    return [] if action.key in HotKey else [f"{action.key!r} is no key; keys are {', '.join(HotKey)}"]


def _scroll(action: Scroll) -> list[str]:
    return _point("SCROLL point", action.point) + _gesture("SCROLL", action.distance, action.duration_s)


def _awake(action: Awake) -> list[str]:
    return _text("AWAKE value (an app's name)", action.app, MAX_NAME, required=True)


def _info(action: Info) -> list[str]:
    return _text("INFO value (the question)", action.question, MAX_TEXT, required=True)


def _reason(action: CallUser | Abort) -> list[str]:
    return _text(f"{action.type} reason", action.reason, MAX_TEXT)


RULES: dict[ActionType, Callable[[Any], list[str]]] = {
    ActionType.COMPLETE: _complete,
    ActionType.CLICK: _click,
    ActionType.DOUBLE_CLICK: _double_click,
    ActionType.LONG_PRESS: _long_press,
    ActionType.TYPE: _typed,
    ActionType.HOT_KEY: _hot_key,
    ActionType.SLIDE: _slide,
    ActionType.SCROLL: _scroll,
    ActionType.AWAKE: _awake,
    ActionType.WAIT: _wait,
    ActionType.INFO: _info,
    ActionType.CALL_USER: _reason,
    ActionType.ABORT: _reason,
}
"""One rule an action type."""
