"""Fault rules: which commands they look at, and that a seed repeats them."""

from __future__ import annotations

import pytest

from devices.simulated.faults import BadFault, PhoneFaults

TAP, CAPTURE = ["input", "tap", "1", "2"], ["screencap", "-p"]


def fired(faults: PhoneFaults, *argvs: list[str]) -> list[list[str]]:
    return [[fault.kind for fault in faults.due(argv)] for argv in argvs]


def test_at_command_counts_only_the_commands_that_match() -> None:
    faults = PhoneFaults([{"kind": "drop", "match": "^input", "at_command": 2}])
    assert fired(faults, TAP, CAPTURE, TAP, TAP) == [[], [], ["drop"], []]


def test_a_screenshot_fault_counts_screenshots() -> None:
    faults = PhoneFaults([{"kind": "empty_screenshot", "at_command": 2, "times": 2}])
    assert fired(faults, CAPTURE, TAP, CAPTURE, CAPTURE, CAPTURE) == [
        [],
        [],
        ["empty_screenshot"],
        ["empty_screenshot"],
        [],
    ]


def test_the_same_seed_gives_the_same_faults_and_phones_differ() -> None:
    rules = [{"kind": "slow", "rate": 0.3}]
    runs = [fired(PhoneFaults(rules, index=index, seed=5), *[TAP] * 50) for index in (0, 0, 1)]
    assert runs[0] == runs[1] != runs[2]
    assert 5 < sum(map(bool, runs[0])) < 25


def test_a_rule_holds_for_the_phones_it_names() -> None:
    rules = [{"kind": "drop", "phones": [1], "at_command": 1}]
    assert fired(PhoneFaults(rules, index=0), TAP) == [[]]
    assert fired(PhoneFaults(rules, index=1), TAP) == [["drop"]]


def test_no_screenshot_is_changed_without_a_fault() -> None:
    faults = PhoneFaults()
    faults.due(CAPTURE)
    assert faults.screencap(b"picture") == b"picture"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"kind": "explode"}, "unknown kind 'explode'; known: bad_screenshot"),
        ({"kind": "drop", "at": 3}, "unknown at"),
        ({"kind": "drop", "match": "("}, "unterminated subpattern"),
        ({"kind": "drop", "rate": "often"}, "could not convert"),
        ({"kind": "drop", "phones": 3}, "`phones` is all or a list"),
    ],
)
def test_a_rule_that_makes_no_sense_is_named(rule: dict[str, object], said: str) -> None:
    with pytest.raises(BadFault, match=said.replace("(", r"\(")):
        PhoneFaults([rule])
