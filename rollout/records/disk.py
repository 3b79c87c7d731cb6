"""The few system calls that records are written with, and what a full or failing disk raises.

`Disk` is handed in where durability is tested, so that a test can make one call fail.
"""

from __future__ import annotations

import os
from pathlib import Path

from rollout.errors import RolloutError


class DiskTrouble(RolloutError):
    """A record could not be made durable. What was acknowledged before is intact."""

    def __init__(self, path: Path, doing: str, error: OSError) -> None:
        super().__init__(f"{path}: {doing} failed: {error.strerror or error}")
        self.path = path
        self.errno = error.errno


class Disk:
    """Plain system calls."""

    def write(self, fd: int, data: memoryview) -> int:
        """May write less than given, as write(2) does."""
        return os.write(fd, data)

    def sync(self, fd: int) -> None:
        os.fsync(fd)

    def truncate(self, fd: int, length: int) -> None:
        os.ftruncate(fd, length)


DISK = Disk()


def write_all(disk: Disk, fd: int, data: bytes) -> None:
    """Write every byte; a short write is continued, not taken for a whole one."""
    view = memoryview(data)
    while view:
        view = view[disk.write(fd, view) :]


def sync_folder(folder: Path, disk: Disk = DISK) -> None:
    """Make the names in a folder durable: a new file is lost with its name until this returns."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        disk.sync(fd)
    finally:
        os.close(fd)


def make_folder(folder: Path, disk: Disk = DISK) -> None:
    """Make a folder and what is missing above it, names synced. One that is there already is left as it is.

    Raises:
        DiskTrouble
    """
    try:
        missing = [place for place in (folder, *folder.parents) if not place.exists()]
        for place in reversed(missing):
            place.mkdir(exist_ok=True)
            sync_folder(place.parent, disk)
    except OSError as error:
        raise DiskTrouble(folder, "making the folder", error) from error


def replace_file(path: Path, data: bytes, disk: Disk = DISK) -> None:
    """Put `data` in the place of a file, durably: a reader sees the old content or the new, never a part.

    Raises:
        DiskTrouble: the old content is still there.
    """
    fresh = path.with_name(f"{path.name}.tmp")
    try:
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            write_all(disk, fd, data)
            disk.sync(fd)
        finally:
            os.close(fd)
        fresh.replace(path)
        sync_folder(path.parent, disk)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise DiskTrouble(path, "writing", error) from error
