"""`dumpsys`: the lines that tools look for."""

from __future__ import annotations

import re

import pytest
from hands import run, tap, text

from devices.simulated.phone import Phone


def test_wakefulness_and_display_state():
    phone = Phone(0)
    assert "\n  mWakefulness=Awake\n" in text(phone, "dumpsys", "power")
    assert "mHoldingDisplaySuspendBlocker=true" in text(phone, "dumpsys", "power")
    run(phone, "input", "keyevent", "223")
    assert "\n  mWakefulness=Asleep\n" in text(phone, "dumpsys", "-t", "3", "power")
    assert re.search(r"mOverrideDisplayInfo=.*state OFF", text(phone, "dumpsys", "display"))


@pytest.mark.parametrize(("rotation", "size"), [("0", "720 x 1560"), ("1", "1560 x 720"), ("3", "1560 x 720")])
def test_display_line_tells_size_rotation_and_state(rotation, size):
    phone = Phone(0)
    run(phone, "wm", "size", "720x1560")
    run(phone, "settings", "put", "system", "user_rotation", rotation)
    said = text(phone, "dumpsys", "display")
    line = re.search(r'mOverrideDisplayInfo=DisplayInfo\{"Built-in.*', said)[0]
    assert "displayId 0, " in line and f"real {size}, " in line and f"rotation {rotation}, state ON" in line
    assert re.search(
        rf"DisplayViewport\{{.*valid=true, .*displayId=0, uniqueId='local:\d+', .*orientation={rotation}, ", said
    )
    assert f"\n      mRotation={rotation} " in text(phone, "dumpsys", "window", "displays")


def test_keyguard_lines():
    phone = Phone(0)
    run(phone, "locksettings", "set-pin", "1234")
    said = text(phone, "dumpsys", "window", "policy")
    assert re.findall(r"^\s+(showing|occluded|secure|mIsShowing)=(\w+)", said, re.M) == [
        ("showing", "false"), ("occluded", "false"), ("secure", "true"), ("mIsShowing", "false"),
    ]  # fmt: skip
    run(phone, "input", "keyevent", "223", "224")
    said = text(phone, "dumpsys", "window", "policy")
    assert "\n      showing=true\n" in said and "\n        mIsShowing=true\n" in said
    assert "screenState=SCREEN_STATE_ON" in said and "interactiveState=INTERACTIVE_STATE_AWAKE" in said


def test_focus_is_in_displays_alone():
    phone = Phone(0)
    tap(phone, "launcher.app.notes")
    said = text(phone, "dumpsys", "window", "displays")
    assert re.search(r"  Display: mDisplayId=0 ", said)
    focus = re.search(r"  mCurrentFocus=Window\{\w+ u0 (\S+)\}\n", said)[1]
    assert focus == "org.example.notes/org.example.notes.MainActivity"
    assert re.search(r"  mFocusedApp=ActivityRecord\{\w+ u0 org\.example\.notes/\.MainActivity t\d+\}\n", said)
    assert "mCurrentFocus" not in text(phone, "dumpsys", "window", "windows")


def test_focus_of_shade_lock_and_dark_screen():
    phone = Phone(0)
    run(phone, "cmd", "statusbar", "expand-notifications")
    assert " u0 NotificationShade}" in text(phone, "dumpsys", "window", "displays")
    run(phone, "input", "keyevent", "223")
    assert "mCurrentFocus=null" in text(phone, "dumpsys", "window", "displays")
    run(phone, "input", "keyevent", "224")
    assert " u0 NotificationShade}" in text(phone, "dumpsys", "window", "displays")


def test_resumed_activity():
    phone = Phone(0)
    tap(phone, "launcher.app.settings", "settings.row.display")
    said = text(phone, "dumpsys", "activity", "activities")
    record = r"ActivityRecord\{\w+ u0 com\.android\.settings/\.DisplaySettings t\d+\}"
    assert re.search(rf"topResumedActivity={record}\n", said) and re.search(rf"\n  ResumedActivity: {record}\n", said)


def test_keyboard_line():
    phone = Phone(0)
    tap(phone, "launcher.app.notes", "notes.new")
    assert "mShowForced=false mInputShown=false\n" in text(phone, "dumpsys", "input_method")
    tap(phone, "notes.edit.title")
    assert "mShowForced=false mInputShown=true\n" in text(phone, "dumpsys", "input_method")
    run(phone, "input", "keyevent", "4")
    assert "mInputShown=false\n" in text(phone, "dumpsys", "input_method")


def test_battery_can_be_set():
    phone = Phone(0)
    said = text(phone, "dumpsys", "battery")
    assert "\n  level: 83\n" in said and "\n  status: 2\n" in said and "\n  temperature: 314\n" in said
    run(phone, "dumpsys", "battery", "set", "level", "7")
    assert "\n  level: 7\n" in text(phone, "dumpsys", "battery")


def test_input_has_a_viewport_and_no_surface_orientation():
    said = text(Phone(0), "dumpsys", "input")
    assert "SurfaceOrientation" not in said
    assert re.search(r"Viewport INTERNAL: displayId=0, .*orientation=0, logicalFrame=\[0, 0, 1080, 2400\], ", said)


def test_frames_rise_with_every_change_of_the_app():
    phone = Phone(0)

    def frames() -> int:
        return int(
            re.search(r"^Total frames rendered: (\d+)$", text(phone, "dumpsys", "gfxinfo", "org.example.notes"), re.M)[
                1
            ]
        )

    assert "No process found for: org.example.notes" in text(phone, "dumpsys", "gfxinfo", "org.example.notes")
    tap(phone, "launcher.app.notes")
    first = frames()
    assert frames() == first
    run(phone, "input", "swipe", "540", "1500", "540", "1200")
    assert frames() > first


def test_missing_service():
    result = run(Phone(0), "dumpsys", "nope")
    assert (result.stdout, result.stderr) == (b"", b"Can't find service: nope\n")
