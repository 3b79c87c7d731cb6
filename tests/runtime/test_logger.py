"""Log lines: an event is one line for people and one JSON object for machines, whatever it holds."""

from __future__ import annotations

import json

import pytest

from rollout.runtime.channels import MAX_FRAME_BYTES
from rollout.runtime.log import LogBuffer
from rollout.runtime.messages import LogLines, encode
from rollout.runtime.roles.logger import readable

HOSTILE = "evil\n2026-01-01T00:00:00Z ERROR fake\x1b[31m\u202e"


def test_a_hostile_value_stays_inside_its_line() -> None:
    line = readable({"timestamp": "t", "level": "info", "role": "worker:A", "event": HOSTILE, "title": HOSTILE})
    assert "\n" not in line
    assert "\x1b" not in line
    assert "\u202e" not in line


def test_fields_are_shown_by_name() -> None:
    line = readable({"timestamp": "t", "level": "warning", "role": "reader", "event": "e", "n": 3, "text": "a b"})
    assert line == 't WARNING  reader  e  n=3 text="a b"'


@pytest.fixture
def sent() -> list[list[str]]:
    return []


def test_events_go_out_in_batches_and_urgent_ones_at_once(sent: list[list[str]]) -> None:
    buffer = LogBuffer(sent.append)
    buffer.add({"event": "a", "level": "debug"})
    assert sent == []
    buffer.add({"event": "b", "level": "error"})
    assert [[json.loads(line)["event"] for line in batch] for batch in sent] == [["a", "b"]]


@pytest.mark.parametrize("value", ["字" * 100_000, "\x01" * 100_000, '"' * 100_000, "\ud800" * 100_000])
def test_a_huge_or_odd_value_is_cut_and_every_batch_fits_a_frame(value: str, sent: list[list[str]]) -> None:
    buffer = LogBuffer(sent.append)
    for _ in range(40):
        buffer.add({"event": "x", "level": "debug", "one": value, "two": value, "three": value, "object": object()})
    buffer.flush()
    assert sum(len(batch) for batch in sent) == 40
    assert all(len(encode(LogLines(lines=batch))) < MAX_FRAME_BYTES for batch in sent)
    assert all(json.loads(line)["event"] == "x" for batch in sent for line in batch)
