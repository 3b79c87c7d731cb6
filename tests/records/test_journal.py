"""The journal under real and injected disk faults: what was acknowledged stays, nothing is glued, nothing is hidden."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rollout.records.disk import Disk, DiskTrouble
from rollout.records.journal import Journal, read_lines


class FaultyDisk(Disk):
    """Fails once, at the chosen call. `short` bytes are written before the write fails."""

    def __init__(self, *, write_at: int = 0, sync_at: int = 0, truncate_at: int = 0, short: int = 0) -> None:
        self.left = {"write": write_at, "sync": sync_at, "truncate": truncate_at}
        self.short = short
        self.syncs = 0

    def write(self, fd: int, data: memoryview) -> int:
        if self._strikes("write"):
            os.write(fd, data[: self.short])
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(fd, data)

    def sync(self, fd: int) -> None:
        self.syncs += 1
        if self._strikes("sync"):
            raise OSError(errno.EIO, "Input/output error")
        super().sync(fd)

    def truncate(self, fd: int, length: int) -> None:
        if self._strikes("truncate"):
            raise OSError(errno.EIO, "Input/output error")
        super().truncate(fd, length)

    def _strikes(self, call: str) -> bool:
        self.left[call] -= 1
        return self.left[call] == 0


class TricklingDisk(Disk):
    """Every write is a short one."""

    def write(self, fd: int, data: memoryview) -> int:
        return super().write(fd, data[:3])


def ids(path: Path) -> list[object]:
    return [record.get("id") for record in read_lines(path).records]


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        journal.append({"id": 1, "text": "你好 \u2028 😀"})
        journal.append({"id": 2})
    with Journal(path) as journal:
        journal.append({"id": 3})
    assert ids(path) == [1, 2, 3]
    assert read_lines(path).damages == []


def test_a_short_write_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    journal = Journal(path, TricklingDisk())
    journal.append({"id": 1, "text": "a long line" * 20})
    journal.append({"id": 2})
    assert ids(path) == [1, 2]


def test_every_append_is_synced(tmp_path: Path) -> None:
    disk = FaultyDisk()
    journal = Journal(tmp_path / "j.jsonl", disk)
    before = disk.syncs
    journal.append({"id": 1})
    journal.append({"id": 2})
    assert disk.syncs == before + 2


def test_a_full_disk_leaves_no_part_of_the_line(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    journal = Journal(path, FaultyDisk(write_at=2, short=5))
    journal.append({"id": 1})
    with pytest.raises(DiskTrouble) as caught:
        journal.append({"id": 2})
    assert caught.value.errno == errno.ENOSPC
    assert path.read_bytes() == b'{"id": 1}\n'
    journal.append({"id": 3})
    assert ids(path) == [1, 3]


def test_a_line_that_cannot_be_cut_off_is_not_glued_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    journal = Journal(path, FaultyDisk(write_at=2, short=5, truncate_at=1))
    journal.append({"id": 1})
    with pytest.raises(DiskTrouble):
        journal.append({"id": 2})
    journal.append({"id": 3})
    assert ids(path) == [1, 3]
    assert read_lines(path).damages == []


def test_a_failed_sync_is_not_retried_but_answered_with_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    journal = Journal(path, FaultyDisk(sync_at=3))  # the folder's, the first line's, the second line's
    journal.append({"id": 1})
    inode = path.stat().st_ino
    with pytest.raises(DiskTrouble):
        journal.append({"id": 2})
    assert ids(path) == [1]
    journal.append({"id": 3})
    assert path.stat().st_ino != inode
    assert ids(path) == [1, 3]
    assert [entry.name for entry in tmp_path.iterdir()] == ["j.jsonl"]


def test_a_file_size_limit_of_the_system_is_survived(tmp_path: Path) -> None:
    """A real short write followed by a real error: the limit lies in the middle of the second line."""
    path = tmp_path / "j.jsonl"
    script = """
import resource, signal, sys
from pathlib import Path
from rollout.records.disk import DiskTrouble
from rollout.records.journal import Journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
journal = Journal(Path(sys.argv[1]))
journal.append({"id": 1})
resource.setrlimit(resource.RLIMIT_FSIZE, (20, resource.RLIM_INFINITY))
try:
    journal.append({"id": 2, "text": "x" * 100})
except DiskTrouble:
    print("refused")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
