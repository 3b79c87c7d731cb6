"""`am` and `monkey`, word for word."""

from __future__ import annotations

import base64

import pytest
from hands import run, screen, tap, text

from devices.simulated.keyboard import ADB_IME
from devices.simulated.phone import Phone

NOTES = "org.example.notes/.MainActivity"


def test_start_tells_the_intent():
    phone = Phone(0)
    assert text(phone, "am", "start", "-n", NOTES) == f"Starting: Intent {{ cmp={NOTES} }}\n"
    assert screen(phone) == "notes/list"


def test_start_and_wait_reports_cold_then_hot():
    phone = Phone(0)
    assert text(phone, "am", "start", "-W", "-n", "com.android.settings/com.android.settings.Settings") == (
        "Starting: Intent { cmp=com.android.settings/.Settings }\nStatus: ok\nLaunchState: COLD\n"
        "Activity: com.android.settings/.Settings\nTotalTime: 412\nWaitTime: 416\nComplete\n"
    )
    run(phone, "input", "keyevent", "HOME")
    said = text(phone, "am", "start", "-W", "-n", "com.android.settings/.Settings")
    assert "Warning: Activity not started, its current task has been brought to the front\n" in said
    assert "LaunchState: HOT\n" in said


def test_start_of_what_is_in_front_already_warns_on_stderr():
    phone = Phone(0)
    run(phone, "am", "start", "-n", NOTES)
    result = run(phone, "am", "start", "-n", NOTES)
    assert (result.status, result.stderr) == (
        0,
        b"Warning: Activity not started, intent has been delivered to currently running top-most instance.\n",
    )


def test_start_with_stop_begins_afresh():
    phone = Phone(0)
    tap(phone, "launcher.app.notes", "notes.new")
    said = text(phone, "am", "start", "-S", "-n", NOTES)
    assert said == f"Stopping: org.example.notes\nStarting: Intent {{ cmp={NOTES} }}\n"
    assert screen(phone) == "notes/list"


def test_unknown_activity_is_told_with_status_zero():
    result = run(Phone(0), "am", "start", "-n", "org.example.notes/.Nope")
    assert result.status == 0
    assert result.stderr == (
        b"Error type 3\nError: Activity class {org.example.notes/org.example.notes.Nope} does not exist.\n"
    )


def test_with_wait_the_error_is_on_stdout():
    result = run(Phone(0), "am", "start", "-W", "-n", "a.b/.C")
    assert (result.status, result.stderr) == (0, b"")
    assert b"Error: Activity class {a.b/a.b.C} does not exist.\n" in result.stdout


def test_unresolved_intent_is_told_with_status_zero():
    result = run(Phone(0), "am", "start", "-a", "android.intent.action.VIEW", "-d", "https://example.com")
    assert result.status == 0
    assert result.stderr == (
        b"Error: Activity not started, unable to resolve "
        b"Intent { act=android.intent.action.VIEW dat=https://example.com flg=0x10000000 }\n"
    )


def test_private_activity_is_refused():
    result = run(Phone(0), "am", "start", "-n", "org.example.notes/.EditActivity")
    assert result.status == 255
    assert result.stderr.startswith(
        b"\nException occurred while executing 'start':\n"
        b"java.lang.SecurityException: Permission Denial: starting Intent {"
    )


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        (("-a", "android.settings.DISPLAY_SETTINGS"), "settings/display"),
        (("-a", "android.intent.action.MAIN", "-c", "android.intent.category.HOME"), "launcher/home"),
        (
            ("-a", "android.intent.action.MAIN", "-c", "android.intent.category.LAUNCHER", "-p", "org.example.notes"),
            "notes/list",
        ),
    ],
)
def test_start_by_action(argv, wanted):
    phone = Phone(0)
    run(phone, "am", "start", *argv)
    assert screen(phone) == wanted


def test_force_stop_is_silent_for_known_and_unknown_packages():
    phone = Phone(0)
    tap(phone, "launcher.app.notes", "notes.new")
    assert text(phone, "am", "force-stop", "org.example.notes") == ""
    assert text(phone, "am", "force-stop", "no.such") == ""
    assert screen(phone) == "launcher/home"
    tap(phone, "launcher.app.notes")
    assert screen(phone) == "notes/list"


