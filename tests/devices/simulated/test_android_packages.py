"""`pm` and `cmd package`, word for word."""

from __future__ import annotations

import pytest
from hands import run, screen, tap, text

from devices.simulated.phone import Phone

MAIN = ("-a", "android.intent.action.MAIN", "-c", "android.intent.category.LAUNCHER")


def test_resolve_activity_in_brief():
    phone = Phone(0)
    assert text(phone, "cmd", "package", "resolve-activity", "--brief", *MAIN, "org.example.notes") == (
        "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\norg.example.notes/.MainActivity\n"
    )
    assert text(phone, "cmd", "package", "resolve-activity", "--components", *MAIN, "com.android.settings") == (
        "com.android.settings/.Settings\n"
    )


def test_resolve_of_nothing_and_of_many():
    phone = Phone(0)
    assert text(phone, "cmd", "package", "resolve-activity", "--brief", *MAIN, "no.such") == "No activity found\n"
    many = text(phone, "cmd", "package", "resolve-activity", "--brief", *MAIN)
    assert many.endswith("\nandroid/com.android.internal.app.ResolverActivity\n")


def test_query_activities_lists_launchable_apps():
    said = text(Phone(0), "cmd", "package", "query-activities", "--brief", *MAIN)
    assert said.startswith("2 activities found:\n  Activity #0:\n    priority=0 ")
    assert "\n    org.example.notes/.MainActivity\n" in said and "\n    com.android.settings/.Settings\n" in said


def test_list_packages_with_filters():
    phone = Phone(0)
    every = text(phone, "pm", "list", "packages").splitlines()
    assert {"package:com.android.settings", "package:org.example.notes", "package:com.android.launcher3"} <= set(every)
    assert every != sorted(every)
    third = text(phone, "pm", "list", "packages", "-3").splitlines()
    assert sorted(third) == ["package:com.android.adbkeyboard", "package:org.example.notes"]
    assert text(phone, "pm", "list", "packages", "-U", "--show-versioncode", "notes").startswith(
        "package:org.example.notes versionCode:14 uid:"
    )
    path, _, name = text(phone, "pm", "list", "packages", "-f", "notes").strip().rpartition("=")
    assert name == "org.example.notes" and path.startswith("package:/data/app/~~") and path.endswith("/base.apk")


def test_path_of_a_missing_package_is_nothing_with_status_1():
    phone = Phone(0)
    assert text(phone, "pm", "path", "org.example.notes").startswith("package:/data/app/")
    result = run(phone, "pm", "path", "no.such")
    assert (result.status, result.stdout, result.stderr) == (1, b"", b"")


def test_clear_gives_a_fresh_install_and_stops_the_app():
    phone = Phone(0)
    run(phone, "content", "delete", "--uri", "content://org.example.notes/notes")
    run(phone, "pm", "grant", "org.example.notes", "android.permission.CAMERA")
    tap(phone, "launcher.app.notes")
    assert text(phone, "pm", "clear", "org.example.notes") == "Success\n"
    assert screen(phone) == "launcher/home"
    assert len(phone.apps["org.example.notes"].providers["org.example.notes/notes"].rows()) > 40
    assert not phone.apps["org.example.notes"].granted
    failed = run(phone, "pm", "clear", "no.such")
    assert (failed.status, failed.stderr) == (1, b"Failed\n")


def test_grant_is_silent_and_its_errors_are_exceptions():
    phone = Phone(0)
    assert text(phone, "pm", "grant", "org.example.notes", "android.permission.CAMERA") == ""
    for argv, message in (
        (("no.such", "android.permission.CAMERA"), b"java.lang.IllegalArgumentException: Unknown package: no.such"),
        (("org.example.notes", "android.permission.X"), b"has not requested permission android.permission.X"),
    ):
        result = run(phone, "pm", "grant", *argv)
        assert result.status == 255 and message in result.stderr


@pytest.mark.parametrize(("name", "version"), [("org.example.notes", "1.4"), ("com.android.settings", "13")])
def test_dumpsys_package_tells_the_version(name, version):
    assert f"    versionName={version}\n" in text(Phone(0), "dumpsys", "package", name)
