"""The one place where 0–1000 becomes pixels and an action becomes device verbs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from devices.base import Device, Done, Look
from devices.errors import ActionFailed
from rollout.actions.schema import (
    Abort,
    AnyAction,
    Awake,
    CallUser,
    Click,
    Complete,
    Direction,
    DoubleClick,
    HotKeyPress,
    Info,
    LongPress,
    Point,
    Scroll,
    Slide,
    Type,
    Wait,
)

_TOWARDS: dict[Direction, tuple[int, int]] = {
    Direction.UP: (0, -1),
    Direction.DOWN: (0, 1),
    Direction.LEFT: (-1, 0),
    Direction.RIGHT: (1, 0),
}

CENTRE: Point = (500.0, 500.0)


def to_pixels(point: Point, width_px: int, height_px: int) -> tuple[int, int]:
    """0–1000 → device pixels of the current rotation; 1000 is the last pixel."""
    x, y = point
    return min(width_px - 1, math.floor(x * width_px / 1000)), min(height_px - 1, math.floor(y * height_px / 1000))


@dataclass(frozen=True, slots=True)
class Effect:
    """What an action did on the phone. `pixels`: x, y, and x2, y2 for a swipe."""

    commands: tuple[str, ...] = ()
    pixels: tuple[int, ...] = ()
    error: str | None = None

    @property
    def ok(self) -> bool:
        return self.error is None


@dataclass(frozen=True, slots=True)
class AppPolicy:
    """Packages an agent may open. `allow` None means all."""

    allow: frozenset[str] | None = None
    deny: frozenset[str] = frozenset()

    def refusal(self, package: str) -> str | None:
        """Why this app must not be opened, or None."""
        if package in self.deny or (self.allow is not None and package not in self.allow):
            return f"opening {package} is blocked by the run's safety policy"
        return None


class Executor:
    """Performs actions on one phone. Device faults pass through; what the phone refuses is the action's error."""

    def __init__(self, phone: Device, *, policy: AppPolicy | None = None, wait: Callable[[float], None]) -> None:
        self._phone = phone
        self._policy = policy or AppPolicy()
        self._wait = wait

    def perform(self, action: AnyAction, look: Look) -> Effect:
        """Do `action` on the screen that `look` shows.

        Raises:
            DeviceUnavailable: the phone is gone; whether the action happened is unknown.
        """
        try:
            return self._perform(action, look)
        except ActionFailed as error:
            return Effect(error=error.message)

    def _perform(self, action: AnyAction, look: Look) -> Effect:
        phone = self._phone
        match action:
            case Click(point=point):
                return self._at(look, point, phone.tap)
            case DoubleClick(point=point):
                return self._at(look, point, phone.double_tap)
            case LongPress(point=point, duration_s=duration_s):
                return self._at(look, point, lambda x, y: phone.long_press(x, y, duration_s))
            case Slide() | Scroll():
                return self._swipe(action, look)
            case Type():
                return self._type(action, look)
            case HotKeyPress(key=key):
                return Effect(phone.press_key(key.value).commands)
            case Awake(app=app):
                return self._launch(app)
            case Wait(seconds=seconds):
                self._wait(seconds)
                return Effect()
            case Complete() | Abort() | Info() | CallUser():
                return Effect()

    def _launch(self, app: str) -> Effect:
        package = self._phone.resolve_app(app)
        if refusal := self._policy.refusal(package):
            return Effect(error=refusal)
        return Effect(self._phone.launch_app(package).commands)

    def _at(self, look: Look, point: Point, verb: Callable[[int, int], Done]) -> Effect:
        x_px, y_px = to_pixels(point, look.screenshot.width_px, look.screenshot.height_px)
        return Effect(verb(x_px, y_px).commands, (x_px, y_px))

    def _type(self, action: Type, look: Look) -> Effect:
        focus = Effect()
        if action.point is not None and not self._has_keyboard(look):
            focus = self._at(look, action.point, self._phone.tap)
        typed = self._phone.type_text(action.text)
        return Effect(focus.commands + typed.commands, focus.pixels)

    def _has_keyboard(self, look: Look) -> bool:
        """A look need not tell; a phone that does not say either has none."""
        known = look.state.has_keyboard
        return bool(self._phone.state().has_keyboard if known is None else known)

    def _swipe(self, action: Slide | Scroll, look: Look) -> Effect:
        width, height = look.screenshot.width_px, look.screenshot.height_px
        start = to_pixels(action.point or CENTRE, width, height)
        if isinstance(action, Slide) and action.point2 is not None:
            end = to_pixels(action.point2, width, height)
        else:
            end = _end_of(action.point or CENTRE, action.direction, action.distance, width, height)
        return Effect(self._phone.swipe(*start, *end, action.duration_s).commands, (*start, *end))


def _end_of(
    point: Point, direction: Direction | None, distance: float, width_px: int, height_px: int
) -> tuple[int, int]:
    """Where a finger ends that leaves `point` towards `direction`; stays on the screen."""
    dx, dy = _TOWARDS[direction or Direction.UP]
    clipped = (
        min(1000.0, max(0.0, point[0] + dx * distance)),
        min(1000.0, max(0.0, point[1] + dy * distance)),
    )
    return to_pixels(clipped, width_px, height_px)
