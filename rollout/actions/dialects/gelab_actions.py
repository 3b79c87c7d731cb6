"""Gelab fields → action, and back. What is missing or unreadable is an error with the allowed values, never a guess."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from rollout.actions.dialects import UnreadableReply
from rollout.actions.schema import (
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
)

SPELLINGS: Mapping[ActionType, tuple[str, ...]] = {
    ActionType.CLICK: ("CLICK",),
    ActionType.DOUBLE_CLICK: ("DOUBLE_CLICK", "DOUBLECLICK", "DOUBLE_TAP"),
    ActionType.LONG_PRESS: ("LONGPRESS", "LONG_PRESS"),
    ActionType.TYPE: ("TYPE",),
    ActionType.SLIDE: ("SLIDE",),
    ActionType.SCROLL: ("SCROLL",),
    ActionType.HOT_KEY: ("HOT_KEY", "HOTKEY", "BACK", "HOME", "ENTER"),
    ActionType.AWAKE: ("AWAKE",),
    ActionType.WAIT: ("WAIT",),
    ActionType.INFO: ("INFO",),
    ActionType.COMPLETE: ("COMPLETE",),
    ActionType.ABORT: ("ABORT",),
}
"""How the family writes each action; the first spelling is the one offered and rendered."""

NOT_SPELLED: Mapping[ActionType, str] = {
    ActionType.CALL_USER: "the family asks with INFO or stops with ABORT; it never hands the phone over",
}

OFFERED = ", ".join(names[0] for names in SPELLINGS.values())

_TYPES = {name: kind for kind, names in SPELLINGS.items() for name in names}
_KEY_ALIASES = {"RECENT": "APP_SWITCH", "RECENTS": "APP_SWITCH", "VOLUMEUP": "VOLUME_UP", "VOLUMEDOWN": "VOLUME_DOWN"}
_DIRECTION_ALIASES = {"上": "UP", "下": "DOWN", "左": "LEFT", "右": "RIGHT"}
_PLAIN = str.maketrans("０１２３４５６７８９．，、－＋（）［］【】", "0123456789.,,-+()[][]")

_NUMBER = r"[+-]?\d{1,20}(?:\.\d{0,20})?"
_POINT = re.compile(rf"[\[(<]{{0,2}}\s{{0,4}}({_NUMBER})\s{{0,4}}[,;\s]\s{{0,4}}({_NUMBER})\s{{0,4}}[\])>]{{0,2}}")
_AMOUNT = re.compile(rf"({_NUMBER})\s{{0,4}}(ms|milliseconds|毫秒|s|sec|secs|second|seconds|秒|秒钟)?", re.IGNORECASE)
_MILLI = frozenset({"ms", "milliseconds", "毫秒"})

Pairs = Mapping[str, str]


def read_action(pairs: Pairs, repairs: list[str]) -> AnyAction:
    """The action that the fields say.

    Raises:
        UnreadableReply: an unknown action, or a field that is missing or unreadable.
    """
    written = pairs["action"]
    name = re.sub(r"[\s-]+", "_", written[:40].strip(" *`'\"").upper())
    kind = _TYPES.get(name)
    if kind is None:
        raise UnreadableReply(f"{written[:40]!r} is no action; actions are {OFFERED}")
    if kind is ActionType.HOT_KEY:
        return HotKeyPress(
            key=_key(pairs.get("value") or pairs.get("key") or "") if name.startswith("HOT") else HotKey(name)
        )
    if kind is ActionType.COMPLETE and "value" in pairs and "return" not in pairs:
        repairs.append("the answer stood in value instead of return")
    return _READERS[kind](pairs)


def _complete(pairs: Pairs) -> AnyAction:
    return Complete(answer=pairs.get("return") or pairs.get("value") or "")


def _long_press(pairs: Pairs) -> AnyAction:
    return LongPress(point=_required_point(pairs, "LONGPRESS"), **_amounts(pairs, duration="duration_s"))


def _type(pairs: Pairs) -> AnyAction:
    if not pairs.get("value"):
        raise UnreadableReply("TYPE needs value, the text to type")
    return Type(text=pairs["value"], point=_point(pairs, "point"))


def _slide(pairs: Pairs) -> AnyAction:
    start, first, second = (_point(pairs, key) for key in ("point", "point1", "point2"))
    if start is not None and first is not None and start != first:
        raise UnreadableReply("SLIDE has both point and point1; give point1 and point2, or point and direction")
    begin, direction = start or first, _direction(pairs)
    if begin is None or (second is None and direction is None):
        raise UnreadableReply("SLIDE needs point1 and point2, or point and direction (UP, DOWN, LEFT, RIGHT)")
    amounts = _amounts(pairs, distance="distance", duration="duration_s")
    return Slide(point=begin, point2=second, direction=direction, **amounts)


def _scroll(pairs: Pairs) -> AnyAction:
    direction = _direction(pairs)
    if direction is None:
        raise UnreadableReply("SCROLL needs direction: UP, DOWN, LEFT or RIGHT")
    amounts = _amounts(pairs, distance="distance", duration="duration_s")
    return Scroll(direction=direction, point=_point(pairs, "point"), **amounts)


def _awake(pairs: Pairs) -> AnyAction:
    if not pairs.get("value"):
        raise UnreadableReply("AWAKE needs value, the name of the app to open")
    return Awake(app=pairs["value"])


def _wait(pairs: Pairs) -> AnyAction:
    return Wait(seconds=_amount("value", pairs["value"])) if pairs.get("value") else Wait()


def _info(pairs: Pairs) -> AnyAction:
    if not pairs.get("value"):
        raise UnreadableReply("INFO needs value, the question to the user")
    return Info(question=pairs["value"])


_READERS: Mapping[ActionType, Callable[[Pairs], AnyAction]] = {
    ActionType.COMPLETE: _complete,
    ActionType.CLICK: lambda pairs: Click(point=_required_point(pairs, "CLICK")),
    ActionType.DOUBLE_CLICK: lambda pairs: DoubleClick(point=_required_point(pairs, "DOUBLE_CLICK")),
    ActionType.LONG_PRESS: _long_press,
    ActionType.TYPE: _type,
    ActionType.SLIDE: _slide,
    ActionType.SCROLL: _scroll,
    ActionType.AWAKE: _awake,
    ActionType.WAIT: _wait,
    ActionType.INFO: _info,
    ActionType.ABORT: lambda pairs: Abort(reason=pairs.get("value", "")),
}


# -- values


def _required_point(pairs: Pairs, action: str) -> Point:
    point = _point(pairs, "point")
    if point is None:
        raise UnreadableReply(f"{action} needs point:x,y, two numbers from 0 to 1000")
    return point


def _point(pairs: Pairs, key: str) -> Point | None:
    """Two numbers, in whatever brackets and digits. None when the field is not there."""
    written = pairs.get(key)
    if written is None:
        return None
    match = _POINT.fullmatch(written[:100].translate(_PLAIN))
    if match is None:
        raise UnreadableReply(f"{key} is {written[:40]!r}; it must be two numbers from 0 to 1000, like {key}:500,300")
    return float(match[1]), float(match[2])


def _amounts(pairs: Pairs, **names: str) -> dict[str, float]:
    """Fields that hold an amount, under the names of the action's parts; what is not there keeps its default."""
    return {part: _amount(key, pairs[key]) for key, part in names.items() if pairs.get(key)}


