"""What a simulated phone shows: pictures follow from state alone."""

from __future__ import annotations

import io

import pytest
from hands import run, screen, strip, tap
from PIL import Image

from devices.simulated import strip as strip_module
from devices.simulated.draw import Captures
from devices.simulated.phone import Phone
from devices.simulated.png import encode_png


def picture(phone: Phone) -> Image.Image:
    png = phone.capture()
    assert png is not None
    return Image.open(io.BytesIO(png)).convert("RGB")


def test_same_seed_and_same_actions_give_the_same_bytes():
    first, second = Phone(0, seed=3), Phone(1, seed=3)
    for phone in (first, second):
        tap(phone, "launcher.app.notes", "notes.new", "notes.edit.title")
        run(phone, "input", "text", "Milk%srun")
    assert first.capture() == second.capture()


def test_other_seeds_show_other_notes():
    first, second = Phone(0, seed=1), Phone(0, seed=2)
    for phone in (first, second):
        tap(phone, "launcher.app.notes")
    assert first.capture() != second.capture()


def test_a_screen_seen_before_is_not_drawn_again():
    phone = Phone(0)
    before = phone.capture()
    tap(phone, "launcher.app.settings", "nav.home")
    assert phone.capture() is before


def test_pictures_are_rgb_pngs_of_the_logical_size():
    phone = Phone(0)
    image = Image.open(io.BytesIO(phone.capture() or b""))
    assert (image.format, image.mode, image.size) == ("PNG", "RGB", (1080, 2400))


def test_everything_typed_can_be_seen():
    phone = Phone(0)
    tap(phone, "launcher.app.notes", "notes.new", "notes.edit.title")
    seen = set()
    for letter in "abc":
        run(phone, "input", "text", letter)
        seen.add(phone.capture())
    assert len(seen) == 3


def test_screen_off_is_black_and_takes_no_taps():
    phone = Phone(0)
    run(phone, "input", "keyevent", "223")
    run(phone, "input", "tap", "140", "240")
    assert picture(phone).getcolors() == [(1080 * 2400, (0, 0, 0))]
    run(phone, "input", "keyevent", "224", "82")
    assert screen(phone) == "launcher/home"


def test_without_strip_nothing_can_be_read_and_the_rest_is_the_same():
    plain, marked = Phone(0, strip=False), Phone(0)
    assert strip_module.read_strip(plain.capture() or b"") is None
    below = (0, 60, 1080, 2400)
    assert picture(plain).crop(below).tobytes() == picture(marked).crop(below).tobytes()


@pytest.mark.parametrize(
    ("rotation", "size"), [("0", (1080, 2400)), ("1", (2400, 1080)), ("2", (1080, 2400)), ("3", (2400, 1080))]
)
def test_rotation_turns_picture_layout_and_touch(rotation, size):
    phone = Phone(0)
    run(phone, "settings", "put", "system", "user_rotation", rotation)
    assert picture(phone).size == size
    tap(phone, "launcher.app.settings")
    assert screen(phone) == "settings/home"
    row = phone.view().find("settings.row.network")
    assert row is not None and row.bounds.width == size[0]


def test_auto_rotation_overrules_the_chosen_rotation():
    phone = Phone(0)
    run(phone, "settings", "put", "system", "user_rotation", "1")
    run(phone, "settings", "put", "system", "accelerometer_rotation", "1")
    assert picture(phone).size == (1080, 2400)


@pytest.mark.parametrize("argv", [("size", "720x1560"), ("size", "200x200"), ("density", "1000"), ("density", "72")])
def test_every_screen_can_be_drawn_at_odd_sizes(argv):
    phone = Phone(0)
    run(phone, "wm", *argv)
    for activity in ("com.android.settings/.DisplaySettings", "org.example.notes/.SearchActivity"):
        run(phone, "am", "start", "-n", activity)
        assert picture(phone).size == tuple(phone.natural_size_px)
    run(phone, "input", "keyevent", "KEYCODE_APP_SWITCH")
    assert picture(phone)


