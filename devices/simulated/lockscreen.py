"""The lock screen: none, a swipe lock or a PIN lock, and the elements that show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from devices.simulated.layout import Metrics
from devices.simulated.ui import Element, Rect

CLOCK = "10:00"
DATE = "Wednesday, 1 January"


@dataclass(slots=True)
class Lock:
    """`pin` empty: a swipe lock. Turning the screen off locks; the bouncer is the pad that asks for the PIN."""

    is_enabled: bool = True
    pin: str = ""
    is_showing: bool = False
    is_bouncer: bool = False
    entry: str = ""
    has_failed: bool = False

    @property
    def screen_id(self) -> str:
        return "lock/pin" if self.is_bouncer else "lock/swipe"

    def show(self) -> None:
        self.is_showing = self.is_enabled
        self.is_bouncer, self.entry, self.has_failed = False, "", False

    def dismiss(self) -> None:
        """Away with a swipe lock; a PIN lock asks for its PIN."""
        if self.is_showing and self.pin:
            self.is_bouncer = True
        else:
            self.is_showing = self.is_bouncer = False

    def type(self, digits: str) -> None:
        if self.is_bouncer:
            self.entry = (self.entry + "".join(d for d in digits if d.isdigit()))[:16]

    def erase(self) -> None:
        self.entry = self.entry[:-1]

    def enter(self) -> None:
        if not self.is_bouncer:
            return
        if self.entry == self.pin:
            self.is_showing = self.is_bouncer = False
        self.entry, self.has_failed = "", self.is_showing

    def elements(self, metrics: Metrics) -> list[Element]:
        width, height, dp = metrics.width_px, metrics.height_px, metrics.dp
        whole = Element("wallpaper", "", Rect(0, 0, width, height))
        if self.is_bouncer:
            return [whole, *self._pad(metrics)]
        top = round(height * 0.12)
        clock = Element("clock", "", Rect(0, top, width, top + dp(150)), CLOCK, DATE)
        hint = Rect(0, height - dp(96), width, height - dp(56))
        return [whole, clock, Element("label", "", hint, "Swipe up to unlock", look=(15,))]

    def _pad(self, metrics: Metrics) -> list[Element]:
        width, height, dp = metrics.width_px, metrics.height_px, metrics.dp
        top = round(height * 0.16)
        message = "Wrong PIN. Try again" if self.has_failed else "Enter PIN"
        found = [
            Element("label", "", Rect(0, top, width, top + dp(32)), message, look=(18,)),
            Element("label", "", Rect(0, top + dp(36), width, top + dp(68)), "•" * len(self.entry), look=(22,)),
        ]
        top += dp(84)
        row = min(dp(88), (metrics.navigation_top - top) // 4)
        column = min(dp(110), width // 3)
        left = (width - 3 * column) // 2
        for index, name in enumerate(("1", "2", "3", "4", "5", "6", "7", "8", "9", "del", "0", "ok")):
            x, y = left + index % 3 * column, top + index // 3 * row
            bounds = Rect(x + dp(8), y + dp(4), x + column - dp(8), y + row - dp(4))
            found.append(self._pad_key(name, bounds))
        return found

    def _pad_key(self, name: str, bounds: Rect) -> Element:
        handlers: dict[str, Callable[[], None]] = {"del": self.erase, "ok": self.enter}
        icons = {"del": ("backspace",), "ok": ("enter",)}
        handler = handlers.get(name, lambda: self.type(name))
        text = "" if name in icons else name
        return Element("pin_key", f"pin.{name}", bounds, text, look=icons.get(name, ()), on_tap=handler)
