"""structlog in a role: events are data, collected here and sent to the logger process in small batches."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

import structlog

_BATCH_LINES = 50
_BATCH_BYTES = 24 * 1024
_MAX_VALUE_CHARS = 4000
_URGENT = frozenset({"warning", "error", "critical"})


class LogBuffer:
    """Collects events and hands them on when there are enough, when one is urgent, or when somebody flushes."""

    def __init__(self, send: Callable[[list[dict[str, Any]]], None]) -> None:
        self._send = send
        self._lines: list[dict[str, Any]] = []
        self._bytes = 0
        self._lock = threading.Lock()

    def add(self, event: Mapping[str, Any]) -> None:
        line = {key: _plain(value) for key, value in event.items()}
        with self._lock:
            self._lines.append(line)
            self._bytes += sum(len(str(value)) for value in line.values()) + 20 * len(line)
            is_full = len(self._lines) >= _BATCH_LINES or self._bytes >= _BATCH_BYTES
        if is_full or line.get("level") in _URGENT:
            self.flush()

    def flush(self) -> None:
        with self._lock:
            lines, self._lines, self._bytes = self._lines, [], 0
        if lines:
            self._send(lines)


def _plain(value: object) -> Any:
    """JSON-ready, bounded: a log line never carries a whole reply."""
    if isinstance(value, str):
        return value if len(value) <= _MAX_VALUE_CHARS else value[:_MAX_VALUE_CHARS] + "…"
    return value if value is None or isinstance(value, bool | int | float) else str(value)[:_MAX_VALUE_CHARS]


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
