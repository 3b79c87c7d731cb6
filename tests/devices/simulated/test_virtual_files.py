"""The phone's file system: one name per file, bounded, with Android's errors."""

from __future__ import annotations

import errno

import pytest

from devices.simulated import files
from devices.simulated.files import FileError, VirtualFiles, normal_path


@pytest.mark.parametrize(
    ("path", "whole"),
    [
        ("/storage/emulated/0/a", "/sdcard/a"),
        ("/mnt/sdcard", "/sdcard"),
        ("/sdcard/../data//x/./y", "/data/x/y"),
        ("/../../..", "/"),
    ],
)
def test_a_file_has_one_path(path: str, whole: str) -> None:
    assert normal_path(path) == whole


def test_relative_paths_start_at_the_working_directory() -> None:
    assert normal_path("../a", "/sdcard/d") == "/sdcard/a"


def test_writing_more_than_fits_is_refused_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 10)
    phone_files = VirtualFiles()
    phone_files.write("/sdcard/a", b"12345")
    with pytest.raises(FileError) as caught:
        phone_files.write("/sdcard/b", b"123456")
    assert caught.value.errno == errno.ENOSPC
    assert phone_files.read("/sdcard/a") == b"12345"
    phone_files.remove("/sdcard/a")
    phone_files.write("/sdcard/b", b"123456")


def test_too_many_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    phone_files = VirtualFiles()
    monkeypatch.setattr(files, "MAX_FILES", len(files.DIRECTORIES) + 2)
    phone_files.write("/sdcard/1", b"")
    with pytest.raises(FileError, match="No space left"):
        phone_files.write("/sdcard/2", b"")


def test_moving_a_directory_takes_its_files_along() -> None:
    phone_files = VirtualFiles()
    phone_files.make_dir("/sdcard/a/b", parents=True)
    phone_files.write("/sdcard/a/b/c", b"x")
    phone_files.move("/sdcard/a", "/sdcard/z")
    assert phone_files.read("/sdcard/z/b/c") == b"x"
    assert not phone_files.exists("/sdcard/a")


@pytest.mark.parametrize("path", ["/system/x", "/data/data/x", "/", "/proc/sys/kernel/random/boot_id"])
def test_a_shell_user_writes_only_where_android_lets_it(path: str) -> None:
    with pytest.raises(FileError):
        VirtualFiles().check_writable(path)
