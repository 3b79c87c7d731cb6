"""Starting and stopping apps: by activity where the phone tells it, judged by what is in front afterwards."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from devices.apps import NoSuchApp, package_of
from devices.base import ScreenState
from devices.commands import Shell, ShellAnswer, build, first_line
from devices.errors import ActionFailed, UnknownApp
from devices.saved import SavedState

FOREGROUND_WAIT_S = 3.0
FAILED_WAIT_S = 1.0
"""For an app that came to the front although the phone printed an error."""
POLL_S = 0.1
_LAUNCHER_INTENT = ("-a", "android.intent.action.MAIN", "-c", "android.intent.category.LAUNCHER")
_NEW_TASK_RESET_IF_NEEDED = "0x10200000"
_COMPONENT = re.compile(r"^([A-Za-z][\w.]*)/([\w.$]+)$")
_START_FAILED = re.compile(r"^Error\b|Exception\b|does not exist|unable to resolve", re.MULTILINE)
_ROTATION = "accelerometer_rotation"


class Launcher:
    """Apps of one phone. `state` asks for the screen state."""

    def __init__(self, shell: Shell, state: Callable[[], ScreenState], saved: SavedState) -> None:
        self._shell = shell
        self._state = state
        self._saved = saved
        self._installed: frozenset[str] = frozenset()

    def package(self, name: str) -> str:
        """The package that an app name stands for. The phone is asked again before a name is called unknown."""
        try:
            return package_of(name, self._installed)
        except NoSuchApp:
            self.installed()
        try:
            return package_of(name, self._installed)
        except NoSuchApp as error:
            raise UnknownApp(self._shell.serial, name, error.near) from error

    def launch(self, name: str) -> list[str]:
        """Bring an app to the front; returns the commands that were sent.

        Raises:
            UnknownApp: no installed app goes by the name.
            ActionFailed: it did not come to the front.
        """
        package = self.package(name)
        sent: list[str] = []
        component = self._resolve(package)
        said = "it has no launcher activity"
        if component is not None:
            said = self._start_activity(component, sent)
            is_in_front = self._is_in_front(package, FAILED_WAIT_S if said else FOREGROUND_WAIT_S)
            # Accepted but covered, by a permission dialog for one: the agent will see it.
            if is_in_front or not said:
                return sent
        self._start_by_monkey(package, sent)
        if self._is_in_front(package, FOREGROUND_WAIT_S):
            return sent
        raise ActionFailed(self._shell.serial, f"{package} did not come to the front: {said}")

    def stop(self, name: str) -> list[str]:
        """Force-stop an app."""
        command = build("am", "force-stop", self.package(name))
        self._shell.shell(command)
        return [command]

    def clear(self, package: str) -> list[str]:
        """Delete an app's data. Raises ActionFailed when the phone refuses."""
        command = build("pm", "clear", package)
        answer = self._shell.shell(command, timeout_s=30)
        if "Success" not in answer.stdout:
            raise ActionFailed(self._shell.serial, f"data of {package} not cleared: {first_line(answer.text)}")
        return [command]

    def restore_rotation(self) -> None:
        """Undo what `monkey` does to auto-rotation, also after a crash."""
        value = self._saved.get(_ROTATION)
        if value is None:
            return
        self._shell.shell(build("settings", "put", "system", _ROTATION, value))
        self._saved.drop(_ROTATION)

    def _start_activity(self, component: str, sent: list[str]) -> str:
        """What the phone said against it, "" when it took it. The exit code is 0 either way: the text decides."""
        command = build("am", "start", *_LAUNCHER_INTENT, "-f", _NEW_TASK_RESET_IF_NEEDED, "-n", component)
        answer = self._shell.shell(command, timeout_s=20)
        sent.append(command)
        return first_line(answer.stderr or answer.stdout) if _has_failed(answer) else ""

    def _resolve(self, package: str) -> str | None:
        command = build("cmd", "package", "resolve-activity", "--brief", *_LAUNCHER_INTENT, package)
        lines = self._shell.shell(command, is_read_only=True).stdout.split()
        found = _COMPONENT.match(lines[-1]) if lines else None
        return found[0] if found is not None and found[1] == package else None

    def _start_by_monkey(self, package: str, sent: list[str]) -> None:
        """The last resort. It switches auto-rotation on, and its exit code says nothing."""
        get = build("settings", "get", "system", _ROTATION)
        before = self._shell.shell(get, is_read_only=True).stdout.strip()
        if before in ("0", "1"):
            self._saved.put(_ROTATION, before)
        command = build("monkey", "-p", package, "-c", "android.intent.category.LAUNCHER", "1")
        self._shell.shell(command, timeout_s=20)
        sent.append(command)
        self.restore_rotation()

    def _is_in_front(self, package: str, wait_s: float) -> bool:
        end = time.monotonic() + wait_s
        while self._state().package != package:
            if time.monotonic() > end:
                return False
            time.sleep(POLL_S)
        return True

    def installed(self) -> frozenset[str]:
        """Ask the phone for its packages."""
        answer = self._shell.shell(build("pm", "list", "packages"), timeout_s=20, is_read_only=True)
        self._installed = frozenset(re.findall(r"^package:(\S+)", answer.stdout, re.MULTILINE))
        return self._installed


def _has_failed(answer: ShellAnswer) -> bool:
    return answer.code != 0 or _START_FAILED.search(answer.text) is not None
