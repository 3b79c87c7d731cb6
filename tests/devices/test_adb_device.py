"""AdbDevice through the real adb server, on simulated phones that misbehave on purpose."""

import base64
import socket
import threading

import pytest
from fake_wire import wait_until

from devices.adb import AdbDevice, Timeouts
from devices.adb_link import ServerLink, adb_client
from devices.adb_server import AdbServer, wait_for_state
from devices.errors import (
    ActionFailed,
    AdbServerError,
    DeviceNeedsHuman,
    DeviceTimeout,
    DeviceUnavailable,
    ScreenshotError,
)
from devices.fleet import connect_all, discover, select
from devices.simulated.fleet import start_fleet_process
from devices.tracker import Tracker

NOTES = "org.example.notes"
NOTES_URI = f"content://{NOTES}/notes"


@pytest.fixture(scope="module")
def rack(adb_server, tmp_path_factory):
    """Two phones for all tests here, whose faults end with each test."""
    with start_fleet_process(2, adb_server_port=adb_server.port, log_dir=tmp_path_factory.mktemp("logs")) as started:
        yield started


@pytest.fixture
def fleet(rack):
    rack.command({"cmd": "restore", "phone": "all"})
    rack.command({"cmd": "reset", "phone": "all"})
    connect_all(rack.adb_server_port, rack.serials)
    for serial in rack.serials:
        wait_for_state(rack.adb_server_port, serial, "device")
    return rack


@pytest.fixture
def device(fleet, tmp_path):
    opened = AdbDevice(
        fleet.serials[0],
        server_port=fleet.adb_server_port,
        state_dir=tmp_path / "state of it's phones",
        timeouts=Timeouts(command_s=3, screenshot_s=6, unlock_s=0.5),
    )
    opened.open()
    yield opened
    fleet.command({"cmd": "restore", "phone": 0})
    opened.close()


def fault(fleet, kind: str, **rule) -> None:
    fleet.command({"cmd": "fault", "phone": 0, "kind": kind, **rule})


def run(device: AdbDevice, command: str) -> None:
    """A command outside the Device protocol, to set the scene."""
    device._link.shell(command)


PAYLOADS = [
    "a;reboot",
    "two\nlines",
    "`reboot`",
    "$(reboot)",
    "it's",
    '"q"',
    "-opt",
    "--",
    "a && reboot || b | c > /sdcard/x &",
    "*?~!#{}[]",
    "back\\slash",
    "\t",
    "你好 🎉 \u202e",
    "%s",
    " ",
    "",
]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_the_phone_receives_each_argument_as_it_was_meant(device, fleet, payload):
    device.settings_put("global", "device_name", payload)
    assert fleet.argvs(0)[-1] == ["settings", "put", "global", "device_name", payload]
    assert not any(argv[0] == "reboot" for argv in fleet.argvs(0))


def test_a_long_argument_arrives_whole_and_one_beyond_adbs_limit_is_refused(device, fleet):
    device.content_insert(NOTES_URI, {"body": "x" * 59_000})
    assert fleet.argvs(0)[-1][-1] == "body:s:" + "x" * 59_000
    before = len(fleet.argvs(0))
    with pytest.raises(ActionFailed, match="too long"):
        device.content_insert(NOTES_URI, {"body": "x" * 65_536})
    with pytest.raises(ActionFailed, match="NUL"):
        device.content_insert(NOTES_URI, {"body": "a\0b"})
    assert len(fleet.argvs(0)) == before


def test_sixty_four_kilobytes_of_text_are_typed_in_small_broadcasts(device, fleet):
    text = "Wörter; $(reboot) `id` 'q' \n" * 2400
    before = len(fleet.argvs(0))
    device.type_text(text)
    messages = [argv[-1] for argv in fleet.argvs(0)[before:] if argv[:2] == ["am", "broadcast"]]
    assert "".join(base64.b64decode(message).decode() for message in messages) == text
    assert max(map(len, messages)) <= 2000


def test_a_step_is_one_round_trip_to_see_and_one_to_act(device, fleet):
    before = fleet.log_lines(0)
    device.look()
    device.tap(5, 5)
    new = fleet.log_lines(0)[len(before) :]
    assert [line["argv"][:2] for line in new if line["argv"][0] in ("screencap", "input")] == [
        ["screencap", "-p"],
        ["input", "tap"],
    ]
    assert {line["service"] for line in new} == {"exec", "shell,v2"}


def test_an_empty_capture_is_retaken(device, fleet):
    fault(fleet, "empty_screenshot", at_command=1)
    assert device.look().screenshot.width_px == 1080


@pytest.mark.parametrize("kind", ["empty_screenshot", "truncated_screenshot", "bad_screenshot"])
def test_captures_that_stay_bad_are_an_error_that_names_the_phone(device, fleet, kind):
    fault(fleet, kind)
    with pytest.raises(ScreenshotError, match=device.serial):
        device.look()
    assert sum(argv[0] == "screencap" for argv in fleet.argvs(0)[-40:]) >= 3


