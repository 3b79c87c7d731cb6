"""The phone's own append-only log of what it received: the ground truth that tests compare records with."""

from __future__ import annotations

import json
import os
import time
from collections import deque
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
        line = {"t": round(time.time(), 6), "boot": boot_id, **fields}
        self.tail.append(line)
        if self._descriptor is not None:
            os.write(self._descriptor, json.dumps(line).encode() + b"\n")

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def commands(self) -> list[list[str]]:
        """The arguments of each command in the tail."""
        return [line["argv"] for line in self.tail if "argv" in line]
