"""Device errors, typed by what the caller must do about them.

`code` is a device fault code (OFFLINE, UNRESPONSIVE, …); the runner stores it as it is.
"""

from __future__ import annotations

from collections.abc import Sequence


class DeviceError(Exception):
    """Anything a phone or the way to it did wrong."""

    code = "DEVICE"

    def __init__(self, serial: str, message: str) -> None:
        super().__init__(f"{serial}: {message}")
        self.serial = serial
        self.message = message


class DeviceUnavailable(DeviceError):
    """The phone cannot be used now: give the rollout back and try another phone."""

    code = "OFFLINE"


class DeviceTimeout(DeviceUnavailable):
    """No answer within the deadline. Whether the command happened is unknown: never repeat an action because of it."""

    code = "UNRESPONSIVE"


class AdbServerError(DeviceUnavailable):
    """The adb server, not the phone: refused, reset, silent."""

    code = "ADB_SERVER"


class DeviceNeedsHuman(DeviceUnavailable):
    """Waiting will not help: approve debugging, enter a PIN, grant a developer option. The message says which."""

    code = "NEEDS_HUMAN"


class ScreenshotError(DeviceUnavailable):
    """The phone answered, but not with a picture."""

    code = "SCREENSHOT_BAD"


class ActionFailed(DeviceError):
    """The phone is well and said no: the action's own result, shown to the agent. Nothing else is wrong."""

    code = "ACTION_FAILED"


class UnknownApp(ActionFailed):
    """No installed app goes by that name."""

    code = "UNKNOWN_APP"

    def __init__(self, serial: str, name: str, near: Sequence[str]) -> None:
        hint = f"; installed apps with a similar name: {', '.join(near)}" if near else ""
        super().__init__(serial, f"no app is called {name!r}{hint}")
        self.name = name
        self.near = tuple(near)


class TextNotTyped(ActionFailed):
    """No way of typing worked for this text on this phone."""

    code = "TEXT_NOT_TYPED"
