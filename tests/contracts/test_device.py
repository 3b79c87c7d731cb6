"""What every implementation of the Device protocol does, on a phone whose apps are the simulated ones.

An implementation is added by one entry of IMPLEMENTATIONS: a function that opens a device on a fresh phone.
"""

import io
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from devices.adb import AdbDevice
from devices.adb_server import wait_for_state
from devices.base import KEYS, Device, UiNode, WindowSize
from devices.errors import ActionFailed, DeviceError, UnknownApp
from devices.simulated.fleet import start_fleet_process

NOTES = "org.example.notes"
NOTES_URI = "content://org.example.notes/notes"
COLUMNS = ["_id", "title", "colour", "pinned", "body"]

IMPLEMENTATIONS = {
    "adb": lambda rack, state_dir: AdbDevice(rack.serials[0], server_port=rack.adb_server_port, state_dir=state_dir)
}


@pytest.fixture(scope="module")
def rack(adb_server):
    """One simulated phone for all tests here; each begins with a reset."""
    with start_fleet_process(1, adb_server_port=adb_server.port) as started:
        wait_for_state(adb_server.port, started.serials[0], "device")
        yield started


@pytest.fixture(params=sorted(IMPLEMENTATIONS))
def device(request, rack, tmp_path):
    opened = IMPLEMENTATIONS[request.param](rack, tmp_path)
    opened.open()
    opened.reset_state()
    yield opened
    opened.close()


def node(device: Device, **wanted: str) -> UiNode:
    """The node with these attributes on the screen now."""
    tree = device.ui_tree()
    assert tree is not None
    for found in tree.walk():
        if all(getattr(found, name) == value for name, value in wanted.items()):
            return found
    shown = [(found.text, found.resource_id, found.content_desc) for found in tree.walk()]
    raise AssertionError(f"nothing with {wanted} among {shown}")


def middle(found: UiNode) -> tuple[int, int]:
    left, top, right, bottom = found.bounds_px
    return (left + right) // 2, (top + bottom) // 2


def fields(device: Device) -> list[UiNode]:
    tree = device.ui_tree()
    assert tree is not None
    return [found for found in tree.walk() if found.class_name.endswith("EditText")]


def open_editor(device: Device) -> None:
    device.launch_app("Notes")
    device.tap(*middle(node(device, content_desc="New note")))
    assert device.state().activity == f"{NOTES}.EditActivity"


def save_note(device: Device) -> None:
    save = next(found for found in device.ui_tree().walk() if "Save" in (found.text, found.content_desc))
    device.tap(*middle(save))


def newest_note(device: Device) -> dict[str, str | None]:
    rows = device.content_query(NOTES_URI, COLUMNS)
    return max(rows, key=lambda row: int(row["_id"] or 0))


def test_it_is_a_device(device):
    assert isinstance(device, Device)


def test_it_says_who_it_is(device):
    info = device.info()
    assert info.hardware_serial.startswith("SIM") and info.serial == device.serial
    assert (info.sdk, info.android_version, info.is_simulated) == (33, "13", True)
    assert (info.size, info.density) == (WindowSize(1080, 2400), 440)
    assert len(info.boot_id) == 36


def test_a_well_phone_passes_every_probe(device):
    health = device.health()
    assert (health.fit, health.failed, health.message) == (True, (), "")


def test_a_look_holds_a_whole_picture_and_the_state_of_the_same_moment(device):
    device.launch_app("Notes")
    look = device.look()
    with Image.open(io.BytesIO(look.screenshot.png)) as image:
        image.load()
        assert image.size == (1080, 2400) == (look.screenshot.width_px, look.screenshot.height_px)
    assert look.state.size == WindowSize(1080, 2400)
    assert (look.state.is_awake, look.state.rotation) == (True, 0)
    assert look.state.is_locked is not True
    assert (look.state.package, look.state.activity) == (NOTES, f"{NOTES}.MainActivity")
    assert device.state().has_keyboard is False


