"""The on-screen keyboard: its keys, where they lie, and what they do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from devices.simulated.layout import Metrics
from devices.simulated.ui import Rect

LATIN_IME = "com.android.inputmethod.latin/.LatinIME"
ADB_IME = "com.android.adbkeyboard/.AdbIME"

_LETTERS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_SYMBOLS = ("1234567890", "@#$_&-+()/", "*\"':;!?")
_MORE_SYMBOLS = ("~`|<>{}[]^", "\\=%", "*\"':;!?")


@dataclass(frozen=True, slots=True)
class KeyboardState:
    """`page`: letters, symbols or more."""

    page: str = "letters"
    is_shifted: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """`name` is the character it types, or shift, delete, page, space, enter."""

    name: str
    label: str
    bounds: Rect


@lru_cache(maxsize=64)
def keys(state: KeyboardState, metrics: Metrics) -> tuple[Key, ...]:
    """All keys in pixels of the screen; letters shown as they would be typed."""
    rows = {"letters": _LETTERS, "symbols": _SYMBOLS, "more": _MORE_SYMBOLS}[state.page]
    top, height = metrics.keyboard_top, metrics.navigation_top - metrics.keyboard_top
    row_px, unit = height / 4.2, metrics.width_px / 10
    found: list[Key] = []
    for index, row in enumerate(rows):
        y = top + row_px * (0.1 + index)
        left = (metrics.width_px - unit * len(row)) / 2
        for column, char in enumerate(row):
            shown = char.upper() if state.is_shifted else char
            found.append(_key(shown, shown, left + column * unit, y, unit, row_px))
    y = top + row_px * 2.1
    found.append(_key("shift", "shift" if state.page == "letters" else "=\\<", 0, y, unit * 1.45, row_px))
    found.append(_key("delete", "backspace", unit * 8.55, y, unit * 1.45, row_px))
    y = top + row_px * 3.1
    found.append(_key("page", "?123" if state.page == "letters" else "ABC", 0, y, unit * 1.45, row_px))
    found.append(_key(",", ",", unit * 1.5, y, unit, row_px))
    found.append(_key("space", "English", unit * 2.5, y, unit * 5, row_px))
    found.append(_key(".", ".", unit * 7.5, y, unit, row_px))
    found.append(_key("enter", "enter", unit * 8.55, y, unit * 1.45, row_px))
    return tuple(found)


def _key(name: str, label: str, left: float, top: float, width: float, height: float) -> Key:
    return Key(name, label, Rect(round(left), round(top), round(left + width), round(top + height)))


def key_at(state: KeyboardState, metrics: Metrics, x_px: float, y_px: float) -> Key | None:
    return next((key for key in keys(state, metrics) if key.bounds.holds(x_px, y_px)), None)


def after(state: KeyboardState, key: Key) -> KeyboardState:
    """The keyboard after a key was tapped; a shift holds for one letter."""
    if key.name == "shift":
        if state.page == "letters":
            return replace(state, is_shifted=not state.is_shifted)
        return KeyboardState("more" if state.page == "symbols" else "symbols")
    if key.name == "page":
        return KeyboardState("symbols" if state.page == "letters" else "letters")
    return replace(state, is_shifted=False)
