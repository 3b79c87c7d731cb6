"""What painters draw with: colours, scale, smooth shapes, text and icons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageColor, ImageDraw

from devices.simulated.fonts import draw_text, ellipsize, text_width
from devices.simulated.icons import icon_mask
from devices.simulated.ui import Rect


@dataclass(frozen=True, slots=True)
class Theme:
    background: str
    surface: str
    text: str
    dim: str
    divider: str
    accent: str
    on_accent: str
    soft: str
    field: str
    key: str


LIGHT = Theme(
    "#f6f7fb", "#ffffff", "#1b1c1f", "#5f6470", "#e2e5ee", "#2f5bd7", "#ffffff", "#dbe5ff", "#e9edf7", "#ffffff"
)
DARK = Theme(
    "#121317", "#1f2127", "#e6e7ec", "#9aa0ac", "#2c2f37", "#a9c1ff", "#10214f", "#2a3a66", "#24272f", "#3a3e48"
)


@dataclass(frozen=True, slots=True)
class Style:
    """Theme and scale that every painter draws in."""

    density: int
    is_dark: bool = False

    @property
    def theme(self) -> Theme:
        return DARK if self.is_dark else LIGHT

    def dp(self, dp: float) -> int:
        return max(1, round(dp * self.density / 160))


class Paint(NamedTuple):
    """What is visible of an element."""

    kind: str
    bounds: Rect
    clip: Rect | None
    text: str
    detail: str
    look: tuple[object, ...]
    checked: bool | None
    is_focused: bool
    part: tuple[int, int] = (0, 0)
    """Of an element that is too tall to be drawn whole: where the picture begins in it, and its height (px)."""


_MAX_ROUNDED_PX = 5000
Painter = Callable[[Paint, Style], Image.Image]


@lru_cache(maxsize=256)
def rounded_mask(width: int, height: int, radius: int) -> Image.Image:
    """A filled rounded rectangle with smooth corners, as an L mask."""
    radius = max(1, min(radius, width // 2, height // 2))
    big = Image.new("L", (radius * 8, radius * 8), 0)
    ImageDraw.Draw(big).ellipse((0, 0, radius * 8 - 1, radius * 8 - 1), fill=255)
    disc = big.resize((radius * 2, radius * 2), Image.Resampling.BOX)
    mask = Image.new("L", (width, height), 255)
    for left, x in ((0, 0), (radius, width - radius)):
        for top, y in ((0, 0), (radius, height - radius)):
            mask.paste(disc.crop((left, top, left + radius, top + radius)), (x, y))
    return mask


class Pen:
    """A picture under way, with the few shapes that painters need."""

    def __init__(self, paint: Paint, style: Style, background: str | None) -> None:
        """Without a background the picture is RGBA and clear. Coordinates are the element's, also in a part of it."""
        self.width, self.height = paint.bounds.width, paint.part[1] or paint.bounds.height
        self._above = paint.part[0]
        self.style, self.theme, self.dp = style, style.theme, style.dp
        size = (paint.bounds.width, paint.bounds.height)
        if background is None:
            self.image = Image.new("RGBA", size, (*ImageColor.getrgb(style.theme.surface)[:3], 0))
        else:
            self.image = Image.new("RGB", size, background)
        self._draw = ImageDraw.Draw(self.image)

    def text(self, x: float, middle: float, text: str, size_dp: float, fill: str, *, bold: bool = False) -> None:
        self.line(x, middle, text, self.dp(size_dp), fill, bold=bold)

    def line(self, x: float, middle: float, text: str, size_px: int, fill: str, *, bold: bool = False) -> None:
        """Text of a size in pixels; what lies outside the picture is left out."""
        middle -= self._above
        if -size_px < middle < self.image.height + size_px:
            draw_text(self._draw, x, middle, text, size_px, fill, bold=bold)

    def rectangle(self, left: float, top: float, right: float, bottom: float, fill: str) -> None:
        top, bottom = max(-1, top - self._above), min(self.image.height, bottom - self._above)
        if bottom >= top and right >= left:
            self._draw.rectangle((left, top, right, bottom), fill=fill)

    def centred(self, x: float, middle: float, text: str, size_dp: float, fill: str, *, bold: bool = False) -> None:
        self.text(x - text_width(text, self.dp(size_dp)) / 2, middle, text, size_dp, fill, bold=bold)

    def fitted(self, text: str, size_dp: float, width: int) -> str:
        return ellipsize(text, self.dp(size_dp), max(self.dp(8), width))

    def rounded(self, box: tuple[int, int, int, int], radius: int, fill: str) -> None:
        left, top, right, bottom = box
        if bottom - top > _MAX_ROUNDED_PX:
            self.rectangle(left, top, right, bottom, fill)
        elif right > left and bottom > top:
            colour = ImageColor.getcolor(fill, self.image.mode)
            mask = rounded_mask(right - left, bottom - top, radius)
            self.image.paste(colour, (left, top - self._above, right, bottom - self._above), mask)

    def disc(self, x: float, y: float, radius: int, fill: str) -> None:
        left, top = round(x) - radius, round(y) - radius
        self.rounded((left, top, left + 2 * radius, top + 2 * radius), radius, fill)

    def icon(self, name: str, x: float, y: float, size: int, fill: str) -> None:
        """Centred on x, y."""
        colour = ImageColor.getcolor(fill, self.image.mode)
        self.image.paste(colour, (round(x - size / 2), round(y - self._above - size / 2)), icon_mask(name, size))


def page_pen(paint: Paint, style: Style) -> Pen:
    return Pen(paint, style, style.theme.background)
