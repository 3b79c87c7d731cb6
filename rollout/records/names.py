"""Ids from outside (task ids, serials, app names) become file names here and nowhere else.

`[A-Za-z0-9._-]` stays; every other byte of the UTF-8 text becomes `=XX`. The escape character itself is escaped, so no
two ids share a name. A name that would be long is cut, and the hash of the whole id takes the place of what was cut.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from rollout.errors import RolloutError

MAX_LENGTH = 120
"""Characters of a name. File systems take 255 bytes; endings such as `.debug.log` and `.tmp` come on top."""

_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,8}$")
_HASH_LENGTH = 20


class UnsafePath(RolloutError):
    """A name leads out of the folder it belongs to (a symbolic link stands in its place)."""


def file_name(identity: str) -> str:
    """The one file name of an id: never empty, never `.` or `..`, no separator, at most MAX_LENGTH ASCII characters."""
    escaped = "".join(chr(byte) if byte in _PLAIN else f"={byte:02X}" for byte in _bytes(identity))
    if not escaped:
        return "="
    if escaped[0] in ".-" or _RESERVED.match(escaped):
        escaped = f"={ord(escaped[0]):02X}{escaped[1:]}"
    return escaped if len(escaped) <= MAX_LENGTH else _cut(escaped, identity)


def path_inside(folder: Path, identity: str) -> Path:
    """`folder/file_name(identity)`, checked to lie inside the folder.

    Raises:
        UnsafePath: something already there, a symbolic link, leads elsewhere.
    """
    return checked_inside(folder, file_name(identity))


def checked_inside(folder: Path, name: str) -> Path:
    """`folder/name` for a name that `file_name` made earlier, checked in the same way. Raises UnsafePath."""
    path = folder / name
    if path.resolve().parent != folder.resolve():
        raise UnsafePath(f"{path} leads out of {folder}: remove what stands in its place")
    return path


def _cut(escaped: str, identity: str) -> str:
    """Head, hash and ending. `~` appears in no uncut name, so a cut name meets no other."""
    found = _ENDING.search(escaped)
    ending = found.group() if found else ""
    digest = hashlib.sha256(_bytes(identity)).hexdigest()[:_HASH_LENGTH]
    head = escaped[: MAX_LENGTH - _HASH_LENGTH - 1 - len(ending)]
    return f"{head}~{digest}{ending}"


def _bytes(identity: str) -> bytes:
    # A lone surrogate (an undecodable byte of an argument or a file name) must not stop a run.
    return identity.encode("utf-8", "surrogatepass")
