"""Dialogs and menus: where their parts lie."""

from __future__ import annotations

from devices.simulated import fonts
from devices.simulated.layout import BODY_DP, Metrics
from devices.simulated.ui import Choice, Dialog, Element, Rect


def dialog_elements(dialog: Dialog, metrics: Metrics) -> list[Element]:
    """A dialog in the middle of the space above the keyboard, or a menu (a dialog without title and buttons)."""
    dp = metrics.dp
    is_menu = not dialog.title and not dialog.buttons
    width = min(dp(220 if is_menu else 340), metrics.width_px - dp(24))
    padding, row = dp(24), dp(52)
    message_px = 0
    if dialog.message:
        message_px = fonts.text_image_size(dialog.message, dp(BODY_DP), width - 2 * padding)[1] + dp(12)
    title_px = dp(60) if dialog.title else dp(10)
    area_height = metrics.keyboard_top - metrics.status_px
    edges_px = title_px + message_px + (dp(64) if dialog.buttons else dp(10))
    row = min(row, max(1, area_height - edges_px) // max(1, len(dialog.options)))
    height = edges_px + row * len(dialog.options)
    left = metrics.width_px - width - dp(12) if is_menu else (metrics.width_px - width) // 2
    top = metrics.status_px + (dp(8) if is_menu else max(0, area_height - height) // 2)
    panel = Rect(left, top, left + width, top + height)
    elements = [Element("panel", "", panel, dialog.title, dialog.message, look=(title_px, message_px))]
    at = top + title_px + message_px
    for choice in dialog.options:
        kind = "menu_item" if choice.checked is None else "radio"
        elements.append(_choice_element(kind, choice, Rect(left, at, left + width, at + row)))
        at += row
    right = left + width - dp(12)
    for choice in reversed(dialog.buttons):
        side = round(fonts.text_width(choice.label, dp(15))) + dp(32)
        bounds = Rect(right - side, at + dp(4), right, at + dp(52))
        elements.append(_choice_element("text_button", choice, bounds))
        right -= side + dp(4)
    return elements


def _choice_element(kind: str, choice: Choice, bounds: Rect) -> Element:
    return Element(kind, choice.key, bounds, choice.label, checked=choice.checked, on_tap=choice.on_tap or _nothing)


def _nothing() -> None:
    """What Cancel does: the dialog is closed already."""
