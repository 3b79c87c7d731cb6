"""The phone's file system: a tree in memory, bounded in size and count. Paths are absolute and always with "/".

`/storage/emulated/0`, `/mnt/sdcard` and `/storage/self/primary` are other names of `/sdcard`. Apps and commands of the
phone itself may write anywhere; what comes from outside (shell, sync) asks `check_writable` first.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import translate
from functools import lru_cache

MAX_BYTES = 64 * 1024 * 1024
"""All files of one phone together."""
MAX_FILES = 10_000
MAX_PATH_CHARS = 1024

DIRECTORIES = (
    "/", "/data", "/data/local", "/data/local/tmp", "/dev", "/proc", "/proc/sys", "/proc/sys/kernel",
    "/proc/sys/kernel/random", "/sdcard", "/sdcard/Android", "/sdcard/DCIM", "/sdcard/Download", "/sdcard/Movies",
    "/sdcard/Music", "/sdcard/Pictures", "/storage", "/system", "/system/bin", "/tmp", "/vendor",
)  # fmt: skip
WRITABLE = ("/sdcard", "/data/local/tmp", "/tmp", "/dev/null")
NULL = "/dev/null"

_OTHER_NAMES = ("/storage/emulated/0", "/storage/self/primary", "/mnt/sdcard")


class FileError(OSError):
    """A file operation the phone refused; `strerror` is Android's text for `errno`."""

    def __init__(self, number: int, path: str) -> None:
        super().__init__(number, os.strerror(number), path)


