"""`input` with Android 13's behaviour and error texts."""

from __future__ import annotations

import pytest
from hands import run, tap

from devices.simulated.phone import Phone


@pytest.fixture
def phone() -> Phone:
    phone = Phone(0)
    tap(phone, "launcher.app.notes", "notes.new", "notes.edit.body")
    return phone


def body(phone: Phone) -> str:
    return phone.page.fields["body"].text


def test_percent_s_is_a_space_and_a_lone_percent_is_itself(phone):
    run(phone, "input", "text", "a%sb 100% %%s~\"'`$")
    assert body(phone) == "a b 100% % ~\"'`$"


def test_only_the_first_word_is_typed(phone):
    run(phone, "input", "text", "one", "two")
    assert body(phone) == "one"


@pytest.mark.parametrize("bad", ["abc é", "你好", "a\nb", "tab\t", "😀"])
def test_one_character_without_a_key_fails_the_whole_text(phone, bad):
    result = run(phone, "input", "text", bad)
    assert (result.status, result.stdout, body(phone)) == (255, b"", "")
    assert result.stderr.startswith(
        b"\nException occurred while executing 'text':\n"
        b"java.lang.NullPointerException: Attempt to get length of null array\n\tat "
    )


def test_empty_text_types_nothing(phone):
    result = run(phone, "input", "text", "")
    assert (result.status, result.stderr, body(phone)) == (0, b"", "")


def test_missing_argument_and_bad_number_throw(phone):
    missing = run(phone, "input", "tap")
    assert (missing.status, missing.stdout) == (255, b"")
    assert b"Exception occurred while executing 'tap':\njava.lang.IllegalArgumentException: " in missing.stderr
    assert b'Argument expected after "tap"' in missing.stderr
    bad = run(phone, "input", "tap", "x", "1")
    assert b'java.lang.NumberFormatException: For input string: "x"' in bad.stderr and bad.status == 255


def test_a_tap_that_hits_nothing_is_silent_success(phone):
    result = run(phone, "input", "touchscreen", "-d", "0", "tap", "10.5", "1000000")
    assert (result.status, result.stdout, result.stderr) == (0, b"", b"")


def test_keyevents_by_name_and_number_in_one_call(phone):
    run(phone, "input", "keyevent", "KEYCODE_A", "B", "9", "SPACE", "--", "67", "NOT_A_KEY")
    assert body(phone) == "ab2"


def test_doubletap_presses_twice(phone):
    run(phone, "input", "keyevent", "--doubletap", "29")
    assert body(phone) == "aa"


def test_motion_events_are_a_tap_and_a_swipe(phone):
    run(phone, "input", "keyevent", "BACK", "BACK")
    run(phone, "input", "motionevent", "DOWN", "540", "1500")
    run(phone, "input", "motionevent", "MOVE", "540", "1200")
    run(phone, "input", "motionevent", "UP", "540", "1200")
    assert phone.page.scroll_px == 300


def test_unknown_command_and_unknown_combination_fail(phone):
    assert run(phone, "input", "dance").status == 255
    result = run(phone, "input", "keycombination", "113", "NOPE")
    assert b"Unknown keycode: NOPE" in result.stderr and result.status == 255
