"""From a phone's state to what is on its screen: elements that can be touched, and the scene that is drawn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from devices.simulated import fonts, keyboard
from devices.simulated.dialogs import dialog_elements
from devices.simulated.draw import Scene, paint_of
from devices.simulated.layout import Builder, Metrics
from devices.simulated.lockscreen import CLOCK, DATE
from devices.simulated.painters.pen import Style
from devices.simulated.strip import StripElement, StripInfo, key_hash
from devices.simulated.ui import Element, Page, Rect

if TYPE_CHECKING:
    from devices.simulated.phone import Phone


_NOWHERE = Rect(0, 0, 0, 0)


@dataclass(slots=True)
class View:
    """What is on the screen. Layers are touched from the last to the first."""

    metrics: Metrics
    screen_id: str
    page: list[Element] = field(default_factory=list)
    """Of the app's window (or the lock screen)."""
    overlay: list[Element] = field(default_factory=list)
    """Of an open dialog, menu or shade, which takes every touch."""
    system: list[Element] = field(default_factory=list)
    """Status bar, navigation bar, keyboard, toast."""
    list_bounds: Rect = _NOWHERE
    max_scroll_px: int = 0
    scene: Scene | None = None

    @property
    def window(self) -> list[Element]:
        """The active window's elements: what a UI tree shows."""
        return self.overlay or self.page

    def touchable(self) -> list[Element]:
        return self.window + self.system

    def find(self, key: str) -> Element | None:
        return next((e for e in self.touchable() if e.key == key), None)


def compose(phone: Phone) -> View:
    """Build the view of the phone's present state."""
    metrics = phone.metrics
    if not phone.is_awake:
        whole = Element("off", "", Rect(0, 0, metrics.width_px, metrics.height_px))
        view = View(metrics, "off", page=[whole])
    elif phone.lock.is_showing:
        view = View(metrics, phone.lock.screen_id, page=phone.lock.elements(metrics))
        view.system = [_status(phone, metrics, over=True)]
    else:
        view = _page_view(phone, metrics)
    view.scene = _scene(phone, view)
    return view


def _page_view(phone: Phone, metrics: Metrics) -> View:
    page = phone.page
    builder = Builder(page, metrics)
    page.build(builder)
    view = View(metrics, page.screen_id, page=builder.finish())
    view.list_bounds, view.max_scroll_px = builder.list_bounds, builder.max_scroll_px
    view.system = _system(phone, metrics, page)
    if phone.is_shade_open:
        view.screen_id, view.overlay = "shade", [_shade(metrics)]
    elif page.dialog is not None:
        view.overlay = dialog_elements(page.dialog, metrics)
    return view


def _system(phone: Phone, metrics: Metrics, page: Page) -> list[Element]:
    found = [_status(phone, metrics, over=page.has_wallpaper)]
    if phone.is_keyboard_up:
        found.append(_keyboard(phone, metrics))
    found.extend(_navigation(phone, metrics, over=page.has_wallpaper))
    if phone.toast_text:
        found.append(_toast(phone.toast_text, metrics))
    return found


def _status(phone: Phone, metrics: Metrics, *, over: bool) -> Element:
    wifi, airplane = (phone.setting("global", key) == "1" for key in ("wifi_on", "airplane_mode_on"))
    bounds = Rect(0, 0, metrics.width_px, metrics.status_px)
    return Element("status", "", bounds, CLOCK, look=(over, wifi, airplane, phone.battery_level))


def _navigation(phone: Phone, metrics: Metrics, *, over: bool) -> list[Element]:
    top, bottom, width = metrics.navigation_top, metrics.height_px, metrics.width_px
    found = [Element("navigation", "", Rect(0, top, width, bottom), look=(over,))]
    handlers = {"back": phone.back, "home": phone.home, "recents": phone.show_recents}
    for part, (name, handler) in zip((0.22, 0.5, 0.78), handlers.items(), strict=True):
        middle, half = round(width * part), metrics.dp(40)
        bounds = Rect(middle - half, top, middle + half, bottom)
        found.append(Element("touch", f"nav.{name}", bounds, on_tap=handler, description=name.capitalize()))
    return found


def _keyboard(phone: Phone, metrics: Metrics) -> Element:
    bounds = Rect(0, metrics.keyboard_top, metrics.width_px, metrics.navigation_top)
    if phone.input_method != keyboard.LATIN_IME:
        return Element("keyboard", "", bounds, "ADB Keyboard {ON}")
    shown = []
    for key in keyboard.keys(phone.keyboard, metrics):
        at = key.bounds.moved(0, -bounds.top)
        shown.append((key.label, at.left, at.top, at.right, at.bottom))
    return Element("keyboard", "", bounds, look=tuple(shown))


def _toast(text: str, metrics: Metrics) -> Element:
    size, dp = metrics.dp(14), metrics.dp
    width = min(metrics.width_px - dp(48), round(fonts.text_width(text, size)) + dp(48))
    left, bottom = (metrics.width_px - width) // 2, metrics.keyboard_top - dp(40)
    return Element("toast", "", Rect(left, bottom - dp(48), left + width, bottom), text)


def _shade(metrics: Metrics) -> Element:
    bounds = Rect(0, 0, metrics.width_px, metrics.dp(220))
    return Element("shade", "", bounds, CLOCK, f"{DATE} · No notifications")


def _scene(phone: Phone, view: View) -> Scene:
    metrics = view.metrics
    drawn = list(view.page)
    status = [e for e in view.system if e.kind == "status"]
    rest = [e for e in view.system if e.kind != "status"]
    scrim = [Element("scrim", "", Rect(0, 0, metrics.width_px, metrics.height_px))] if view.overlay else []
    drawn += status + scrim + view.overlay + rest
    paints = tuple(paint_of(e) for e in drawn if e.kind != "touch")
    style = Style(metrics.density, phone.is_dark)
    strip = _strip(phone, view) if phone.strip and phone.is_awake else None
    return Scene(metrics.width_px, metrics.height_px, style, paints, strip)


def _strip(phone: Phone, view: View) -> StripInfo:
    page, flags = phone.page, []
    if not phone.lock.is_showing and not phone.is_shade_open:
        flags += ["k"] if phone.is_keyboard_up else []
        flags += [f"f={page.focus}"] if page.focused_field else []
        flags += [f"d={page.dialog.id}"] if page.dialog else []
    elements = tuple(
        StripElement(key_hash(e.key), e.bounds.middle[0] * 1000 / view.metrics.width_px, _middle_y(e, view.metrics))
        for e in view.touchable()
        if e.is_actionable and is_shown(e, view.metrics)
    )
    return StripInfo(view.screen_id, page.scroll_px, tuple(flags), elements)


def _middle_y(element: Element, metrics: Metrics) -> float:
    return element.bounds.middle[1] * 1000 / metrics.height_px


def is_shown(element: Element, metrics: Metrics) -> bool:
    """The middle of the element can be seen and touched."""
    x, y = element.bounds.middle
    in_clip = element.clip is None or element.clip.holds(x, y)
    return in_clip and (element.key.startswith("nav.") or y < metrics.keyboard_top)


def in_motion(scene: Scene, motion: int) -> Scene:
    """The scene while it still moves."""
    strip = scene.strip
    if strip is not None:
        strip = replace(strip, flags=(*strip.flags, "m"))
    return scene._replace(motion=motion, strip=strip)
