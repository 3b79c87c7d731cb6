"""When to look: the next screenshot is taken when the screen has come to rest."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from devices.base import Device, Look
from rollout.config.schema import Settle

_FRAME_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class Sight:
    """An observation and what it took: `settle_s` waiting for rest, `screenshot_s` for the capture that counts."""

    look: Look
    settle_s: float
    screenshot_s: float


class Settler:
    """Looks at one phone. Whole captures are compared byte for byte; the last one is the observation."""

    def __init__(
        self,
        phone: Device,
        rule: Settle,
        *,
        wait: Callable[[float], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._phone = phone
        self._rule = rule
        self._wait = wait
        self._clock = clock
        self._capture_s = 0.0

    def first(self) -> Sight:
        """The screen as it is: nothing was done yet."""
        return self._sight(self._clock())

    def after_action(self) -> Sight:
        """The screen after an action, as the rule says. Bounded by `max_s` plus one capture."""
        began = self._clock()
        match self._rule.mode:
            case "none":
                pass
            case "fixed":
                self._wait(self._rule.seconds)
            case "adaptive":
                return self._at_rest(began)
        return self._sight(began)

    def _at_rest(self, began: float) -> Sight:
        self._wait(self._rule.min_s)
        if self._capture_s > self._rule.slow_capture_s:
            self._wait_for_still_frames(began)
            return self._sight(began)
        sight = self._sight(began)
        while self._clock() - began < self._rule.max_s:
            later = self._sight(began)
            if later.look.screenshot.png == sight.look.screenshot.png:
                return later
            sight = later
        return sight

    def _wait_for_still_frames(self, began: float) -> None:
        """A capture is slow here: watch the foreground app's frame counter instead."""
        package = self._phone.state().package
        seen = self._phone.frames_rendered(package) if package else None
        while seen is not None and self._clock() - began < self._rule.max_s:
            self._wait(_FRAME_POLL_S)
            now = self._phone.frames_rendered(package) if package else None
            if now == seen:
                return
            seen = now

    def _sight(self, began: float) -> Sight:
        started = self._clock()
        look = self._phone.look()
        self._capture_s = self._clock() - started
        return Sight(look, settle_s=started - began, screenshot_s=self._capture_s)
