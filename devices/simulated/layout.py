"""Layout: a page describes itself to a `Builder`, which places the elements in pixels of the current rotation.

From top to bottom: status bar, app bar, a list that scrolls (the flow), bottom edge (navigation bar, or the keyboard
when it is up). Sizes are given in dp, 1 dp = density / 160 px.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from devices.simulated import fonts
from devices.simulated.ui import Action, Element, Page, Rect, TextField

STATUS_DP = 44
NAVIGATION_DP = 48
KEYBOARD_DP = 250
ADB_KEYBOARD_DP = 44
BAR_DP = 64
MARGIN_DP = 20
BODY_DP = 16
MAX_SHOWN_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Metrics:
    """The screen's size in the current rotation, and what the system takes of it."""

    width_px: int
    height_px: int
    density: int
    keyboard_dp: int = 0
    """0 when no keyboard is up."""

    def dp(self, dp: float) -> int:
        return round(dp * self.density / 160)

    @property
    def status_px(self) -> int:
        return self.dp(STATUS_DP)

    @property
    def navigation_top(self) -> int:
        return self.height_px - self.dp(NAVIGATION_DP)

    @property
    def keyboard_top(self) -> int:
        """Top of the keyboard; the navigation bar's when none is up. It takes at most 45 % of the height."""
        return self.navigation_top - min(self.dp(self.keyboard_dp), round(self.height_px * 0.45))


def slug(text: str) -> str:
    """A title as part of an element key: letters and digits in lower case, all else `-`."""
    return re.sub(r"[\W_]+", "-", text[:60].lower()).strip("-") or "note"


