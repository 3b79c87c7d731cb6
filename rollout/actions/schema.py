"""The one action enum and one class an action. Points are 0–1000 of the screen the model saw, floats allowed.

Adding an action: one class here, its line in `AnyAction`, one rule in `assertion.py`, one branch in
`rollout/agent/executor.py`, and a spelling in each dialect that has it. `tests/actions/test_action_consistency.py`
names whatever is missing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Point = tuple[float, float]
"""x, y; 0–1000 from the top left of the current orientation."""


class ActionType(StrEnum):
    """gelab-zero's twelve actions and SCROLL."""

    COMPLETE = "COMPLETE"
    CLICK = "CLICK"
    DOUBLE_CLICK = "DOUBLE_CLICK"
    LONG_PRESS = "LONG_PRESS"
    TYPE = "TYPE"
    HOT_KEY = "HOT_KEY"
    SLIDE = "SLIDE"
    SCROLL = "SCROLL"
    AWAKE = "AWAKE"
    WAIT = "WAIT"
    INFO = "INFO"
    CALL_USER = "CALL_USER"
    ABORT = "ABORT"


class Direction(StrEnum):
    """Where the finger goes. UP moves the content up: what is below comes into view."""

    UP = "UP"
    DOWN = "DOWN"
    LEFT = "LEFT"
    RIGHT = "RIGHT"


class HotKey(StrEnum):
    """Keys an agent may press."""

    ENTER = "ENTER"
    BACK = "BACK"
    HOME = "HOME"
    MENU = "MENU"
    APP_SWITCH = "APP_SWITCH"
    VOLUME_UP = "VOLUME_UP"
    VOLUME_DOWN = "VOLUME_DOWN"
    POWER = "POWER"


class _Action(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Complete(_Action):
    """The agent says that the task is done; `answer` is what it returns to the user ("" when nothing was asked)."""

    type: Literal[ActionType.COMPLETE] = ActionType.COMPLETE
    answer: str = ""


class Click(_Action):
    type: Literal[ActionType.CLICK] = ActionType.CLICK
    point: Point


class DoubleClick(_Action):
    type: Literal[ActionType.DOUBLE_CLICK] = ActionType.DOUBLE_CLICK
    point: Point


class LongPress(_Action):
    type: Literal[ActionType.LONG_PRESS] = ActionType.LONG_PRESS
    point: Point
    duration_s: float = 1.5


class Type(_Action):
    """Type into the focused field; with a point, tap there first when no keyboard is up."""

    type: Literal[ActionType.TYPE] = ActionType.TYPE
    text: str
    point: Point | None = None


class HotKeyPress(_Action):
    type: Literal[ActionType.HOT_KEY] = ActionType.HOT_KEY
    key: HotKey


class Slide(_Action):
    """A finger from `point` to `point2`, or from `point` in a direction (`distance` in 0–1000 of that side)."""

    type: Literal[ActionType.SLIDE] = ActionType.SLIDE
    point: Point
    point2: Point | None = None
    direction: Direction | None = None
    distance: float = 300.0
    duration_s: float = 0.5


class Scroll(_Action):
    """A finger from `point` (the middle by default) that goes `distance` (0–1000 of that side) in `direction`."""

    type: Literal[ActionType.SCROLL] = ActionType.SCROLL
    direction: Direction
    point: Point | None = None
    distance: float = 300.0
    duration_s: float = 0.5


class Awake(_Action):
    """Open an app by name or package."""

    type: Literal[ActionType.AWAKE] = ActionType.AWAKE
    app: str


class Wait(_Action):
    type: Literal[ActionType.WAIT] = ActionType.WAIT
    seconds: float = 1.0


class Info(_Action):
    """A question to the user."""

    type: Literal[ActionType.INFO] = ActionType.INFO
    question: str


class CallUser(_Action):
    """The user must take over (a login, a captcha)."""

    type: Literal[ActionType.CALL_USER] = ActionType.CALL_USER
    reason: str = ""


class Abort(_Action):
    """The agent says that the task cannot be done."""

    type: Literal[ActionType.ABORT] = ActionType.ABORT
    reason: str = ""


AnyAction = (
    Complete
    | Click
    | DoubleClick
    | LongPress
    | Type
    | HotKeyPress
    | Slide
    | Scroll
    | Awake
    | Wait
    | Info
    | CallUser
    | Abort
)
_ADAPTER: TypeAdapter[AnyAction] = TypeAdapter(Annotated[AnyAction, Field(discriminator="type")])

ACTION_CLASSES: dict[ActionType, type[_Action]] = {
    cls.model_fields["type"].default: cls
    for cls in (
        Complete, Click, DoubleClick, LongPress, Type, HotKeyPress, Slide, Scroll, Awake, Wait, Info, CallUser, Abort,
    )
}  # fmt: skip


def action_from_dict(fields: dict[str, Any]) -> AnyAction:
    """Build an action from its record form. Raises pydantic.ValidationError. Ranges are `assertion.py`'s business."""
    return _ADAPTER.validate_python(fields)
