"""Pictures of the screen: asked for in one round trip, checked, never made up and never decoded."""

from __future__ import annotations

import re
import time

from devices import png
from devices.adb_link import AdbLink
from devices.base import Look, Screenshot, ScreenState
from devices.errors import DeviceUnavailable, ScreenshotError
from devices.logs import Log
from devices.status import END, parse_status, quick_status_command, status_command

RETAKE_WAITS_S = (0.2, 0.6)
"""Waits before a picture is taken again. What is still bad then is the phone's fault."""

_WARNING = "Multiple displays were found"
_DISPLAY = re.compile(r"^Display (\d+) \(", re.MULTILINE)
_ACTIVE_DISPLAY = re.compile(r"isActive=true, displayId=0, uniqueId='local:(\d+)'")
_DISPLAYS_COMMAND = "dumpsys SurfaceFlinger --display-id; dumpsys display 2>/dev/null | grep -m1 mViewports="


class Capture:
    """Takes pictures on one phone. `sdk` is its Android API level."""

    def __init__(self, link: AdbLink, sdk: int, log: Log) -> None:
        self._link = link
        self._sdk = sdk
        self._log = log
        self._status = status_command(sdk)
        self._quick_status = quick_status_command(sdk)
        self._display_option = ""
        self._has_warned = False
        self._names_no_display = False

    def look(self, timeout_s: float) -> Look:
        """Screen state and picture, at most a moment apart; lock and keyboard only when no app has the focus.

        Raises:
            ScreenshotError: no picture after the retakes.
        """
        text, screenshot = self._take(f"{self._quick_status}; ", timeout_s)
        state = parse_status(text[: text.find(END) + len(END)])
        if state.overlay is not None or state.package is None:
            state = self.state(timeout_s)
        self._distrust_display(state, screenshot)
        return Look(screenshot, state)

    def screenshot(self, timeout_s: float) -> Screenshot:
        """The picture alone. Raises ScreenshotError."""
        return self._take("", timeout_s)[1]

    def state(self, timeout_s: float) -> ScreenState:
        """The screen state alone; unknown where the phone does not say."""
        return parse_status(self._link.shell(self._status, timeout_s=timeout_s, is_read_only=True).stdout)

    def _take(self, status: str, timeout_s: float) -> tuple[str, Screenshot]:
        """The text in front of the picture, and the picture."""
        end = time.monotonic() + timeout_s
        for wait_s in (*RETAKE_WAITS_S, None):
            command = f"{status}screencap -p{self._display_option}"
            left_s = max(0.1, end - time.monotonic())
            text, screenshot, problem = self._link.exec_view(command, _split, timeout_s=left_s)
            if screenshot is None:
                if wait_s is None or time.monotonic() + wait_s >= end:
                    raise self._bad_picture(text, problem, bool(status))
                time.sleep(wait_s)
            elif _WARNING not in text or wait_s is None or not self._choose_display():
                return text, screenshot
        raise AssertionError("unreachable: the last try returns or raises")

    def _bad_picture(self, text: str, problem: str, has_status: bool) -> DeviceUnavailable:
        """The error for an answer that holds no whole picture; `text` is what stands in front of it."""
        if has_status and END not in text:
            return DeviceUnavailable(self._link.serial, f"the answer was cut: {problem}")
        said = text.rpartition(END)[2].strip()
        if problem != png.NOTHING:
            return ScreenshotError(self._link.serial, problem)
        words = f"; the phone said: {said[:200]}" if said else ""
        hint = "; the screen may be protected against capture" if self._sdk <= 33 else ""
        return ScreenshotError(self._link.serial, problem + words + hint)

    def _choose_display(self) -> bool:
        """Name the active display from now on. False when that was done or the phone names none."""
        if self._display_option or self._names_no_display:
            return False
        answer = self._link.shell(_DISPLAYS_COMMAND, is_read_only=True).stdout
        listed = _DISPLAY.findall(answer)
        active = [display for display in _ACTIVE_DISPLAY.findall(answer) if display in listed]
        chosen = next(iter(active or listed), None)
        if not self._has_warned:
            self._log.warning("several_displays", serial=self._link.serial, displays=listed, captured=chosen)
        self._has_warned = True
        self._names_no_display = chosen is None
        self._display_option = f" -d {chosen}" if chosen else ""
        return chosen is not None

    def _distrust_display(self, state: ScreenState, shot: Screenshot) -> None:
        """A foldable moves its main display between panels: a picture of another size means ask again next time."""
        if self._display_option and state.size is not None:
            expected = sorted((state.size.width_px, state.size.height_px))
            if expected != sorted((shot.width_px, shot.height_px)):
                self._display_option = ""


def _split(view: memoryview) -> tuple[str, Screenshot | None, str]:
    """Text in front, the picture, and what is wrong when there is none."""
    try:
        span = png.find(view)
    except png.NotAPicture as error:
        return bytes(view[:4000]).decode("utf-8", "replace"), None, str(error)
    text = bytes(view[: span.start]).decode("utf-8", "replace")
    return text, Screenshot(bytes(view[span.start : span.end]), span.width_px, span.height_px), ""
