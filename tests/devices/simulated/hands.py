"""What tests do to a simulated phone without a wire: run a command, touch an element by its key, look at the strip."""

from __future__ import annotations

import asyncio

from devices.simulated.command import Call, Result
from devices.simulated.phone import Phone
from devices.simulated.strip import StripInfo, read_strip
from devices.simulated.touch import bounds_of


def run(phone: Phone, *argv: str, is_tty: bool = False) -> Result:
    """Run one command with final arguments."""
    return asyncio.run(phone.commands[argv[0]](phone, Call(list(argv), is_tty=is_tty)))


def text(phone: Phone, *argv: str) -> str:
    """What a command that works writes to stdout."""
    result = run(phone, *argv)
    assert (result.status, result.stderr) == (0, b"")
    return result.stdout.decode()


def tap(phone: Phone, *keys: str) -> None:
    """Tap elements one after another; each must be on the screen."""
    for key in keys:
        x, y = middle(phone, key)
        run(phone, "input", "tap", str(x), str(y))


def hold(phone: Phone, key: str) -> None:
    x, y = middle(phone, key)
    run(phone, "input", "swipe", str(x), str(y), str(x), str(y), "800")


def middle(phone: Phone, key: str) -> tuple[int, int]:
    bounds = bounds_of(phone, key)
    assert bounds is not None, f"{key} is not on {phone.view().screen_id}"
    return bounds.middle


def strip(phone: Phone) -> StripInfo:
    """What the captured picture says of itself."""
    png = phone.capture()
    assert png is not None
    info = read_strip(png)
    assert info is not None
    return info


def screen(phone: Phone) -> str:
    return strip(phone).screen


def scroll_to(phone: Phone, key: str, tries: int = 30) -> None:
    """Swipe up until the element can be seen whole."""
    for _ in range(tries):
        element = phone.view().find(key)
        if element is not None and element.visible_bounds == element.bounds:
            return
        run(phone, "input", "swipe", "540", "1600", "540", "900", "300")
    raise AssertionError(f"{key} was not found by scrolling")