def test_a_screen_at_rest_gives_the_same_bytes_twice(device):
    assert device.screenshot().png == device.screenshot().png == device.look().screenshot.png


def test_a_tap_opens_what_it_hits(device):
    device.launch_app("Notes")
    done = device.tap(*middle(node(device, content_desc="Search")))
    assert device.state().activity == f"{NOTES}.SearchActivity"
    assert len(done.commands) == 1 and done.commands[0].startswith("input tap ")


def test_a_focused_field_shows_the_keyboard(device):
    open_editor(device)
    device.tap(*middle(fields(device)[0]))
    assert device.state().has_keyboard is True
    device.press_key("BACK")
    assert device.state().has_keyboard is False


def test_a_long_press_opens_the_menu(device):
    device.launch_app("Notes")
    device.long_press(*middle(node(device, text="Old draft")))
    assert node(device, text="Delete")


def test_a_double_tap_is_more_than_two_slow_taps(device):
    device.launch_app("Notes")
    device.tap(*middle(node(device, text="Tea recipe")))
    body = middle(next(found for found in device.ui_tree().walk() if found.text.startswith("Boil")))
    device.tap(*body)
    time.sleep(0.4)
    device.tap(*body)
    assert device.state().activity == f"{NOTES}.NoteActivity"
    time.sleep(0.4)
    device.double_tap(*body)
    assert device.state().activity == f"{NOTES}.EditActivity"


def test_a_swipe_scrolls_the_list(device):
    device.launch_app("Notes")
    before = device.screenshot().png
    device.swipe(540, 1800, 540, 600)
    assert device.screenshot().png != before


def test_every_key_name_is_accepted_and_others_are_refused_with_the_known_ones(device):
    for key in KEYS:
        device.press_key(key)
    with pytest.raises(ActionFailed, match="BACK"):
        device.press_key("EJECT")


def test_home_leads_to_the_launcher(device):
    device.launch_app("Notes")
    device.press_key("HOME")
    assert device.state().package == "com.android.launcher3"


@pytest.mark.parametrize("name", ["Settings", "设置", "com.android.settings"])
def test_an_app_is_launched_by_any_of_its_names(device, name):
    device.launch_app(name)
    assert device.state().package == "com.android.settings"


def test_an_unknown_app_is_an_action_error_with_near_names(device):
    with pytest.raises(UnknownApp) as caught:
        device.launch_app("Setings")
    assert any("com.android.settings" in name for name in caught.value.near)
    assert device.state().package == "com.android.launcher3"


def test_a_stopped_app_leaves_the_screen(device):
    device.launch_app("Notes")
    device.stop_app("Notes")
    assert device.state().package != NOTES


def test_clearing_an_app_brings_its_first_data_back(device):
    device.content_delete(NOTES_URI)
    device.clear_app(NOTES)
    assert len(device.content_query(NOTES_URI, ["_id"])) > 40


def test_settings_are_written_and_read_exactly(device):
    value = 'It\'s $(reboot) `id`; 你好 🎉 "x" \\ %s'
    device.settings_put("global", "device_name", value)
    assert device.settings_get("global", "device_name") == value
    assert device.settings_get("global", "no_such_key") is None


def test_rows_are_inserted_read_and_deleted_exactly(device):
    hostile = {
        "title": "a, body=b; $(reboot)",
        "body": "line\nRow: 7 _id=9, title='x'\n\"q\" 你好 🎉",
        "colour": "green",
    }
    device.content_insert(NOTES_URI, {**hostile, "pinned": 1})
    row = newest_note(device)
    assert {name: row[name] for name in hostile} == hostile and row["pinned"] == "1"
    device.content_delete(NOTES_URI, f"_id={row['_id']}")
    assert row["_id"] not in [other["_id"] for other in device.content_query(NOTES_URI, ["_id"])]


def test_a_condition_is_one_argument(device):
    rows = device.content_query(NOTES_URI, ["title", "body"], "title='Tea recipe'")
    assert [row["title"] for row in rows] == ["Tea recipe"]
    assert rows[0]["body"].splitlines()[0] == "Boil fresh water."


