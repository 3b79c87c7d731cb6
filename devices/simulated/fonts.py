"""Text for the simulated screens: Pillow's own font first, a system font for what it lacks, else the code point.

Only looks depend on the fonts found; the phone's state never does.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from pathlib import Path

from PIL import ImageDraw, ImageFont

_FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
)
_WANTED = (
    "NotoSansCJK",
    "NotoSansSC",
    "SourceHanSans",
    "wqy-",
    "DroidSansFallback",
    "PingFang",
    "NotoEmoji",
    "Symbola",
    "DejaVuSans.ttf",
)
"""File names of fallback fonts, best first. Colour fonts are left out: they come in one size only."""
_BOX = -1
_LINE_HEIGHT = 1.32
_NARROWEST = 0.15
"""Of the font size: a line holds no more characters than fit at this width."""
_MAX_LINE_CHARS = 1000
_BOLD_STROKE = 0.018

Font = ImageFont.FreeTypeFont


@lru_cache(maxsize=1)
def _fallback_files() -> tuple[str, ...]:
    files = [p for folder in _FOLDERS for p in sorted(Path(folder).rglob("*.[ot]t[fc]"))]
    found = [next((str(p) for p in files if p.name.startswith(name)), None) for name in _WANTED]
    return tuple(path for path in found if path)


@lru_cache(maxsize=256)
def _font(index: int, size_px: int) -> Font:
    if index == 0:
        font = ImageFont.load_default(size_px)
        if not isinstance(font, ImageFont.FreeTypeFont):
            raise OSError("Pillow was built without FreeType; the simulated phones cannot draw text")
        return font
    return ImageFont.truetype(_fallback_files()[index - 1], size_px, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=16)
def _missing_glyph(index: int) -> bytes:
    return bytes(_font(index, 32).getmask("\U0010ffff"))


@lru_cache(maxsize=8192)
def _font_index(char: str) -> int:
    """Which font has a glyph for this character; `_BOX` when none has."""
    if char == " ":
        return 0
    for index in range(1 + len(_fallback_files())):
        if bytes(_font(index, 32).getmask(char)) != _missing_glyph(index):
            return index
    return _BOX


def _is_drawn(char: str) -> bool:
    return unicodedata.category(char) not in ("Cf", "Mn", "Cc", "Cs")


@lru_cache(maxsize=8192)
def _runs(text: str) -> tuple[tuple[int, str], ...]:
    """Stretches of text with the font that draws them; characters without a width are left out."""
    runs: list[tuple[int, str]] = []
    for char in text:
        if not _is_drawn(char):
            continue
        index = 0 if char.isascii() else _font_index(char)
        if runs and runs[-1][0] == index and index != _BOX:
            runs[-1] = (index, runs[-1][1] + char)
        else:
            runs.append((index, char))
    return tuple(runs)


@lru_cache(maxsize=16384)
def text_width(text: str, size_px: int) -> float:
    return sum(size_px * 0.9 if i == _BOX else _font(i, size_px).getlength(part) for i, part in _runs(text))


def line_height(size_px: int) -> int:
    return round(size_px * _LINE_HEIGHT)


def draw_text(
    draw: ImageDraw.ImageDraw, x_px: float, middle_px: float, text: str, size_px: int, fill: str, *, bold: bool = False
) -> None:
    """Draw one line that starts at `x_px`, its capitals centred on `middle_px`."""
    baseline = middle_px + size_px * 0.36
    stroke = size_px * _BOLD_STROKE if bold else 0
    for index, part in _runs(text):
        if index == _BOX:
            _draw_box(draw, x_px, baseline, part, size_px, fill)
            x_px += size_px * 0.9
            continue
        font = _font(index, size_px)
        draw.text((x_px, baseline), part, fill=fill, font=font, anchor="ls", stroke_width=stroke)
        x_px += font.getlength(part)


def _draw_box(draw: ImageDraw.ImageDraw, x_px: float, baseline: float, char: str, size_px: int, fill: str) -> None:
    """The code point in hex, in two lines inside a frame."""
    top, side = baseline - size_px * 0.8, size_px * 0.84
    draw.rectangle((x_px, top, x_px + side, top + size_px), outline=fill, width=max(1, size_px // 20))
    digits = f"{ord(char):04X}"
    half = len(digits) // 2
    small = max(6, round(size_px * 0.4))
    for row, part in enumerate((digits[:half], digits[half:])):
        middle = top + size_px * (0.28 + 0.44 * row)
        x_text = x_px + (side - text_width(part, small)) / 2
        draw.text((x_text, middle + small * 0.36), part, fill=fill, font=_font(0, small), anchor="ls")


@lru_cache(maxsize=4096)
def ellipsize(text: str, size_px: int, width_px: int) -> str:
    """One line that fits; line breaks become spaces."""
    text = text[:_MAX_LINE_CHARS]
    text = " ".join(text.splitlines()) if "\n" in text or "\r" in text else text
    if text_width(text, size_px) <= width_px:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if text_width(text[:middle].rstrip() + "…", size_px) <= width_px:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + "…"


@lru_cache(maxsize=1024)
def wrap(text: str, size_px: int, width_px: int) -> tuple[tuple[int, int], ...]:
    """Lines as (start, end) in code points; breaks at newlines, else at spaces, else anywhere."""
    lines: list[tuple[int, int]] = []
    start = 0
    for paragraph in text.split("\n"):
        end = start + len(paragraph)
        lines.extend(_wrap_paragraph(text, start, end, size_px, width_px))
        start = end + 1
    return tuple(lines)


def _wrap_paragraph(text: str, start: int, end: int, size_px: int, width_px: int) -> list[tuple[int, int]]:
    lines = []
    most = max(2, int(width_px / (size_px * _NARROWEST)))
    while end - start > 1 and (end - start > most or text_width(text[start:end], size_px) > width_px):
        low, high = start + 1, min(end, start + most)
        while low < high:
            middle = (low + high + 1) // 2
            if text_width(text[start:middle], size_px) <= width_px:
                low = middle
            else:
                high = middle - 1
        space = text.rfind(" ", start + 1, low + 1)
        stop = space + 1 if space > start else low
        lines.append((start, stop))
        start = stop
    lines.append((start, end))
    return lines


def text_image_size(text: str, size_px: int, width_px: int) -> tuple[int, int]:
    """Width and height of wrapped text."""
    lines = wrap(text, size_px, width_px)
    widest = max(text_width(text[a:b], size_px) for a, b in lines)
    return round(widest + 0.5), len(lines) * line_height(size_px)
