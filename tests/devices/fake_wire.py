"""A small adb server for traps that a real one cannot be asked to set: silence, dripping, resets, odd refusals."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress

Script = Callable[["Peer"], object]


class Peer:
    """One client, as the server sees it."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection

    def service(self) -> str:
        """Read the name of the service that the client asks for."""
        size = int(self._exactly(4), 16)
        return self._exactly(size).decode()

    def okay(self, data: bytes = b"") -> None:
        self.connection.sendall(b"OKAY" + data)

    def okay_block(self, text: str) -> None:
        self.okay(b"%04x" % len(text.encode()) + text.encode())

    def fail(self, text: str) -> None:
        self.connection.sendall(b"FAIL%04x" % len(text) + text.encode())

    def packet(self, kind: int, data: bytes) -> None:
        """One packet of the shell v2 protocol."""
        self.connection.sendall(bytes([kind]) + struct.pack("<I", len(data)) + data)

    def reset(self) -> None:
        """End with RST, as a killed server with unread data does."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def drip(self, data: bytes, stop: threading.Event) -> None:
        """The same byte again and again, each well within any limit per read."""
        while not stop.wait(0.02):
            self.connection.sendall(data)

    def wait_for_close(self) -> None:
        with suppress(OSError):
            while self.connection.recv(4096):
                pass

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self.connection.recv(size - len(data))
            if not more:
                raise ConnectionError("client left")
            data += more
        return data


class FakeServer:
    """Runs one script per connection; the last one serves all further connections."""

    def __init__(self, *scripts: Script, is_cold: bool = False) -> None:
        """A cold server refuses connections until `warm_up`."""
        self._scripts = list(scripts)
        self._listener = socket.socket()
        self._listener.bind(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.stopping = threading.Event()
        self.services: list[str] = []
        self.connections = 0
        self._peers: list[socket.socket] = []
        if not is_cold:
            self.warm_up()

    def warm_up(self) -> None:
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> FakeServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for peer in self._peers:
            peer.close()

    def _accept(self) -> None:
        while not self.stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._peers.append(connection)
            script = self._scripts[min(self.connections, len(self._scripts) - 1)]
            self.connections += 1
            threading.Thread(target=self._run, args=(script, connection), daemon=True).start()

    def _run(self, script: Script, connection: socket.socket) -> None:
        with suppress(OSError, ConnectionError):
            script(Peer(connection))
        connection.close()


def phone_says(service_prefix: str, answer: Callable[[Peer, str], object]) -> Script:
    """A script for one command: transport accepted, then `answer(peer, service)` after OKAY."""

    def script(peer: Peer) -> None:
        peer.service()
        peer.okay()
        service = peer.service()
        assert service.startswith(service_prefix), service
        peer.okay()
        answer(peer, service)

    return script


def shell_answer(stdout: bytes = b"", stderr: bytes = b"", code: int = 0) -> Script:
    """A phone on which every command prints this."""

    def answer(peer: Peer, _: str) -> None:
        peer.packet(1, stdout)
        peer.packet(2, stderr)
        peer.packet(3, bytes([code]))
        peer.wait_for_close()

    return phone_says("shell,v2,raw:", answer)


def wait_until(condition: Callable[[], bool], timeout_s: float = 10.0) -> None:
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, "the condition did not come true in time"
        time.sleep(0.01)
