"""What makes an action a possible one: every rule, from both sides. Nothing is clamped."""

from __future__ import annotations

from typing import Any

import pytest

from rollout.actions.assertion import InvalidAction, action_assertion

GOOD: list[dict[str, Any]] = [
    {"type": "CLICK", "point": [0, 0]},
    {"type": "CLICK", "point": [1000, 1000]},
    {"type": "CLICK", "point": [500.5, 300]},
    {"type": "DOUBLE_CLICK", "point": [500, 500]},
    {"type": "LONG_PRESS", "point": [500, 500], "duration_s": 0.8},
    {"type": "TYPE", "text": "你好 😀 $(reboot)\n%s"},
    {"type": "TYPE", "text": " ", "point": [1, 1]},
    {"type": "HOT_KEY", "key": "ENTER"},
    {"type": "SLIDE", "point": [1, 2], "point2": [3, 4]},
    {"type": "SLIDE", "point": [1, 2], "direction": "UP", "distance": 400},
    {"type": "SCROLL", "direction": "LEFT"},
    {"type": "SCROLL", "direction": "DOWN", "point": [5, 5], "distance": 1000, "duration_s": 1},
    {"type": "AWAKE", "app": "Maps"},
    {"type": "WAIT", "seconds": 0},
    {"type": "INFO", "question": "Which?"},
    {"type": "CALL_USER", "reason": "captcha"},
    {"type": "COMPLETE"},
    {"type": "ABORT", "reason": "login needed"},
]

BAD: list[tuple[dict[str, Any], str]] = [
    ({"type": "CLICK", "point": [-1, 5]}, "0 to 1000"),
    ({"type": "CLICK", "point": [5, 1000.1]}, "0 to 1000"),
    ({"type": "CLICK", "point": [float("nan"), 5]}, "0 to 1000"),
    ({"type": "CLICK"}, "CLICK needs point"),
    ({"type": "CLICK", "point": [5]}, "point"),
    ({"type": "CLICK", "point": [5, 5], "text": "x"}, "has no text"),
    ({"type": "DOUBLE_CLICK"}, "needs point"),
    ({"type": "LONG_PRESS", "point": [5, 5], "duration_s": 0}, "above 0"),
    ({"type": "LONG_PRESS", "point": [5, 5], "duration_s": 10_000}, "at most"),
    ({"type": "SLIDE", "point2": [5, 5]}, "needs point"),
    ({"type": "SLIDE", "point": [5, 5]}, "second point or a direction"),
    ({"type": "SLIDE", "point": [5, 5], "point2": [1, 1], "direction": "UP"}, "not both"),
    ({"type": "SLIDE", "point": [5, 5], "direction": "SIDEWAYS"}, "UP, DOWN, LEFT, RIGHT"),
    ({"type": "SCROLL"}, "needs direction"),
    ({"type": "SCROLL", "direction": "UP", "distance": 0}, "above 0"),
    ({"type": "HOT_KEY", "key": "SELF_DESTRUCT"}, "BACK"),
    ({"type": "TYPE", "text": ""}, "empty"),
    ({"type": "TYPE", "text": "a\0b"}, "NUL"),
    ({"type": "AWAKE", "app": " "}, "empty"),
    ({"type": "WAIT", "seconds": -1}, "0 to"),
    ({"type": "WAIT", "seconds": float("inf")}, "0 to"),
    ({"type": "LONGPRESS", "point": [5, 5]}, "LONG_PRESS"),
    ({"type": "EXPLODE"}, "is no action"),
    ({}, "is no action"),
]


@pytest.mark.parametrize("fields", GOOD, ids=str)
def test_a_possible_action_is_taken_as_it_is(fields: dict[str, Any]) -> None:
    action = action_assertion(fields)
    assert action.type == fields["type"]


@pytest.mark.parametrize(("fields", "says"), BAD, ids=str)
def test_an_impossible_action_is_refused_with_what_would_be_allowed(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidAction, match=says):
        action_assertion(fields)
