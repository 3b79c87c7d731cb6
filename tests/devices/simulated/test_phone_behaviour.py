"""How a simulated phone behaves: back stack, keyboard, lock, gestures, reset."""

from __future__ import annotations

import pytest
from hands import hold, run, screen, strip, tap

from devices.simulated import touch
from devices.simulated.keyboard import keys
from devices.simulated.phone import BOOT_ID_FILE, Phone


def press(phone: Phone, *codes: str) -> None:
    run(phone, "input", "keyevent", *codes)


def swipe(phone: Phone, *numbers: int) -> None:
    run(phone, "input", "swipe", *map(str, numbers))


def test_back_closes_dialog_then_keyboard_then_page_then_app():
    phone = Phone(0)
    tap(phone, "launcher.app.notes", "notes.row.trip-1", "notes.view.menu")
    press(phone, "BACK")
    assert (screen(phone), strip(phone).flags) == ("notes/view", ())
    tap(phone, "notes.view.edit", "notes.edit.body")
    press(phone, "4")
    assert (screen(phone), strip(phone).flags) == ("notes/edit", ("f=body",))
    press(phone, "4", "4")
    assert screen(phone) == "notes/list"
    press(phone, "4", "4", "4")
    assert screen(phone) == "launcher/home"


def test_home_keeps_an_app_as_it_was_and_recents_brings_it_back():
    phone = Phone(0)
    tap(phone, "launcher.app.notes", "notes.row.trip-1")
    press(phone, "HOME")
    tap(phone, "launcher.app.settings", "settings.row.display")
    press(phone, "KEYCODE_APP_SWITCH")
    assert screen(phone) == "launcher/recents"
    tap(phone, "recents.card.notes")
    assert screen(phone) == "notes/view"
    tap(phone, "nav.recents", "recents.clear", "launcher.app.notes")
    assert screen(phone) == "notes/list"


def test_swipe_scrolls_by_the_way_of_the_finger_and_stops_at_the_ends():
    phone = Phone(0)
    tap(phone, "launcher.app.settings")
    swipe(phone, 540, 1500, 540, 1000)
    assert strip(phone).scroll == 500
    swipe(phone, 540, 1000, 540, 1120)
    assert strip(phone).scroll == 380
    swipe(phone, 540, 400, 540, 2200)
    assert strip(phone).scroll == 0
    for _ in range(6):
        swipe(phone, 540, 2000, 540, 500)
    assert strip(phone).find("settings.row.about")


def test_a_finger_that_stays_is_a_tap_or_a_long_press():
    phone = Phone(0)
    tap(phone, "launcher.app.notes")
    hold(phone, "notes.row.trip-1")
    assert strip(phone).flags == ("d=note",)
    press(phone, "BACK")
    x, y = touch.bounds_of(phone, "notes.row.trip-1").middle
    swipe(phone, x, y, x + 3, y, 100)
    assert screen(phone) == "notes/view"


def test_two_quick_taps_are_a_double_tap():
    now_s = [0.0]
    phone = Phone(0, clock=lambda: now_s[0])
    tap(phone, "launcher.app.notes", "notes.row.trip-1")
    body = touch.bounds_of(phone, "notes.view.body").middle
    touch.tap(phone, *body)
    now_s[0] = 1.0
    touch.tap(phone, *body)
    assert screen(phone) == "notes/view"
    now_s[0] = 1.1
    touch.tap(phone, *body)
    assert screen(phone) == "notes/edit"


def test_dragging_an_icon_swaps_it_with_the_one_it_is_dropped_on():
    phone = Phone(0)
    notes, clock = (touch.bounds_of(phone, f"launcher.app.{name}") for name in ("notes", "clock"))
    points = [str(n) for n in (*notes.middle, *clock.middle)]
    run(phone, "input", "draganddrop", *points, "300")
    assert touch.bounds_of(phone, "launcher.app.notes") == notes
    run(phone, "input", "draganddrop", *points, "1500")
    assert touch.bounds_of(phone, "launcher.app.notes") == clock


def test_keyboard_keys_type_shift_and_change_the_page():
    phone = Phone(0)
    tap(phone, "launcher.app.notes", "notes.new", "notes.edit.title")
    for name in ("h", "shift", "I", "space", "page", "4", "page", "delete", "delete", "x"):
        key = next(k for k in keys(phone.keyboard, phone.metrics) if k.name == name)
        run(phone, "input", "tap", *map(str, key.bounds.middle))
    assert phone.page.fields["title"].text == "hIx"


def test_text_without_a_focused_field_is_lost():
    phone = Phone(0)
    tap(phone, "launcher.app.notes", "notes.new")
    assert "k" not in strip(phone).flags
    run(phone, "input", "text", "lost")
    tap(phone, "notes.edit.title")
    run(phone, "input", "text", "kept")
    assert phone.page.fields["title"].text == "kept"


