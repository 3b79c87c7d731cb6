"""Painters of what is pressed and typed into: fields, buttons, dialogs, menus."""

from __future__ import annotations

from collections.abc import Mapping

from PIL import Image

from devices.simulated.fonts import line_height, text_width, wrap
from devices.simulated.painters.pen import Paint, Painter, Pen, Style, page_pen

_BODY_DP = 16


def _field(paint: Paint, style: Style) -> Image.Image:
    """A boxed text field with its label. look: (cursor or -1, multi-line, all selected, hint)."""
    pen = page_pen(paint, style)
    edge = pen.dp(2) if paint.is_focused else pen.dp(1)
    pen.rounded((0, 0, pen.width, pen.height), pen.dp(12), pen.theme.accent if paint.is_focused else pen.theme.divider)
    pen.rounded((edge, edge, pen.width - edge, pen.height - edge), pen.dp(11), pen.theme.field)
    label_fill = pen.theme.accent if paint.is_focused else pen.theme.dim
    pen.text(pen.dp(16), pen.dp(14), paint.detail, 12, label_fill)
    _field_text(pen, paint, pen.dp(16), pen.dp(28))
    return pen.image


def _bar_field(paint: Paint, style: Style) -> Image.Image:
    pen = page_pen(paint, style)
    pen.rounded((0, pen.dp(8), pen.width, pen.height - pen.dp(8)), pen.height, pen.theme.field)
    _field_text(pen, paint, pen.dp(18), (pen.height - line_height(pen.dp(_BODY_DP))) // 2)
    return pen.image


def _field_text(pen: Pen, paint: Paint, left: int, top: int) -> None:
    """The text, its cursor when focused, or the hint while there is none."""
    cursor, is_multiline, is_selected, hint = paint.look
    at, size = int(str(cursor)), pen.dp(_BODY_DP)
    inner = max(size, pen.width - 2 * left)
    text = paint.text if is_multiline else " ".join(paint.text.splitlines())
    if not text:
        pen.text(left, top + line_height(size) / 2, pen.fitted(str(hint), _BODY_DP, inner), _BODY_DP, pen.theme.dim)
    lines = wrap(text, size, inner) if is_multiline else (_visible_part(text, size, inner, at),)
    for index, (start, end) in enumerate(lines):
        middle = top + (index + 0.5) * line_height(size)
        part = text[start:end]
        if is_selected and part:
            box = (left, round(middle - size * 0.6), round(left + text_width(part, size)), round(middle + size * 0.6))
            pen.rectangle(*box, pen.theme.soft)
        pen.text(left, middle, part, _BODY_DP, pen.theme.text)
        if start <= at <= end and (at < end or index == len(lines) - 1 or lines[index + 1][0] > at):
            x = round(left + text_width(text[start:at], size))
            box = (x, round(middle - size * 0.58), x + pen.dp(1.6), round(middle + size * 0.58))
            pen.rectangle(*box, pen.theme.accent)


def _visible_part(text: str, size: int, inner: int, cursor: int) -> tuple[int, int]:
    """Of a single line: as much as fits up to the cursor (or from the start when there is none)."""
    end = len(text) if cursor < 0 else cursor
    start = 0
    if cursor >= 0:
        start = max(0, end - inner)  # No character is narrower than a pixel.
        while end - start > 1 and text_width(text[start:end], size) > inner:
            start += max(1, (end - start) // 32)
    while end < len(text) and text_width(text[start : end + 1], size) <= inner:
        end += 1
    end = min(end, start + inner)
    while cursor < 0 and end > 1 and text_width(text[:end], size) > inner:
        end -= max(1, end // 32)
    return start, end


def _button(paint: Paint, style: Style) -> Image.Image:
    """look: ("filled",) over the width, ("bar",) a small one in the app bar."""
    pen = page_pen(paint, style)
    if paint.look[0] == "bar":
        box = (pen.dp(4), pen.height // 2 - pen.dp(20), pen.width - pen.dp(8), pen.height // 2 + pen.dp(20))
    else:
        box = (0, 0, pen.width, pen.height)
    pen.rounded(box, pen.height, pen.theme.accent)
    pen.centred((box[0] + box[2]) / 2, pen.height / 2, paint.text, 15.5, pen.theme.on_accent, bold=True)
    return pen.image


def _fab(paint: Paint, style: Style) -> Image.Image:
    pen = Pen(paint, style, None)
    pen.rounded((0, 0, pen.width, pen.height), pen.dp(20), pen.theme.accent)
    pen.icon(str(paint.look[0]), pen.width / 2, pen.height / 2, pen.dp(27), pen.theme.on_accent)
    return pen.image


def _swatch(paint: Paint, style: Style) -> Image.Image:
    pen = page_pen(paint, style)
    x, y = pen.width / 2, pen.height / 2
    if paint.checked:
        pen.disc(x, y, pen.dp(28), pen.theme.text)
        pen.disc(x, y, pen.dp(26), pen.theme.background)
    pen.disc(x, y, pen.dp(22), str(paint.look[0]))
    if paint.checked:
        pen.icon("check", x, y, pen.dp(22), "#ffffff")
    return pen.image


def _panel(paint: Paint, style: Style) -> Image.Image:
    """A dialog's ground with title and message. look: (height of the title, height of the message) in pixels."""
    pen = Pen(paint, style, None)
    pen.rounded((0, 0, pen.width, pen.height), pen.dp(24), pen.theme.surface)
    title_px, message_px = (int(str(n)) for n in paint.look)
    if paint.text:
        pen.text(pen.dp(24), title_px * 0.55, pen.fitted(paint.text, 20, pen.width - pen.dp(48)), 20, pen.theme.text)
    if message_px:
        size, inner = pen.dp(_BODY_DP), pen.width - 2 * pen.dp(24)
        for index, (start, end) in enumerate(wrap(paint.detail, size, inner)):
            middle = title_px + (index + 0.5) * line_height(size)
            pen.text(pen.dp(24), middle, paint.detail[start:end], _BODY_DP, pen.theme.dim)
    return pen.image


def _radio(paint: Paint, style: Style) -> Image.Image:
    pen = Pen(paint, style, None)
    x, y = pen.dp(36), pen.height / 2
    pen.disc(x, y, pen.dp(10), pen.theme.accent if paint.checked else pen.theme.dim)
    pen.disc(x, y, pen.dp(8), pen.theme.surface)
    if paint.checked:
        pen.disc(x, y, pen.dp(5), pen.theme.accent)
    pen.text(pen.dp(62), y, pen.fitted(paint.text, 16, pen.width - pen.dp(80)), 16, pen.theme.text)
    return pen.image


def _menu_item(paint: Paint, style: Style) -> Image.Image:
    pen = Pen(paint, style, None)
    pen.text(pen.dp(22), pen.height / 2, pen.fitted(paint.text, 16, pen.width - pen.dp(40)), 16, pen.theme.text)
    return pen.image


def _text_button(paint: Paint, style: Style) -> Image.Image:
    pen = Pen(paint, style, None)
    pen.centred(pen.width / 2, pen.height / 2, paint.text, 15, pen.theme.accent, bold=True)
    return pen.image


PAINTERS: Mapping[str, Painter] = {
    "field": _field,
    "bar_field": _bar_field,
    "button": _button,
    "fab": _fab,
    "swatch": _swatch,
    "panel": _panel,
    "radio": _radio,
    "menu_item": _menu_item,
    "text_button": _text_button,
}
