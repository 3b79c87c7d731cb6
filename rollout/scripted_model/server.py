"""The HTTP side: /v1/models and /v1/chat/completions with keep-alive, latency, faults and a log of every request."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any

from rollout.scripted_model.completion import completion
from rollout.scripted_model.faults import FaultRule, FaultSchedule
from rollout.scripted_model.player import Answer, Player, read_request

MAX_BODY_BYTES = 32 * 1024 * 1024
MAX_HEAD_BYTES = 64 * 1024
_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 413: "Payload Too Large",
            429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway"}  # fmt: skip


@dataclass(slots=True)
class Rules:
    """How the server behaves besides playing."""

    latency_s: float = 0.0
    faults: FaultSchedule | None = None
    log: IO[str] | None = None


class ScriptedServer:
    """One listening socket on loopback."""

    def __init__(self, player: Player, rules: Rules) -> None:
        self._player = player
        self._rules = rules
        self._server: asyncio.Server | None = None

    async def start(self, port: int = 0) -> int:
        """Listen on 127.0.0.1; returns the port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port, limit=MAX_HEAD_BYTES, backlog=512)
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Cancelled: the server is being stopped; there is nobody left to tell.
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            while await self._one(reader, writer):
                pass
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request. False: close the connection."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = (head[0] + "  ").split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        size = int(headers.get("content-length") or 0)
        if size > MAX_BODY_BYTES:
            _send(writer, 413, _error("the request is too large"))
            return False
        body = await reader.readexactly(size)
        if method == "GET" and path.endswith("/models"):
            model = {"id": "scripted", "object": "model", "owned_by": "scripted"}
            _send(writer, 200, {"object": "list", "data": [model]})
        elif method == "POST" and path.endswith("/chat/completions"):
            return await self._chat(body, writer)
        else:
            _send(writer, 404, _error(f"no such route: {method} {path}"))
        await writer.drain()
        return headers.get("connection", "").lower() != "close"

    async def _chat(self, raw: bytes, writer: asyncio.StreamWriter) -> bool:
        try:
            body = json.loads(raw)
            request = read_request(body)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            _send(writer, 400, _error(f"not a chat request: {error}"))
            return True
        fault = self._rules.faults.next() if self._rules.faults else None
        answer = self._player.answer(request)
        self._log(request.seed, request.image, answer, fault)
        if self._rules.latency_s:
            await asyncio.sleep(self._rules.latency_s)
        if fault is not None:
            return await _misbehave(writer, fault, body, request.text, answer)
        _send(writer, 200, completion(body, request.text, request.image is not None, answer.text, "stop"))
        await writer.drain()
        return True

    def _log(self, seed: int, image: bytes | None, answer: Answer, fault: FaultRule | None) -> None:
        if self._rules.log is None:
            return
        line = {
            "t": time.time(),
            "seed": seed,
            "purpose": answer.purpose,
            "screen": answer.screen,
            "action": answer.action,
            "image_sha256": hashlib.sha256(image).hexdigest() if image else None,
            "fault": fault.kind if fault else None,
        }
        self._rules.log.write(json.dumps(line) + "\n")
        self._rules.log.flush()


async def _misbehave(
    writer: asyncio.StreamWriter, fault: FaultRule, body: dict[str, Any], prompt: str, answer: Answer
) -> bool:
    """Do what the rule says instead of answering. False: close the connection."""
    whole = completion(body, prompt, True, answer.text, "stop")
    match fault.kind:
        case "429":
            extra = {"Retry-After": fault.retry_after} if fault.retry_after else {}
            _send(writer, 429, _error("rate limit reached"), extra)
        case "500":
            _send(writer, 500, "Internal Server Error", close=True)
            await writer.drain()
            return False
        case "502_html":
            _send(writer, 502, "<html><body><h1>502 Bad Gateway</h1></body></html>", content_type="text/html")
        case "login_page":
            _send(writer, 200, "<html><body>Please log in</body></html>", content_type="text/html")
        case "401":
            _send(writer, 401, _error("wrong API key"))
        case "404":
            _send(writer, 404, _error("the model does not exist", code="model_not_found"))
        case "context":
            text = "This model's maximum context length is 1024 tokens; the request has more."
            _send(writer, 400, _error(text, code="context_length_exceeded"))
        case "error_in_body":
            _send(writer, 200, {"choices": None, "error": {"code": 429, "message": "Provider returned error"}})
        case "hang":
            await asyncio.sleep(fault.seconds)
            return False
        case "drip":
            await _drip(writer, json.dumps(whole).encode(), fault.seconds)
            return False
        case "reset":
            if (transport := writer.transport) is not None:
                transport.abort()
            return False
        case "bad_json":
            _send(writer, 200, json.dumps(whole)[:-20])
        case "cut":
            _send(writer, 200, completion({**body, "max_tokens": 5}, prompt, True, answer.text, "length"))
        case "empty":
            _send(writer, 200, completion(body, prompt, True, "", "stop"))
        case "abort":
            _send(writer, 200, completion(body, prompt, True, answer.text[:10], "abort"))
        case "unreadable":
            _send(writer, 200, completion(body, prompt, True, "I would rather not say.", "stop"))
    await writer.drain()
    return True


async def _drip(writer: asyncio.StreamWriter, data: bytes, seconds: float) -> None:
    """A byte now and then, so that no single read times out."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(data))
    end = time.monotonic() + seconds
    for byte in data:
        if time.monotonic() >= end:
            return
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.1)


def _error(message: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "scripted", "code": code}}


def _send(
    writer: asyncio.StreamWriter,
    status: int,
    body: dict[str, Any] | str,
    extra: dict[str, str] | None = None,
    *,
    content_type: str = "",
    close: bool = False,
) -> None:
    is_text = isinstance(body, str)
    data = body.encode() if isinstance(body, str) else json.dumps(body, ensure_ascii=False).encode()
    headers = {
        "Content-Type": content_type or ("text/plain" if is_text and status != 200 else "application/json"),
        "Content-Length": str(len(data)),
        "Connection": "close" if close else "keep-alive",
        **(extra or {}),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {status} {_REASONS[status]}\r\n{head}\r\n".encode() + data)