class Builder:
    """Collects a page's elements. Bars and floating buttons stand still, all else goes into the flow."""

    def __init__(self, page: Page, metrics: Metrics) -> None:
        self.page = page
        self.metrics = metrics
        self._top = metrics.status_px
        self._fixed: list[Element] = []
        self._floating: list[Element] = []
        self._flow: list[Element] = []
        self._flow_px = 0
        self.list_bounds = Rect(0, 0, 0, 0)
        self.max_scroll_px = 0

    def dp(self, dp: float) -> int:
        return self.metrics.dp(dp)

    @property
    def width_px(self) -> int:
        return self.metrics.width_px

    # -- what stands still ---------------------------------------------------------------------------------------

    def app_bar(self, title: str, *, back: bool = False, actions: Sequence[tuple[str, str, str, Action]] = ()) -> None:
        """The bar on top; an action is (key, icon or "text:LABEL", description, handler), from left to right."""
        height, top, width = self.dp(BAR_DP), self._top, self.width_px
        self._fixed.append(Element("bar", "", Rect(0, top, width, top + height), text=title, look=(back,)))
        if back:
            self._bar_button("bar.back", "back", "Navigate up", self.page.go_back, 0)
        right = width - self.dp(4)
        for key, icon, description, handler in reversed(actions):
            side = self.dp(88) if icon.startswith("text:") else self.dp(52)
            right -= side
            self._bar_button(key, icon, description, handler, right, side)
        self._top += height

    def _bar_button(self, key: str, icon: str, description: str, handler: Action, left: int, side: int = 0) -> None:
        bounds = Rect(left, self._top, left + (side or self.dp(56)), self._top + self.dp(BAR_DP))
        if icon.startswith("text:"):
            element = Element("button", key, bounds, text=icon[5:], look=("bar",), on_tap=handler)
        else:
            element = Element("icon_button", key, bounds, look=(icon,), on_tap=handler, description=description)
        self._fixed.append(element)

    def bar_field(self, key: str, name: str) -> None:
        """A text field in place of the app bar's title."""
        bounds = Rect(self.dp(56), self._top - self.dp(BAR_DP), self.width_px - self.dp(16), self._top)
        self._fixed.append(self._field_element("bar_field", key, self._field_of(name), bounds))

    def floating_button(self, key: str, icon: str, description: str, handler: Action) -> None:
        side, margin = self.dp(64), self.dp(18)
        right, bottom = self.width_px - margin, self.metrics.keyboard_top - margin
        bounds = Rect(right - side, bottom - side, right, bottom)
        self._floating.append(Element("fab", key, bounds, look=(icon,), on_tap=handler, description=description))

    def place(self, element: Element) -> None:
        """An element at a place of its own (launcher icons, lock screen)."""
        self._fixed.append(element)

    # -- what scrolls --------------------------------------------------------------------------------------------

    def _add(self, element: Element) -> None:
        self._flow.append(element)
        self._flow_px = max(self._flow_px, element.bounds.bottom)

    def _next(self, height_dp: float, margin_dp: float = 0) -> Rect:
        margin = self.dp(margin_dp)
        return Rect(margin, self._flow_px, self.width_px - margin, self._flow_px + self.dp(height_dp))

    def space(self, height_dp: float) -> None:
        self._flow_px += self.dp(height_dp)

    def section(self, title: str) -> None:
        self._add(Element("section", "", self._next(48), text=title))

    def row(
        self,
        key: str,
        title: str,
        detail: str = "",
        *,
        icon: str = "",
        colour: str = "",
        checked: bool | None = None,
        handler: Action | None = None,
        kind: str = "row",
        on_long_press: Action | None = None,
        mark: str = "",
    ) -> None:
        """One row of 72 dp; a `checked` that is not None shows a switch, `mark` an icon at the right."""
        look = (icon, colour, mark)
        element = Element(kind, key, self._next(72), title, detail, look, checked, handler)
        element.on_long_press = on_long_press
        self._add(element)

    def slider(self, key: str, title: str, fraction: float, handler: Callable[[float], None]) -> None:
        element = Element("slider", key, self._next(88), title, look=(round(fraction, 3),))
        element.on_tap_at = handler
        self._add(element)

    def paragraph(
        self, key: str, text: str, *, size_dp: float = BODY_DP, bold: bool = False, on_double_tap: Action | None = None
    ) -> None:
        """Wrapped text, as much of it as can be shown."""
        margin, size, text = self.dp(MARGIN_DP), self.dp(size_dp), text[:MAX_SHOWN_CHARS]
        _, height = fonts.text_image_size(text, size, self.width_px - 2 * margin)
        bounds = Rect(margin, self._flow_px, self.width_px - margin, self._flow_px + height + self.dp(12))
        element = Element("paragraph", key, bounds, text, look=(size, bold))
        element.on_double_tap = on_double_tap
        self._add(element)

    def field(self, key: str, name: str, label: str) -> None:
        """A text field of the page; a multi-line one grows with its text."""
        text_field, size = self._field_of(name), self.dp(BODY_DP)
        shown = text_field.text or " "
        inner = self.width_px - 2 * self.dp(MARGIN_DP + 16)
        lines = len(fonts.wrap(shown, size, inner)) if text_field.is_multiline else 1
        least = 5 if text_field.is_multiline else 1
        height = max(lines, least) * fonts.line_height(size) + self.dp(44)
        bounds = Rect(self.dp(MARGIN_DP), self._flow_px, self.width_px - self.dp(MARGIN_DP), self._flow_px + height)
        self._add(self._field_element("field", key, text_field, bounds, label))
        self.space(12)

    def _field_of(self, name: str) -> TextField:
        return self.page.fields[name]

    def _field_element(self, kind: str, key: str, field: TextField, bounds: Rect, label: str = "") -> Element:
        focused = self.page.focus == field.name
        text = "•" * len(field.text) if field.is_password else field.text
        cursor = field.cursor if focused else -1
        look = (cursor, field.is_multiline, focused and field.is_all_selected, field.hint)
        return Element(kind, key, bounds, text, label, look, field=field, is_focused=focused)

    def swatches(self, key: str, colours: Sequence[tuple[str, str]], chosen: str, handlers: Sequence[Action]) -> None:
        """Round colour choices side by side; a colour is (name, hex)."""
        top, side = self._flow_px, self.dp(64)
        for index, ((name, value), handler) in enumerate(zip(colours, handlers, strict=True)):
            left = self.dp(MARGIN_DP) + index * self.dp(76)
            element = Element("swatch", f"{key}.{name}", Rect(left, top, left + side, top + side), look=(value,))
            element.checked, element.on_tap, element.description = name == chosen, handler, name.capitalize()
            self._add(element)
        self.space(12)

    def button(self, key: str, label: str, handler: Action) -> None:
        bounds = self._next(52, MARGIN_DP)
        self._add(Element("button", key, bounds, label, look=("filled",), on_tap=handler))
        self.space(12)

    # -- the end -------------------------------------------------------------------------------------------------

    def finish(self) -> list[Element]:
        """Place the flow by the page's scroll, which is first brought into its range."""
        bounds = self.list_bounds = Rect(0, self._top, self.width_px, max(self._top, self.metrics.keyboard_top))
        bottom_space = self.dp(96) if self._floating else 0
        self.max_scroll_px = max(0, self._flow_px + bottom_space - bounds.height)
        page = self.page
        if page.must_reveal_focus:
            self._reveal_focus(bounds.height)
            page.must_reveal_focus = False
        page.scroll_px = min(max(0, page.scroll_px), self.max_scroll_px)
        shown = []
        for element in self._flow:
            element.bounds = element.bounds.moved(0, bounds.top - page.scroll_px)
            if element.bounds.bottom > bounds.top and element.bounds.top < bounds.bottom:
                element.clip = bounds
                shown.append(element)
        return shown + self._fixed + self._floating

    def _reveal_focus(self, height_px: int) -> None:
        element = next((e for e in self._flow if e.is_focused), None)
        if element is None or element.field is None:
            return
        size, margin = self.dp(BODY_DP), self.dp(MARGIN_DP)
        text = element.text[: element.field.cursor] or " "
        lines = len(fonts.wrap(text, size, element.bounds.width - 2 * self.dp(16))) if element.field.is_multiline else 1
        line_bottom = element.bounds.top + self.dp(32) + lines * fonts.line_height(size)
        low, high = line_bottom + margin - height_px, element.bounds.top + (lines - 1) * fonts.line_height(size)
        self.page.scroll_px = max(low, min(self.page.scroll_px, high))
