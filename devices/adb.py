"""AdbDevice: one Android phone or emulator over adb, behind the Device protocol.

It puts together parts that each know one thing: the link (adb_link), pictures and screen state (capture), apps
(launch), text (text_input, keyboard), the UI tree (dump), fitness (health). Here their answers become results.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from devices import commands, content, health
from devices.adb_link import AdbLink, adb_client
from devices.base import KEYS, DeviceInfo, Done, Health, Look, Screenshot, ScreenState, SettingsNamespace, UiNode
from devices.capture import Capture
from devices.commands import BadCommand, ShellAnswer, build, first_line
from devices.dump import TreeDump
from devices.errors import ActionFailed, DeviceError, DeviceNeedsHuman, DeviceUnavailable
from devices.identity import IDENTITY_COMMAND, NotReadable, parse_identity
from devices.keyboard import Keyboard, KeyboardTrouble
from devices.launch import Launcher
from devices.logs import Log, NoLog
from devices.saved import SavedState
from devices.text_input import FORBIDDEN_HINT, TextInput

_FRAMES = re.compile(r"Total frames rendered: (\d+)")
_REFUSED = re.compile(r"Exception\b|\bError\b|\[ERROR\]|Invalid namespace|You cannot keep your settings")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds for a whole call, adb server and phone together."""

    command_s: float = 10.0
    screenshot_s: float = 15.0
    unlock_s: float = 1.5
    """How long the screen may take to change after each step of waking the phone."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """What exists once the phone has said who it is."""

    info: DeviceInfo
    capture: Capture
    keyboard: Keyboard
    text: TextInput
    launcher: Launcher
    tree: TreeDump


class AdbDevice:
    """A phone by its adb serial. `state_dir` keeps what must be restored on it after a crash."""

    def __init__(
        self,
        serial: str,
        *,
        server_port: int | None = None,
        adb_path: Path | None = None,
        state_dir: Path,
        timeouts: Timeouts = Timeouts(),
        log: Log | None = None,
    ) -> None:
        self._link = AdbLink(serial, adb_client(server_port, adb_path), timeout_s=timeouts.command_s)
        self._state_dir = state_dir
        self._timeouts = timeouts
        self._log = log or NoLog()
        self._parts: _Parts | None = None

    @property
    def serial(self) -> str:
        return self._link.serial

    # Who it is and how it is

    def open(self) -> DeviceInfo:
        """Learn who the phone is and put back what an earlier crash left changed (keyboard, rotation)."""
        self._link.learn_features()
        info = self._read_info()
        saved = SavedState(self._state_dir, info.hardware_serial)
        keyboard = Keyboard(self._link, saved)
        self._parts = _Parts(
            info=info,
            capture=Capture(self._link, info.sdk, self._log),
            keyboard=keyboard,
            text=TextInput(self._link, keyboard),
            launcher=Launcher(self._link, self.state, saved),
            tree=TreeDump(self._link, self._log),
        )
        self.restore()
        return info

    def restore(self) -> None:
        """Put the user's keyboard and rotation setting back; a refusal is logged."""
        try:
            self._opened.keyboard.restore()
            self._opened.launcher.restore_rotation()
        except KeyboardTrouble as error:
            self._log.warning("keyboard_not_restored", serial=self.serial, problem=str(error))

    def close(self) -> None:
        """Restore what was changed. A phone that is gone is restored at its next `open`."""
        if self._parts is None:
            return
        try:
            self.restore()
        except DeviceError as error:
            self._log.warning("phone_not_restored", serial=self.serial, problem=error.message)
        self._parts = None

    def info(self) -> DeviceInfo:
        """As learned by `open`."""
        return self._opened.info

    def boot_id(self) -> str:
        """Differs from `info().boot_id` once the phone has restarted."""
        return health.read_boot_id(self._link)

    def health(self) -> Health:
        """All probes, one after the other; works on a phone that could not be opened."""
        capture = self._parts.capture if self._parts else Capture(self._link, 33, self._log)
        return health.check(self._link, lambda: capture.screenshot(self._timeouts.screenshot_s))

    def relink(self) -> bool:
        """Mend a TCP link: disconnect, connect, ask the shell. True when the phone answers again."""
        return health.relink(self._link)

    # Eyes

    def screenshot(self, timeout_s: float | None = None) -> Screenshot:
        return self._opened.capture.screenshot(timeout_s or self._timeouts.screenshot_s)

    def look(self, timeout_s: float | None = None) -> Look:
        return self._opened.capture.look(timeout_s or self._timeouts.screenshot_s)

    def state(self) -> ScreenState:
        return self._opened.capture.state(self._timeouts.command_s)

    def ui_tree(self) -> UiNode | None:
        return self._opened.tree.read()

    def frames_rendered(self, package: str) -> int | None:
        with self._plain_arguments():
            command = f"{build('dumpsys', 'gfxinfo', package)} 2>/dev/null | grep -m1 'Total frames rendered'"
        found = _FRAMES.search(self._link.shell(command, is_read_only=True).stdout)
        return int(found[1]) if found else None

    # Hands

    def wake(self) -> Done:
        """Screen on and a lock screen without a PIN away; no command when the phone is ready.

        Raises:
            DeviceNeedsHuman: a PIN, pattern or password is asked for.
            DeviceUnavailable: the screen stays off or locked.
        """
        sent: list[str] = []
        state = self.state()
        if state.is_awake is False:
            state = self._unlock_step(commands.key_event(KEYS["WAKEUP"]), sent, lambda now: now.is_awake is not False)
        for command in (build("wm", "dismiss-keyguard"), self._swipe_up()):
            if state.is_locked:
                state = self._unlock_step(command, sent, lambda now: not now.is_locked)
        if state.is_locked and state.has_secure_lock:
            raise DeviceNeedsHuman(self.serial, "locked: the screen asks for a PIN, pattern or password")
        if state.is_locked or state.is_awake is False:
            what = "locked" if state.is_awake else "dark"
            raise DeviceUnavailable(self.serial, f"the screen stays {what} after {', '.join(sent)}")
        return Done(tuple(sent))

    def tap(self, x_px: int, y_px: int) -> Done:
        return self._input(commands.tap(x_px, y_px))

    def double_tap(self, x_px: int, y_px: int) -> Done:
        return self._input(commands.double_tap(x_px, y_px, self._opened.info.sdk))

    def long_press(self, x_px: int, y_px: int, duration_s: float = 1.5) -> Done:
        return self._input(commands.swipe(x_px, y_px, x_px, y_px, duration_s), duration_s)

    def swipe(self, x1_px: int, y1_px: int, x2_px: int, y2_px: int, duration_s: float = 0.5) -> Done:
        return self._input(commands.swipe(x1_px, y1_px, x2_px, y2_px, duration_s), duration_s)

    def press_key(self, key: str) -> Done:
        if key not in KEYS:
            raise ActionFailed(self.serial, f"no key is called {key!r}; known: {', '.join(sorted(KEYS))}")
        return self._input(commands.key_event(KEYS[key]))

    def type_text(self, text: str) -> Done:
        return Done(tuple(self._opened.text.type(text)))

    # Apps

    def launch_app(self, name: str) -> Done:
        return Done(tuple(self._opened.launcher.launch(name)))

    def resolve_app(self, name: str) -> str:
        return self._opened.launcher.package(name)

    def installed_packages(self) -> frozenset[str]:
        return self._opened.launcher.installed()

    def stop_app(self, name: str) -> Done:
        return Done(tuple(self._opened.launcher.stop(name)))

    def clear_app(self, package: str) -> Done:
        return Done(tuple(self._opened.launcher.clear(package)))

    # What verifiers and set-up read and write

    def settings_get(self, namespace: SettingsNamespace, key: str) -> str | None:
        answer = self._ask("settings", "get", namespace, key)
        self._refuse_trouble(answer, f"settings {namespace}/{key} cannot be read", answer.stderr)
        value = answer.stdout.removesuffix("\n").removesuffix("\r")
        return None if value == "null" else value

    def settings_put(self, namespace: SettingsNamespace, key: str, value: str) -> Done:
        return self._change(f"settings {namespace}/{key} not written", "settings", "put", namespace, key, value)

    def content_query(self, uri: str, columns: Sequence[str], where: str | None = None) -> list[dict[str, str | None]]:
        try:
            content.check_columns(columns)
            return self._rows(uri, columns, where)
        except content.AmbiguousRows:
            return self._rows_by_column(uri, columns, where)
        except content.ContentRefused as error:
            raise ActionFailed(self.serial, f"{uri}: {error}") from error

    def content_insert(self, uri: str, values: Mapping[str, str | int]) -> Done:
        binds: list[str] = []
        for column, value in values.items():
            binds += ["--bind", f"{column}:{'i' if isinstance(value, int) else 's'}:{value}"]
        return self._change(f"{uri}: not inserted", "content", "insert", "--uri", uri, *binds)

    def content_delete(self, uri: str, where: str | None = None) -> Done:
        condition = [] if where is None else ["--where", where]
        return self._change(f"{uri}: not deleted", "content", "delete", "--uri", uri, *condition)

    def reset_state(self) -> Done:
        if not self._opened.info.is_simulated:
            raise ActionFailed(self.serial, "only a simulated phone can be reset")
        return self._change("not reset", "sim", "reset")

    # How the verbs above speak to the phone

    @property
    def _opened(self) -> _Parts:
        if self._parts is None:
            raise DeviceUnavailable(self.serial, "the phone was not opened")
        return self._parts

    def _read_info(self) -> DeviceInfo:
        answer = self._link.shell(IDENTITY_COMMAND, is_read_only=True)
        try:
            return parse_identity(answer.stdout, self.serial)
        except NotReadable as error:
            raise DeviceUnavailable(self.serial, str(error)) from error

    def _input(self, command: str, duration_s: float = 0.0) -> Done:
        """Send an input command once. What it prints decides, its exit code is no proof."""
        answer = self._link.shell(command, timeout_s=self._timeouts.command_s + duration_s)
        if answer.code or answer.stdout or answer.stderr:
            if commands.input_is_forbidden(answer):
                raise DeviceNeedsHuman(self.serial, FORBIDDEN_HINT)
            if commands.input_failed(answer):
                raise ActionFailed(self.serial, f"{command}: {first_line(answer.text)}")
        return Done((command,))

    def _ask(self, verb: str, *arguments: str) -> ShellAnswer:
        with self._plain_arguments():
            command = build(verb, *arguments)
        return self._link.shell(command, is_read_only=True)

    def _change(self, problem: str, verb: str, *arguments: str) -> Done:
        with self._plain_arguments():
            command = build(verb, *arguments)
        answer = self._link.shell(command)
        self._refuse_trouble(answer, problem, answer.text)
        return Done((command,))

    def _refuse_trouble(self, answer: ShellAnswer, problem: str, said: str) -> None:
        if answer.code != 0 or _REFUSED.search(said):
            raise ActionFailed(self.serial, f"{problem}: {first_line(answer.stderr or answer.stdout)}")

    @contextmanager
    def _plain_arguments(self) -> Iterator[None]:
        """Arguments that no shell can carry are the caller's mistake, not the phone's."""
        try:
            yield
        except BadCommand as error:
            raise ActionFailed(self.serial, str(error)) from error

    def _rows(self, uri: str, columns: Sequence[str], where: str | None) -> list[content.Row]:
        condition = [] if where is None else ["--where", where]
        answer = self._ask("content", "query", "--uri", uri, "--projection", ":".join(columns), *condition)
        if answer.stderr.strip() and not answer.stdout.strip():
            raise content.ContentRefused(first_line(answer.stderr))
        return content.parse_rows(answer.stdout, columns)

    def _rows_by_column(self, uri: str, columns: Sequence[str], where: str | None) -> list[content.Row]:
        """One column at a time has fewer anchors that a value could imitate."""
        try:
            by_column = [self._rows(uri, [column], where) for column in columns]
        except (content.AmbiguousRows, content.ContentRefused) as error:
            raise ActionFailed(self.serial, f"{uri}: {error}") from error
        if len({len(rows) for rows in by_column}) != 1:
            raise ActionFailed(self.serial, f"{uri} changed while it was read")
        return [{name: value for row in rows for name, value in row.items()} for rows in zip(*by_column, strict=True)]

    def _swipe_up(self) -> str:
        size = self._opened.info.size
        middle_px = size.width_px // 2
        return commands.swipe(middle_px, size.height_px * 85 // 100, middle_px, size.height_px * 20 // 100, 0.25)

    def _unlock_step(self, command: str, sent: list[str], is_reached: Callable[[ScreenState], bool]) -> ScreenState:
        """Send a command and give the screen a moment to follow; the state it is in then."""
        self._input(command)
        sent.append(command)
        end = time.monotonic() + self._timeouts.unlock_s
        while not is_reached(state := self.state()) and time.monotonic() < end:
            time.sleep(0.1)
        return state
