"""`screencap` and `wm`."""

from __future__ import annotations

import re

from devices.simulated import defaults
from devices.simulated.android.answers import Arguments, err, out
from devices.simulated.command import Call, Result
from devices.simulated.files import FileError
from devices.simulated.phone import Phone

DISPLAY_ID = "4619827259835644672"
"""Physical id of the one display, as `dumpsys SurfaceFlinger --display-id` names it."""
_USAGE = """usage: screencap [-hp] [-d display-id] [FILENAME]
   -h: this message
   -p: save the file as a png.
   -d: specify the physical display ID to capture (default: 0)
       see "dumpsys SurfaceFlinger --display-id" for valid display IDs.
If FILENAME ends with .png it will be saved as a png.
If FILENAME is not given, the results will be printed to stdout.
"""
_SIZE = re.compile(r"(\d{1,6})(px|dp)?x(\d{1,6})(px|dp)?")
_LEAST_SIDE_PX = 200
_MAX_SCALE = 2


async def screencap(phone: Phone, call: Call) -> Result:
    """PNG or raw (16 bytes of header) on stdout or into a file; a secure screen is refused with nothing on stdout."""
    arguments, form, path = Arguments(call.argv[1:]), "raw", None
    while arguments:
        word = arguments.required()
        if word == "-p":
            form = "png"
        elif word == "-d":
            if arguments.next() != DISPLAY_ID:
                return err("Failed to take screenshot. Status: -22\n", 1)
        elif word.startswith("-"):
            return err(_USAGE, 1)
        else:
            path = word
    if path is not None and path.endswith(".png"):
        form = "png"
    capture = phone.capture("png" if form == "png" else "raw")
    if capture is None:
        return err("Failed to take screenshot. Status: -1\n", 1)
    if path is None:
        return Result(stdout=capture)
    try:
        phone.files.write(path, capture)
    except FileError as error:
        return err(f"Error opening file: {path} ({error.strerror})\n", 1)
    return Result()


async def wm(phone: Phone, call: Call) -> Result:
    arguments = Arguments(call.argv[1:])
    command = arguments.next()
    words = arguments.rest()
    if words[:1] == ["-d"]:
        words = words[2:]
    handler = _WM.get(command or "")
    if handler is None:
        return out(f"Unknown command: {command}\n" if command else "Window manager (window) commands:\n", 255)
    return handler(phone, words)


def _size(phone: Phone, words: list[str]) -> Result:
    if not words:
        text = f"Physical size: {defaults.WIDTH_PX}x{defaults.HEIGHT_PX}\n"
        if phone.size_override:
            text += "Override size: {}x{}\n".format(*phone.size_override)
        return out(text)
    if words[0] == "reset":
        phone.size_override = None
    else:
        size = _parsed_size(words[0], phone.density)
        if size is None:
            return err(f"Error: bad size {words[0]}\n")
        phone.size_override = size
    phone.changed()
    return Result()


def _parsed_size(text: str, density: int) -> tuple[int, int] | None:
    """Width and height, brought into the range that Android allows."""
    match = _SIZE.fullmatch(text)
    if match is None:
        return None
    width, height = (
        int(number) * density // 160 if unit == "dp" else int(number)
        for number, unit in ((match[1], match[2]), (match[3], match[4]))
    )
    if width <= 0 or height <= 0:
        return None
    width = min(max(width, _LEAST_SIDE_PX), defaults.WIDTH_PX * _MAX_SCALE)
    return width, min(max(height, _LEAST_SIDE_PX), defaults.HEIGHT_PX * _MAX_SCALE)


def _density(phone: Phone, words: list[str]) -> Result:
    if not words:
        text = f"Physical density: {defaults.DENSITY}\n"
        if phone.density_override:
            text += f"Override density: {phone.density_override}\n"
        return out(text)
    if words[0] == "reset":
        phone.density_override = None
    elif not words[0].isdecimal():
        return err(f'Error: bad number java.lang.NumberFormatException: For input string: "{words[0]}"\n')
    elif not 72 <= int(words[0]) <= 1000:
        return err("Error: density must be >= 72\n")
    else:
        phone.density_override = int(words[0])
    phone.changed()
    return Result()


def _dismiss(phone: Phone, words: list[str]) -> Result:
    phone.lock.dismiss()
    phone.changed()
    return Result()


def _user_rotation(phone: Phone, words: list[str]) -> Result:
    if not words:
        is_free = phone.setting("system", "accelerometer_rotation") == "1"
        return out("free\n" if is_free else f"lock {phone.rotation}\n")
    if words[0] == "free":
        phone.put_setting("system", "accelerometer_rotation", "1")
    elif words[0] == "lock" and (len(words) == 1 or words[1] in "0123"):
        rotation = words[1] if len(words) > 1 else str(phone.rotation)
        phone.put_setting("system", "user_rotation", rotation)
        phone.put_setting("system", "accelerometer_rotation", "0")
    else:
        return err(f"Error: argument needs to be either -d, free or lock, but {words[0]}\n")
    return Result()


_WM = {
    "size": _size,
    "density": _density,
    "dismiss-keyguard": _dismiss,
    "user-rotation": _user_rotation,
    "set-user-rotation": _user_rotation,
}
COMMANDS = {"screencap": screencap, "wm": wm}