def test_keys_edit_the_focused_field():
    phone = Phone(0)
    tap(phone, "launcher.app.notes", "notes.new", "notes.edit.body")
    run(phone, "input", "text", "abc")
    press(phone, "122", "FORWARD_DEL", "MOVE_END", "67", "ENTER", "30", "SPACE", "9")
    assert phone.page.fields["body"].text == "b\nb 2"
    run(phone, "input", "keycombination", "113", "29")
    press(phone, "COPY", "DEL", "PASTE", "PASTE")
    assert phone.page.fields["body"].text == "b\nb 2b\nb 2"


def test_tab_goes_to_the_next_field_and_escape_hides_the_keyboard():
    phone = Phone(0)
    tap(phone, "launcher.app.notes", "notes.new", "notes.edit.title")
    press(phone, "TAB")
    assert strip(phone).flags == ("k", "f=body")
    press(phone, "111")
    assert strip(phone).flags == ("f=body",)


def test_a_toast_stays_until_the_next_input():
    phone = Phone(0)
    tap(phone, "launcher.app.camera")
    with_toast = phone.capture()
    assert phone.capture() == with_toast
    press(phone, "0")
    assert phone.capture() != with_toast


@pytest.mark.parametrize(
    "unlock", [("wm", "dismiss-keyguard"), ("input", "keyevent", "82"), ("input", "swipe", "540", "2000", "540", "600")]
)
def test_swipe_lock_shows_after_sleep_and_is_dismissed(unlock):
    phone = Phone(0)
    tap(phone, "launcher.app.settings")
    press(phone, "POWER", "WAKEUP")
    assert screen(phone) == "lock/swipe"
    press(phone, "HOME", "BACK")
    assert screen(phone) == "lock/swipe"
    run(phone, *unlock)
    assert screen(phone) == "settings/home"


def test_pin_lock_opens_with_its_pin_alone():
    phone = Phone(0)
    run(phone, "locksettings", "set-pin", "2580")
    press(phone, "SLEEP", "POWER")
    run(phone, "wm", "dismiss-keyguard")
    assert screen(phone) == "lock/pin"
    tap(phone, "pin.2", "pin.5", "pin.ok")
    assert screen(phone) == "lock/pin"
    tap(phone, "pin.2", "pin.5", "pin.8", "pin.1", "pin.del", "pin.0", "pin.ok")
    assert screen(phone) == "launcher/home"


def test_pin_can_be_typed():
    phone = Phone(0)
    run(phone, "locksettings", "set-pin", "2580")
    press(phone, "SLEEP", "WAKEUP", "82")
    run(phone, "input", "text", "2580")
    press(phone, "66")
    assert screen(phone) == "launcher/home"


def test_shade_comes_down_from_the_top_and_goes_with_back():
    phone = Phone(0)
    swipe(phone, 540, 5, 540, 900)
    assert screen(phone) == "shade"
    press(phone, "BACK")
    assert screen(phone) == "launcher/home"


def test_reset_restores_everything():
    phone = Phone(0, seed=7)
    before = phone.capture()
    settings, notes = phone.settings, phone.apps["org.example.notes"].providers["org.example.notes/notes"].rows()
    tap(phone, "launcher.app.notes", "notes.new")
    run(phone, "settings", "put", "system", "user_rotation", "1")
    run(phone, "settings", "put", "global", "own_key", "1")
    run(phone, "ime", "enable", "com.android.adbkeyboard/.AdbIME")
    run(phone, "content", "delete", "--uri", "content://org.example.notes/notes")
    run(phone, "locksettings", "set-pin", "2580")
    run(phone, "wm", "size", "720x1560")
    run(phone, "screencap", "-p", "/sdcard/x.png")
    run(phone, "input", "keyevent", "26")
    phone.reset()
    assert phone.capture() == before
    assert phone.settings == Phone(0).settings and phone.settings is not settings
    assert phone.apps["org.example.notes"].providers["org.example.notes/notes"].rows() == notes
    assert not phone.files.exists("/sdcard/x.png")


def test_reset_to_a_seed_is_a_new_phone_of_that_seed():
    phone = Phone(0, seed=1)
    phone.reset(2)
    other = Phone(0, seed=2)
    for one in (phone, other):
        tap(one, "launcher.app.notes")
    assert phone.capture() == other.capture()


def test_reboot_changes_the_boot_id_and_keeps_data():
    phone = Phone(0)
    run(phone, "settings", "put", "global", "device_name", "Mine")
    tap(phone, "launcher.app.notes")
    old = phone.files.read(BOOT_ID_FILE)
    phone.reboot()
    assert phone.files.read(BOOT_ID_FILE) == f"{phone.boot_id}\n".encode() != old
    assert phone.setting("global", "device_name") == "Mine"
    assert screen(phone) == "lock/swipe"
    run(phone, "wm", "dismiss-keyguard")
    assert screen(phone) == "launcher/home"


def test_phones_have_serials_of_their_own():
    assert [Phone(i).hardware_serial for i in (0, 1, 63)] == ["SIM0001", "SIM0002", "SIM0064"]
    assert Phone(1).props["ro.serialno"] == "SIM0002"
