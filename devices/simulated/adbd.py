"""The daemon side of adb's transport over TCP: packets, streams, and a link that can be cut, hung or refused.

One `Adbd` is one phone's daemon. What runs on a stream is not its business: it asks `open_service`.
Little is sent per command: what one turn of the event loop produces leaves in one write.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
from collections.abc import Callable, Coroutine

from devices.simulated.adb_stream import CLSE, OKAY, WRTE, Stream, StreamClosed

VERSION = 0x01000001
VERSION_WITHOUT_CHECKSUM = 0x01000001
MAX_PAYLOAD = 1024 * 1024
EMULATOR_PORTS = range(5555, 5586)
"""adb scans these for emulators: a phone there would be listed twice."""

CNXN, AUTH, OPEN = (int.from_bytes(name, "little") for name in (b"CNXN", b"AUTH", b"OPEN"))
_AUTH_TOKEN = 1
_AUTH_SIGNATURE = 2
_HEADER = struct.Struct("<6I")
_MAX_BUFFER = 32 * 1024 * 1024

log = logging.getLogger(__name__)

Service = Callable[[], Coroutine[object, object, None]]


class Link(asyncio.Protocol):
    """One TCP connection from an adb server."""

    def __init__(self, daemon: Adbd) -> None:
        self.daemon = daemon
        self.max_payload = MAX_PAYLOAD
        self._sums = True
        self._streams: dict[int, Stream] = {}
        self._last_id = 0
        self._buffer = bytearray()
        self._outgoing: list[bytes] = []
        self._is_flush_due = False
        self._is_online = False
        self._transport: asyncio.Transport | None = None

    # -- asyncio -----------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.daemon.links.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self.daemon.links.discard(self)
        self._close_streams()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if len(self._buffer) > _MAX_BUFFER:
            self.abort()
        elif not self.daemon.is_hung:
            self.parse()

    # -- packets -----------------------------------------------------------------------------------------------------

    def parse(self) -> None:
        """Handle the whole packets that have arrived."""
        buffer = self._buffer
        position = 0
        while len(buffer) - position >= _HEADER.size and self._transport is not None:
            command, arg0, arg1, length, _, magic = _HEADER.unpack_from(buffer, position)
            if magic != command ^ 0xFFFFFFFF or length > MAX_PAYLOAD:
                log.warning("a packet that is none: the link is dropped")
                self.abort()
                return
            end = position + _HEADER.size + length
            if len(buffer) < end:
                break
            payload = bytes(buffer[position + _HEADER.size : end])
            position = end
            self._handle(command, arg0, arg1, payload)
        del buffer[:position]

    def _handle(self, command: int, arg0: int, arg1: int, payload: bytes) -> None:
        if command == CNXN:
            self._greet(arg0, arg1)
        elif command == AUTH:
            if arg0 == _AUTH_SIGNATURE:
                self._send_token()
        elif not self._is_online:
            return
        elif command == OPEN:
            self._open(arg0, payload)
        elif (stream := self._streams.get(arg1)) is not None:
            if command == WRTE:
                stream.receive(payload)
            elif command == OKAY:
                stream.acknowledged()
            elif command == CLSE:
                self._streams.pop(arg1)
                stream.lost()

    def _greet(self, version: int, max_payload: int) -> None:
        self._close_streams()
        if not self.daemon.is_authorized:
            self._send_token()
            return
        self._sums = version < VERSION_WITHOUT_CHECKSUM
        self.max_payload = max(1, min(max_payload, MAX_PAYLOAD))
        self._is_online = True
        self.send(CNXN, min(version, VERSION), MAX_PAYLOAD, self.daemon.banner().encode())

    def _send_token(self) -> None:
        self.send(AUTH, _AUTH_TOKEN, 0, os.urandom(20))

    def _open(self, remote: int, payload: bytes) -> None:
        name = payload.rstrip(b"\0").decode("utf-8", "surrogateescape")
        self._last_id += 1
        stream = Stream(self, self._last_id, remote, name)
        service = self.daemon.open_service(stream)
        if service is None:
            self.send(CLSE, 0, remote)
            return
        self._streams[stream.local] = stream
        # The task before the OKAY: a fast service's whole answer then leaves in the same write.
        stream.task = asyncio.get_running_loop().create_task(_serve(service, stream))
        self.send(OKAY, stream.local, remote)

    def send(self, command: int, arg0: int, arg1: int, payload: bytes = b"") -> None:
        total = sum(payload) & 0xFFFFFFFF if self._sums and payload else 0
        self._outgoing.append(_HEADER.pack(command, arg0, arg1, len(payload), total, command ^ 0xFFFFFFFF))
        if payload:
            self._outgoing.append(payload)
        if not self._is_flush_due:
            self._is_flush_due = True
            asyncio.get_running_loop().call_soon(self.flush)

    def flush(self) -> None:
        self._is_flush_due = False
        if self._transport is not None and not self.daemon.is_hung and self._outgoing:
            data = b"".join(self._outgoing)
            self._outgoing.clear()
            self._transport.write(data)

    def forget(self, stream: Stream) -> None:
        self._streams.pop(stream.local, None)

    def abort(self) -> None:
        """Cut the connection; streams end at once. What was said before, the OKAY of a service too, still arrives."""
        self.flush()
        transport, self._transport = self._transport, None
        self._outgoing.clear()
        if transport is not None:
            transport.abort()
        self._close_streams()

    def _close_streams(self) -> None:
        streams, self._streams = list(self._streams.values()), {}
        for stream in streams:
            stream.lost()


class Adbd:
    """One phone's adb daemon on a port of its own on 127.0.0.1.

    `banner` gives the identity text at each connection; `open_service` what to run for a stream, or None to refuse.
    """

    def __init__(self, banner: Callable[[], str], open_service: Callable[[Stream], Service | None]) -> None:
        self.banner = banner
        self.open_service = open_service
        self.links: set[Link] = set()
        self.is_hung = False
        self.is_authorized = True
        self.port = 0
        self._place: socket.socket | None = None
        self._server: asyncio.Server | None = None

    @property
    def is_listening(self) -> bool:
        return self._server is not None

    async def start(self) -> None:
        """Choose a port and listen."""
        self._place = _reserved_place()
        self.port = self._place.getsockname()[1]
        await self.listen()

    async def listen(self) -> None:
        """Take connections (again) on the same port."""
        if self._server is None:
            listener = _bound(self.port)
            self._server = await asyncio.get_running_loop().create_server(lambda: Link(self), sock=listener)

    def deafen(self) -> None:
        """Refuse new connections; the port stays reserved."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def cut(self) -> None:
        """End all connections, as a pulled plug does."""
        for link in list(self.links):
            link.abort()

    def set_hung(self, is_hung: bool) -> None:
        """Silent towards everybody while hung; what came meanwhile is handled afterwards."""
        self.is_hung = is_hung
        if not is_hung:
            for link in list(self.links):
                link.parse()
                link.flush()

    async def stop(self) -> None:
        self.deafen()
        tasks = [stream.task for link in self.links for stream in link._streams.values() if stream.task]
        self.cut()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._place is not None:
            self._place.close()
            self._place = None


async def _serve(service: Service, stream: Stream) -> None:
    """Run a service; whatever it does, its stream is closed and the phone goes on."""
    try:
        await service()
    except StreamClosed:
        pass
    except Exception:
        # One broken service must not take the phone with it.
        log.exception("service %.200r failed", stream.service)
    finally:
        stream.close()


def _bound(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # Lets the listener share the port with the socket that reserves it, and return to it after a cut.
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind(("127.0.0.1", port))
    found.setblocking(False)
    return found


def _reserved_place() -> socket.socket:
    """A socket that only holds a port, so that nobody takes it while the phone is away."""
    refused: list[socket.socket] = []
    try:
        while True:
            place = _bound(0)
            if place.getsockname()[1] not in EMULATOR_PORTS:
                return place
            refused.append(place)
    finally:
        for place in refused:
            place.close()
