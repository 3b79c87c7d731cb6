"""Append-only files of JSON lines: a line is acknowledged when it is on the disk, and a broken one harms no other.

Behind plan.jsonl, leases.jsonl, results.jsonl and every attempt's steps.jsonl. One process at a time writes a journal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from pydantic import BaseModel

from rollout.records.disk import DISK, Disk, DiskTrouble, replace_file, sync_folder, write_all

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
_TAIL_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Damage:
    """A line that is no record. Nothing else is lost with it."""

    path: Path
    line: int
    """From 1."""
    why: str
    text: str
    """Its beginning."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.why}"


@dataclass(slots=True)
class Lines:
    """What a journal holds: the readable records in order, and what is not readable."""

    records: list[dict[str, Any]] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)


class Journal:
    """Appends records to one file, each synced before `append` returns.

    Opening it mends a torn tail (the process before died in mid-write): a whole record that lacks only its line end
    gets it, anything else moves to `<name>.torn`, so that the next record starts on a line of its own.
    """

    def __init__(self, path: Path, disk: Disk = DISK) -> None:
        """Raises DiskTrouble."""
        self.path = path
        self._disk = disk
        self._fd = -1
        self._good_length = 0
        self._must_renew = False
        try:
            self._open()
            self._mend_tail()
        except OSError as error:
            raise DiskTrouble(path, "opening", error) from error

    def append(self, record: BaseModel | Mapping[str, Any]) -> None:
        """Write one record as one line and sync it.

        Raises:
            DiskTrouble: the record is not in the file, and the file ends with the last good line. A later append may
                succeed (space was freed); this record must then be given again.
        """
        if isinstance(record, BaseModel):
            self.append_line(record.model_dump_json(by_alias=True).encode())
        else:
            self.append_line(json.dumps(record, ensure_ascii=False, allow_nan=False).encode())

    def append_line(self, line: bytes) -> None:
        """Like `append`, for a record that is already JSON text on one line."""
        if b"\n" in line:
            raise ValueError("a record is one line")
        if self._must_renew:
            self._renew()
        elif self._fd < 0:
            raise ValueError(f"{self.path} is closed")
        try:
            write_all(self._disk, self._fd, line + b"\n")
        except OSError as error:
            self._cut_back()
            raise DiskTrouble(self.path, "writing", error) from error
        try:
            self._disk.sync(self._fd)
        except OSError as error:
            # The kernel may have dropped the pages and says so once: a second sync would succeed and mean nothing.
            self._must_renew = True
            self._cut_back()
            raise DiskTrouble(self.path, "syncing", error) from error
        self._good_length += len(line) + 1

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _open(self) -> None:
        is_new = not self.path.exists()
        self._fd = os.open(self.path, _FLAGS, 0o644)
        self._good_length = os.fstat(self._fd).st_size
        if is_new:
            sync_folder(self.path.parent, self._disk)

    def _cut_back(self) -> None:
        """Leave nothing of a record that was not acknowledged."""
        try:
            self._disk.truncate(self._fd, self._good_length)
        except OSError:
            self._must_renew = True

    def _renew(self) -> None:
        """After a failed sync: everything acknowledged goes into a new file, which takes the old one's place."""
        try:
            with self.path.open("rb") as file:
                good = file.read(self._good_length)
            replace_file(self.path, good, self._disk)
            self.close()
            self._open()
        except OSError as error:
            raise DiskTrouble(self.path, "renewing", error) from error
        self._must_renew = False

    def _mend_tail(self) -> None:
        tail = _unended_tail(self._fd, self._good_length)
        if not tail:
            return
        if _record_or_reason(tail)[0] is not None:
            write_all(self._disk, self._fd, b"\n")
        else:
            self._keep_aside(tail)
            self._disk.truncate(self._fd, self._good_length - len(tail))
        self._disk.sync(self._fd)
        self._good_length = os.fstat(self._fd).st_size

    def _keep_aside(self, tail: bytes) -> None:
        fd = os.open(self.path.with_name(f"{self.path.name}.torn"), _FLAGS, 0o644)
        try:
            write_all(self._disk, fd, tail + b"\n")
            self._disk.sync(fd)
        finally:
            os.close(fd)
        sync_folder(self.path.parent, self._disk)


def read_lines(path: Path) -> Lines:
    """Everything readable in a journal, whatever happened to it. A missing file is an empty one."""
    found = Lines()
    for _, item in iter_lines(path):
        if isinstance(item, Damage):
            found.damages.append(item)
        else:
            found.records.append(item)
    return found


def iter_lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | Damage]]:
    """Line number and record, or damage, one at a time. Blank lines are passed over."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        for number, raw in enumerate(file, 1):
            line = raw.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else raw.strip()
            if not line:
                continue
            record, why = _record_or_reason(line)
            if record is None:
                why = why if raw.endswith(b"\n") else f"{why}; the line was not finished"
                yield number, Damage(path, number, why, line[:200].decode(errors="replace"))
            else:
                yield number, record


def _record_or_reason(line: bytes) -> tuple[dict[str, Any] | None, str]:
    try:
        value = json.loads(line)
    except UnicodeDecodeError:
        return None, "no UTF-8 text"
    except (ValueError, RecursionError) as error:
        return None, f"no JSON: {error}"
    return (value, "") if isinstance(value, dict) else (None, "no JSON object")


def _unended_tail(fd: int, length: int) -> bytes:
    """The bytes after the last line end, read from behind."""
    tail = b""
    while length > 0:
        start = max(0, length - _TAIL_BLOCK)
        block = os.pread(fd, length - start, start)
        _, newline, rest = block.rpartition(b"\n")
        tail = rest + tail
        if newline:
            break
        length = start
    return tail
