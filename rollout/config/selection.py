"""The two small notations that pick tasks: a slice `A:B` and a shard `I/N`."""

from __future__ import annotations

import re

_SLICE = re.compile(r"\s*(-?\d{1,9})?\s*:\s*(-?\d{1,9})?\s*(?::\s*(-?\d{1,9})?\s*)?")
_SHARD = re.compile(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*")


def parse_slice(text: str) -> slice:
    """`A:B` or `A:B:STEP` as in Python. Raises ValueError."""
    found = _SLICE.fullmatch(text)
    if found is None:
        raise ValueError("must be A:B as in Python, like 0:10 or :5")
    start, stop, step = (None if part is None else int(part) for part in found.groups())
    if step == 0:
        raise ValueError("must not have the step 0")
    return slice(start, stop, step)


def parse_shard(text: str) -> tuple[int, int]:
    """`I/N`: every N-th task, starting with the I-th, counted from 0. Raises ValueError."""
    found = _SHARD.fullmatch(text)
    if found is None:
        raise ValueError("must be I/N, like 0/4")
    index, count = int(found[1]), int(found[2])
    if index >= count:
        raise ValueError(f"must have I below N: 0/{count} to {count - 1}/{count}" if count else "must not have N = 0")
    return index, count
