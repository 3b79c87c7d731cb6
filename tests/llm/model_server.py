"""A model server of raw bytes for the client's tests: request n is answered by line n of a script."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Script = bytes | Callable[[socket.socket, threading.Event], None]


def http(status: str, body: bytes | str | dict[str, Any], **headers: str) -> bytes:
    """A whole response. `retry_after` becomes `Retry-After`."""
    content = (
        json.dumps(body).encode() if isinstance(body, dict) else body if isinstance(body, bytes) else body.encode()
    )
    sent = {"content-type": "application/json", "content-length": str(len(content))}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = f"HTTP/1.1 {status}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    return head.encode() + b"\r\n" + content


def reply(text: Any = "hello", **more: Any) -> dict[str, Any]:
    """A usual answer; `more` replaces top-level keys."""
    answer = {
        "id": "call-1",
        "model": "demo-vl",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 3},
    }
    return {**answer, **more}


def choice(message: Any = None, **more: Any) -> dict[str, Any]:
    return {"index": 0, "message": message or {"content": "hello"}, "finish_reason": "stop", **more}


OK = http("200 OK", reply())


@dataclass
class Server:
    port: int
    requests: list[tuple[dict[str, str], Any]] = field(default_factory=list)
    """Headers and JSON body of each request, in order."""
    connections: int = 0

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


@contextmanager
def serving(*script: Script) -> Iterator[Server]:
    """Answers request n with script[n]; the last line repeats. A callable gets the socket to misbehave on."""
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()
    server = Server(listener.getsockname()[1])
    accepting = threading.Thread(target=_accept, args=(listener, server, script, ended))
    accepting.start()
    try:
        yield server
    finally:
        ended.set()
        with socket.create_connection(("127.0.0.1", server.port)):
            pass
        accepting.join(10)
        listener.close()


def _accept(listener: socket.socket, server: Server, script: Sequence[Script], ended: threading.Event) -> None:
    threads = []
    while True:
        sock, _ = listener.accept()
        if ended.is_set():
            sock.close()
            break
        server.connections += 1
        threads.append(threading.Thread(target=_serve, args=(sock, server, script, ended)))
        threads[-1].start()
    for thread in threads:
        thread.join(10)


def _serve(sock: socket.socket, server: Server, script: Sequence[Script], ended: threading.Event) -> None:
    sock.settimeout(0.05)
    with sock:
        while (request := _read_request(sock, ended)) is not None:
            server.requests.append(request)
            line = script[min(len(server.requests), len(script)) - 1]
            if not isinstance(line, bytes):
                line(sock, ended)
                return
            sock.settimeout(10)
            sock.sendall(line)
            sock.settimeout(0.05)


def _read_request(sock: socket.socket, ended: threading.Event) -> tuple[dict[str, str], Any] | None:
    data = b""
    while not ended.is_set():
        head, found, body = data.partition(b"\r\n\r\n")
        if found:
            lines = head.decode().split("\r\n")
            headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines[1:])}
            if len(body) >= int(headers["content-length"]):
                return {"": lines[0], **headers}, json.loads(body)
        try:
            more = sock.recv(1 << 20)
        except TimeoutError:
            continue
        except OSError:
            return None
        if not more:
            return None
        data += more
    return None


def hang(sock: socket.socket, ended: threading.Event) -> None:
    """Accepts the request and says nothing."""
    ended.wait(30)


def drip(sock: socket.socket, ended: threading.Event) -> None:
    """One byte of body now and then, for ever."""
    sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
    while not ended.wait(0.02):
        try:
            sock.sendall(b" ")
        except OSError:
            return


def drip_headers(sock: socket.socket, ended: threading.Event) -> None:
    """One byte of a header now and then, for ever."""
    sock.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not ended.wait(0.02):
        try:
            sock.sendall(b"a")
        except OSError:
            return


def cut(sock: socket.socket, ended: threading.Event) -> None:
    """Half a body, then the end."""
    sock.sendall(OK[:-20])


def reset(sock: socket.socket, ended: threading.Event) -> None:
    """RST instead of an answer."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
