"""A service's two-way stream inside an adb link."""

from __future__ import annotations

import asyncio
from typing import Protocol

OKAY, WRTE, CLSE = (int.from_bytes(name, "little") for name in (b"OKAY", b"WRTE", b"CLSE"))
INBOX_BYTES = 1024 * 1024
"""Unread input of one stream; beyond it the sender's packets stay unacknowledged."""


class StreamClosed(Exception):
    """The other side has closed the stream, or the link is gone."""


class StreamLink(Protocol):
    """The link as its streams see it."""

    @property
    def max_payload(self) -> int: ...

    def send(self, command: int, arg0: int, arg1: int, payload: bytes = b"") -> None: ...

    def forget(self, stream: Stream) -> None: ...

    def abort(self) -> None: ...


class Stream:
    """One service's two-way stream."""

    def __init__(self, link: StreamLink, local: int, remote: int, service: str) -> None:
        self.link = link
        self.local = local
        self.remote = remote
        self.service = service
        self.is_closed = False
        self.outlives_client = False
        """Set by a service that goes on when the client closes: a close is then the end of its input."""
        self.task: asyncio.Task[None] | None = None
        self._inbox = bytearray()
        self._unacknowledged = False
        self._is_at_end = False
        self._arrived: asyncio.Future[None] | None = None
        self._ready: asyncio.Future[None] | None = None
        self._awaits_okay = False

    # -- for services ------------------------------------------------------------------------------------------------

    async def write(self, data: bytes) -> None:
        """Send everything, one packet in flight. Raises StreamClosed."""
        size = self.link.max_payload
        for start in range(0, len(data), size):
            await self._until_ready()
            self._send(data[start : start + size] if len(data) > size else data)

    async def finish(self, data: bytes = b"") -> None:
        """Send the last data and close at once: what is under way is still delivered."""
        size = self.link.max_payload
        if len(data) > size:
            cut = (len(data) - 1) // size * size
            await self.write(data[:cut])
            data = data[cut:]
        if data:
            await self._until_ready()
            self._send(data)
        self.close()

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self.link.send(CLSE, self.local, self.remote)
            self.link.forget(self)

    async def read(self) -> bytes:
        """What has arrived, at least one byte; b"" at the end of the input."""
        while not self._inbox and not self._is_at_end:
            self._arrived = asyncio.get_running_loop().create_future()
            await self._arrived
        data = bytes(self._inbox)
        self._inbox.clear()
        self._acknowledge()
        return data

    async def exactly(self, size: int) -> bytes:
        """`size` bytes. Raises StreamClosed when the input ends before."""
        while len(self._inbox) < size:
            if self._is_at_end:
                raise StreamClosed
            self._acknowledge()
            self._arrived = asyncio.get_running_loop().create_future()
            await self._arrived
        data = bytes(self._inbox[:size])
        del self._inbox[:size]
        self._acknowledge()
        return data

    # -- for the link ------------------------------------------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        self._inbox += data
        self._unacknowledged = True
        if len(self._inbox) <= INBOX_BYTES:
            self._acknowledge()
        _wake(self._arrived)

    def acknowledged(self) -> None:
        self._awaits_okay = False
        _wake(self._ready)

    def lost(self) -> None:
        """The client has closed, or the link is gone."""
        self.is_closed = self._is_at_end = True
        _wake(self._arrived)
        _wake(self._ready)
        if self.task is not None and not self.outlives_client:
            self.task.cancel()

    def _acknowledge(self) -> None:
        if self._unacknowledged and not self.is_closed:
            self._unacknowledged = False
            self.link.send(OKAY, self.local, self.remote)

    async def _until_ready(self) -> None:
        while self._awaits_okay and not self.is_closed:
            self._ready = asyncio.get_running_loop().create_future()
            await self._ready
        if self.is_closed:
            raise StreamClosed

    def _send(self, data: bytes) -> None:
        self._awaits_okay = True
        self.link.send(WRTE, self.local, self.remote, data)


def _wake(future: asyncio.Future[None] | None) -> None:
    if future is not None and not future.done():
        future.set_result(None)
