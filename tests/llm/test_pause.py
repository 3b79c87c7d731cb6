"""Retry-After in every form that servers send, and back-off without it."""

from __future__ import annotations

import pytest

from rollout.llm.pause import backoff_s, retry_after_s

NOW = "Wed, 02 Dec 2026 03:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "30"}, 30.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "30"}, 1.5),
        ({"retry-after": "Wed, 02 Dec 2026 03:00:30 GMT", "date": NOW}, 30.0),
        ({"retry-after": "Wed, 02 Dec 2026 02:59:30 GMT", "date": NOW}, None),
        ({"retry-after": "Wed, 02 Dec 2020 03:00:30 GMT"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "0"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Wed, 99 Foo 99999 99:99:99 GMT", "date": NOW}, None),
        ({"retry-after": "30", "retry-after-ms": "x"}, 30.0),
        ({}, None),
    ],
)
def test_the_wait_a_server_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


def test_back_off_grows_and_stays_below_half_a_minute() -> None:
    for tries in range(1, 60):
        assert 0 <= backoff_s(tries) <= min(30, 0.5 * 2 ** (tries - 1))