@dataclass(slots=True)
class Node:
    """A file or directory. `mode` is st_mode, type bits included; times are Unix seconds."""

    mode: int
    data: bytes = b""
    mtime: int = 0
    inode: int = field(default=0, compare=False)

    @property
    def is_dir(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def size(self) -> int:
        return 3452 if self.is_dir else len(self.data)


@lru_cache(maxsize=4096)
def normal_path(path: str, cwd: str = "/") -> str:
    """Absolute, without ".", ".." and double slashes, under the one name of shared storage.

    Raises:
        FileError: empty or too long.
    """
    if not path:
        raise FileError(errno.ENOENT, path)
    if len(path) > MAX_PATH_CHARS:
        raise FileError(errno.ENAMETOOLONG, path[:40])
    parts: list[str] = []
    for part in f"{cwd}/{path}".split("/") if not path.startswith("/") else path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    whole = "/" + "/".join(parts)
    for name in _OTHER_NAMES:
        if whole == name or whole.startswith(name + "/"):
            return "/sdcard" + whole[len(name) :]
    return whole


class VirtualFiles:
    """One phone's files. Every method raises FileError with the errno a real phone would give."""

    def __init__(self) -> None:
        now = int(time.time())
        self._nodes: dict[str, Node] = {}
        self._bytes = 0
        self._inode = 1
        for path in DIRECTORIES:
            self._add(path, Node(stat.S_IFDIR | 0o771, mtime=now))
        self._add(NULL, Node(stat.S_IFCHR | 0o666, mtime=now))

    # -- looking ---------------------------------------------------------------------------------------------------

    @property
    def used_bytes(self) -> int:
        return self._bytes

    def exists(self, path: str) -> bool:
        return bool(path) and normal_path(path) in self._nodes

    def is_dir(self, path: str) -> bool:
        return self.exists(path) and self.stat(path).is_dir

    def stat(self, path: str) -> Node:
        """The node itself; treat it as read-only."""
        whole = normal_path(path)
        node = self._nodes.get(whole)
        if node is None:
            parent = self._nodes.get(_parent(whole))
            raise FileError(errno.ENOTDIR if parent is not None and not parent.is_dir else errno.ENOENT, path)
        return node

    def read(self, path: str) -> bytes:
        node = self.stat(path)
        if node.is_dir:
            raise FileError(errno.EISDIR, path)
        return node.data

    def names(self, path: str) -> list[str]:
        """Names in a directory, sorted."""
        if not self.stat(path).is_dir:
            raise FileError(errno.ENOTDIR, path)
        prefix = normal_path(path).rstrip("/") + "/"
        start = len(prefix)
        return sorted(
            name for one in self._nodes if one.startswith(prefix) and (name := one[start:]) and "/" not in name
        )

    def walk(self, path: str) -> Iterator[str]:
        """The path and everything below it, parents first."""
        whole = normal_path(path)
        self.stat(whole)
        prefix = whole.rstrip("/") + "/"
        yield whole
        yield from sorted(one for one in self._nodes if one.startswith(prefix) and one != whole)

    def glob(self, pattern: str, cwd: str = "/") -> list[str]:
        """Paths that match `*`, `?` and `[…]` in a pattern, written as the pattern writes them; sorted.

        A leading dot is matched only by a dot.
        """
        found = ["/"] if pattern.startswith("/") else [""]
        for part in (part for part in pattern.split("/") if part):
            found = list(self._step(found, part, cwd))
        return sorted(found)

    def _step(self, found: list[str], part: str, cwd: str) -> Iterator[str]:
        for start in found:
            joined = f"{start}{'' if start.endswith('/') or not start else '/'}"
            if not any(character in part for character in "*?["):
                if self.exists(normal_path(joined + part, cwd)):
                    yield joined + part
            elif self.is_dir(normal_path(start or ".", cwd)):
                match = _matcher(part)
                for name in self.names(normal_path(start or ".", cwd)):
                    if match(name) and (part.startswith(".") or not name.startswith(".")):
                        yield joined + name

    # -- changing --------------------------------------------------------------------------------------------------

    def check_writable(self, path: str) -> None:
        """Raises FileError where a shell user may not write."""
        whole = normal_path(path)
        if not any(whole == area or whole.startswith(area + "/") for area in WRITABLE):
            on_data = whole.startswith("/data") or whole.startswith("/proc")
            raise FileError(errno.EACCES if on_data else errno.EROFS, path)

    def write(
        self, path: str, data: bytes, mode: int = 0o660, *, append: bool = False, mtime: int | None = None
    ) -> None:
        """Create or replace a file (permission bits only in `mode`); its directory must exist."""
        whole = normal_path(path)
        if whole == NULL:
            return
        old = self._nodes.get(whole)
        if old is not None and old.is_dir:
            raise FileError(errno.EISDIR, path)
        if not self.stat(_parent(whole)).is_dir:
            raise FileError(errno.ENOTDIR, path)
        if old is not None:
            data, mode = old.data + data if append else data, old.mode
        if self._bytes - (old.size if old else 0) + len(data) > MAX_BYTES:
            raise FileError(errno.ENOSPC, path)
        stamp = int(time.time()) if mtime is None else mtime
        self._drop(whole)
        self._add(whole, Node(stat.S_IFREG | stat.S_IMODE(mode), bytes(data), stamp))

    def make_dir(self, path: str, *, parents: bool = False) -> None:
        whole = normal_path(path)
        if whole in self._nodes:
            if parents and self._nodes[whole].is_dir:
                return
            raise FileError(errno.EEXIST, path)
        if parents and _parent(whole) not in self._nodes:
            self.make_dir(_parent(whole), parents=True)
        if not self.stat(_parent(whole)).is_dir:
            raise FileError(errno.ENOTDIR, path)
        self._add(whole, Node(stat.S_IFDIR | 0o770, mtime=int(time.time())))

    def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a file, or a directory that is empty or `recursive`."""
        whole = normal_path(path)
        inside = list(self.walk(whole))
        if len(inside) > 1 and not recursive:
            raise FileError(errno.ENOTEMPTY, path)
        for one in inside:
            self._drop(one)

    def move(self, source: str, target: str) -> None:
        """Rename a file or directory; a file at `target` is replaced."""
        old, new = normal_path(source), normal_path(target)
        self.stat(old)
        if new == old:
            return
        if new.startswith(old + "/"):
            raise FileError(errno.EINVAL, target)
        if self.is_dir(new):
            raise FileError(errno.EISDIR, target)
        if not self.stat(_parent(new)).is_dir:
            raise FileError(errno.ENOTDIR, target)
        self._drop(new)
        for one in list(self.walk(old)):
            self._nodes[new + one[len(old) :]] = self._nodes.pop(one)

    def set_mode(self, path: str, mode: int) -> None:
        node = self.stat(path)
        node.mode = stat.S_IFMT(node.mode) | stat.S_IMODE(mode)

    def set_mtime(self, path: str, mtime: int) -> None:
        self.stat(path).mtime = mtime

    def _add(self, whole: str, node: Node) -> None:
        if len(self._nodes) >= MAX_FILES:
            raise FileError(errno.ENOSPC, whole)
        node.inode, self._inode = self._inode, self._inode + 1
        self._nodes[whole] = node
        self._bytes += len(node.data)

    def _drop(self, whole: str) -> None:
        node = self._nodes.pop(whole, None)
        if node is not None:
            self._bytes -= len(node.data)


def _parent(whole: str) -> str:
    return whole.rpartition("/")[0] or "/"


@lru_cache(maxsize=256)
def _matcher(part: str) -> Callable[[str], object]:
    return re.compile(translate(part)).fullmatch