def _amount(key: str, written: str) -> float:
    match = _AMOUNT.fullmatch(written[:100].translate(_PLAIN))
    if match is None:
        raise UnreadableReply(f"{key} is {written[:40]!r}; it must be a number, like {key}:2")
    return float(match[1]) / (1000 if (match[2] or "").lower() in _MILLI else 1)


def _direction(pairs: Pairs) -> Direction | None:
    written = pairs.get("direction")
    if written is None:
        return None
    name = written.upper().removeprefix("向")
    try:
        return Direction(_DIRECTION_ALIASES.get(name, name))
    except ValueError:
        raise UnreadableReply(f"direction is {written[:40]!r}; it must be UP, DOWN, LEFT or RIGHT") from None


def _key(written: str) -> HotKey:
    name = re.sub(r"[\s-]+", "_", written[:40].strip().upper()).removeprefix("KEYCODE_")
    try:
        return HotKey(_KEY_ALIASES.get(name, name))
    except ValueError:
        raise UnreadableReply(f"HOT_KEY value is {written[:40]!r}; keys are {', '.join(HotKey)}") from None


# -- back to text


def write_action(action: AnyAction) -> list[str]:
    """The action's fields as the model would write them, `action:` first.

    Raises:
        ValueError: the family has no such action.
    """
    match action:
        case Complete(answer=answer):
            fields = [f"return:{answer}"]
        case Click(point=point) | DoubleClick(point=point):
            fields = [f"point:{_xy(point)}"]
        case LongPress(point=point, duration_s=duration_s):
            fields = [f"point:{_xy(point)}", *_unless(1.5, "duration", duration_s)]
        case Type(text=text, point=point):
            fields = [f"value:{text}"] + ([] if point is None else [f"point:{_xy(point)}"])
        case HotKeyPress(key=key):
            fields = [f"value:{key.value}"]
        case Slide() | Scroll():
            fields = _write_swipe(action)
        case Awake(app=value) | Info(question=value) | Abort(reason=value):
            fields = [f"value:{value}"]
        case Wait(seconds=seconds):
            fields = [f"value:{_number(seconds)}"]
        case CallUser():
            raise ValueError(f"{action.type} has no spelling in this dialect: {NOT_SPELLED[action.type]}")
    return [f"action:{SPELLINGS[action.type][0]}", *fields]


def _write_swipe(action: Slide | Scroll) -> list[str]:
    fields = []
    if isinstance(action, Slide) and action.point2 is not None:
        fields = [f"point1:{_xy(action.point)}", f"point2:{_xy(action.point2)}"]
    elif action.point is not None:
        fields = [f"point:{_xy(action.point)}"]
    if action.direction is not None:
        fields.append(f"direction:{action.direction.value}")
    return fields + _unless(300.0, "distance", action.distance) + _unless(0.5, "duration", action.duration_s)


def _unless(default: float, key: str, value: float) -> list[str]:
    return [] if value == default else [f"{key}:{_number(value)}"]


def _xy(point: Point) -> str:
    return f"{_number(point[0])},{_number(point[1])}"


def _number(value: float) -> str:
    text = repr(float(value)).removesuffix(".0")
    return f"{value:.20f}".rstrip("0") if "e" in text else text
