"""`settings`, `getprop`, `ime`, `svc`, `cmd`, `df`, `locksettings`."""

from __future__ import annotations

import pytest
from hands import run, screen, text

from devices.simulated.keyboard import ADB_IME, LATIN_IME
from devices.simulated.phone import Phone


def test_get_put_delete_and_list():
    phone = Phone(0)
    assert text(phone, "settings", "get", "global", "no_such_key") == "null\n"
    assert text(phone, "settings", "put", "global", "own", "a b\nc") == ""
    assert text(phone, "settings", "get", "global", "own") == "a b\nc\n"
    assert "own=a b\nc\n" in text(phone, "settings", "list", "global")
    assert text(phone, "settings", "delete", "global", "own") == "Deleted 1 rows\n"
    assert text(phone, "settings", "delete", "global", "own") == "Deleted 0 rows\n"


def test_list_is_sorted():
    lines = text(Phone(0), "settings", "list", "system").splitlines()
    assert lines == sorted(lines) and "user_rotation=0" in lines


def test_bad_namespace_fails():
    result = run(Phone(0), "settings", "get", "elsewhere", "x")
    assert (result.status, result.stdout, result.stderr) == (255, b"", b"Invalid namespace 'elsewhere'\n")


def test_unknown_system_keys_cannot_be_put():
    result = run(Phone(0), "settings", "put", "system", "own", "1")
    assert result.status == 255
    assert b"You cannot keep your settings in the secure settings." in result.stderr


def test_getprop_of_one_of_all_and_of_none():
    phone = Phone(4)
    assert text(phone, "getprop", "ro.build.version.sdk") == "33\n"
    assert text(phone, "getprop", "no.such") == "\n"
    lines = text(phone, "getprop").splitlines()
    assert lines == sorted(lines)
    assert {"[ro.serialno]: [SIM0005]", "[ro.build.version.release]: [13]", "[ro.simulated]: [1]"} <= set(lines)


def test_ime_list_enable_set_and_reset():
    phone = Phone(0)
    assert text(phone, "ime", "list", "-s") == f"{LATIN_IME}\n"
    assert text(phone, "ime", "list", "-a", "-s") == f"{LATIN_IME}\n{ADB_IME}\n"
    refused = run(phone, "ime", "set", ADB_IME)
    assert refused.status == 255
    assert refused.stderr.decode() == f"Unknown input method {ADB_IME} cannot be selected for user #0\n"
    assert text(phone, "ime", "enable", ADB_IME) == f"Input method {ADB_IME}: now enabled for user #0\n"
    assert text(phone, "ime", "enable", ADB_IME) == f"Input method {ADB_IME}: already enabled for user #0\n"
    assert text(phone, "ime", "set", ADB_IME) == f"Input method {ADB_IME} selected for user #0\n"
    assert text(phone, "settings", "get", "secure", "default_input_method") == f"{ADB_IME}\n"
    assert f"  mCurId={ADB_IME} mHaveConnection=true " in text(phone, "dumpsys", "input_method")
    text(phone, "ime", "reset")
    assert text(phone, "settings", "get", "secure", "default_input_method") == f"{LATIN_IME}\n"


def test_ime_disable_of_the_selected_one_falls_back():
    phone = Phone(0)
    text(phone, "ime", "enable", ADB_IME)
    text(phone, "ime", "set", ADB_IME)
    assert text(phone, "ime", "disable", ADB_IME) == f"Input method {ADB_IME}: now disabled for user #0\n"
    assert phone.input_method == LATIN_IME


def test_unknown_ime_is_refused():
    result = run(Phone(0), "ime", "enable", "a/.B")
    assert (result.status, result.stderr) == (255, b"Unknown input method a/.B cannot be enabled for user #0\n")


def test_svc_and_cmd_change_the_same_settings():
    phone = Phone(0)
    text(phone, "svc", "wifi", "enable")
    text(phone, "cmd", "connectivity", "airplane-mode", "enable")
    assert (phone.setting("global", "wifi_on"), phone.setting("global", "airplane_mode_on")) == ("1", "1")
    run(phone, "input", "keyevent", "223")
    text(phone, "svc", "power", "stayon", "true")
    assert (phone.is_awake, phone.setting("global", "stay_on_while_plugged_in")) == (True, "15")


def test_cmd_reaches_services_and_refuses_unknown_ones():
    phone = Phone(0)
    assert text(phone, "cmd", "settings", "get", "system", "user_rotation") == "0\n"
    assert text(phone, "cmd", "window", "size") == "Physical size: 1080x2400\n"
    result = run(phone, "cmd", "nope", "x")
    assert (result.status, result.stderr) == (20, b"cmd: Can't find service: nope\n")


def test_statusbar_expands_and_collapses():
    phone = Phone(0)
    text(phone, "cmd", "statusbar", "expand-notifications")
    assert screen(phone) == "shade"
    text(phone, "cmd", "statusbar", "collapse")
    assert screen(phone) == "launcher/home"


def test_night_mode_is_told_and_set():
    phone = Phone(0)
    assert text(phone, "cmd", "uimode", "night") == "Night mode: no\n"
    assert text(phone, "cmd", "uimode", "night", "yes") == "Night mode: yes\n"
    assert phone.is_dark


def test_df_names_the_data_partition():
    head, line = text(Phone(0), "df", "-k", "/data").splitlines()
    assert head.split()[:4] == ["Filesystem", "1K-blocks", "Used", "Available"] and line.endswith(" /data")


def test_locksettings_need_the_old_pin():
    phone = Phone(0)
    text(phone, "locksettings", "set-pin", "2580")
    assert run(phone, "locksettings", "clear").status == 255
    text(phone, "locksettings", "clear", "--old", "2580")
    text(phone, "locksettings", "set-disabled", "true")
    run(phone, "input", "keyevent", "223", "224")
    assert screen(phone) == "launcher/home"


@pytest.mark.parametrize(
    "command",
    [
        "am",
        "pm",
        "ime",
        "settings",
        "wm",
        "content",
        "svc",
        "cmd",
        "uiautomator",
        "input",
        "dumpsys",
        "locksettings",
        "monkey",
        "setprop",
    ],
)
def test_every_command_answers_without_arguments_and_to_nonsense(command):
    phone = Phone(0)
    for argv in ((), ("\x00", "-x", "😀"), ("--user",)):
        run(phone, command, *argv)