def test_text_before_the_picture_is_cut_off(device, fleet):
    clean = device.look().screenshot.png
    fault(fleet, "text_before_png")
    assert device.look().screenshot.png == clean


def test_a_protected_screen_is_no_picture_and_said_to_be(device, fleet):
    run(device, "am start -a android.settings.SECURITY_SETTINGS")
    row = next(node for node in device.ui_tree().walk() if node.text == "Screen lock")
    device.tap(row.bounds_px[0] + 5, row.bounds_px[1] + 5)
    with pytest.raises(ScreenshotError, match="protected"):
        device.look()


def test_a_phone_that_hangs_ends_every_call_at_its_deadline(device, fleet, monkeypatch):
    monkeypatch.setattr("devices.health.PROBE_TIMEOUT_S", 0.5)
    fault(fleet, "hang", seconds=60)
    device._timeouts = Timeouts(command_s=0.5)
    with pytest.raises(DeviceTimeout):
        device.tap(1, 1)
    with pytest.raises(DeviceTimeout):
        device.look(timeout_s=0.5)
    health = device.health()
    assert not health.fit and health.failed[0] in ("link", "shell")


def test_a_slow_command_ends_at_the_deadline_and_is_not_repeated(device, fleet):
    fault(fleet, "slow", match="^input tap", seconds=60, times=1)
    device._timeouts = Timeouts(command_s=0.5)
    with pytest.raises(DeviceTimeout):
        device.tap(7, 7)
    assert sum(argv == ["input", "tap", "7", "7"] for argv in fleet.argvs(0)) <= 1


def test_a_tap_whose_link_was_lost_after_it_happened_is_not_sent_again(device, fleet):
    fault(fleet, "drop", match="^input tap 8 8", at_command=1, when="after", seconds=0.3)
    with pytest.raises(DeviceUnavailable):
        device.tap(8, 8)
    wait_for_state(fleet.adb_server_port, device.serial, "device", timeout_s=20)
    assert sum(argv == ["input", "tap", "8", "8"] for argv in fleet.argvs(0)) == 1


def test_a_phone_that_was_pulled_away_is_unavailable_and_comes_back_by_relinking(device, fleet):
    fault(fleet, "offline")
    with pytest.raises(DeviceUnavailable):
        device.look()
    fleet.command({"cmd": "restore", "phone": 0})
    assert device.relink()
    assert device.look().screenshot.width_px == 1080


def test_the_other_phone_does_not_notice(device, fleet, tmp_path):
    other = AdbDevice(fleet.serials[1], server_port=fleet.adb_server_port, state_dir=tmp_path)
    other.open()
    fault(fleet, "hang", seconds=60)
    assert other.look().screenshot.width_px == 1080
    assert other.health().fit


def test_a_phone_that_lost_its_approval_needs_a_human(device, fleet):
    fault(fleet, "unauthorized")
    wait_until(lambda: "unauthorized" in adb_states(fleet).get(device.serial, ""), timeout_s=20)
    with pytest.raises(DeviceNeedsHuman, match="approve"):
        device.look()
    found = {phone.serial: phone for phone in discover(fleet.adb_server_port)}
    assert not found[device.serial].usable and "approve" in found[device.serial].why
    assert found[fleet.serials[1]].usable


def adb_states(fleet) -> dict[str, str]:
    text = ServerLink(adb_client(fleet.adb_server_port)).ask("host:devices")
    return dict(line.split("\t") for line in text.splitlines())


def test_refused_input_needs_a_human(device, fleet):
    fault(fleet, "inject_refused")
    with pytest.raises(DeviceNeedsHuman, match="Security settings"):
        device.tap(1, 1)
    with pytest.raises(DeviceNeedsHuman, match="Security settings"):
        device.type_text("abc")


def test_a_pin_needs_a_human(device):
    run(device, "locksettings set-pin 1234")
    try:
        device.press_key("SLEEP")
        with pytest.raises(DeviceNeedsHuman, match="PIN"):
            device.wake()
    finally:
        run(device, "locksettings clear --old 1234")


def test_a_restart_is_told_by_the_boot_id(device, fleet):
    assert device.boot_id() == device.info().boot_id
    fault(fleet, "reboot", seconds=0.2)
    wait_until(lambda: device_answers(device), timeout_s=30)
    assert device.boot_id() != device.info().boot_id
    assert device.open().boot_id == device.boot_id()


def device_answers(device: AdbDevice) -> bool:
    try:
        return device.boot_id() != device.info().boot_id
    except DeviceUnavailable:
        return False


def test_a_phone_that_listens_again_only_after_a_refused_connect_is_connected(device, fleet):
    fault(fleet, "offline")
    later = threading.Timer(1.5, fleet.command, [{"cmd": "restore", "phone": 0}])
    later.start()
    assert device.relink()
    later.join()


