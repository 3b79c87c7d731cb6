"""An attempt's screenshots on disk: synced before anything names them, an unchanged screen stored once."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from rollout.records.disk import DISK, Disk, DiskTrouble, make_folder, write_all

FOLDER = "screenshots"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class StoredImage:
    """Where an image lies, relative to the attempt folder, and the digest of its bytes."""

    path: str
    sha256: str


class ScreenshotStore:
    """Keeps the images of one attempt under `<attempt folder>/screenshots/`."""

    def __init__(self, attempt_folder: Path, disk: Disk = DISK) -> None:
        """Raises DiskTrouble when the folder cannot be made."""
        self._folder = attempt_folder / FOLDER
        self._disk = disk
        self._stored: dict[str, StoredImage] = {}
        make_folder(self._folder, disk)
        try:
            self._fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise DiskTrouble(self._folder, "opening", error) from error

    def keep(self, number: int, image: bytes, ending: str = "png") -> StoredImage:
        """Store the screen of step `number`; bytes seen before in this attempt keep their first path.

        Raises:
            DiskTrouble: nothing was stored, and no part of a file is left.
        """
        digest = hashlib.sha256(image).hexdigest()
        known = self._stored.get(digest)
        if known is not None:
            return known
        name = f"{number:04d}.{ending}"
        try:
            self._write(name, image)
        except OSError as error:
            raise DiskTrouble(self._folder / name, "writing", error) from error
        stored = self._stored[digest] = StoredImage(f"{FOLDER}/{name}", digest)
        return stored

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _write(self, name: str, image: bytes) -> None:
        fd = os.open(name, _FLAGS, 0o644, dir_fd=self._fd)
        try:
            try:
                write_all(self._disk, fd, image)
                self._disk.sync(fd)
            finally:
                os.close(fd)
            # The file's sync has just written the folder's entry along on common file systems, which makes this one
            # nearly free there; others lose the name without it.
            self._disk.sync(self._fd)
        except OSError:
            os.unlink(name, dir_fd=self._fd)
            raise
