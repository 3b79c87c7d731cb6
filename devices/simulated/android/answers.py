"""Answers in the forms that Android 13 gives them."""

from __future__ import annotations

import math

from devices.simulated.command import Result

FAILURE = 255
"""Exit status of a shell command that failed inside the system server (-1)."""


class JavaError(Exception):
    """An exception inside the system server: class, message, and where it came from."""

    def __init__(self, kind: str, message: str, where: str = "") -> None:
        super().__init__(f"{kind}: {message}")
        self.where = where


def yes_no(value: bool) -> str:
    """Java's way to write a boolean."""
    return "true" if value else "false"


def out(text: str, status: int = 0) -> Result:
    return Result(stdout=text.encode(errors="replace"), status=status)


def err(text: str, status: int = FAILURE) -> Result:
    return Result(stderr=text.encode(errors="replace"), status=status)


def thrown(command: str, error: JavaError) -> Result:
    """What `cmd` prints when a command ends in an exception."""
    trace = f"\tat {error.where}\n" if error.where else ""
    text = (
        f"\nException occurred while executing '{command}':\n{error}\n{trace}"
        "\tat com.android.modules.utils.BasicShellCommandHandler.exec(BasicShellCommandHandler.java:97)\n"
        "\tat android.os.ShellCommand.exec(ShellCommand.java:38)\n"
        "\tat android.os.Binder.onShellCommand(Binder.java:970)\n"
    )
    return err(text)


class Arguments:
    """Arguments taken one after another, with the errors of Android's `ShellCommand`."""

    def __init__(self, argv: list[str]) -> None:
        self._argv = argv
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._argv)

    def next(self) -> str | None:
        if not self:
            return None
        self._at += 1
        return self._argv[self._at - 1]

    def peek(self) -> str | None:
        return self._argv[self._at] if self else None

    def required(self) -> str:
        value = self.next()
        if value is None:
            before = self._argv[-1] if self._argv else ""
            raise JavaError(
                "java.lang.IllegalArgumentException",
                f'Argument expected after "{before}"',
                "com.android.modules.utils.BasicShellCommandHandler.getNextArgRequired(BasicShellCommandHandler.java:290)",
            )
        return value

    def number(self) -> float:
        text = self.required()
        try:
            number = float(text)
            if not math.isfinite(number) or "_" in text:
                raise ValueError(text)
            return number
        except ValueError:
            where = "jdk.internal.math.FloatingDecimal.readJavaFormatString(FloatingDecimal.java:2054)"
            raise JavaError("java.lang.NumberFormatException", f'For input string: "{text}"', where) from None

    def whole(self) -> int:
        return whole_number(self.required())

    def rest(self) -> list[str]:
        found, self._at = self._argv[self._at :], len(self._argv)
        return found


def whole_number(text: str) -> int:
    """Java's Integer.parseInt."""
    try:
        return int(text)
    except ValueError:
        where = "java.lang.Integer.parseInt(Integer.java:797)"
        raise JavaError("java.lang.NumberFormatException", f'For input string: "{text}"', where) from None
