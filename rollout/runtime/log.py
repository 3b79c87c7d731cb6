"""structlog in a role: events are data, collected here and sent to the logger process in small batches."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

import structlog

_BATCH_LINES = 50
_BATCH_BYTES = 12 * 1024
_LINE_BYTES = 12 * 1024
"""A batch is at most one line over its size, and quoting at most doubles it: it always fits a frame."""
_MAX_VALUE_CHARS = 2000
_URGENT = frozenset({"warning", "error", "critical"})


class LogBuffer:
    """Collects events and hands them on when there are enough, when one is urgent, or when somebody flushes."""

    def __init__(self, send: Callable[[list[str]], None]) -> None:
        self._send = send
        self._lines: list[str] = []
        self._bytes = 0
        self._lock = threading.Lock()

    def add(self, event: Mapping[str, Any]) -> None:
        line = log_line(event)
        with self._lock:
            self._lines.append(line)
            self._bytes += len(line.encode())
            is_full = len(self._lines) >= _BATCH_LINES or self._bytes >= _BATCH_BYTES
        if is_full or event.get("level") in _URGENT:
            self.flush()

    def flush(self) -> None:
        with self._lock:
            lines, self._lines, self._bytes = self._lines, [], 0
        if lines:
            self._send(lines)


def log_line(event: Mapping[str, Any]) -> str:
    """The event as JSON on one line, bounded: a log line never carries a whole reply."""
    line = json.dumps({key: _plain(value) for key, value in event.items()}, ensure_ascii=False)
    if len(line) * 4 > _LINE_BYTES and len(line.encode()) > _LINE_BYTES:
        kept = {key: _plain(event.get(key)) for key in ("timestamp", "level", "role", "event")}
        line = json.dumps(kept | {"cut": line[: _LINE_BYTES // 8]}, ensure_ascii=False)
    return line


def _plain(value: object) -> Any:
    """JSON-ready: half surrogates, which no file takes, become question marks."""
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else str(value)
    text = text if len(text) <= _MAX_VALUE_CHARS else text[:_MAX_VALUE_CHARS] + "…"
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def configure_logging(buffer: LogBuffer, *, role: str, level: int = logging.DEBUG) -> None:
    """Send every event of this process to `buffer`, with its level, UTC time and role."""

    def hand_over(_: Any, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
        buffer.add(event)
        raise structlog.DropEvent

    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            lambda _, __, event: {**event, "role": role},
            hand_over,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=False,
    )