def test_closing_a_phone_that_is_gone_does_not_raise_and_the_next_open_restores(device, fleet, tmp_path):
    own = device.settings_get("secure", "default_input_method")
    device.launch_app("Notes")
    device.type_text("你好")
    fault(fleet, "offline")
    device.close()
    fleet.command({"cmd": "restore", "phone": 0})
    assert device.relink()
    device.open()
    assert device.settings_get("secure", "default_input_method") == own


def test_a_phone_that_was_not_opened_says_so(fleet, tmp_path):
    unopened = AdbDevice(fleet.serials[0], server_port=fleet.adb_server_port, state_dir=tmp_path)
    with pytest.raises(DeviceUnavailable, match="not opened"):
        unopened.look()
    unopened.close()


def test_a_serial_that_adb_does_not_know_is_unavailable(fleet, tmp_path):
    with pytest.raises(DeviceUnavailable, match="not found"):
        AdbDevice("no-such-phone", server_port=fleet.adb_server_port, state_dir=tmp_path).open()


def test_a_resized_screen_counts(device):
    run(device, "wm size 720x1600")
    try:
        look = device.look()
        assert (look.screenshot.width_px, look.screenshot.height_px) == (720, 1600)
        assert (look.state.size.width_px, look.state.size.height_px) == (720, 1600)
        assert device.open().size == look.state.size
    finally:
        run(device, "wm size reset")


def test_auto_rotation_is_as_it_was_after_launching_by_monkey(device, monkeypatch):
    monkeypatch.setattr(device._opened.launcher, "_resolve", lambda package: None)
    device.settings_put("system", "accelerometer_rotation", "0")
    done = device.launch_app("Notes")
    assert done.commands[0].startswith("monkey")
    assert device.state().package == NOTES
    assert device.settings_get("system", "accelerometer_rotation") == "0"


def test_discovery_finds_each_phone_once_and_selects_by_hardware_serial(fleet):
    phones = [phone for phone in discover(fleet.adb_server_port) if phone.serial in fleet.serials]
    assert [phone.usable for phone in phones] == [True, True]
    assert [phone.serial for phone in select(phones, [fleet.hardware_serials[1]])] == [fleet.serials[1]]


def test_one_phone_connected_by_two_names_is_one_phone(fleet):
    port = fleet.serials[0].rpartition(":")[2]
    second_name = f"localhost:{port}"
    connect_all(fleet.adb_server_port, [second_name])
    wait_for_state(fleet.adb_server_port, second_name, "device")
    try:
        mine = [
            phone for phone in discover(fleet.adb_server_port) if phone.hardware_serial == fleet.hardware_serials[0]
        ]
        assert len(mine) == 2 and sum(phone.usable for phone in mine) == 1
    finally:
        ServerLink(adb_client(fleet.adb_server_port)).disconnect(second_name)


def test_an_address_where_nobody_listens_is_reported_in_adbs_words(fleet):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
    result = connect_all(fleet.adb_server_port, [address, fleet.serials[0]])
    assert "failed to connect" in result[address] and result[fleet.serials[0]] == ""


def test_the_tracker_sees_a_phone_go_and_come_back_without_calling_a_short_drop_absence(fleet):
    changes = []
    tracker = Tracker(ServerLink(adb_client(fleet.adb_server_port)), changes.append)
    tracker.start()
    try:
        wait_until(lambda: tracker.states().get(fleet.serials[0]) == "device")
        fault(fleet, "drop", seconds=0.5)
        wait_until(lambda: len([c for c in changes if c.serial == fleet.serials[0]]) >= 3, timeout_s=20)
        states = [change.state for change in changes if change.serial == fleet.serials[0]]
        assert (states[0], states[1], states[-1]) == ("device", "offline", "device")
        assert "absent" not in states
    finally:
        tracker.stop()


def test_a_killed_adb_server_is_server_trouble_and_a_new_one_is_waited_for(fleet_factory, adb_server, tmp_path):
    with AdbServer(path=adb_server.path) as server:
        fleet = fleet_factory(1, adb_server_port=server.port)
        device = AdbDevice(fleet.serials[0], server_port=server.port, state_dir=tmp_path)
        device.open()
        server.stop()
        with pytest.raises(AdbServerError):
            device.look(timeout_s=0.5)
        reborn = []
        starting = threading.Thread(target=lambda: reborn.append(AdbServer(server.port, path=server.path)))
        later = threading.Timer(0.5, starting.start)
        later.start()
        try:
            with pytest.raises(DeviceUnavailable, match="not found"):
                device.look(timeout_s=10)
            later.join()
            starting.join()
            assert device.relink()
            assert device.look().screenshot.width_px == 1080
        finally:
            starting.join()
            for server in reborn:
                server.stop()
