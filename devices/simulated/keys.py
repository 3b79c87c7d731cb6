"""Keys: Android's key codes, what they do, and typing."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from devices.simulated.keyboard import Key, after

if TYPE_CHECKING:
    from devices.simulated.phone import Phone

KEYCODES: dict[str, int] = {
    "UNKNOWN": 0, "SOFT_LEFT": 1, "SOFT_RIGHT": 2, "HOME": 3, "BACK": 4, "CALL": 5, "ENDCALL": 6, "STAR": 17,
    "POUND": 18, "DPAD_UP": 19, "DPAD_DOWN": 20, "DPAD_LEFT": 21, "DPAD_RIGHT": 22, "DPAD_CENTER": 23,
    "VOLUME_UP": 24, "VOLUME_DOWN": 25, "POWER": 26, "CAMERA": 27, "CLEAR": 28, "COMMA": 55, "PERIOD": 56,
    "ALT_LEFT": 57, "ALT_RIGHT": 58, "SHIFT_LEFT": 59, "SHIFT_RIGHT": 60, "TAB": 61, "SPACE": 62, "ENTER": 66,
    "DEL": 67, "GRAVE": 68, "MINUS": 69, "EQUALS": 70, "LEFT_BRACKET": 71, "RIGHT_BRACKET": 72, "BACKSLASH": 73,
    "SEMICOLON": 74, "APOSTROPHE": 75, "SLASH": 76, "AT": 77, "PLUS": 81, "MENU": 82, "NOTIFICATION": 83,
    "SEARCH": 84, "PAGE_UP": 92, "PAGE_DOWN": 93, "ESCAPE": 111, "FORWARD_DEL": 112, "CTRL_LEFT": 113,
    "CTRL_RIGHT": 114, "SYSRQ": 120, "MOVE_HOME": 122, "MOVE_END": 123, "NUMPAD_ENTER": 160, "VOLUME_MUTE": 164,
    "APP_SWITCH": 187, "ASSIST": 219, "BRIGHTNESS_DOWN": 220, "BRIGHTNESS_UP": 221, "SLEEP": 223, "WAKEUP": 224,
    "SOFT_SLEEP": 276, "CUT": 277, "COPY": 278, "PASTE": 279, "ALL_APPS": 284,
    **{str(digit): 7 + digit for digit in range(10)},
    **{chr(ord("A") + i): 29 + i for i in range(26)},
}  # fmt: skip
_CHARACTERS: dict[int, str] = {
    17: "*", 18: "#", 55: ",", 56: ".", 62: " ", 68: "`", 69: "-", 70: "=", 71: "[", 72: "]", 73: "\\", 74: ";",
    75: "'", 76: "/", 77: "@", 81: "+",
    **{7 + digit: str(digit) for digit in range(10)},
    **{29 + i: chr(ord("a") + i) for i in range(26)},
}  # fmt: skip
_UNMAPPABLE = re.compile(r"[^\x20-\x7e]")


def keycode(name: str) -> int:
    """Code of `KEYCODE_HOME`, `HOME` or `3`; an unknown one is 0, as Android has it."""
    if name.isdecimal():
        return int(name[:9])
    return KEYCODES.get(name.upper().removeprefix("KEYCODE_"), 0)


def press(phone: Phone, code: int) -> None:
    """Press and release one key."""
    phone.toast_text = ""
    if code in _SCREEN_KEYS:
        _SCREEN_KEYS[code](phone)
    elif phone.is_awake:
        if code in _SYSTEM_KEYS:
            _SYSTEM_KEYS[code](phone)
        elif phone.lock.is_showing:
            _press_locked(phone, code)
        else:
            _press_in_field(phone, code)
    phone.changed()


def type_text(phone: Phone, text: str) -> None:
    """Characters as if typed; they are lost when no field has the focus. Raises ValueError for other than ASCII."""
    if _UNMAPPABLE.search(text):
        raise ValueError("text holds a character without a key")
    phone.toast_text = ""
    if phone.is_awake and phone.lock.is_showing:
        phone.lock.type(text)
    else:
        insert(phone, text)
    phone.changed()


def insert(phone: Phone, text: str) -> bool:
    """Any text into the focused field; False when none has the focus."""
    page = phone.page
    field = page.focused_field
    if field is None or not phone.has_input:
        return False
    field.insert(text if field.is_multiline else " ".join(text.splitlines()))
    page.must_reveal_focus = True
    phone.changed()
    return True


def press_together(phone: Phone, codes: list[int]) -> None:
    """Keys held at once. Ctrl with A, C, X, V acts on the focused field; all else does nothing."""
    held, last = set(codes[:-1]), codes[-1]
    if held & {KEYCODES["CTRL_LEFT"], KEYCODES["CTRL_RIGHT"]}:
        if last == KEYCODES["A"]:
            field = phone.page.focused_field
            if field is not None and phone.has_input:
                field.is_all_selected = True
        else:
            clipboard = {"C": "COPY", "X": "CUT", "V": "PASTE"}
            code = next((KEYCODES[to] for name, to in clipboard.items() if last == KEYCODES[name]), 0)
            press(phone, code)
    phone.changed()


def press_keyboard_key(phone: Phone, key: Key) -> None:
    """A key of the on-screen keyboard."""
    phone.keyboard = after(phone.keyboard, key)
    codes = {"delete": KEYCODES["DEL"], "enter": KEYCODES["ENTER"]}
    if key.name in codes:
        _press_in_field(phone, codes[key.name])
    elif key.name == "space":
        insert(phone, " ")
    elif key.name not in ("shift", "page"):
        insert(phone, key.name)


def _power(phone: Phone) -> None:
    if phone.is_awake:
        phone.sleep()
    else:
        phone.wake()


def _menu(phone: Phone) -> None:
    if phone.lock.is_showing:
        phone.lock.dismiss()


def _home(phone: Phone) -> None:
    if not phone.lock.is_showing:
        phone.home()


def _recents(phone: Phone) -> None:
    if not phone.lock.is_showing:
        phone.show_recents()


def _volume(step: int) -> Callable[[Phone], None]:
    def change(phone: Phone) -> None:
        level = min(15, max(0, phone.number_setting("system", "volume_music", 5) + step))
        phone.put_setting("system", "volume_music", str(level))

    return change


def _shade(phone: Phone) -> None:
    if not phone.lock.is_showing:
        phone.is_shade_open = not phone.is_shade_open


_SCREEN_KEYS: dict[int, Callable[[Phone], None]] = {
    KEYCODES["POWER"]: _power,
    KEYCODES["SLEEP"]: lambda phone: phone.sleep(),
    KEYCODES["SOFT_SLEEP"]: lambda phone: phone.sleep(),
    KEYCODES["WAKEUP"]: lambda phone: phone.wake(),
}
_SYSTEM_KEYS: dict[int, Callable[[Phone], None]] = {
    KEYCODES["HOME"]: _home,
    KEYCODES["BACK"]: lambda phone: phone.back(),
    KEYCODES["APP_SWITCH"]: _recents,
    KEYCODES["MENU"]: _menu,
    KEYCODES["NOTIFICATION"]: _shade,
    KEYCODES["VOLUME_UP"]: _volume(1),
    KEYCODES["VOLUME_DOWN"]: _volume(-1),
}


def _press_locked(phone: Phone, code: int) -> None:
    if code == KEYCODES["ENTER"]:
        phone.lock.enter()
    elif code == KEYCODES["DEL"]:
        phone.lock.erase()
    else:
        phone.lock.type(_CHARACTERS.get(code, ""))


def _press_in_field(phone: Phone, code: int) -> None:
    page = phone.page
    if code == KEYCODES["ESCAPE"]:
        _escape(phone)
        return
    field = page.focused_field
    if field is None or not phone.has_input:
        return
    page.must_reveal_focus = True
    if code in (KEYCODES["ENTER"], KEYCODES["NUMPAD_ENTER"]):
        _enter(phone)
    elif code in (KEYCODES["DEL"], KEYCODES["FORWARD_DEL"]):
        field.delete(forward=code == KEYCODES["FORWARD_DEL"])
    elif code == KEYCODES["TAB"]:
        names = list(page.fields)
        page.focus_on(names[(names.index(field.name) + 1) % len(names)])
    elif code in (KEYCODES["MOVE_HOME"], KEYCODES["MOVE_END"]):
        field.move(len(field.text) if code == KEYCODES["MOVE_END"] else 0)
    elif code in (KEYCODES["DPAD_LEFT"], KEYCODES["DPAD_RIGHT"]):
        field.move(field.cursor + (1 if code == KEYCODES["DPAD_RIGHT"] else -1))
    elif code in (KEYCODES["CUT"], KEYCODES["COPY"], KEYCODES["PASTE"]):
        _use_clipboard(phone, code)
    elif code in _CHARACTERS:
        field.insert(_CHARACTERS[code])


def _escape(phone: Phone) -> None:
    if phone.is_shade_open:
        phone.is_shade_open = False
    elif phone.page.dialog is not None:
        phone.page.dialog = None
    elif phone.is_keyboard_up:
        phone.page.is_keyboard_hidden = True


def _enter(phone: Phone) -> None:
    """A new line where there can be one; else the field's own action, or the keyboard goes."""
    page = phone.page
    field = page.focused_field
    assert field is not None
    if field.is_multiline:
        field.insert("\n")
    elif field.on_enter is not None:
        field.on_enter()
    else:
        page.is_keyboard_hidden = True


def _use_clipboard(phone: Phone, code: int) -> None:
    field = phone.page.focused_field
    assert field is not None
    if code == KEYCODES["PASTE"]:
        insert(phone, phone.clipboard)
    elif field.is_all_selected:
        phone.clipboard = field.text
        if code == KEYCODES["CUT"]:
            field.clear()
