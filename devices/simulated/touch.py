"""Fingers: taps, long presses, swipes and drags in pixels of the current rotation. Each returns once it was handled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devices.simulated import keyboard
from devices.simulated.keys import press_keyboard_key
from devices.simulated.ui import Element, Rect

if TYPE_CHECKING:
    from devices.simulated.phone import Phone

LONG_PRESS_S = 0.5
DOUBLE_TAP_S = 0.3
SLOP_DP = 8
"""A finger that moves less than this is a tap or a long press."""
_UNLOCK_PART = 0.12
"""Of the screen's height: a swipe up that is longer unlocks."""


def _element_at(phone: Phone, x_px: float, y_px: float) -> Element | None:
    view = phone.view()
    is_covered = y_px >= view.metrics.keyboard_top
    layer = view.system if is_covered else view.window
    for element in reversed(layer):
        if _is_touchable(element) and element.visible_bounds.holds(x_px, y_px):
            return element
    return None


def _is_touchable(element: Element) -> bool:
    return element.is_actionable or element.on_long_press is not None or element.on_double_tap is not None


def _begin(phone: Phone) -> bool:
    """An input takes the toast away; False when nothing can be touched."""
    phone.toast_text = ""
    return phone.is_awake


def tap(phone: Phone, x_px: float, y_px: float) -> None:
    if not _begin(phone):
        return
    view = phone.view()
    if phone.is_keyboard_up and view.metrics.keyboard_top <= y_px < view.metrics.navigation_top:
        key = None
        if phone.input_method == keyboard.LATIN_IME:
            key = keyboard.key_at(phone.keyboard, view.metrics, x_px, y_px)
        if key is not None:
            press_keyboard_key(phone, key)
        phone.changed()
        return
    element = _element_at(phone, x_px, y_px)
    if element is None:
        _tap_outside(phone, x_px, y_px)
    else:
        _tap_element(phone, element, x_px)
    phone.changed()


def _tap_outside(phone: Phone, x_px: float, y_px: float) -> None:
    """Beside a dialog, menu or shade: it closes."""
    view = phone.view()
    if not view.overlay or view.overlay[0].bounds.holds(x_px, y_px):
        return
    if phone.is_shade_open:
        phone.is_shade_open = False
    else:
        phone.page.dialog = None


def _tap_element(phone: Phone, element: Element, x_px: float) -> None:
    key, at_s = phone.last_tap
    now_s = phone.clock()
    phone.last_tap = (element.key, now_s)
    if element.on_double_tap is not None and key == element.key and now_s - at_s <= DOUBLE_TAP_S:
        phone.last_tap = ("", float("-inf"))
        element.on_double_tap()
    elif element.field is not None:
        phone.page.focus_on(element.field.name)
        element.field.move(len(element.field.text))
    elif element.on_tap_at is not None:
        element.on_tap_at((x_px - element.bounds.left) / max(1, element.bounds.width))
    elif element.on_tap is not None:
        if not element.key.startswith("nav."):
            phone.page.dialog = None
        element.on_tap()


def long_press(phone: Phone, x_px: float, y_px: float) -> None:
    """Selects the text of a field; on an element that knows neither long press nor dragging it is a tap."""
    if not _begin(phone):
        return
    element = _element_at(phone, x_px, y_px)
    if element is not None and element.on_long_press is not None:
        element.on_long_press()
        phone.changed()
    elif element is not None and element.field is not None:
        phone.page.focus_on(element.field.name)
        element.field.is_all_selected = True
        phone.changed()
    elif element is None or element.on_drop is None:
        tap(phone, x_px, y_px)


def swipe(phone: Phone, start: tuple[float, float], end: tuple[float, float], duration_s: float) -> None:
    """Scrolls by the way of the finger, without momentum; a finger that stays is a tap or a long press."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    if max(abs(dx), abs(dy)) < phone.metrics.dp(SLOP_DP):
        (long_press if duration_s >= LONG_PRESS_S else tap)(phone, *start)
        return
    if not _begin(phone):
        return
    if phone.lock.is_showing:
        if not phone.lock.is_bouncer and -dy >= phone.metrics.height_px * _UNLOCK_PART:
            phone.lock.dismiss()
    elif phone.is_shade_open:
        phone.is_shade_open = dy > 0
    elif start[1] < phone.metrics.status_px and dy > phone.metrics.dp(60):
        phone.is_shade_open = True
    else:
        _scroll(phone, start, round(-dy))
    phone.changed()


def _scroll(phone: Phone, start: tuple[float, float], distance_px: int) -> None:
    view, page = phone.view(), phone.page
    slider = _element_at(phone, *start)
    if slider is not None and slider.kind == "slider":
        return
    if not view.overlay and view.list_bounds.holds(*start):
        page.scroll_px = min(max(0, page.scroll_px + distance_px), view.max_scroll_px)


def drag(phone: Phone, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Hold, move, let go. Elements that cannot be dragged scroll their list instead."""
    if not _begin(phone):
        return
    element, target = _element_at(phone, *start), _element_at(phone, *end)
    if element is not None and element.on_drop is not None:
        if target is not None and target is not element:
            element.on_drop(target.key)
        phone.changed()
    else:
        swipe(phone, start, end, LONG_PRESS_S)


def bounds_of(phone: Phone, key: str) -> Rect | None:
    """Where an element is, clipped to what can be seen; None when it is not on the screen."""
    element = phone.view().find(key)
    return None if element is None else element.visible_bounds
