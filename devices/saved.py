"""What must be put back on a phone, kept on disk so that it outlives a crash of this program."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path


class SavedState:
    """A few names and values of one phone, in one small file that is gone when nothing is left to restore."""

    def __init__(self, state_dir: Path, hardware_serial: str) -> None:
        name = re.sub(r"[^A-Za-z0-9._-]", "_", hardware_serial)[:100].lstrip(".")
        self._file = state_dir / f"restore-{name}.json"

    def get(self, key: str) -> str | None:
        """The value to put back, None when there is none."""
        return self._load().get(key)

    def put(self, key: str, value: str) -> None:
        """Remember before the phone is changed: synced to disk when this returns."""
        self._write({**self._load(), key: value})

    def drop(self, key: str) -> None:
        """Forget after it was put back."""
        values = self._load()
        if values.pop(key, None) is None:
            return
        if values:
            self._write(values)
        else:
            self._file.unlink(missing_ok=True)

    def _load(self) -> dict[str, str]:
        """An unreadable file counts as empty: it was replaced whole or not at all."""
        try:
            values = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(key): str(value) for key, value in values.items()} if isinstance(values, dict) else {}

    def _write(self, values: dict[str, str]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._file.with_suffix(".tmp")
        with temporary.open("w", encoding="utf-8") as stream:
            json.dump(values, stream)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(self._file)
