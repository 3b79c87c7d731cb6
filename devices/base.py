"""The Device protocol: pixel verbs with deadlines, and the values that cross it.

Everything here is in device pixels of the *current* rotation, seconds and bytes. Agent points (0–1000) live above,
in `rollout/agent/executor.py`, and never come down here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

KEYS: Mapping[str, int] = {
    "HOME": 3, "BACK": 4, "VOLUME_UP": 24, "VOLUME_DOWN": 25, "POWER": 26, "TAB": 61, "ENTER": 66, "DEL": 67,
    "MENU": 82, "SEARCH": 84, "ESCAPE": 111, "MOVE_HOME": 122, "MOVE_END": 123, "APP_SWITCH": 187, "SLEEP": 223,
    "WAKEUP": 224,
}  # fmt: skip
"""Key name → Android key code (android.view.KeyEvent)."""

SettingsNamespace = Literal["system", "secure", "global"]


@dataclass(frozen=True, slots=True)
class WindowSize:
    """Width and height in pixels, after size override and rotation."""

    width_px: int
    height_px: int


@dataclass(frozen=True, slots=True)
class ScreenState:
    """What the phone says of its screen. `None` means it did not say, never "no"."""

    is_awake: bool | None = None
    is_locked: bool | None = None
    """A lock screen is in front (shown and not covered by an app)."""
    has_secure_lock: bool | None = None
    rotation: int | None = None
    """0–3, quarter turns counter-clockwise as Android counts them."""
    size: WindowSize | None = None
    package: str | None = None
    activity: str | None = None
    """Of the focused app, full class name."""
    overlay: str | None = None
    """Name of the focused window when it is not an app's: NotificationShade, StatusBar, InputMethod, …"""
    has_keyboard: bool | None = None


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A screen as the phone encoded it. `png` is passed on undecoded; width and height are read from its header."""

    png: bytes
    width_px: int
    height_px: int


@dataclass(frozen=True, slots=True)
class Look:
    """A screenshot and the screen state read in the same round trip."""

    screenshot: Screenshot
    state: ScreenState


@dataclass(frozen=True, slots=True)
class Done:
    """What a verb sent to the phone, command by command, in order."""

    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UiNode:
    """A node of the UI tree (uiautomator's attributes)."""

    text: str
    resource_id: str
    class_name: str
    package: str
    content_desc: str
    bounds_px: tuple[int, int, int, int]
    """left, top, right, bottom."""
    flags: frozenset[str] = frozenset()
    """checkable, checked, clickable, enabled, focusable, focused, scrollable, long-clickable, password, selected."""
    children: tuple[UiNode, ...] = ()

    def walk(self) -> list[UiNode]:
        """This node and all below it, depth first."""
        found = [self]
        for child in self.children:
            found.extend(child.walk())
        return found


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """Who this phone is. `hardware_serial` is the same over USB and Wi-Fi; `serial` is the adb transport's name."""

    serial: str
    hardware_serial: str
    model: str
    android_version: str
    sdk: int
    fingerprint: str
    size: WindowSize
    """Logical size in natural orientation (size override applied)."""
    density: int
    locale: str
    time_zone: str
    boot_id: str
    is_simulated: bool = False
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Health:
    """Result of the probes. `fit` only when each of them passed."""

    fit: bool
    failed: tuple[str, ...] = ()
    """Names of the probes that failed: link, shell, boot, services, eyes."""
    message: str = ""


@runtime_checkable
class Device(Protocol):
    """One phone. Every call ends within its deadline (`timeout_s`, or the device's default for that verb).

    Raises (all verbs):
        DeviceUnavailable and its kinds: the worker gives its rollout back.
        ActionFailed and its kinds: the phone is well; the agent sees the message.
    A verb that changes the phone is never repeated by the device layer once it may have happened.
    """

    @property
    def serial(self) -> str: ...

    def open(self) -> DeviceInfo:
        """Connect, learn who it is, restore what an earlier crash left behind (keyboard, rotation)."""

    def restore(self) -> None:
        """Put the user's keyboard and rotation setting back; a phone that is gone keeps it for `open`."""

    def close(self) -> None:
        """Restore what was changed (keyboard). Never raises for a phone that is gone."""

    def info(self) -> DeviceInfo: ...

    def health(self) -> Health: ...

    def screenshot(self, timeout_s: float | None = None) -> Screenshot:
        """Raises ScreenshotError after a bounded number of retakes."""

    def look(self, timeout_s: float | None = None) -> Look:
        """Screenshot and screen state in one round trip; `is_locked` and `has_keyboard` may stay unknown."""

    def state(self) -> ScreenState: ...

    def wake(self) -> Done:
        """Screen on, lock screen without a PIN away. DeviceNeedsHuman when a PIN is asked for."""

    def tap(self, x_px: int, y_px: int) -> Done: ...

    def double_tap(self, x_px: int, y_px: int) -> Done: ...

    def long_press(self, x_px: int, y_px: int, duration_s: float = 1.5) -> Done: ...

    def swipe(self, x1_px: int, y1_px: int, x2_px: int, y2_px: int, duration_s: float = 0.5) -> Done: ...

    def type_text(self, text: str) -> Done:
        """Type any Unicode text into the focused field, unchanged. Raises TextNotTyped."""

    def press_key(self, key: str) -> Done:
        """A name of KEYS."""

    def launch_app(self, name: str) -> Done:
        """By app name or package. Raises UnknownApp with near names; never guesses."""

    def resolve_app(self, name: str) -> str:
        """App name or package → installed package. Raises UnknownApp."""

    def installed_packages(self) -> frozenset[str]: ...

    def stop_app(self, name: str) -> Done: ...

    def clear_app(self, package: str) -> Done:
        """Delete the app's data (`pm clear`)."""

    def ui_tree(self) -> UiNode | None:
        """The active window's tree, or None when the phone has none to give."""

    def frames_rendered(self, package: str) -> int | None:
        """Frames the app has drawn so far: a cheap sign of movement. None when the phone does not say."""

    def settings_get(self, namespace: SettingsNamespace, key: str) -> str | None: ...

    def settings_put(self, namespace: SettingsNamespace, key: str, value: str) -> Done: ...

    def content_query(self, uri: str, columns: Sequence[str], where: str | None = None) -> list[dict[str, str | None]]:
        """Rows of a content provider; values as text, NULL as None. A refusal raises ActionFailed."""

    def content_insert(self, uri: str, values: Mapping[str, str | int]) -> Done: ...

    def content_delete(self, uri: str, where: str | None = None) -> Done: ...

    def reset_state(self) -> Done:
        """Simulated phones only: back to the seeded start. ActionFailed elsewhere."""
