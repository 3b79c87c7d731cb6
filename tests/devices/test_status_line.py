"""The status line of several Android versions and makers; what is missing stays unknown."""

from pathlib import Path

from devices.base import ScreenState, WindowSize
from devices.status import END, parse_status, status_command

INPUTS = Path(__file__).parents[1] / "cases" / "inputs"

ANDROID_13 = f"""  mWakefulness=Awake
    mOverrideDisplayInfo=DisplayInfo{{"Built-in Screen", displayId 0", FLAG_SECURE, real 1080 x 2400, \
largest app 2400 x 2400, smallest app 1080 x 1080, appVsyncOff 2000000, rotation 0, state ON, committedState ON}}
        showing=false
        occluded=false
        secure=true
  Display: mDisplayId=0 (organized)
  mCurrentFocus=Window{{4fa1b2c u0 org.example.notes/org.example.notes.EditActivity}}
  mFocusedApp=ActivityRecord{{83f7d2e u0 org.example.notes/.EditActivity t12}}
mInputShown=true
{END}
"""


def with_lines(*lines: str) -> ScreenState:
    return parse_status("\n".join([*lines, END, ""]))


def test_a_whole_answer_is_read():
    assert parse_status(ANDROID_13) == ScreenState(
        is_awake=True,
        is_locked=False,
        has_secure_lock=True,
        rotation=0,
        size=WindowSize(1080, 2400),
        package="org.example.notes",
        activity="org.example.notes.EditActivity",
        overlay=None,
        has_keyboard=True,
    )


def test_a_cut_answer_is_unknown_as_a_whole():
    assert parse_status(ANDROID_13.replace(END, "")) == ScreenState()


def test_an_empty_answer_says_nothing_and_denies_nothing():
    assert with_lines() == ScreenState()


def test_landscape_swaps_the_size():
    state = with_lines('  mOverrideDisplayInfo=DisplayInfo{"Built-in", real 2400 x 1080, rotation 1, state ON}')
    assert (state.size, state.rotation) == (WindowSize(2400, 1080), 1)


def test_display_0_is_taken_when_several_are_listed():
    state = with_lines(
        '  mOverrideDisplayInfo=DisplayInfo{"Cover", displayId 3, real 500 x 600, rotation 2, state OFF}',
        '  mOverrideDisplayInfo=DisplayInfo{"Main", displayId 0, real 1080 x 2400, rotation 0, state ON}',
        "  Display: mDisplayId=3",
        "  mCurrentFocus=Window{1 u0 com.other/com.other.Main}",
        "  Display: mDisplayId=0",
        "  mCurrentFocus=Window{2 u0 com.mine/com.mine.Main}",
    )
    assert (state.size, state.package) == (WindowSize(1080, 2400), "com.mine")


def test_a_dark_phone_is_not_awake():
    asleep = (INPUTS / "power_asleep.txt").read_text(encoding="utf-8").splitlines()[1]
    assert with_lines(asleep).is_awake is False
    assert with_lines("  mWakefulness=Dreaming").is_awake is False


def test_without_a_wakefulness_line_the_display_tells():
    assert with_lines('mOverrideDisplayInfo=DisplayInfo{"a", real 1 x 2, rotation 0, state OFF}').is_awake is False


def test_an_app_over_the_lock_screen_is_not_locked():
    assert with_lines("   showing=true", "   occluded=true").is_locked is False
    assert with_lines("   showing=true", "   occluded=false").is_locked is True


def test_the_first_keyguard_lines_count():
    assert with_lines("   showing=true", "   showing=false").is_locked is True


def test_makers_without_the_usual_keyguard_lines_are_asked_otherwise():
    assert with_lines("   mIsShowing=true").is_locked is True


def test_a_shade_over_an_app_is_named_and_the_app_kept():
    state = with_lines(
        "  mCurrentFocus=Window{1 u0 NotificationShade}", "  mFocusedApp=ActivityRecord{2 u0 com.mine/.Main t12}"
    )
    assert (state.overlay, state.package, state.activity) == ("NotificationShade", "com.mine", "com.mine.Main")


def test_no_focus_in_a_transition_falls_back_to_the_focused_app():
    state = with_lines(
        "  mCurrentFocus=null",
        "  mFocusedApp=AppWindowToken{1 token=Token{2 ActivityRecord{3 u0 com.mine/.Main t12}}}",
    )
    assert (state.overlay, state.package, state.activity) == (None, "com.mine", "com.mine.Main")


def test_an_exiting_window_keeps_its_name():
    assert with_lines("  mCurrentFocus=Window{1 u0 com.a/com.a.Main EXITING}").activity == "com.a.Main"


def test_names_outside_ascii_and_windows_line_ends_do_no_harm():
    lines = (INPUTS / "adb_output_utf8.bin").read_bytes().decode("utf-8", "replace").splitlines()
    assert with_lines(*lines).package == "com.example.chat"


def test_old_androids_are_asked_for_the_focus_where_they_print_it():
    assert "window windows" in status_command(28)
    assert "window windows" not in status_command(33)


def test_the_command_is_the_same_text_each_time():
    assert status_command(33) == status_command(34)
