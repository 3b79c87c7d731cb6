"""Which way of typing is chosen, and what happens when one fails."""

import base64
import json
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_shell import ScriptedShell, says

from devices.commands import ShellAnswer
from devices.errors import DeviceNeedsHuman, TextNotTyped
from devices.keyboard import HELPER_ID, Keyboard
from devices.saved import SavedState
from devices.text_input import HELPER_CHUNK_BYTES, KEYS_CHUNK_CHARS, TextInput, helper_chunks, key_chunks

INPUTS = Path(__file__).parents[1] / "cases" / "inputs"
GET_KEYBOARD = "settings get secure default_input_method"
OWN_KEYBOARD = "com.example.pinyin/.Ime"
READY = {
    GET_KEYBOARD: says(HELPER_ID + "\n"),
    "dumpsys": says(f"  mCurId={HELPER_ID} mHaveConnection=true\n"),
    "am broadcast": says("Broadcasting: Intent { act=ADB_INPUT_B64 }\nBroadcast completed: result=0\n"),
}


def typing_on(shell: ScriptedShell, tmp_path: Path) -> TextInput:
    return TextInput(shell, Keyboard(shell, SavedState(tmp_path, "HW1")))


def by_keys(commands: list[str]) -> str:
    """What Android's `input text` makes of the commands."""
    return "".join(shlex.split(command)[2].replace("%s", " ") for command in commands)


def by_helper(commands: list[str]) -> str:
    return "".join(base64.b64decode(shlex.split(command)[-1]).decode() for command in commands)


def test_plain_ascii_goes_by_keys_and_needs_no_keyboard(tmp_path):
    shell = ScriptedShell()
    typing_on(shell, tmp_path).type((INPUTS / "text_with_spaces.txt").read_text())
    assert shell.commands == ["input text app%sagent%stest"]


@pytest.mark.parametrize("text", ["%s", "100%sure %s%s %", "a" * 400, " lead and trail ", "% s", "-n"])
def test_ascii_arrives_unchanged_by_keys(text, tmp_path):
    shell = ScriptedShell()
    typing_on(shell, tmp_path).type(text)
    assert by_keys(shell.commands) == text
    assert len(shell.commands) == len(shell.sent("input text "))


def test_shell_characters_arrive_unchanged_as_one_argument(tmp_path):
    text = (INPUTS / "text_shell_characters.txt").read_text().removesuffix("\n")
    shell = ScriptedShell()
    typing_on(shell, tmp_path).type(text)
    assert by_keys(shell.commands) == text


@pytest.mark.parametrize("text", ["你好", "🎉", "naïve", "two\nlines", "tab\there", "\u202e", "a\0b"])
def test_anything_else_goes_by_the_helper_keyboard(text, tmp_path):
    shell = ScriptedShell(dict(READY))
    typing_on(shell, tmp_path).type(text)
    assert shell.sent("input") == []
    assert by_helper(shell.sent("am broadcast")) == text


def test_long_ascii_goes_by_the_helper_keyboard_where_there_is_one(tmp_path):
    shell = ScriptedShell(dict(READY))
    typing_on(shell, tmp_path).type("long text " * 500)
    assert by_helper(shell.sent("am broadcast")) == "long text " * 500


def test_an_error_with_exit_code_0_counts_and_another_way_is_tried(tmp_path):
    answer = json.loads((INPUTS / "input_text_null_array.json").read_text())
    shell = ScriptedShell({**READY, "input text": says(stderr=answer["stderr"], code=0)})
    typing = typing_on(shell, tmp_path)
    typing.type("app agent test")
    assert by_helper(shell.sent("am broadcast")) == "app agent test"


def test_a_broken_way_is_not_tried_again(tmp_path):
    shell = ScriptedShell({**READY, "input text": says(stderr="Killed", code=137)})
    typing = typing_on(shell, tmp_path)
    typing.type("one")
    typing.type("two")
    assert shell.sent("input text") == ["input text one"]


def test_the_second_way_goes_on_where_the_first_stopped(tmp_path):
    def fail_later(command: str) -> ShellAnswer:
        return says() if "a" in command else says(stderr="java.lang.NullPointerException", code=1)

    shell = ScriptedShell({**READY, "input text": fail_later})
    text = "a" * KEYS_CHUNK_CHARS + "b" * 10
    typing_on(shell, tmp_path).type(text)
    assert by_helper(shell.sent("am broadcast")) == "b" * 10


def test_without_any_way_the_error_gives_each_reason(tmp_path):
    shell = ScriptedShell({GET_KEYBOARD: says(OWN_KEYBOARD), "input text": says(stderr="Error: no", code=1)})
    with pytest.raises(TextNotTyped, match=r"nothing was typed .*input text: Error: no.*adbkeyboard is not installed"):
        typing_on(shell, tmp_path).type("abc")


def test_line_breaks_are_keys_only_without_a_helper_keyboard(tmp_path):
    shell = ScriptedShell({GET_KEYBOARD: says(OWN_KEYBOARD)})
    typing_on(shell, tmp_path).type("one\ntwo")
    assert shell.sent("input") == ["input text one", "input keyevent 66", "input text two"]


def test_a_phone_that_forbids_input_needs_a_human(tmp_path):
    refusal = "java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS permission"
    shell = ScriptedShell({"input text": says(stderr=refusal)})
    with pytest.raises(DeviceNeedsHuman, match="Security settings"):
        typing_on(shell, tmp_path).type("abc")


def test_half_a_surrogate_pair_is_refused_before_anything_is_typed(tmp_path):
    shell = ScriptedShell(dict(READY))
    with pytest.raises(TextNotTyped, match="Unicode"):
        typing_on(shell, tmp_path).type("ok \ud83d")
    assert shell.commands == []


def test_an_empty_text_sends_nothing(tmp_path):
    shell = ScriptedShell()
    assert typing_on(shell, tmp_path).type("") == []
    assert shell.commands == []


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_no_key_chunk_holds_a_literal_percent_s(text):
    chunks = list(key_chunks(text))
    assert "".join(chunks) == text
    assert all("%s" not in chunk and 0 < len(chunk) <= KEYS_CHUNK_CHARS for chunk in chunks)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=3000))
def test_helper_chunks_are_bounded_and_whole(text):
    chunks = list(helper_chunks(text))
    assert "".join(chunks) == text
    assert all(0 < len(chunk.encode()) <= HELPER_CHUNK_BYTES for chunk in chunks)
