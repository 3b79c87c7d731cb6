"""`input`: taps, swipes, keys and text. Each call returns when the app has taken the event in."""

from __future__ import annotations

from devices.simulated import keys, touch
from devices.simulated.android.answers import Arguments, JavaError, out, thrown
from devices.simulated.command import Call, Result
from devices.simulated.phone import Phone

_SOURCES = frozenset({
    "dpad", "gamepad", "joystick", "keyboard", "mouse", "rotaryencoder", "stylus", "touchnavigation", "touchpad",
    "touchscreen", "trackball",
})  # fmt: skip
_DEFAULT_SWIPE_MS = 300
_USAGE = """Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]

The sources are:
      touchnavigation
      touchscreen
      joystick
      stylus
      touchpad
      gamepad
      dpad
      mouse
      keyboard
      trackball
      rotaryencoder

-d: specify the display ID.
      (Default: -1 for key event, 0 for motion event if not specified.)
The commands and default sources are:
      text <string> (Default: touchscreen)
      keyevent [--longpress|--doubletap] <key code number or name> ... (Default: keyboard)
      tap <x> <y> (Default: touchscreen)
      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      press (Default: trackball)
      roll <dx> <dy> (Default: trackball)
      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)
      keycombination [-t duration(ms)] <key code 1> <key code 2> ... (Default: keyboard)
"""


async def run(phone: Phone, call: Call) -> Result:
    arguments = Arguments(call.argv[1:])
    if arguments.peek() in _SOURCES:
        arguments.next()
    if arguments.peek() == "-d":
        arguments.next()
        arguments.next()
    command = arguments.next()
    if command is None or command in ("help", "-h"):
        return out(_USAGE, 0 if command else 255)
    handler = _COMMANDS.get(command)
    if handler is None:
        return out(f"Unknown command: {command}\n", 255)
    try:
        handler(phone, arguments)
    except JavaError as error:
        return thrown(command, error)
    return Result()


def _text(phone: Phone, arguments: Arguments) -> None:
    text = arguments.required().replace("%s", " ")
    try:
        keys.type_text(phone, text)
    except ValueError:
        where = "com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:304)"
        raise JavaError("java.lang.NullPointerException", "Attempt to get length of null array", where) from None


def _keyevent(phone: Phone, arguments: Arguments) -> None:
    repeats = 1
    if arguments.peek() in ("--longpress", "--doubletap"):
        repeats = 2 if arguments.next() == "--doubletap" else 1
    names = [arguments.required(), *arguments.rest()]
    for name in names:
        for _ in range(repeats):
            keys.press(phone, keys.keycode(name))


def _tap(phone: Phone, arguments: Arguments) -> None:
    touch.tap(phone, arguments.number(), arguments.number())


def _points(arguments: Arguments) -> tuple[tuple[float, float], tuple[float, float], float]:
    """Start, end, seconds."""
    start = (arguments.number(), arguments.number())
    end = (arguments.number(), arguments.number())
    milliseconds = arguments.whole() if arguments else _DEFAULT_SWIPE_MS
    return start, end, (milliseconds if milliseconds >= 0 else _DEFAULT_SWIPE_MS) / 1000


def _swipe(phone: Phone, arguments: Arguments) -> None:
    touch.swipe(phone, *_points(arguments))


def _drag(phone: Phone, arguments: Arguments) -> None:
    """The hold at the start is part of the duration: with too little of it nothing moves."""
    start, end, seconds = _points(arguments)
    if seconds > touch.LONG_PRESS_S:
        touch.drag(phone, start, end)
    else:
        touch.long_press(phone, *start)


def _motion(phone: Phone, arguments: Arguments) -> None:
    """A finger put down and lifted by single events; the way between is a swipe of half a second."""
    action = arguments.required().upper()
    at = (arguments.number(), arguments.number())
    if action == "DOWN":
        phone.finger = at
    elif action in ("UP", "CANCEL"):
        start, phone.finger = phone.finger, None
        if start is not None and action == "UP":
            touch.swipe(phone, start, at, 0.1)
    elif action != "MOVE":
        raise JavaError("java.lang.IllegalArgumentException", f"Unknown action: {action}")


def _together(phone: Phone, arguments: Arguments) -> None:
    if arguments.peek() == "-t":
        arguments.next()
        arguments.whole()
    names = arguments.rest()
    if len(names) < 2:
        raise JavaError("java.lang.IllegalArgumentException", "keycombination requires at least 2 keycodes")
    codes = [keys.keycode(name) for name in names]
    for name, code in zip(names, codes, strict=True):
        if code == 0:
            raise JavaError("java.lang.IllegalArgumentException", f"Unknown keycode: {name}")
    keys.press_together(phone, codes)


def _nothing(phone: Phone, arguments: Arguments) -> None:
    """A trackball moves nothing on a touch screen."""


_COMMANDS = {
    "text": _text,
    "keyevent": _keyevent,
    "tap": _tap,
    "swipe": _swipe,
    "draganddrop": _drag,
    "motionevent": _motion,
    "keycombination": _together,
    "press": _nothing,
    "roll": _nothing,
}
COMMANDS = {"input": run}
