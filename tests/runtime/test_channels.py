"""Frames over a pipe: whole, in order, and harmless when the other side is killed or stopped."""

from __future__ import annotations

import os
from collections.abc import Iterator
from multiprocessing import Pipe

import pytest

from rollout.runtime.channels import (
    MAX_FRAME_BYTES,
    ChannelClosed,
    ChildEnd,
    FrameParser,
    FrameTooLarge,
    ParentEnd,
    pack,
)


@pytest.fixture
def ends() -> Iterator[tuple[ParentEnd, ChildEnd]]:
    ours, theirs = Pipe(duplex=True)
    yield ParentEnd(ours), ChildEnd(theirs)
    for end in (ours, theirs):
        if not end.closed:
            end.close()


def test_frames_arrive_whole_and_in_order(ends: tuple[ParentEnd, ChildEnd]) -> None:
    parent, child = ends
    for number in range(100):
        child.send("writer", str(number).encode())
    assert [body for _, body in parent.read()] == [str(number).encode() for number in range(100)]


def test_a_frame_cut_at_any_byte_is_put_together_again() -> None:
    frame = pack("worker:127.0.0.1:5000", "数据".encode())
    for cut in range(len(frame) + 1):
        parser = FrameParser()
        assert parser.feed(frame[:cut]) + parser.feed(frame[cut:]) == [("worker:127.0.0.1:5000", "数据".encode())]


def test_half_a_frame_of_a_stopped_peer_blocks_nobody(ends: tuple[ParentEnd, ChildEnd]) -> None:
    parent, child = ends
    os.write(child._fd, pack("writer", b"x" * 1000)[:200])
    assert parent.read() == []
    assert parent.read() == []


def test_a_dead_peer_shows_as_a_closed_channel(ends: tuple[ParentEnd, ChildEnd]) -> None:
    parent, child = ends
    child.send("writer", b"last words")
    child._connection.close()
    assert parent.read() == [("writer", b"last words")]
    with pytest.raises(ChannelClosed):
        parent.read()


def test_a_child_notices_that_the_orchestrator_is_gone(ends: tuple[ParentEnd, ChildEnd]) -> None:
    parent, child = ends
    parent.close()
    with pytest.raises(ChannelClosed):
        child.receive(1.0)


def test_sending_to_a_child_that_does_not_read_never_blocks(ends: tuple[ParentEnd, ChildEnd]) -> None:
    parent, child = ends
    body, taken = b"x" * 60_000, 0
    while parent.send("worker:A", body):
        taken += 1
        assert taken < 1000, "the outbox has no bound"
    assert parent.wants_to_write
    received = 0
    while (frame := child.receive(0.0)) is not None or parent.wants_to_write:
        received += frame is not None
        parent.flush()
    assert received == taken


def test_a_frame_that_is_too_large_is_refused_at_the_sender(ends: tuple[ParentEnd, ChildEnd]) -> None:
    with pytest.raises(FrameTooLarge):
        ends[1].send("writer", b"x" * (MAX_FRAME_BYTES + 1))


def test_rubbish_on_the_pipe_closes_the_channel() -> None:
    with pytest.raises(ChannelClosed):
        FrameParser().feed(b"\xff" * 64)
