"""The logger that device code is given: events with fields. It configures none and needs none."""

from __future__ import annotations

from typing import Protocol


class Log(Protocol):
    """What a structlog logger offers."""

    def info(self, event: str, **fields: object) -> object: ...

    def warning(self, event: str, **fields: object) -> object: ...


class NoLog:
    """Says nothing."""

    def info(self, event: str, **fields: object) -> None: ...

    def warning(self, event: str, **fields: object) -> None: ...
