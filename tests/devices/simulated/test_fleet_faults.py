"""Faults of simulated phones, as the adb server and its clients see them."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from pathlib import Path

import adbutils
import pytest

from devices.adb_server import AdbServer, ask, states, wait_for_state
from devices.simulated.fleet import FleetError, FleetProcess


def device_of(server: AdbServer, fleet: FleetProcess, index: int = 0) -> adbutils.AdbDevice:
    return adbutils.AdbClient(port=server.port).device(fleet.serials[index])


def wait_until(condition, timeout_s: float = 10.0) -> None:
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, "the condition was not met in time"
        time.sleep(0.02)


def test_a_phone_that_is_pulled_away_is_offline_until_it_is_restored(
    adb_server: AdbServer, fleet: FleetProcess
) -> None:
    fleet.command({"cmd": "fault", "phone": 0, "kind": "offline"})
    wait_for_state(adb_server.port, fleet.serials[0], "offline")
    assert states(adb_server.port)[fleet.serials[1]] == "device"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(fleet.serials[0].rpartition(":")[2])), timeout=5)
    fleet.command({"cmd": "restore", "phone": 0})
    wait_for_state(adb_server.port, fleet.serials[0], "device")


def test_a_dropped_phone_comes_back_on_the_same_port_by_itself(adb_server: AdbServer, fleet: FleetProcess) -> None:
    boot_id = device_of(adb_server, fleet).shell("cat /proc/sys/kernel/random/boot_id")
    fleet.command({"cmd": "fault", "phone": 0, "kind": "drop", "seconds": 0.2})
    wait_for_state(adb_server.port, fleet.serials[0], "offline")
    wait_for_state(adb_server.port, fleet.serials[0], "device")
    assert device_of(adb_server, fleet).shell("cat /proc/sys/kernel/random/boot_id") == boot_id


def test_a_rebooted_phone_has_a_new_boot_id_and_is_still_starting(adb_server: AdbServer, fleet: FleetProcess) -> None:
    device = device_of(adb_server, fleet)
    before = device.shell("cat /proc/sys/kernel/random/boot_id")
    fleet.command({"cmd": "fault", "phone": 0, "kind": "reboot", "seconds": 1})
    wait_for_state(adb_server.port, fleet.serials[0], "offline")
    wait_for_state(adb_server.port, fleet.serials[0], "device")
    assert device.shell("getprop sys.boot_completed") == ""
    assert device.shell("cat /proc/sys/kernel/random/boot_id") != before
    wait_until(lambda: device.shell("getprop sys.boot_completed") == "1")


def test_adb_reboot_restarts_the_phone(adb_server: AdbServer, fleet: FleetProcess) -> None:
    device = device_of(adb_server, fleet)
    before = device.shell("cat /proc/sys/kernel/random/boot_id")
    ask_for = [str(adb_server.path), "-P", str(adb_server.port), "-s", fleet.serials[0], "reboot"]
    subprocess.run(ask_for, timeout=20, check=True)
    wait_until(lambda: any("reboot" in line for line in fleet.log_lines(0)))
    wait_for_state(adb_server.port, fleet.serials[0], "device")
    wait_until(lambda: fleet.command({"cmd": "state", "phone": 0})["phones"][0]["boot_id"] != before)


def test_a_hung_phone_is_listed_and_silent_and_then_answers(adb_server: AdbServer, fleet: FleetProcess) -> None:
    fleet.command({"cmd": "fault", "phone": 0, "kind": "hang", "seconds": 60})
    client = socket.create_connection(("127.0.0.1", adb_server.port), timeout=0.5)
    with client:
        for service in (f"host:transport:{fleet.serials[0]}", "exec:echo back"):
            client.sendall(b"%04x%b" % (len(service), service.encode()))
            if service.startswith("host:"):
                assert client.recv(4) == b"OKAY"
        with pytest.raises(TimeoutError):
            client.recv(4)
        assert states(adb_server.port)[fleet.serials[0]] == "device"
        fleet.command({"cmd": "restore", "phone": 0})
        client.settimeout(10)
        with client.makefile("rb") as answer:
            assert answer.read() == b"OKAYback\n"


def test_an_unauthorized_phone_never_gets_past_the_question(adb_server: AdbServer, fleet: FleetProcess) -> None:
    fleet.command({"cmd": "fault", "phone": 0, "kind": "unauthorized"})
    wait_for_state(adb_server.port, fleet.serials[0], "unauthorized")
    with pytest.raises(adbutils.AdbError, match="unauthorized"):
        device_of(adb_server, fleet).shell("true")
    fleet.command({"cmd": "restore", "phone": 0})
    wait_for_state(adb_server.port, fleet.serials[0], "device")


def test_a_link_cut_before_a_command_keeps_it_from_running(
    adb_server: AdbServer, fleet_factory, tmp_path: Path
) -> None:
    faults = tmp_path / "faults.yaml"
    faults.write_text("- {phones: [0], kind: drop, match: '^input', at_command: 2, seconds: 0.1}\n")
    fleet = fleet_factory(2, faults=faults)
    device = device_of(adb_server, fleet)
    device.shell("input tap 1 1")
    device.shell("input tap 2 2; echo done")
    assert fleet.argvs(0) == [["input", "tap", "1", "1"]]
    assert fleet.log_lines(0)[-1]["fault"] == "drop"
    wait_for_state(adb_server.port, fleet.serials[0], "device")
    device.shell("input tap 3 3")
    assert fleet.argvs(0)[-1] == ["input", "tap", "3", "3"]


def test_a_link_cut_after_a_command_leaves_it_done_and_unanswered(
    adb_server: AdbServer, fleet_factory, tmp_path: Path
) -> None:
    faults = tmp_path / "faults.json"
    rule = {"phones": "all", "kind": "drop", "match": "^input", "at_command": 1, "when": "after", "seconds": 0.1}
    faults.write_text(json.dumps([rule]))
    fleet = fleet_factory(1, faults=faults)
    assert device_of(adb_server, fleet).shell("input tap 1 1; echo done") == ""
    assert fleet.argvs(0) == [["input", "tap", "1", "1"]]


@pytest.mark.parametrize(
    ("kind", "is_hit"),
    [
        ("empty_screenshot", lambda data: data == b""),
        ("bad_screenshot", lambda data: data and b"PNG" not in data[:16]),
        ("truncated_screenshot", lambda data: data.startswith(b"\x89PNG") and b"IEND" not in data),
        ("text_before_png", lambda data: data.startswith(b"[Warning]") and data.endswith(b"IEND\xaeB`\x82")),
    ],
)
def test_a_screenshot_fault_spoils_one_picture(adb_server: AdbServer, fleet: FleetProcess, kind, is_hit) -> None:
    device = device_of(adb_server, fleet)
    fleet.command({"cmd": "fault", "phone": 0, "kind": kind, "times": 1})
    first = device.shell("screencap -p", encoding=None)
    second = device.shell("screencap -p", encoding=None)
    assert is_hit(first)
    assert second.startswith(b"\x89PNG")


def test_refused_input_says_inject_events_and_does_nothing(adb_server: AdbServer, fleet: FleetProcess) -> None:
    device = device_of(adb_server, fleet)
    fleet.command({"cmd": "fault", "phone": 0, "kind": "inject_refused"})
    refused = device.shell2("input tap 1 1")
    assert refused.returncode == 255
    assert "INJECT_EVENTS" in refused.output
    fleet.command({"cmd": "restore", "phone": 0})
    assert device.shell2("input tap 1 1").returncode == 0


def test_faults_are_set_on_the_phone_itself_too(adb_server: AdbServer, fleet: FleetProcess) -> None:
    device = device_of(adb_server, fleet)
    assert device.shell2("simphone fault drop 0.2").returncode == 0
    wait_for_state(adb_server.port, fleet.serials[0], "offline")
    wait_for_state(adb_server.port, fleet.serials[0], "device")
    assert device.shell2("simphone fault nonsense").returncode == 2


def test_reset_puts_the_phone_back_to_its_start(adb_server: AdbServer, fleet: FleetProcess) -> None:
    device = device_of(adb_server, fleet)
    device.shell("settings put global wifi_on 1; echo x > /sdcard/left")
    assert device.shell2("simphone reset 7").returncode == 0
    assert device.shell("settings get global wifi_on") == "0"
    assert device.shell("ls /sdcard/left 2>/dev/null") == ""


def test_a_control_line_that_makes_no_sense_is_refused_and_the_fleet_goes_on(fleet: FleetProcess) -> None:
    for line in ({"cmd": "explode"}, {"cmd": "fault", "phone": 9, "kind": "drop"}, {"cmd": "fault", "kind": "nope"}):
        with pytest.raises(FleetError):
            fleet.command(line)
    assert fleet.command({"cmd": "state", "phone": 0})["event"] == "done"


def test_a_wrong_fault_file_ends_the_start_with_its_reason(fleet_factory, tmp_path: Path) -> None:
    (tmp_path / "faults.yaml").write_text("- {kind: explode}\n")
    with pytest.raises(FleetError, match="unknown kind 'explode'"):
        fleet_factory(1, faults=tmp_path / "faults.yaml")


def test_a_fleet_ends_when_its_standard_input_does(adb_server: AdbServer, fleet: FleetProcess) -> None:
    fleet.stop()
    assert fleet._process.poll() is not None
    wait_for_state(adb_server.port, fleet.serials[0], "offline")
    ask(adb_server.port, "host:version")
