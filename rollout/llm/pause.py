"""How long to wait before another try."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_RETRY_AFTER_S = 120.0
"""A server that asks for more is not asked again in this call."""
_FIRST_S, _MOST_S = 0.5, 30.0
_JITTER_S = 0.25


def backoff_s(tries: int) -> float:
    """Full jitter: anything up to 0.5 s × 2ⁿ, at most 30 s. `tries` is how many have failed, from 1."""
    return random.uniform(0, min(_MOST_S, _FIRST_S * 2 ** min(tries - 1, 10)))


def with_jitter(wait_s: float) -> float:
    """A little more than what the server asked for, so that many workers do not come back at once."""
    return wait_s + random.uniform(0, _JITTER_S)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: `retry-after-ms`, or `retry-after` as seconds or as a date.

    None for rubbish, for zero and for a date that is past.
    """
    milliseconds = _positive(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    written = headers.get("retry-after", "")
    seconds = _positive(written)
    return seconds if seconds is not None else _until(written, headers.get("date", ""))


def _positive(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None


def _until(text: str, now_text: str) -> float | None:
    """Seconds from the server's own `Date` (ours when it sent none) to a date."""
    then = _date(text)
    if then is None:
        return None
    seconds = (then - (_date(now_text) or datetime.now(UTC))).total_seconds()
    return seconds if seconds > 0 else None


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
