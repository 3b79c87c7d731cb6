"""Painters of what belongs to the system: bars, wallpaper, keyboard, launcher icons, lock screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from PIL import Image

from devices.simulated.fonts import text_width
from devices.simulated.painters.pen import Paint, Painter, Pen, Style, page_pen, rounded_mask


def _status(paint: Paint, style: Style) -> Image.Image:
    """look: (on wallpaper, Wi-Fi, aeroplane mode, battery level)."""
    over, wifi, airplane, level = paint.look
    pen = Pen(paint, style, None) if over else page_pen(paint, style)
    fill, middle, right = "#ffffff" if over else pen.theme.text, pen.height * 0.72, pen.width - pen.dp(24)
    pen.text(pen.dp(24), middle, paint.text, 13.5, fill, bold=True)
    pen.text(right - text_width(f"{level}%", pen.dp(12)), middle, f"{level}%", 12, fill)
    right -= round(text_width(f"{level}%", pen.dp(12))) + pen.dp(12)
    pen.icon("battery", right, middle, pen.dp(17), fill)
    for name, is_on in (("wifi", wifi), ("airplane", airplane)):
        if is_on:
            right -= pen.dp(21)
            pen.icon(name, right, middle - pen.dp(1), pen.dp(16), fill)
    return pen.image


def _navigation(paint: Paint, style: Style) -> Image.Image:
    over = bool(paint.look and paint.look[0])
    pen = Pen(paint, style, None) if over else page_pen(paint, style)
    fill = "#ffffff" if over else pen.theme.dim
    for part, name in ((0.22, "nav_back"), (0.5, "nav_home"), (0.78, "nav_recents")):
        pen.icon(name, pen.width * part, pen.height / 2, pen.dp(21), fill)
    return pen.image


def _nothing(paint: Paint, style: Style) -> Image.Image:
    """Touchable without a picture of its own."""
    return Image.new("RGBA", (paint.bounds.width, paint.bounds.height), 0)


def _off(paint: Paint, style: Style) -> Image.Image:
    return Image.new("RGB", (paint.bounds.width, paint.bounds.height), "#000000")


def _wallpaper(paint: Paint, style: Style) -> Image.Image:
    top, bottom = ((28, 37, 84), (96, 62, 122)) if not style.is_dark else ((10, 12, 28), (34, 24, 52))
    rows = paint.bounds.height
    column = Image.new("RGB", (1, 64))
    for y in range(64):
        column.putpixel((0, y), tuple(round(a + (b - a) * y / 63) for a, b in zip(top, bottom, strict=True)))
    # Flat bands: a smooth gradient costs ten times as much to encode.
    return column.resize((paint.bounds.width, rows), Image.Resampling.NEAREST)


def _toast(paint: Paint, style: Style) -> Image.Image:
    pen = Pen(paint, style, None)
    pen.rounded((0, 0, pen.width, pen.height), pen.height // 2, "#2b2d33")
    pen.centred(pen.width / 2, pen.height / 2, pen.fitted(paint.text, 14, pen.width - pen.dp(40)), 14, "#f4f5f8")
    return pen.image


def _keyboard(paint: Paint, style: Style) -> Image.Image:
    """look: ((label, left, top, right, bottom) of each key, …), relative to the keyboard; none for ADBKeyboard."""
    pen = Pen(paint, style, style.theme.divider)
    if not paint.look:
        pen.centred(pen.width / 2, pen.height / 2, paint.text, 13, pen.theme.dim)
    for label, left, top, right, bottom in cast("tuple[tuple[str, int, int, int, int], ...]", paint.look):
        gap_x, gap_y = pen.dp(2.5), pen.dp(4)
        is_wide = label in ("shift", "backspace", "enter", "?123", "ABC", "=\\<")
        fill = pen.theme.accent if label == "enter" else pen.theme.soft if is_wide else pen.theme.key
        pen.rounded((left + gap_x, top + gap_y, right - gap_x, bottom - gap_y), pen.dp(7), fill)
        x, y = (left + right) / 2, (top + bottom) / 2
        if label in ("shift", "backspace", "enter"):
            pen.icon(label, x, y, pen.dp(20), pen.theme.on_accent if label == "enter" else pen.theme.text)
        else:
            pen.centred(x, y, label, 13 if len(label) > 1 else 19, pen.theme.dim if len(label) > 4 else pen.theme.text)
    return pen.image


def _task_card(paint: Paint, style: Style) -> Image.Image:
    pen = Pen(paint, style, None)
    pen.rounded((0, 0, pen.width, pen.height), pen.dp(22), pen.theme.surface)
    pen.disc(pen.dp(38), pen.dp(38), pen.dp(18), str(paint.look[1]))
    pen.icon(str(paint.look[0]), pen.dp(38), pen.dp(38), pen.dp(20), "#ffffff")
    pen.text(pen.dp(68), pen.dp(38), paint.text, 17, pen.theme.text)
    pen.text(pen.dp(22), pen.dp(90), pen.fitted(paint.detail, 14, pen.width - pen.dp(44)), 14, pen.theme.dim)
    return pen.image


def _app_icon(paint: Paint, style: Style) -> Image.Image:
    """A launcher icon with its label. look: (icon, colour)."""
    pen = Pen(paint, style, None)
    side, x = pen.dp(60), pen.width / 2
    left, top = round(x) - side // 2, pen.dp(8)
    pen.rounded((left, top, left + side, top + side), pen.dp(18), str(paint.look[1]))
    pen.icon(str(paint.look[0]), x, top + side / 2, pen.dp(32), "#ffffff")
    pen.centred(x, top + side + pen.dp(17), pen.fitted(paint.text, 13, pen.width), 13, "#ffffff")
    return pen.image


def _dock(paint: Paint, style: Style) -> Image.Image:
    pen = Pen(paint, style, None)
    pen.image.paste((255, 255, 255, 46), (0, 0), _mask(pen))
    return pen.image


def _mask(pen: Pen) -> Image.Image:
    return rounded_mask(pen.width, pen.height, pen.dp(28))


def _clock(paint: Paint, style: Style) -> Image.Image:
    """A large time with a line below it."""
    pen = Pen(paint, style, None)
    pen.centred(pen.width / 2, pen.height * 0.36, paint.text, 72, "#ffffff")
    pen.centred(pen.width / 2, pen.height * 0.82, paint.detail, 16, "#e4e6f2")
    return pen.image


def _label(paint: Paint, style: Style) -> Image.Image:
    """White text on the wallpaper. look: (size in dp,)."""
    pen = Pen(paint, style, None)
    pen.centred(pen.width / 2, pen.height / 2, paint.text, float(str(paint.look[0])), "#ffffff")
    return pen.image


def _pin_key(paint: Paint, style: Style) -> Image.Image:
    pen = Pen(paint, style, None)
    radius = min(pen.width, pen.height) // 2
    pen.image.paste((255, 255, 255, 52), (pen.width // 2 - radius, pen.height // 2 - radius),
                    rounded_mask(radius * 2, radius * 2, radius))  # fmt: skip
    if paint.look:
        pen.icon(str(paint.look[0]), pen.width / 2, pen.height / 2, pen.dp(24), "#ffffff")
    else:
        pen.centred(pen.width / 2, pen.height / 2, paint.text, 28, "#ffffff")
    return pen.image


def _shade(paint: Paint, style: Style) -> Image.Image:
    pen = Pen(paint, style, style.theme.surface)
    pen.text(pen.dp(24), pen.dp(70), paint.text, 34, pen.theme.text)
    pen.text(pen.dp(24), pen.dp(112), paint.detail, 15, pen.theme.dim)
    return pen.image


PAINTERS: Mapping[str, Painter] = {
    "status": _status,
    "navigation": _navigation,
    "touch": _nothing,
    "off": _off,
    "wallpaper": _wallpaper,
    "toast": _toast,
    "keyboard": _keyboard,
    "task_card": _task_card,
    "app_icon": _app_icon,
    "dock": _dock,
    "clock": _clock,
    "label": _label,
    "pin_key": _pin_key,
    "shade": _shade,
}
