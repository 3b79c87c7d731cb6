"""What is said to a phone's shell, and what it answers.

Every device command is made by `build`: a fixed verb, each argument quoted. Text from a model, a screen or a task file
can therefore be an argument and nothing else.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Protocol

VERBS = frozenset(
    {
        "am", "cat", "cmd", "content", "dumpsys", "echo", "getprop", "ime", "input", "monkey", "pm", "rm", "screencap",
        "settings", "sim", "uiautomator", "wm",
    }
)  # fmt: skip
"""The only programs this package starts on a phone."""

COMMAND_LIMIT_BYTES = 60_000
"""An adb service name carries four hex digits of length: 65535 bytes with its prefix."""


class BadCommand(ValueError):
    """The arguments cannot be sent: a NUL, half a surrogate pair, or too long."""


@dataclass(frozen=True, slots=True)
class ShellAnswer:
    """What a command printed, decoded as UTF-8 with replacement, and its exit code."""

    stdout: str
    stderr: str
    code: int

    @property
    def text(self) -> str:
        """Standard output, then standard error."""
        return self.stdout + self.stderr


class Shell(Protocol):
    """Runs a command on one phone. Deadlines and link errors are its business."""

    @property
    def serial(self) -> str: ...

    def shell(self, command: str, *, timeout_s: float | None = None, is_read_only: bool = False) -> ShellAnswer:
        """Raises DeviceUnavailable and its kinds; a command that fails is an answer like any other."""


def build(verb: str, *arguments: str | int) -> str:
    """One command line for the phone's shell.

    Raises:
        BadCommand: an argument that no shell can carry.
        KeyError: the verb is not one of VERBS (a mistake in this package).
    """
    if verb not in VERBS:
        raise KeyError(f"{verb!r} is not a device command; known: {', '.join(sorted(VERBS))}")
    line = " ".join([verb, *(_quote(argument) for argument in arguments)])
    try:
        size_bytes = len(line.encode())
    except UnicodeEncodeError as error:
        raise BadCommand(f"an argument of {verb} is not valid Unicode: {error.reason}") from error
    if size_bytes > COMMAND_LIMIT_BYTES:
        raise BadCommand(f"a {verb} command of {size_bytes} bytes is too long (limit {COMMAND_LIMIT_BYTES})")
    return line


def _quote(argument: str | int) -> str:
    if isinstance(argument, int):
        return str(argument)
    if "\0" in argument:
        raise BadCommand("an argument holds a NUL character, which no shell can carry")
    return shlex.quote(argument)


def tap(x_px: int, y_px: int) -> str:
    """A tap, in pixels of the current rotation."""
    return build("input", "tap", int(x_px), int(y_px))


def double_tap(x_px: int, y_px: int, sdk: int) -> str:
    """Two taps in one round trip, 40 to 300 ms apart as Android asks.

    Before Android 12 each `input` starts a virtual machine of its own, so the two have to start side by side.
    """
    once = tap(x_px, y_px)
    return f"{once}; {once}" if sdk >= 31 else f"{once} & sleep 0.12; {once}; wait"


def swipe(x1_px: int, y1_px: int, x2_px: int, y2_px: int, duration_s: float) -> str:
    """A swipe of `duration_s` seconds; equal points make a long press."""
    return build("input", "swipe", int(x1_px), int(y1_px), int(x2_px), int(y2_px), max(1, round(duration_s * 1000)))


def key_event(code: int) -> str:
    """A key press by Android key code."""
    return build("input", "keyevent", code)


def content(action: str, uri: str, *options: str) -> str:
    """A call of a content provider."""
    return build("content", action, "--uri", uri, *options)


_INPUT_TROUBLE = re.compile(r"Exception|\bError\b|Killed|Aborted|[Uu]sage: |Invalid arguments|Argument expected")


def input_failed(answer: ShellAnswer) -> bool:
    """True when an `input` command did not do its work; its exit code alone is no proof (0 on Android 8 to 11)."""
    return answer.code != 0 or _INPUT_TROUBLE.search(answer.text) is not None


def input_is_forbidden(answer: ShellAnswer) -> bool:
    """True when the phone's maker blocks injected input until a developer option is switched on."""
    return "INJECT_EVENTS" in answer.text


def first_line(text: str, limit: int = 200) -> str:
    """The first line that says something, for error messages; Android's heading above an exception does not."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    while len(lines) > 1 and lines[0].startswith("Exception occurred while executing"):
        del lines[0]
    return lines[0][:limit] if lines else "no output"
