"""The status line: what the phone says of its screen, asked in one round trip, and how the answer is read.

The commands print a few lines of `dumpsys`, filtered on the phone; the line END closes them, so a cut answer is told
from a short one. Formats were compared for Android 8 to 14; what a maker leaves out stays unknown (None).
"""

from __future__ import annotations

import re
from functools import lru_cache

from devices.base import ScreenState, WindowSize

END = "__END"

_WAKEFULNESS_PART = "dumpsys -t 3 power 2>/dev/null | grep -m1 mWakefulness="
_DISPLAY_PART = "dumpsys -t 3 display 2>/dev/null | grep -m3 mOverrideDisplayInfo="
_LOCK_PART = "dumpsys -t 3 window policy 2>/dev/null | grep -E '^ +(showing|occluded|secure|mIsShowing)='"
_FOCUS_PART = "dumpsys -t 3 window displays 2>/dev/null | grep -E 'mDisplayId=|mCurrentFocus=|mFocusedApp='"
_KEYBOARD_PART = "dumpsys -t 3 input_method 2>/dev/null | grep -m1 -o 'mInputShown=[a-z]*'"
_END_PART = f"echo {END}"
# Android 8 and 9 print the focus in another section; the heading keeps it out of the last display's block.
_FOCUS_BEFORE_10 = (
    "echo 'Display: mDisplayId=0'",
    "dumpsys -t 3 window windows 2>/dev/null | grep -E 'mCurrentFocus=|mFocusedApp='",
)


def status_command(sdk: int) -> str:
    """The shell line that asks for everything at once. The same text each time, so that it can be cached."""
    before_10 = () if sdk >= 29 else _FOCUS_BEFORE_10
    return "; ".join((_WAKEFULNESS_PART, _DISPLAY_PART, _LOCK_PART, _FOCUS_PART, *before_10, _KEYBOARD_PART, _END_PART))


def quick_status_command(sdk: int) -> str:
    """The part that goes with every picture: size, rotation, on or off, focus. Lock and keyboard stay unknown.

    Each `dumpsys` costs a phone 10 to 100 ms. A lock screen shows as an overlay; then `status_command` is worth asking.
    """
    before_10 = () if sdk >= 29 else _FOCUS_BEFORE_10
    return "; ".join((_DISPLAY_PART, _FOCUS_PART, *before_10, _END_PART))


_WAKEFULNESS = re.compile(r"mWakefulness=(\w+)")
_DISPLAY_INFO = re.compile(r"Info=.*?\breal (\d+) x (\d+)\b.*?\brotation ([0-3])\b(?:.*?\bstate (\w+))?")
_MAIN_DISPLAY = re.compile(r"\bdisplayId 0\b")
_KEYGUARD = re.compile(r"^\s+(showing|occluded|secure|mIsShowing)=(true|false)", re.MULTILINE)
_FOCUS = re.compile(r"mCurrentFocus=Window\{\S+ u\d+ ([^}]+?)(?: EXITING)?\}")
_FOCUSED_APP = re.compile(r"mFocusedApp=.*?\bu\d+ ([^\s/]+)/([^\s},]+)")
_BLOCK = re.compile(r"Display: mDisplayId=(\d+)")
_KEYBOARD = re.compile(r"mInputShown=(true|false)")


@lru_cache(maxsize=128)
def parse_status(text: str) -> ScreenState:
    """Read the answer to `status_command`. What is missing, or all of it when END is missing, is None."""
    if END not in text:
        return ScreenState()
    size, rotation, display_state = _display(text)
    keyguard = {name: value == "true" for name, value in reversed(_KEYGUARD.findall(text))}
    package, activity, overlay = _focus(text)
    keyboard = _KEYBOARD.search(text)
    return ScreenState(
        is_awake=_is_awake(text, display_state),
        is_locked=_is_locked(keyguard, overlay),
        has_secure_lock=keyguard.get("secure"),
        rotation=rotation,
        size=size,
        package=package,
        activity=activity,
        overlay=overlay,
        has_keyboard=keyboard[1] == "true" if keyboard else None,
    )


def _display(text: str) -> tuple[WindowSize | None, int | None, str | None]:
    """Size, rotation and state of display 0: on phones with several displays the line names it."""
    lines = [line for line in text.splitlines() if "mOverrideDisplayInfo=" in line]
    main = next((line for line in lines if _MAIN_DISPLAY.search(line)), lines[0] if lines else "")
    found = _DISPLAY_INFO.search(main)
    if found is None:
        return None, None, None
    return WindowSize(int(found[1]), int(found[2])), int(found[3]), found[4]


def _is_awake(text: str, display_state: str | None) -> bool | None:
    wakefulness = _WAKEFULNESS.search(text)
    if wakefulness is not None:
        return wakefulness[1] == "Awake"
    return None if display_state is None else display_state == "ON"


def _is_locked(keyguard: dict[str, bool], overlay: str | None) -> bool | None:
    showing = keyguard.get("showing", keyguard.get("mIsShowing"))
    if showing is None:
        return True if overlay == "Keyguard" else None
    return showing and not keyguard.get("occluded", False)


def _focus(text: str) -> tuple[str | None, str | None, str | None]:
    """Package and activity of the focused app, and the name of the focused window when it is not an app's."""
    lines = _lines_of_display_0(text)
    title = next((found[1].strip() for line in lines if (found := _FOCUS.search(line))), None)
    if title is not None and "/" in title:
        package, _, activity = title.partition("/")
        return package.split()[-1], _full_name(package.split()[-1], activity.split()[0]), None
    app = next((found for line in lines if (found := _FOCUSED_APP.search(line))), None)
    if app is None:
        return None, None, title
    return app[1], _full_name(app[1], app[2]), title


def _lines_of_display_0(text: str) -> list[str]:
    lines, display = [], "0"
    for line in text.splitlines():
        block = _BLOCK.search(line)
        if block is not None:
            display = block[1]
        elif display == "0":
            lines.append(line)
    return lines


def _full_name(package: str, activity: str) -> str:
    return package + activity if activity.startswith(".") else activity
