"""Choosing tasks: filter, shuffle, slice, shard."""

from __future__ import annotations

from typing import Any

import pytest

from rollout.errors import ConfigError
from rollout.tasks import Task, select

TASKS = [Task(id=f"{kind}-{number}", instruction="x") for kind in ("notes", "settings") for number in range(5)]


def ids(**how: Any) -> list[str]:
    return [task.id for task in select(TASKS, **how)]


def test_by_default_all_are_taken_in_order() -> None:
    assert ids() == [task.id for task in TASKS]


def test_the_filter_searches_ids_and_the_slice_comes_after_it() -> None:
    assert ids(filter="tings", slice="1:3") == ["settings-1", "settings-2"]
    assert ids(slice="-2:") == ["settings-3", "settings-4"]
    assert ids(slice="::5") == ["notes-0", "settings-0"]


def test_a_shuffle_repeats_itself_and_loses_nothing() -> None:
    assert ids(shuffle_seed=1) == ids(shuffle_seed=1)
    assert sorted(ids(shuffle_seed=1)) == sorted(ids())
    assert len({tuple(ids(shuffle_seed=seed)) for seed in range(5)}) == 5


def test_a_shuffle_does_not_depend_on_the_other_tasks() -> None:
    whole = [name for name in ids(shuffle_seed=3) if name.startswith("notes")]
    assert ids(filter="notes", shuffle_seed=3) == whole


def test_shards_share_all_tasks_among_themselves() -> None:
    shards = [ids(shard=f"{index}/3") for index in range(3)]
    assert sorted(name for shard in shards for name in shard) == sorted(ids())
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"filter": "nothing"}, "leaves none of 10 tasks"),
        ({"slice": "90:"}, "leaves none of 10 tasks"),
        ({"shard": "11/20"}, "leaves none of 10 tasks"),
        ({"filter": "("}, "filter"),
        ({"slice": "1-2"}, "must be A:B"),
        ({"slice": "::0"}, "step 0"),
        ({"shard": "3/3"}, "0/3 to 2/3"),
        ({"shard": "0/0"}, "N = 0"),
        ({"shard": "x"}, "must be I/N"),
    ],
)
def test_an_empty_or_malformed_selection_is_an_error_that_says_why(how: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ids(**how)
    assert said in str(caught.value)
    assert next(iter(how)) in caught.value.problems[0].where
