"""The helper keyboard: selected for text that key events cannot type, and the user's own put back afterwards.

The user's keyboard is written to disk *before* the switch, so a crash in between is mended at the next start.
"""

from __future__ import annotations

import re
import time

from devices.commands import Shell, ShellAnswer, build, first_line
from devices.saved import SavedState

HELPER_PACKAGE = "com.android.adbkeyboard"
HELPER_ID = f"{HELPER_PACKAGE}/.AdbIME"
BIND_TIMEOUT_S = 5.0
"""A keyboard takes 0.3 to 1 s to be bound; what is sent earlier is lost."""

_KEY = "keyboard"
_NONE = "none"
"""Saved for a phone that had no keyboard selected: the phone's own choice is restored."""
_KEYBOARD_ID = re.compile(r"[A-Za-z][\w.]*/[\w.$]+")
_BOUND = f"mCurId={HELPER_ID}"
_CONNECTED = re.compile(r"mHaveConnect(?:ion)?=true")


class KeyboardTrouble(Exception):
    """The helper keyboard cannot be used on this phone; the message says why."""


class Keyboard:
    """Which keyboard one phone uses."""

    def __init__(self, shell: Shell, saved: SavedState) -> None:
        self._shell = shell
        self._saved = saved
        self._is_bound = False

    def use_helper(self) -> None:
        """Select the helper keyboard and wait until it is bound; one question when it already is.

        Raises:
            KeyboardTrouble: not installed, not selectable, or never bound.
        """
        current = self._current()
        if current == HELPER_ID and self._is_bound:
            return
        if current != HELPER_ID:
            self._saved.put(_KEY, current or _NONE)
            self._select(HELPER_ID)
        self._wait_until_bound()
        self._is_bound = True

    def restore(self) -> None:
        """Put the user's keyboard back if this program, now or in an earlier life, has replaced it.

        Raises:
            KeyboardTrouble: the phone did not take it; the saved name stays for the next start.
        """
        self._is_bound = False
        previous = self._saved.get(_KEY)
        if previous is None:
            return
        if not _KEYBOARD_ID.fullmatch(previous):
            self._shell.shell(build("ime", "reset"))
        elif self._current() != previous:
            self._select(previous)
        self._saved.drop(_KEY)

    def _current(self) -> str | None:
        """The selected keyboard, None when the phone has none."""
        answer = self._shell.shell(build("settings", "get", "secure", "default_input_method"), is_read_only=True)
        value = answer.stdout.strip()
        if answer.code != 0 or not (value == "null" or _KEYBOARD_ID.fullmatch(value)):
            raise KeyboardTrouble(f"cannot tell which keyboard is in use: {_said(answer)}")
        return None if value == "null" else value

    def _select(self, keyboard_id: str) -> None:
        """Enable and set, then ask: neither text nor exit code of `ime` is the same on all versions."""
        if keyboard_id == HELPER_ID:
            self._check_installed()
        self._shell.shell(build("ime", "enable", keyboard_id))
        answer = self._shell.shell(build("ime", "set", keyboard_id))
        if self._current() != keyboard_id:
            raise KeyboardTrouble(f"the phone does not select the keyboard {keyboard_id}: {_said(answer)}")

    def _check_installed(self) -> None:
        """By the package list: `ime list` is forbidden on some phones. No answer is no proof of absence."""
        answer = self._shell.shell(build("pm", "path", HELPER_PACKAGE), is_read_only=True)
        if not answer.text.strip():
            raise KeyboardTrouble(f"{HELPER_PACKAGE} is not installed")

    def _wait_until_bound(self) -> None:
        end = time.monotonic() + BIND_TIMEOUT_S
        while True:
            dump = self._shell.shell(build("dumpsys", "-t", "3", "input_method"), is_read_only=True).stdout
            if _BOUND in dump and _CONNECTED.search(dump):
                return
            if time.monotonic() > end:
                raise KeyboardTrouble(f"{HELPER_ID} is selected but was not bound in {BIND_TIMEOUT_S:g} s")
            time.sleep(0.1)


def _said(answer: ShellAnswer) -> str:
    """The phone's words, with what a person can do about a refusal."""
    if "WRITE_SECURE_SETTINGS" not in answer.text:
        return first_line(answer.text)
    return (
        f"{first_line(answer.text)} Switch on 'USB debugging (Security settings)', or switch off permission monitoring,"
        " in the developer options"
    )
