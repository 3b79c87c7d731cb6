"""A phone of a few lines for loop tests: it shows given screens, notes every verb, and fails on demand.

The real wire is in every other test; here it is the loop's own decisions that matter.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import Any

from devices.base import Done, Look, Screenshot, ScreenState, WindowSize


def png(width: int = 108, height: int = 240, shade: int = 255) -> bytes:
    """A plain grey picture of that size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = (b"\0" + bytes([shade]) * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def screen(width: int = 1080, height: int = 2400, shade: int = 255, **state: Any) -> Look:
    known = {"is_awake": True, "is_locked": False, "rotation": 0, "has_keyboard": False} | state
    shot = Screenshot(png(width // 10, height // 10, shade), width, height)
    return Look(shot, ScreenState(size=WindowSize(width, height), **known))


class FakePhone:
    """Shows `screens` one after the other (the last one stays); `verbs` holds what was done, in order."""

    serial = "FAKE"

    def __init__(self, *screens: Look, fail: Callable[[str], Exception | None] = lambda verb: None) -> None:
        self._screens = list(screens) or [screen()]
        self._fail = fail
        self.verbs: list[tuple[Any, ...]] = []

    def look(self, timeout_s: float | None = None) -> Look:
        self._note("look")
        return self._screens.pop(0) if len(self._screens) > 1 else self._screens[0]

    def state(self) -> ScreenState:
        return self._screens[0].state

    def resolve_app(self, name: str) -> str:
        self._note("resolve_app", name)
        return f"com.{name.lower()}"

    def frames_rendered(self, package: str) -> int | None:
        self._note("frames_rendered", package)
        return 7

    def __getattr__(self, verb: str) -> Callable[..., Done]:
        if verb.startswith("_"):
            raise AttributeError(verb)

        def do(*arguments: Any) -> Done:
            self._note(verb, *arguments)
            return Done((" ".join(map(str, (verb, *arguments))),))

        return do

    def _note(self, verb: str, *arguments: Any) -> None:
        if verb != "look":
            self.verbs.append((verb, *arguments))
        if (error := self._fail(verb)) is not None:
            raise error
