"""adb's device list in its many shapes, and what becomes of it."""

from pathlib import Path

import pytest

from devices.fleet import FoundPhone, one_per_phone, parse_devices, select

INPUTS = Path(__file__).parents[1] / "cases" / "inputs"


def listed(name: str):
    return parse_devices((INPUTS / name).read_text(encoding="utf-8"))


def usable(serial: str, hardware_serial: str, *, is_usb: bool = True) -> FoundPhone:
    return FoundPhone(serial, hardware_serial, "device", "", True, "", is_usb)


def test_each_state_is_read_beside_the_others():
    entries = listed("devices_not_approved.txt")
    assert [(entry.serial, entry.state) for entry in entries] == [
        ("DEV0000A1", "unauthorized"),
        ("DEV0000A2", "authorizing"),
        ("DEV0000A3", "device"),
    ]
    assert entries[2].fields["model"] == "Demo_7a"


def test_a_bare_usb_path_is_not_the_state():
    (entry,) = listed("devices_bare_usb_path.txt")
    assert (entry.serial, entry.state, entry.fields["model"], entry.is_usb) == ("5f00c0de", "device", "DEMO70", True)


def test_a_state_of_several_words_keeps_its_hint():
    missing, good = listed("devices_no_permissions.txt")
    assert missing.state == "no permissions"
    assert "udev rules" in missing.detail and "developer.android.com" in missing.detail
    assert missing.fields["usb"] == "1-2"
    assert (good.serial, good.state) == ("DEV0000I2", "device")


def test_usb_and_wifi_entries_are_told_apart():
    assert [(entry.serial, entry.is_usb) for entry in listed("devices_usb_and_wifi.txt")] == [
        ("DEV0000L1", True),
        ("adb-DEV0000L1-aBcDeF._adb-tls-connect._tcp", False),
        ("192.0.2.40:5555", False),
    ]


def test_an_mdns_name_with_a_number_is_one_serial():
    (entry,) = parse_devices("adb-DEV0000L1-aBcDeF (2)._adb-tls-connect._tcp device transport_id:1\n")
    assert (entry.serial, entry.state) == ("adb-DEV0000L1-aBcDeF (2)._adb-tls-connect._tcp", "device")


def test_words_of_the_daemon_are_no_phones():
    text = "* daemon not running; starting now at tcp:5037\n* daemon started successfully\nList of devices attached\n\n"
    assert parse_devices(text) == []


def test_windows_line_ends_and_plain_lists_are_read():
    assert [(entry.serial, entry.state) for entry in parse_devices("A1\tdevice\r\nA2\toffline\r\n")] == [
        ("A1", "device"),
        ("A2", "offline"),
    ]


def test_one_phone_seen_three_times_is_one_phone_over_usb():
    entries = listed("devices_usb_and_wifi.txt")
    phones = one_per_phone([usable(entry.serial, "L1", is_usb=entry.is_usb) for entry in reversed(entries)])
    assert [phone.serial for phone in phones if phone.usable] == ["DEV0000L1"]
    assert {phone.why for phone in phones if not phone.usable} == {"the same phone as DEV0000L1"}


def test_a_plain_address_comes_before_an_mdns_name():
    phones = one_per_phone(
        [usable("adb-X._adb-tls-connect._tcp", "L1", is_usb=False), usable("192.0.2.40:5555", "L1", is_usb=False)]
    )
    assert [phone.serial for phone in phones if phone.usable] == ["192.0.2.40:5555"]


def test_a_phone_that_came_back_on_another_port_is_the_same_phone():
    old = FoundPhone("192.0.2.44:37115", "", "offline", "", False, "adb calls it offline", False)
    new = usable("192.0.2.44:41877", "K1", is_usb=False)
    assert select(one_per_phone([old, new]), ["K1"]) == [new]


@pytest.mark.parametrize(
    ("serials", "required", "chosen"),
    [
        ("all", [], ["A", "B"]),
        (["A"], [], ["A"]),
        (["HW-B"], [], ["B"]),
        (["C", "nobody"], [], []),
        ("all", ["tablet"], ["B"]),
        ("all", ["tablet", "fast"], []),
    ],
)
def test_phones_are_selected_by_serial_and_tag(serials, required, chosen):
    phones = [usable("A", "HW-A"), usable("B", "HW-B"), FoundPhone("C", "", "offline", "", False, "offline")]
    tags = {"A": ["fast"], "HW-B": ["tablet"]}
    assert [phone.serial for phone in select(phones, serials, tags=tags, required_tags=required)] == chosen