def test_a_provider_that_refuses_is_an_action_error(device):
    with pytest.raises(ActionFailed):
        device.content_query("content://org.example.nobody/x", ["_id"])
    with pytest.raises(ActionFailed):
        device.content_query(NOTES_URI, ["_id; DROP TABLE"])


def test_frames_rise_when_the_screen_changes(device):
    device.launch_app("Notes")
    before = device.frames_rendered(NOTES)
    device.swipe(540, 1800, 540, 600)
    assert before is not None and device.frames_rendered(NOTES) > before
    assert device.frames_rendered("com.example.absent") is None


def test_a_sleeping_phone_is_woken_and_an_awake_one_left_alone(device):
    device.press_key("SLEEP")
    assert device.state().is_awake is False
    device.wake()
    state = device.state()
    assert (state.is_awake, state.is_locked) == (True, False)
    assert device.wake().commands == ()


@pytest.mark.parametrize("rotation", [0, 1, 2, 3])
def test_every_rotation_is_reported_and_taps_hit_in_it(device, rotation):
    device.settings_put("system", "accelerometer_rotation", "0")
    device.settings_put("system", "user_rotation", str(rotation))
    device.launch_app("Notes")
    look = device.look()
    size = (2400, 1080) if rotation % 2 else (1080, 2400)
    assert look.state.rotation == rotation
    assert (look.screenshot.width_px, look.screenshot.height_px) == size
    assert look.state.size == WindowSize(*size)
    device.tap(*middle(node(device, content_desc="Search")))
    assert device.state().activity == f"{NOTES}.SearchActivity"


def test_typed_text_lands_in_the_focused_field(device):
    open_editor(device)
    title, body = fields(device)
    device.tap(*middle(title))
    device.type_text("Shopping, again")
    device.tap(*middle(body))
    device.type_text("2 × crème\n🎉 你好 $(reboot) 100%sure")
    save_note(device)
    note = newest_note(device)
    assert (note["title"], note["body"]) == ("Shopping, again", "2 × crème\n🎉 你好 $(reboot) 100%sure")


def test_the_users_keyboard_is_back_after_close(device):
    before = device.settings_get("secure", "default_input_method")
    open_editor(device)
    device.tap(*middle(fields(device)[0]))
    device.type_text("你好")
    device.close()
    device.open()
    assert device.settings_get("secure", "default_input_method") == before


def test_a_keyboard_left_by_a_crash_is_restored_by_the_next_open(device, request, rack, tmp_path):
    before = device.settings_get("secure", "default_input_method")
    open_editor(device)
    device.tap(*middle(fields(device)[0]))
    device.type_text("你好")
    assert device.settings_get("secure", "default_input_method") != before
    after_the_crash = IMPLEMENTATIONS[request.node.callspec.params["device"]](rack, tmp_path)
    after_the_crash.open()
    assert after_the_crash.settings_get("secure", "default_input_method") == before


def test_reset_brings_everything_back(device):
    device.settings_put("global", "wifi_on", "1")
    device.content_delete(NOTES_URI)
    device.reset_state()
    assert device.settings_get("global", "wifi_on") == "0"
    assert len(device.content_query(NOTES_URI, ["_id"])) > 40


def test_what_does_not_exist_on_the_phone_is_a_device_error_and_nothing_else(device):
    with pytest.raises(DeviceError):
        device.clear_app("com.example.absent; reboot")
    with pytest.raises(DeviceError):
        device.stop_app("")
    with pytest.raises(DeviceError):
        device.settings_put("global", "device_name", "nul\0character")
    assert device.frames_rendered("$(reboot)") is None
    assert device.health().fit


UNICODE = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=40)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=UNICODE)
def test_any_unicode_is_typed_into_a_field_unchanged(device, text):
    if device.state().activity != f"{NOTES}.EditActivity":
        open_editor(device)
        device.tap(*middle(fields(device)[0]))
    shown = fields(device)[0].text
    device.type_text(text)
    assert fields(device)[0].text == ("" if shown == "Title" else shown) + text
