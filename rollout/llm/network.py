"""Sockets that obey one call: each connect, read and write ends at its deadline, or at once when it is cancelled.

An HTTP library's own time limits are per read: a server that sends a byte now and then never trips them. Here the limit
lies below HTTP, in the stream, so that headers, bodies and handshakes are all under it.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpcore
import httpx

_SLICE_S = 0.1
"""How often a waiting socket looks whether its call was cancelled."""


class CallCancelled(Exception):
    """The caller no longer wants the answer."""


@dataclass(slots=True)
class Watch:
    """What one call obeys, on the clock of `time.monotonic`."""

    deadline: float
    cancel: threading.Event | None = None
    clock: Callable[[], float] = time.monotonic

    def left_s(self) -> float:
        return self.deadline - self.clock()

    def check(self) -> None:
        """Raises CallCancelled."""
        if self.cancel is not None and self.cancel.is_set():
            raise CallCancelled

    def sleep(self, seconds: float) -> None:
        """Raises CallCancelled as soon as the call is cancelled."""
        if self.cancel is None:
            time.sleep(seconds)
        else:
            self.cancel.wait(seconds)
            self.check()


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextlib.contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Everything that this thread sends and receives inside is under `watch`."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


def _wait(sock: socket.socket, events: int, timeout_s: float | None, error: type[Exception]) -> None:
    """Wait until the socket is ready. Raises `error` at the limit, CallCancelled when cancelled."""
    watch = _WATCH.get()
    until = time.monotonic() + timeout_s if timeout_s is not None else None
    poll = select.poll()
    poll.register(sock, events)
    while True:
        left = [_SLICE_S]
        if until is not None:
            left.append(until - time.monotonic())
        if watch is not None:
            watch.check()
            left.append(watch.left_s())
        if min(left) <= 0:
            raise error("timed out")
        if poll.poll(min(left) * 1000):
            return


class _Stream(httpcore.NetworkStream):
    """A connected, non-blocking socket, plain or TLS."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        while True:
            try:
                return self._sock.recv(max_bytes)
            except (BlockingIOError, ssl.SSLWantReadError):
                _wait(self._sock, select.POLLIN, timeout, httpcore.ReadTimeout)
            except ssl.SSLWantWriteError:
                _wait(self._sock, select.POLLOUT, timeout, httpcore.ReadTimeout)
            except OSError as error:
                raise httpcore.ReadError(str(error)) from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        view = memoryview(buffer)
        while view:
            try:
                view = view[self._sock.send(view) :]
            except (BlockingIOError, ssl.SSLWantWriteError):
                _wait(self._sock, select.POLLOUT, timeout, httpcore.WriteTimeout)
            except ssl.SSLWantReadError:
                _wait(self._sock, select.POLLIN, timeout, httpcore.WriteTimeout)
            except OSError as error:
                raise httpcore.WriteError(str(error)) from error

    def close(self) -> None:
        self._sock.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        try:
            secure = ssl_context.wrap_socket(self._sock, server_hostname=server_hostname, do_handshake_on_connect=False)
            self._sock = secure
            while True:
                try:
                    secure.do_handshake()
                    return self
                except ssl.SSLWantReadError:
                    _wait(secure, select.POLLIN, timeout, httpcore.ConnectTimeout)
                except ssl.SSLWantWriteError:
                    _wait(secure, select.POLLOUT, timeout, httpcore.ConnectTimeout)
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise httpcore.ConnectError(str(error)) from error
            raise

    def get_extra_info(self, info: str) -> Any:
        match info:
            case "ssl_object" if isinstance(self._sock, ssl.SSLSocket):
                return self._sock
            case "socket":
                return self._sock
            case "is_readable":
                poll = select.poll()
                poll.register(self._sock, select.POLLIN)
                return bool(poll.poll(0))
        return None


class _Network(httpcore.NetworkBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore.ConnectError(f"{host}: {error}") from error
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for family, kind, protocol, _, address in addresses:
            sock = socket.socket(family, kind, protocol)
            try:
                _connect(sock, address, timeout)
                return _Stream(sock)
            except OSError as error:
                sock.close()
                failure = httpcore.ConnectError(str(error))
            except BaseException:
                sock.close()
                raise
        raise failure


def _connect(sock: socket.socket, address: Any, timeout_s: float | None) -> None:
    sock.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        sock.connect(address)
    _wait(sock, select.POLLOUT, timeout_s, httpcore.ConnectTimeout)
    if code := sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
        raise OSError(code, os.strerror(code))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class WatchedTransport(httpx.BaseTransport):
    """HTTP/1.1 over watched sockets, to one server.

    Args:
        proxy: address of an HTTP proxy, or None.
    """

    def __init__(self, ssl_context: ssl.SSLContext, proxy: str | None = None) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl_context,
            proxy=httpcore.Proxy(proxy) if proxy else None,
            keepalive_expiry=60.0,
            network_backend=_Network(),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        wanted = httpcore.Request(
            request.method,
            httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _as_httpx():
            response = self._pool.handle_request(wanted)
        return httpx.Response(
            response.status, headers=response.headers, stream=_Body(response.stream), extensions=response.extensions
        )

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx():
            yield from self._stream

    def close(self) -> None:
        self._stream.close()


@contextlib.contextmanager
def _as_httpx() -> Iterator[None]:
    """The lower library's errors under the upper one's names."""
    try:
        yield
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
        kind = getattr(httpx, type(error).__name__, httpx.TransportError)
        raise kind(str(error)) from error
