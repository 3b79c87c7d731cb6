"""Asking a phone for its UI tree: bounded tries, and a file where there is no terminal to print to."""

from __future__ import annotations

import time

from devices.adb_link import AdbLink
from devices.base import UiNode
from devices.logs import Log
from devices.ui_tree import BadTree, parse_tree

TRY_WAITS_S = (0.5, 1.0)
"""Waits before asking again: the root is missing for a moment while windows change."""
DUMP_TIMEOUT_S = 25.0
"""uiautomator itself gives up after 10 s without an idle screen."""

_TO_TERMINAL = "uiautomator dump /dev/tty"
_FILE = "/sdcard/window_dump.xml"
# The old file goes first: a failed dump leaves it, and its exit code is 0.
_TO_FILE = f"rm -f {_FILE}; uiautomator dump {_FILE}; cat {_FILE}"


class TreeDump:
    """Reads the UI tree of one phone."""

    def __init__(self, link: AdbLink, log: Log) -> None:
        self._link = link
        self._log = log
        self._command = _TO_TERMINAL

    def read(self) -> UiNode | None:
        """The tree of the active window, None when the phone has none to give."""
        end = time.monotonic() + DUMP_TIMEOUT_S
        for wait_s in (*TRY_WAITS_S, None):
            text = self._link.exec_out(self._command, timeout_s=max(0.1, end - time.monotonic())).decode(
                "utf-8", "replace"
            )
            tree = self._parse(text)
            if tree is not None or wait_s is None or time.monotonic() + wait_s > end:
                return tree
            if "dumped to: /dev/tty" in text:
                self._command = _TO_FILE
            else:
                time.sleep(wait_s)
        return None

    def _parse(self, text: str) -> UiNode | None:
        try:
            return parse_tree(text)
        except BadTree as error:
            self._log.warning("bad_ui_tree", serial=self._link.serial, problem=str(error))
            return None
