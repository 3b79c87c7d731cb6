"""Which tasks of a file a run is for: filter, then shuffle, then slice, then shard."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from rollout.config.selection import parse_shard, parse_slice
from rollout.errors import ConfigError, Problem
from rollout.tasks.schema import Task


def select(
    tasks: Sequence[Task],
    filter: str = ".*",
    slice: str = ":",
    shuffle_seed: int | None = None,
    shard: str | None = None,
) -> list[Task]:
    """The tasks that pass all four.

    Args:
        filter: regular expression searched in ids.
        slice: `A:B` as in Python.
        shuffle_seed: null keeps the order. An id's place depends on the seed and the id alone.
        shard: `I/N`, every N-th task starting with the I-th, counted from 0.

    Raises:
        ConfigError: one of them is malformed, or nothing is left.
    """
    chosen = list(tasks)
    for name, value, pick in (
        ("filter", filter, _filtered),
        ("shuffle_seed", shuffle_seed, _shuffled),
        ("slice", slice, _sliced),
        ("shard", shard, _sharded),
    ):
        if value is None:
            continue
        try:
            left = pick(chosen, str(value))
        except (ValueError, re.error) as error:
            raise ConfigError([Problem(f"{name} {value!r}", str(error))]) from error
        if not left:
            raise ConfigError([Problem(f"{name} {value!r}", f"leaves none of {len(chosen)} tasks", _hint(tasks))])
        chosen = left
    return chosen


def _filtered(tasks: Sequence[Task], pattern: str) -> list[Task]:
    expression = re.compile(pattern)
    return [task for task in tasks if expression.search(task.id)]


def _shuffled(tasks: Sequence[Task], seed: str) -> list[Task]:
    return sorted(tasks, key=lambda task: hashlib.sha256(f"{seed}\0{task.id}".encode()).digest())


def _sliced(tasks: Sequence[Task], text: str) -> list[Task]:
    return list(tasks[parse_slice(text)])


def _sharded(tasks: Sequence[Task], text: str) -> list[Task]:
    index, count = parse_shard(text)
    return list(tasks[index::count])


def _hint(tasks: Sequence[Task]) -> str:
    ids = ", ".join(task.id for task in tasks[:5])
    return f"ids: {ids}{', …' if len(tasks) > 5 else ''}" if ids else "there are no tasks at all"
