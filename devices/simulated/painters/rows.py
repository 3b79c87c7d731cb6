"""Painters of bars and of what lists are made of."""

from __future__ import annotations

from collections.abc import Mapping

from PIL import Image

from devices.simulated.fonts import line_height, wrap
from devices.simulated.painters.pen import Paint, Painter, Pen, Style, page_pen


def _bar(paint: Paint, style: Style) -> Image.Image:
    pen = page_pen(paint, style)
    left = pen.dp(62 if paint.look[0] else 22)
    pen.text(left, pen.height / 2, pen.fitted(paint.text, 21, pen.width - left - pen.dp(60)), 21, pen.theme.text)
    return pen.image


def _icon_button(paint: Paint, style: Style) -> Image.Image:
    pen = page_pen(paint, style)
    pen.icon(str(paint.look[0]), pen.width / 2, pen.height / 2, pen.dp(24), pen.theme.text)
    return pen.image


def _section(paint: Paint, style: Style) -> Image.Image:
    pen = page_pen(paint, style)
    pen.text(pen.dp(22), pen.height * 0.6, paint.text, 14, pen.theme.accent, bold=True)
    return pen.image


def _switch(pen: Pen, is_on: bool) -> None:
    width, height, y = pen.dp(50), pen.dp(30), pen.height // 2
    left = pen.width - pen.dp(20) - width
    pen.rounded((left, y - height // 2, left + width, y + height // 2), height, pen.theme.dim)
    if is_on:
        pen.rounded((left, y - height // 2, left + width, y + height // 2), height, pen.theme.accent)
        pen.disc(left + width - height / 2, y, height // 2 - pen.dp(4), pen.theme.on_accent)
    else:
        edge = pen.dp(2)
        box = (left + edge, y - height // 2 + edge, left + width - edge, y + height // 2 - edge)
        pen.rounded(box, height, pen.theme.field)
        pen.disc(left + height / 2, y, height // 2 - pen.dp(7), pen.theme.dim)


def _titles(pen: Pen, paint: Paint, left: int, right: int) -> None:
    """Title over detail, or the title alone, in the middle of the row."""
    middle, shift = pen.height / 2, pen.dp(11) if paint.detail else 0
    pen.text(left, middle - shift, pen.fitted(paint.text, 17, right - left), 17, pen.theme.text)
    if paint.detail:
        pen.text(left, middle + pen.dp(12), pen.fitted(paint.detail, 13.5, right - left), 13.5, pen.theme.dim)


def _row(paint: Paint, style: Style) -> Image.Image:
    """look: (icon, colour of the icon's disc, mark at the right)."""
    icon, colour, mark = (str(x) for x in paint.look)
    pen = page_pen(paint, style)
    left, right = pen.dp(22), pen.width - pen.dp(24)
    if icon:
        pen.disc(pen.dp(42), pen.height / 2, pen.dp(20), colour or pen.theme.soft)
        pen.icon(icon, pen.dp(42), pen.height / 2, pen.dp(21), "#ffffff" if colour else pen.theme.accent)
        left = pen.dp(78)
    if paint.checked is not None:
        _switch(pen, paint.checked)
        right -= pen.dp(60)
    elif mark:
        pen.icon(mark, right - pen.dp(8), pen.height / 2, pen.dp(18), pen.theme.dim)
        right -= pen.dp(26)
    _titles(pen, paint, left, right)
    pen.rectangle(left, pen.height - pen.dp(0.7), pen.width, pen.height, pen.theme.divider)
    return pen.image


def _note(paint: Paint, style: Style) -> Image.Image:
    """A note as a card with its colour at the left. look: (unused, colour, mark)."""
    _, colour, mark = (str(x) for x in paint.look)
    pen = page_pen(paint, style)
    box = (pen.dp(12), pen.dp(4), pen.width - pen.dp(12), pen.height - pen.dp(4))
    pen.rounded(box, pen.dp(14), pen.theme.surface)
    pen.rounded((pen.dp(24), pen.dp(18), pen.dp(30), pen.height - pen.dp(18)), pen.dp(3), colour)
    right = pen.width - pen.dp(32)
    if mark:
        pen.icon(mark, right - pen.dp(6), pen.height / 2, pen.dp(18), pen.theme.accent)
        right -= pen.dp(26)
    _titles(pen, paint, pen.dp(44), right)
    return pen.image


def _slider(paint: Paint, style: Style) -> Image.Image:
    pen = page_pen(paint, style)
    pen.text(pen.dp(22), pen.height * 0.28, paint.text, 17, pen.theme.text)
    left, right, y = pen.dp(22), pen.width - pen.dp(22), round(pen.height * 0.68)
    at = left + round((right - left) * float(str(paint.look[0])))
    pen.rounded((left, y - pen.dp(4), right, y + pen.dp(4)), pen.dp(4), pen.theme.soft)
    pen.rounded((left, y - pen.dp(4), max(at, left + pen.dp(8)), y + pen.dp(4)), pen.dp(4), pen.theme.accent)
    pen.disc(at, y, pen.dp(11), pen.theme.accent)
    return pen.image


def _paragraph(paint: Paint, style: Style) -> Image.Image:
    pen = page_pen(paint, style)
    size, bold = int(str(paint.look[0])), bool(paint.look[1])
    for index, (start, end) in enumerate(wrap(paint.text, size, pen.width)):
        middle = (index + 0.5) * line_height(size)
        pen.line(0, middle, paint.text[start:end], size, pen.theme.text, bold=bold)
    return pen.image


PAINTERS: Mapping[str, Painter] = {
    "bar": _bar,
    "icon_button": _icon_button,
    "section": _section,
    "row": _row,
    "note": _note,
    "slider": _slider,
    "paragraph": _paragraph,
}
