"""The phone's own append-only log of what it received: the ground truth that tests compare records with."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from functools import lru_cache
from pathlib import Path
from typing import Any

TAIL_LINES = 2000


class CommandLog:
    """One JSON line per command or event, written at once; the last lines are also kept in memory.

    A command: {"t": Unix seconds, "boot": boot id, "service": "shell,v2" | "shell" | "exec" | "sync", "argv": [...]}.
    An event has no "argv" and one key that names it: "sync", "reboot", "fault", "service" alone with "refused", …
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.tail: deque[dict[str, Any]] = deque(maxlen=TAIL_LINES)
        self._descriptor: int | None = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def add(self, boot_id: str, **fields: Any) -> None:
        """Write down an event."""
        line = {"t": round(time.time(), 6), "boot": boot_id, **fields}
        self.tail.append(line)
        if self._descriptor is not None:
            os.write(self._descriptor, json.dumps(line).encode() + b"\n")

    def add_command(self, boot_id: str, service: str, argv: list[str]) -> None:
        """Write down a command; the same line as `add` makes, for less time."""
        now = round(time.time(), 6)
        self.tail.append({"t": now, "boot": boot_id, "service": service, "argv": argv})
        if self._descriptor is not None:
            words = _json(tuple(argv)) if len(argv) < 8 else json.dumps(argv)
            line = f'{{"t": {now!r}, "boot": "{boot_id}", "service": "{service}", "argv": {words}}}\n'
            os.write(self._descriptor, line.encode())

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def commands(self) -> list[list[str]]:
        """The arguments of each command in the tail."""
        return [line["argv"] for line in self.tail if "argv" in line]


@lru_cache(maxsize=256)
def _json(argv: tuple[str, ...]) -> str:
    return json.dumps(argv)