journal.append({"id": 3})
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, timeout=60, cwd=root, check=True
    )
    assert done.stdout == "refused\n"
    assert ids(path) == [1, 3]


@pytest.mark.parametrize("torn", [b'{"id": 2', b"{", b'{"id": "\xe4\xbd', b"\x00\x00\x00", b" "])
def test_a_torn_tail_is_kept_aside_and_the_next_line_is_fresh(torn: bytes, tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"id": 1}\n' + torn)
    Journal(path).append({"id": 3})
    assert ids(path) == [1, 3]
    assert read_lines(path).damages == []
    assert (tmp_path / "j.jsonl.torn").read_bytes() == torn + b"\n"


def test_a_whole_record_without_its_line_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"id": 1}\n{"id": 2}')
    Journal(path).append({"id": 3})
    assert ids(path) == [1, 2, 3]
    assert not (tmp_path / "j.jsonl.torn").exists()


def test_a_torn_line_longer_than_a_block_is_kept_aside_whole(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    torn = b'{"id": "' + b"x" * 200_000
    path.write_bytes(b'{"id": 1}\n' + torn)
    Journal(path).append({"id": 3})
    assert ids(path) == [1, 3]
    assert (tmp_path / "j.jsonl.torn").read_bytes() == torn + b"\n"


def test_a_journal_cut_at_any_byte_gives_every_whole_line_and_takes_the_next(tmp_path: Path) -> None:
    whole = b"".join(json.dumps({"id": number, "text": "né"}).encode() + b"\n" for number in range(4))
    for length in range(len(whole) + 1):
        path = tmp_path / f"{length}.jsonl"
        path.write_bytes(whole[:length])
        expected = [number for number in range(4) if len(whole) // 4 * (number + 1) - 1 <= length]
        Journal(path, UnsyncedDisk()).append({"id": 9})
        assert ids(path) == [*expected, 9]


class UnsyncedDisk(Disk):
    def sync(self, fd: int) -> None:
        pass


def test_glued_and_torn_lines_are_reported_with_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_text(
        '{"id":"t1"}\n{"id":"t2"}\n{"id":"t3","sta{"id":"t4","status":"done"}\n{"id":"t5","status":"do',
        encoding="utf-8",
    )
    lines = read_lines(path)
    assert [record["id"] for record in lines.records] == ["t1", "t2"]
    assert [damage.line for damage in lines.damages] == [3, 4]
    assert "not finished" in lines.damages[1].why


def test_a_torn_line_before_a_blank_one_is_one_damage(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_text('{"id":"t1"}\n{"id":"t2","stat\n\n', encoding="utf-8")
    lines = read_lines(path)
    assert [record["id"] for record in lines.records] == ["t1"]
    assert [damage.line for damage in lines.damages] == [2]


@pytest.mark.parametrize("line", [b"12", b"null", b"[1]", b'"x"', b"\xff\xfe", b"[" * 100_000, b"1" * 5000, b"\x00"])
def test_what_is_no_object_is_a_damage(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(line + b'\n{"id": 1}\n')
    lines = read_lines(path)
    assert [record["id"] for record in lines.records] == [1]
    assert [damage.line for damage in lines.damages] == [1]


def test_byte_order_mark_and_dos_line_ends_are_read_over(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": 1}\r\n\r\n{"id": 2}\r\n')
    assert ids(path) == [1, 2]
    assert read_lines(path).damages == []


def test_a_missing_file_is_an_empty_one(tmp_path: Path) -> None:
    assert read_lines(tmp_path / "none.jsonl").records == []


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").touch()
    (tmp_path / "j.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DiskTrouble):
        Journal(tmp_path / "j.jsonl")


def test_a_record_of_two_lines_is_refused(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.jsonl") as journal, pytest.raises(ValueError):
        journal.append_line(b"{\n}")


def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    script = """
import sys
from pathlib import Path
from rollout.records.journal import Journal
journal = Journal(Path(sys.argv[1]))
for number in range(10_000_000):
    journal.append({"id": number, "text": "x" * 5000})
    print(number, flush=True)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    assert process.stdout is not None
    said = [int(process.stdout.readline()) for _ in range(20)]
    process.kill()
    said += [int(line) for line in process.stdout.read().split()]
    process.wait()
    process.stdout.close()
    assert set(said) <= set(ids(path))
    Journal(path).append({"id": -1})
    assert ids(path)[-1] == -1
    assert read_lines(path).damages == []
