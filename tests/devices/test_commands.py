"""One function builds device commands: a fixed verb, each argument quoted."""

import shlex

import pytest

from devices import commands
from devices.commands import COMMAND_LIMIT_BYTES, BadCommand, ShellAnswer, build

HOSTILE = [
    "a;reboot",
    "line\nbreak",
    "`reboot`",
    "$(reboot)",
    "it's",
    '"quoted"',
    "-opt",
    "--",
    "",
    " ",
    "*?~!#",
    "a && b || c | d > e < f &",
    "\\",
    "你好 🎉",
    "\t\r",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_argument_stays_one_argument(text):
    assert shlex.split(build("input", "text", text)) == ["input", "text", text]


def test_numbers_need_no_quotes():
    assert build("input", "tap", 10, -5) == "input tap 10 -5"


def test_nul_is_refused():
    with pytest.raises(BadCommand, match="NUL"):
        build("settings", "put", "global", "device_name", "a\0b")


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(BadCommand, match="Unicode"):
        build("input", "text", "\ud83d")


def test_a_command_beyond_adbs_limit_is_refused():
    with pytest.raises(BadCommand, match="too long"):
        build("input", "text", "x" * COMMAND_LIMIT_BYTES)


def test_an_unknown_verb_is_a_mistake_of_this_package():
    with pytest.raises(KeyError, match="reboot"):
        build("reboot")


def test_a_double_tap_is_one_round_trip_on_every_version():
    assert commands.double_tap(3, 4, sdk=33) == "input tap 3 4; input tap 3 4"
    assert commands.double_tap(3, 4, sdk=28) == "input tap 3 4 & sleep 0.12; input tap 3 4; wait"


def test_a_swipe_counts_milliseconds():
    assert commands.swipe(1, 2, 3, 4, 0.25) == "input swipe 1 2 3 4 250"


@pytest.mark.parametrize(
    ("answer", "has_failed"),
    [
        (ShellAnswer("", "", 0), False),
        (ShellAnswer("", "WARNING: linker: unused entry", 0), False),
        (ShellAnswer("", "Error: Invalid arguments for command: tap\nusage: …", 0), True),
        (ShellAnswer("", "\nException occurred while executing 'tap':\njava.lang.…", 255), True),
        (ShellAnswer("Killed\n", "", 137), True),
    ],
)
def test_what_input_prints_decides_and_not_its_exit_code_alone(answer, has_failed):
    assert commands.input_failed(answer) is has_failed
