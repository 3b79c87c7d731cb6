"""Screens as pictures: a `Scene` holds everything that is visible and is the key under which its PNG is kept.

Two caches, shared by all phones of the process: finished captures by scene (bounded in bytes), and pictures of single
elements (rows, keyboard) by what they show, so that a new scene is mostly pasted together.
"""

from __future__ import annotations

import struct
import threading
from collections import OrderedDict
from functools import lru_cache
from typing import NamedTuple

from PIL import Image

from devices.simulated.painters import PAINTERS
from devices.simulated.painters.pen import Paint, Style
from devices.simulated.png import encode_png
from devices.simulated.strip import StripInfo, draw_strip
from devices.simulated.ui import Element, Rect

MAX_CAPTURE_BYTES = 256 << 20
_MAX_WHOLE_PX = 4000
_RGBA_8888 = 1
_SRGB = 1
_DIMMED = [round(v * 0.45) for v in range(256)] * 3


class Scene(NamedTuple):
    """All that is visible. Equal scenes have equal pixels."""

    width_px: int
    height_px: int
    style: Style
    paints: tuple[Paint, ...]
    strip: StripInfo | None = None
    motion: int = 0
    """0 at rest; else a number that differs from capture to capture while things move."""


def paint_of(element: Element) -> Paint:
    """The visible half of an element; of a very tall one only the part inside its clip."""
    bounds, clip, part = element.bounds, element.clip, (0, 0)
    if clip is not None and bounds.height > _MAX_WHOLE_PX:
        shown = bounds.clipped(clip)
        bounds, part = shown, (shown.top - bounds.top, bounds.height)
    return Paint(
        element.kind, bounds, clip, element.text, element.detail, element.look, element.checked, element.is_focused,
        part,
    )  # fmt: skip


class Captures:
    """Encoded captures by scene; the longest unused go when `max_bytes` is passed."""

    def __init__(self, max_bytes: int = MAX_CAPTURE_BYTES) -> None:
        self.max_bytes = max_bytes
        self.size_bytes = 0
        self._kept: OrderedDict[tuple[str, Scene], bytes] = OrderedDict()
        self._lock = threading.Lock()

    def png(self, scene: Scene) -> bytes:
        return self._get("png", scene)

    def raw(self, scene: Scene) -> bytes:
        """`screencap` without -p: width, height, format, colour space, then RGBA rows."""
        return self._get("raw", scene)

    def _get(self, form: str, scene: Scene) -> bytes:
        key = (form, scene)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
            image = render(scene)
            found = encode_png(image) if form == "png" else _raw(image)
            self._kept[key] = found
            self.size_bytes += len(found)
            while self.size_bytes > self.max_bytes and len(self._kept) > 1:
                self.size_bytes -= len(self._kept.popitem(last=False)[1])
            return found


CAPTURES = Captures()


def _raw(image: Image.Image) -> bytes:
    return struct.pack("<4I", image.width, image.height, _RGBA_8888, _SRGB) + image.convert("RGBA").tobytes()


def render(scene: Scene) -> Image.Image:
    """Draw a scene from nothing (some 5–20 ms; the pictures of its elements are kept)."""
    canvas = Image.new("RGB", (scene.width_px, scene.height_px), scene.style.theme.background)
    for paint in scene.paints:
        if paint.kind == "scrim":
            canvas = canvas.point(_DIMMED)
        else:
            _paste(canvas, paint, scene.style)
    if scene.motion:
        canvas = _moved(canvas, scene)
    if scene.strip is not None:
        draw_strip(canvas, scene.strip)
    return canvas


def _paste(canvas: Image.Image, paint: Paint, style: Style) -> None:
    bounds = paint.bounds
    if bounds.width <= 0 or bounds.height <= 0:
        return
    image = _picture(
        paint.kind, bounds.width, bounds.height, paint.text, paint.detail, paint.look, paint.checked,
        paint.is_focused, paint.part, style,
    )  # fmt: skip
    at = (bounds.left, bounds.top)
    if paint.clip is not None:
        shown = bounds.clipped(paint.clip)
        if shown != bounds:
            image = image.crop(shown.moved(-bounds.left, -bounds.top))
            at = (shown.left, shown.top)
    canvas.paste(image, at, image if image.mode == "RGBA" else None)


@lru_cache(maxsize=384)
def _picture(
    kind: str,
    width: int,
    height: int,
    text: str,
    detail: str,
    look: tuple[object, ...],
    checked: bool | None,
    is_focused: bool,
    part: tuple[int, int],
    style: Style,
) -> Image.Image:
    paint = Paint(kind, Rect(0, 0, width, height), None, text, detail, look, checked, is_focused, part)
    return PAINTERS[kind](paint, style)


def _moved(canvas: Image.Image, scene: Scene) -> Image.Image:
    """A screen on its way in: shifted to the right by less and less, over a bar that differs in every capture."""
    shift = max(1, scene.width_px // (3 + scene.motion))
    moved = Image.new("RGB", canvas.size, scene.style.theme.divider)
    moved.paste(canvas, (shift, 0))
    bar = scene.motion * 7 % scene.width_px + 1
    moved.paste(scene.style.theme.accent, (0, scene.height_px - 6, bar, scene.height_px))
    return moved
