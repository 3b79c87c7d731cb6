"""Frames over one pipe per child. A frame is length (4 bytes), address length (1 byte), address, body.

Nothing here ever holds a lock another process needs, so a killed peer costs its own pipe and nothing else. The
orchestrator's end never blocks: a peer that was stopped in mid-frame leaves half a frame in a buffer, not a stuck loop.
"""

from __future__ import annotations

import os
import select
import struct
import threading
import time
from collections import deque
from multiprocessing.connection import Connection

MAX_FRAME_BYTES = 64 * 1024
MAX_OUTBOX_BYTES = 4 * 1024 * 1024
_HEADER = struct.Struct(">IB")
_READ_BYTES = 256 * 1024


class ChannelClosed(Exception):
    """The peer is gone: end of file, reset, or a broken pipe."""


class FrameTooLarge(ValueError):
    """A frame over MAX_FRAME_BYTES: large things go by path."""


def pack(address: str, body: bytes) -> bytes:
    """One frame. `address` names a role (`writer`) or a worker (`worker:SERIAL`)."""
    name = address.encode()
    if len(body) > MAX_FRAME_BYTES:
        raise FrameTooLarge(f"a frame for {address} has {len(body)} bytes; {MAX_FRAME_BYTES} are allowed")
    return _HEADER.pack(len(name) + len(body), len(name)) + name + body


class FrameParser:
    """Bytes in, (address, body) out. Keeps a half frame until the rest comes."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[str, bytes]]:
        self._buffer += data
        frames = []
        while len(self._buffer) >= _HEADER.size:
            size, name_size = _HEADER.unpack_from(self._buffer)
            if size > MAX_FRAME_BYTES + 255 or name_size > size:
                raise ChannelClosed("the peer sent something that is no frame")
            end = _HEADER.size + size
            if len(self._buffer) < end:
                break
            name_end = _HEADER.size + name_size
            frames.append((self._buffer[_HEADER.size : name_end].decode(), bytes(self._buffer[name_end:end])))
            del self._buffer[:end]
        return frames


class ParentEnd:
    """The orchestrator's end of a child's pipe: non-blocking both ways, with a bounded outbox."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.fd = connection.fileno()
        os.set_blocking(self.fd, False)
        self._parser = FrameParser()
        self._outbox: deque[bytes] = deque()
        self._outbox_bytes = 0

    @property
    def wants_to_write(self) -> bool:
        return bool(self._outbox)

    def read(self) -> list[tuple[str, bytes]]:
        """All whole frames that are there. Raises ChannelClosed at end of file."""
        try:
            data = os.read(self.fd, _READ_BYTES)
        except BlockingIOError:
            return []
        except OSError as error:
            raise ChannelClosed(str(error)) from error
        if not data:
            raise ChannelClosed("end of file")
        return self._parser.feed(data)

    def send(self, address: str, body: bytes) -> bool:
        """Queue a frame and write what the pipe takes. False: the outbox is full and the frame was not taken."""
        frame = pack(address, body)
        if self._outbox_bytes + len(frame) > MAX_OUTBOX_BYTES:
            return False
        self._outbox.append(frame)
        self._outbox_bytes += len(frame)
        self.flush()
        return True

    def flush(self) -> None:
        """Write what the pipe takes now; a closed pipe is noticed by its reader."""
        while self._outbox:
            frame = self._outbox[0]
            try:
                written = os.write(self.fd, frame)
            except BlockingIOError:
                return
            except OSError:
                self._outbox.clear()
                self._outbox_bytes = 0
                return
            self._outbox_bytes -= written
            if written < len(frame):
                self._outbox[0] = frame[written:]
                return
            self._outbox.popleft()

    def close(self) -> None:
        self._connection.close()


class ChildEnd:
    """A child's end: blocking sends under a lock (several threads may send), reads with a timeout."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._fd = connection.fileno()
        self._parser = FrameParser()
        self._ready: deque[tuple[str, bytes]] = deque()
        self._sending = threading.Lock()

    def send(self, address: str, body: bytes) -> None:
        """Raises ChannelClosed when the orchestrator is gone."""
        frame = memoryview(pack(address, body))
        with self._sending:
            while frame:
                try:
                    frame = frame[os.write(self._fd, frame) :]
                except OSError as error:
                    raise ChannelClosed(str(error)) from error

    def receive(self, timeout_s: float | None) -> tuple[str, bytes] | None:
        """The next frame, or None after the timeout. Raises ChannelClosed at end of file."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while not self._ready:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([self._fd], [], [], left)[0]:
                return None
            try:
                data = os.read(self._fd, _READ_BYTES)
            except OSError as error:
                raise ChannelClosed(str(error)) from error
            if not data:
                raise ChannelClosed("end of file")
            self._ready.extend(self._parser.feed(data))
        return self._ready.popleft()
