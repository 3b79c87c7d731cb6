"""Screenshots on disk."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from rollout.records.disk import Disk, DiskTrouble
from rollout.records.screenshots import ScreenshotStore


class FullDisk(Disk):
    def write(self, fd: int, data: memoryview) -> int:
        os.write(fd, data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")


class NotingDisk(Disk):
    """Notes what is synced, by path."""

    def __init__(self) -> None:
        self.synced: list[str] = []

    def sync(self, fd: int) -> None:
        self.synced.append(Path(f"/proc/self/fd/{fd}").resolve().name)
        super().sync(fd)


def test_a_screen_is_stored_under_its_steps_number(tmp_path: Path) -> None:
    stored = ScreenshotStore(tmp_path).keep(2, b"picture")
    assert stored.path == "screenshots/0002.png"
    assert (tmp_path / stored.path).read_bytes() == b"picture"
    assert stored.sha256 == hashlib.sha256(b"picture").hexdigest()


def test_an_unchanged_screen_is_stored_once(tmp_path: Path) -> None:
    store = ScreenshotStore(tmp_path)
    first, second, third = store.keep(1, b"a"), store.keep(2, b"b"), store.keep(3, b"a")
    assert third == first
    assert second != first
    assert sorted(path.name for path in (tmp_path / "screenshots").iterdir()) == ["0001.png", "0002.png"]


def test_the_picture_and_its_name_are_synced_before_it_is_named(tmp_path: Path) -> None:
    disk = NotingDisk()
    store = ScreenshotStore(tmp_path, disk)
    disk.synced.clear()
    store.keep(1, b"a")
    assert disk.synced == ["0001.png", "screenshots"]


def test_a_full_disk_leaves_no_part_of_a_picture(tmp_path: Path) -> None:
    with pytest.raises(DiskTrouble) as caught:
        ScreenshotStore(tmp_path, FullDisk()).keep(1, b"x" * 1000)
    assert caught.value.errno == errno.ENOSPC
    assert list((tmp_path / "screenshots").iterdir()) == []
    ScreenshotStore(tmp_path).keep(1, b"x" * 1000)


def test_an_existing_file_or_link_is_not_written_over(tmp_path: Path) -> None:
    store = ScreenshotStore(tmp_path)
    target = tmp_path / "precious"
    target.write_text("keep")
    (tmp_path / "screenshots" / "0001.png").symlink_to(target)
    with pytest.raises(DiskTrouble):
        store.keep(1, b"x")
    assert target.read_text() == "keep"