def test_strip_names_screen_scroll_focus_keyboard_and_dialog():
    phone = Phone(0)
    tap(phone, "launcher.app.settings")
    run(phone, "input", "swipe", "540", "1500", "540", "1100")
    assert (strip(phone).screen, strip(phone).scroll, strip(phone).flags) == ("settings/home", 400, ())
    tap(phone, "settings.row.display", "settings.display.timeout")
    assert strip(phone).flags == ("d=timeout",)
    run(phone, "am", "start", "-n", "org.example.notes/.SearchActivity")
    assert strip(phone).flags == ("k", "f=search")


def test_strip_holds_what_can_be_touched_and_nothing_under_keyboard_or_dialog():
    phone = Phone(0)
    tap(phone, "launcher.app.notes")
    assert strip(phone).find("notes.new") and strip(phone).find("nav.back")
    run(phone, "am", "start", "-n", "org.example.notes/.SearchActivity")
    run(phone, "input", "text", "trip")
    below = [e for e in strip(phone).elements if 1000 * phone.metrics.keyboard_top / 2400 < e.y < 940]
    assert not below and strip(phone).find("notes.row.trip-1")


def test_strip_has_room_for_every_screen():
    phone = Phone(0)
    for argv in (("settings", ".Settings"), ("settings", ".DisplaySettings")):
        run(phone, "am", "start", "-n", f"com.android.{argv[0]}/{argv[1]}")
        shown = [e for e in phone.view().touchable() if e.is_actionable]
        assert len(shown) <= 22


class Clock:
    """A clock that stands still until it is moved."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_animated_screens_differ_from_capture_to_capture_until_they_rest():
    clock = Clock()
    phone = Phone(0, animation_s=0.5, clock=clock)
    tap(phone, "launcher.app.settings")
    moving = []
    for _ in range(6):
        clock.now_s += 0.05
        moving.append(phone.capture())
    assert len(set(moving)) == 6 and "m" in strip(phone).flags
    clock.now_s += 0.5
    assert phone.capture() == phone.capture() and "m" not in strip(phone).flags


def test_frames_rise_while_a_screen_moves_and_stand_at_rest():
    clock = Clock()
    phone = Phone(0, animation_s=0.5, clock=clock)
    tap(phone, "launcher.app.settings")
    app = phone.apps["com.android.settings"]
    start = phone.frames(app)
    clock.now_s += 0.25
    assert phone.frames(app) == start + 15
    clock.now_s += 5
    end = phone.frames(app)
    clock.now_s += 5
    assert end == phone.frames(app) == start + 30


def test_animation_scale_of_zero_stops_animations():
    phone = Phone(0, animation_s=5)
    run(phone, "settings", "put", "global", "transition_animation_scale", "0")
    tap(phone, "launcher.app.settings")
    assert phone.capture() == phone.capture()


@pytest.mark.parametrize("scale", ["nan", "inf", "-1", "", "x", "1e99"])
def test_nonsense_as_animation_scale_breaks_nothing(scale):
    phone = Phone(0, animation_s=0.01)
    run(phone, "settings", "put", "global", "transition_animation_scale", scale)
    tap(phone, "launcher.app.settings")
    assert phone.capture() and phone.rest_s < 1 and phone.frames(phone.apps["com.android.settings"])


def test_secure_screen_is_refused_but_has_a_ui_tree():
    phone = Phone(0)
    tap(phone, "launcher.app.settings")
    run(phone, "am", "start", "-a", "android.settings.SECURITY_SETTINGS")
    tap(phone, "settings.security.pin")
    result = run(phone, "screencap", "-p")
    assert (result.status, result.stdout) == (1, b"")
    run(phone, "uiautomator", "dump")
    assert b"Choose a PIN" in phone.files.read("/sdcard/window_dump.xml")


def test_cache_of_captures_keeps_to_its_bytes():
    captures, phone = Captures(max_bytes=400_000), Phone(0)
    scenes = []
    for activity in (".Settings", ".DisplaySettings", ".SoundSettings", ".AboutPhone", ".NetworkSettings"):
        run(phone, "am", "start", "-n", f"com.android.settings/{activity}")
        scenes.append(phone.view().scene)
    for scene in scenes:
        assert scene is not None
        captures.png(scene)
    assert 0 < captures.size_bytes <= 400_000


def test_png_written_in_bands_decodes_to_the_same_pixels():
    image = Image.effect_noise((333, 457), 80).convert("RGB")
    for _ in range(2):
        decoded = Image.open(io.BytesIO(encode_png(image)))
        assert decoded.tobytes() == image.tobytes()