def broadcast(phone: Phone, message: str) -> str:
    encoded = base64.b64encode(message.encode()).decode()
    return text(phone, "am", "broadcast", "-a", "ADB_INPUT_B64", "--es", "msg", encoded)


def test_broadcast_answers_the_same_whether_or_not_anyone_listens():
    phone = Phone(0)
    said = "Broadcasting: Intent { act=ADB_INPUT_B64 flg=0x400000 (has extras) }\nBroadcast completed: result=0\n"
    tap(phone, "launcher.app.notes", "notes.new", "notes.edit.body")
    assert broadcast(phone, "lost") == said
    run(phone, "ime", "enable", ADB_IME)
    run(phone, "ime", "set", ADB_IME)
    assert broadcast(phone, "kept 你好 😀\n2") == said
    assert phone.page.fields["body"].text == "kept 你好 😀\n2"


def test_broadcast_without_focus_is_lost():
    phone = Phone(0)
    run(phone, "settings", "put", "secure", "default_input_method", ADB_IME)
    tap(phone, "launcher.app.notes", "notes.new")
    broadcast(phone, "lost")
    tap(phone, "notes.edit.title")
    assert phone.page.fields["title"].text == ""


def test_other_broadcasts_of_adbkeyboard():
    phone = Phone(0)
    run(phone, "settings", "put", "secure", "default_input_method", ADB_IME)
    tap(phone, "launcher.app.notes", "notes.new", "notes.edit.title")
    run(phone, "am", "broadcast", "-a", "ADB_INPUT_TEXT", "--es", "msg", "ab c")
    run(phone, "am", "broadcast", "-a", "ADB_INPUT_CHARS", "--eia", "chars", "128568,97,55296")
    run(phone, "am", "broadcast", "-a", "ADB_INPUT_CODE", "--ei", "code", "67")
    assert phone.page.fields["title"].text == "ab c😸"
    run(phone, "am", "broadcast", "-a", "ADB_CLEAR_TEXT")
    assert phone.page.fields["title"].text == ""
    run(phone, "am", "broadcast", "-a", "ADB_EDITOR_CODE", "--ei", "code", "3")
    assert phone.page.focus == "body"


def test_unquoted_text_turns_into_a_package_and_bad_base64_into_nothing():
    phone = Phone(0)
    run(phone, "settings", "put", "secure", "default_input_method", ADB_IME)
    tap(phone, "launcher.app.notes", "notes.new", "notes.edit.title")
    said = text(phone, "am", "broadcast", "-a", "ADB_INPUT_TEXT", "--es", "msg", "Hello", "World")
    assert "flg=0x400000 pkg=World (has extras)" in said
    text(phone, "am", "broadcast", "-a", "ADB_INPUT_B64", "--es", "msg", "***")
    assert phone.page.fields["title"].text == ""


def test_monkey_launches_and_leaves_auto_rotation_on():
    phone = Phone(0)
    result = run(phone, "monkey", "-p", "org.example.notes", "-c", "android.intent.category.LAUNCHER", "1")
    assert result.status == 0 and result.stdout.startswith(b"  bash arg: -p\n  bash arg: org.example.notes\n")
    assert result.stderr.startswith(b"args: [-p, org.example.notes, -c, android.intent.category.LAUNCHER, 1]\n")
    assert result.stdout.endswith(
        b"Events injected: 1\n## Network stats: elapsed time=12ms (0ms mobile, 0ms wifi, 12ms not connected)\n"
    )
    assert screen(phone) == "notes/list"
    assert text(phone, "settings", "get", "system", "accelerometer_rotation") == "1\n"


def test_monkey_for_an_unknown_package_ends_with_252():
    result = run(Phone(0), "monkey", "-p", "no.such", "-c", "android.intent.category.LAUNCHER", "1")
    assert result.status == 252
    assert result.stdout.endswith(b"** No activities found to run, monkey aborted.\n")
