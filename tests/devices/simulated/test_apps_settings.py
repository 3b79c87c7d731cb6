"""The Settings app, driven by taps; its values are the settings tables."""

from __future__ import annotations

import pytest
from hands import run, screen, scroll_to, strip, tap, text

from devices.simulated.phone import Phone


@pytest.fixture
def phone() -> Phone:
    phone = Phone(0)
    tap(phone, "launcher.app.settings")
    return phone


def test_wifi_and_aeroplane_switches_write_the_settings(phone):
    tap(phone, "settings.row.network", "settings.network.wifi", "settings.network.airplane")
    assert text(phone, "settings", "get", "global", "wifi_on") == "1\n"
    assert text(phone, "settings", "get", "global", "airplane_mode_on") == "1\n"
    tap(phone, "settings.network.wifi")
    assert text(phone, "settings", "get", "global", "wifi_on") == "0\n"


def test_a_setting_put_over_adb_shows_on_the_page(phone):
    tap(phone, "settings.row.network")
    before = phone.capture()
    run(phone, "settings", "put", "global", "wifi_on", "1")
    assert phone.capture() != before
    tap(phone, "settings.network.wifi")
    assert text(phone, "settings", "get", "global", "wifi_on") == "0\n"


def test_screen_timeout_is_chosen_in_a_dialog(phone):
    tap(phone, "settings.row.display", "settings.display.timeout")
    assert strip(phone).flags == ("d=timeout",)
    tap(phone, "dialog.cancel")
    assert text(phone, "settings", "get", "system", "screen_off_timeout") == "60000\n"
    tap(phone, "settings.display.timeout", "dialog.option.300000")
    assert text(phone, "settings", "get", "system", "screen_off_timeout") == "300000\n"
    assert strip(phone).flags == ()


def test_a_tap_beside_the_dialog_closes_it(phone):
    tap(phone, "settings.row.display", "settings.display.timeout")
    run(phone, "input", "tap", "20", "300")
    assert strip(phone).flags == ()


def test_dark_theme_brightness_and_rotation_on_the_display_page(phone):
    tap(phone, "settings.row.display", "settings.display.dark")
    assert text(phone, "cmd", "uimode", "night") == "Night mode: yes\n"
    tap(phone, "settings.display.brightness", "settings.display.rotate")
    assert text(phone, "settings", "get", "system", "screen_brightness") == "128\n"
    assert text(phone, "settings", "get", "system", "accelerometer_rotation") == "1\n"


def test_about_phone_is_at_the_bottom_and_holds_the_android_version(phone):
    assert strip(phone).find("settings.row.about") is None
    scroll_to(phone, "settings.row.about")
    tap(phone, "settings.row.about")
    run(phone, "uiautomator", "dump")
    assert b'text="Android version"' in phone.files.read("/sdcard/window_dump.xml")
    assert b'text="13"' in phone.files.read("/sdcard/window_dump.xml")


def test_device_name_is_edited_and_saved(phone):
    scroll_to(phone, "settings.row.about")
    tap(phone, "settings.row.about", "settings.about.name", "settings.name.field")
    run(phone, "input", "keycombination", "113", "29")
    run(phone, "input", "text", "Rack%sone")
    tap(phone, "settings.name.save")
    assert (screen(phone), phone.toast_text) == ("settings/about", "Device name saved")
    assert text(phone, "settings", "get", "global", "device_name") == "Rack one\n"


def test_a_pin_of_four_digits_makes_a_pin_lock(phone):
    run(phone, "am", "start", "-a", "android.settings.SECURITY_SETTINGS")
    tap(phone, "settings.security.pin", "settings.pin.field")
    run(phone, "input", "text", "12")
    run(phone, "input", "keyevent", "ESCAPE")
    tap(phone, "settings.pin.save")
    assert not phone.lock.pin
    tap(phone, "settings.pin.field")
    run(phone, "input", "text", "34")
    tap(phone, "settings.pin.save")
    assert (phone.lock.pin, screen(phone)) == ("1234", "settings/security")


def test_the_list_is_long_and_every_row_opens_a_page(phone):
    from devices.simulated.apps.settings import _ROWS

    assert len(_ROWS) >= 25
    for slug, *_ in _ROWS:
        scroll_to(phone, f"settings.row.{slug}")
        tap(phone, f"settings.row.{slug}")
        assert screen(phone) == f"settings/{slug}"
        tap(phone, "bar.back")


@pytest.mark.parametrize("value", ["", "many", "9" * 5000, "-5", "٣", "null"])
def test_nonsense_in_a_setting_does_not_break_its_page(phone, value):
    for key in ("screen_brightness", "screen_off_timeout", "user_rotation", "volume_music"):
        run(phone, "settings", "put", "system", key, value)
    run(phone, "settings", "put", "global", "device_name", value)
    tap(phone, "settings.row.display")
    assert phone.capture()
