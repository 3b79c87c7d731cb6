"""adb's `sync:` service: stat, list, push and pull of the phone's virtual files."""

from __future__ import annotations

import stat
import struct
from collections.abc import Awaitable, Callable
from typing import Protocol

from devices.simulated.files import MAX_BYTES, FileError, Node, VirtualFiles, normal_path

MAX_PATH_BYTES = 1024
BLOCK_BYTES = 64 * 1024

_STAT_V1 = struct.Struct("<4s3I")
_STAT_V2 = struct.Struct("<4sIQQIIIIQqqq")
_WORD = struct.Struct("<4sI")


class Wire(Protocol):
    async def exactly(self, size: int) -> bytes: ...

    async def write(self, data: bytes) -> None: ...


class Note(Protocol):
    """Called for each transfer: "push" or "pull", path and size."""

    def __call__(self, action: str, path: str, size: int) -> None: ...


class SyncSession:
    """One stream of requests. `files` is asked for each time: a reset may replace them."""

    def __init__(self, wire: Wire, files: Callable[[], VirtualFiles], note: Note) -> None:
        self.wire = wire
        self._files = files
        self.note = note

    @property
    def files(self) -> VirtualFiles:
        return self._files()

    async def run(self) -> None:
        """Serve requests until QUIT or one that is not understood."""
        requests: dict[bytes, Callable[[str], Awaitable[None]]] = {
            b"STAT": self._stat,
            b"STA2": lambda path: self._stat2(b"STA2", path),
            b"LST2": lambda path: self._stat2(b"LST2", path),
            b"LIST": self._list,
            b"LIS2": self._list2,
            b"SEND": self._send,
            b"RECV": self._receive,
        }
        while True:
            name, length = _WORD.unpack(await self.wire.exactly(_WORD.size))
            if name == b"QUIT":
                return
            if name not in requests or length > MAX_PATH_BYTES:
                await self._fail(
                    "path too long" if name in requests else f"unknown command {int.from_bytes(name, 'little'):08x}"
                )
                return
            path = (await self.wire.exactly(length)).decode("utf-8", "surrogateescape")
            await requests[name](path)

    async def _fail(self, reason: str) -> None:
        data = reason.encode("utf-8", "surrogateescape")
        await self.wire.write(_WORD.pack(b"FAIL", len(data)) + data)

    async def _stat(self, path: str) -> None:
        node = self._node(path)
        values = (node.mode, node.size, node.mtime) if isinstance(node, Node) else (0, 0, 0)
        await self.wire.write(_STAT_V1.pack(b"STAT", *values))

    async def _stat2(self, name: bytes, path: str) -> None:
        await self.wire.write(_stat2(name, self._node(path)))

    def _node(self, path: str) -> Node | FileError:
        try:
            return self.files.stat(path)
        except FileError as error:
            return error

    async def _list(self, path: str) -> None:
        records = [
            _STAT_V1.pack(b"DENT", node.mode, node.size, node.mtime) + struct.pack("<I", len(name)) + name
            for name, node in self._entries(path)
        ]
        await self.wire.write(b"".join(records) + b"DONE" + bytes(16))

    async def _list2(self, path: str) -> None:
        records = [_stat2(b"DNT2", node) + struct.pack("<I", len(name)) + name for name, node in self._entries(path)]
        await self.wire.write(b"".join(records) + b"DONE" + bytes(72))

    def _entries(self, path: str) -> list[tuple[bytes, Node]]:
        """Names and nodes in a directory, "." and ".." first; nothing where there is no directory."""
        try:
            whole = normal_path(path)
            here = self.files.stat(whole)
            names = self.files.names(whole)
        except FileError:
            return []
        inside = [(name.encode("utf-8", "surrogateescape"), self.files.stat(f"{whole}/{name}")) for name in names]
        return [(b".", here), (b"..", here), *inside]

    async def _send(self, target: str) -> None:
        """A push: `path,mode`, then blocks up to DONE. What does not fit is read to its end and refused."""
        path, _, mode_text = target.rpartition(",")
        blocks: list[bytes] = []
        size = 0
        while True:
            name, length = _WORD.unpack(await self.wire.exactly(_WORD.size))
            if name == b"DONE":
                mtime = length
                break
            if name != b"DATA" or length > BLOCK_BYTES:
                await self._fail("invalid data message")
                return
            block = await self.wire.exactly(length)
            size += length
            if size <= MAX_BYTES:
                blocks.append(block)
        self.note("push", path, size)
        problem = self._store(path, mode_text, b"".join(blocks), size, mtime)
        if problem:
            await self._fail(problem)
        else:
            await self.wire.write(_WORD.pack(b"OKAY", 0))

    def _store(self, path: str, mode_text: str, data: bytes, size: int, mtime: int) -> str:
        """Write a pushed file, its directories too; "" or what is wrong."""
        mode = int(mode_text) if mode_text.isdecimal() else 0o644
        if stat.S_ISLNK(mode):
            return "symlink failed: Operation not permitted"
        if len(data) < size:
            return "write failed: No space left on device"
        try:
            whole = normal_path(path)
            self.files.check_writable(whole)
            self.files.make_dir(whole.rpartition("/")[0] or "/", parents=True)
            self.files.write(whole, data, mode, mtime=mtime)
        except FileError as error:
            return f"couldn't create file: {error.strerror}"
        return ""

    async def _receive(self, path: str) -> None:
        try:
            data = self.files.read(path)
        except FileError as error:
            await self._fail(f"open failed: {error.strerror}")
            return
        self.note("pull", path, len(data))
        pieces: list[bytes] = []
        for start in range(0, len(data), BLOCK_BYTES):
            block = data[start : start + BLOCK_BYTES]
            pieces += [_WORD.pack(b"DATA", len(block)), block]
        pieces.append(_WORD.pack(b"DONE", 0))
        await self.wire.write(b"".join(pieces))


def _stat2(name: bytes, node: Node | FileError) -> bytes:
    if isinstance(node, FileError):
        return _STAT_V2.pack(name, node.errno or 0, *(0,) * 10)
    return _STAT_V2.pack(
        name, 0, 1, node.inode, node.mode, 1, 2000, 2000, node.size, node.mtime, node.mtime, node.mtime
    )
