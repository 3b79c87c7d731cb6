"""Which answers count as the same."""

from __future__ import annotations

import pytest

from rollout.rewards.patterns import search_bounded
from rollout.rewards.texts import has_part, is_same
from rollout.rewards.verdict import CannotTell


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("12", "12"), (" 12\n", "12"), ("１２", "12"), ("12.0", "12"), ("1,200", "1200"), ("12.", "12"), ("+5", "5"),
        ("Green", "green"), ("GREEN.", "green"), ("two  bottles", "two bottles"), ("ＡＢＣ", "abc"), ("绿色。", "绿色"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_same_answer(given: str, wanted: str) -> None:
    assert is_same(given, wanted)
    assert is_same(wanted, given)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("12 eggs", "12"), ("13", "12"), ("-12", "12"), ("1 2", "12"), ("12,5", "12.5"), ("1.2", "12"), ("so", "no"),
        ("Android 13", "13"), ("", "12"), ("nan", "NaN12"), ("1e2", "100"), ("twelve", "12"),
    ],
)  # fmt: skip
def test_another_answer(given: str, wanted: str) -> None:
    assert not is_same(given, wanted)


@pytest.mark.parametrize(
    ("given", "wanted", "expected"),
    [
        ("The note says 12 eggs.", "12", True),
        ("The note says １２ eggs.", "12", True),
        ("112 eggs", "12", False),
        ("12.5 eggs", "12", False),
        ("1,120 eggs", "120", False),
        ("It is 12.", "12", True),
        ("Version 13", "VERSION 13", True),
        ("greenish", "green", True),
        ("a.c", "abc", False),
        ("anything", " ", False),
    ],
)
def test_a_part_of_an_answer(given: str, wanted: str, expected: bool) -> None:
    assert has_part(given, wanted) is expected


def test_a_pattern_is_searched() -> None:
    assert search_bounded(r"^\d+ 个鸡蛋$", "12 个鸡蛋")
    assert not search_bounded(r"^\d+$", "12 eggs")


def test_a_pattern_without_end_is_ended() -> None:
    with pytest.raises(CannotTell, match="found no end"):
        search_bounded(r"(a+)+$", "a" * 60 + "b", timeout_s=0.5)
