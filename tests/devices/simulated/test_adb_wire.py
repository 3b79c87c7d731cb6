"""Simulated phones through the real adb server and adbutils: what a user of adb sees."""

from __future__ import annotations

import subprocess
from pathlib import Path

import adbutils
import pytest

from devices.adb_server import AdbServer, states
from devices.simulated.fleet import FleetProcess


def adb(server: AdbServer, *words: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [str(server.path), "-P", str(server.port), *words], input=data, capture_output=True, timeout=20, check=False
    )


@pytest.fixture
def device(adb_server: AdbServer, fleet: FleetProcess) -> adbutils.AdbDevice:
    return adbutils.AdbClient(port=adb_server.port).device(fleet.serials[0])


def test_sixteen_phones_are_listed_by_their_own_ports(adb_server: AdbServer, fleet_factory) -> None:
    fleet = fleet_factory(16)
    assert {states(adb_server.port)[serial] for serial in fleet.serials} == {"device"}
    ports = [int(serial.rpartition(":")[2]) for serial in fleet.serials]
    assert len(set(ports)) == 16
    assert not set(ports) & set(range(5555, 5586))


def test_shell_v2_splits_outputs_and_returns_the_status(adb_server: AdbServer, fleet: FleetProcess) -> None:
    ran = adb(adb_server, "-s", fleet.serials[0], "shell", "echo out; echo err >&2; exit 3")
    assert (ran.returncode, ran.stdout, ran.stderr) == (3, b"out\n", b"err\n")


def test_a_v1_shell_and_exec_merge_the_outputs(adb_server: AdbServer, fleet: FleetProcess) -> None:
    for words in (("shell", "-x"), ("exec-out",)):
        ran = adb(adb_server, "-s", fleet.serials[0], *words, "echo out; ls /nope")
        assert ran.stdout == b"out\nls: /nope: No such file or directory\n"


def test_standard_input_reaches_a_command(adb_server: AdbServer, fleet: FleetProcess) -> None:
    ran = adb(adb_server, "-s", fleet.serials[0], "shell", "tr a-z A-Z", data=b"hello" * 100_000)
    assert ran.stdout == b"HELLO" * 100_000


def test_a_script_on_standard_input_runs_line_by_line(adb_server: AdbServer, fleet: FleetProcess) -> None:
    ran = adb(adb_server, "-s", fleet.serials[0], "shell", data=b"x=1\nfor i in 1 2; do\necho $i$x\ndone\nexit 7\n")
    assert (ran.returncode, ran.stdout) == (7, b"11\n21\n")


def test_a_terminal_echoes_and_ends_lines_with_cr_lf(adb_server: AdbServer, fleet: FleetProcess) -> None:
    ran = adb(adb_server, "-s", fleet.serials[0], "shell", "-tt", data=b"echo ab\x7fc\rexit\r")
    assert b"$ echo ab\x08 \x08c\r\nac\r\n" in ran.stdout


def test_a_screenshot_comes_whole_over_exec(adb_server: AdbServer, fleet: FleetProcess) -> None:
    data = adb(adb_server, "-s", fleet.serials[0], "exec-out", "screencap -p").stdout
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert data.endswith(b"IEND\xaeB`\x82")


def test_a_raw_screenshot_larger_than_many_packets_comes_whole(adb_server: AdbServer, fleet: FleetProcess) -> None:
    assert len(adb(adb_server, "-s", fleet.serials[0], "exec-out", "screencap").stdout) == 16 + 1080 * 2400 * 4


@pytest.mark.parametrize("size", [0, 1, 65536, 65537, 3_000_000])
def test_files_survive_push_and_pull(device: adbutils.AdbDevice, tmp_path: Path, size: int) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.write_bytes(bytes(range(251)) * (size // 251 + 1))
    with source.open("r+b") as file:
        file.truncate(size)
    device.sync.push(source, "/sdcard/new folder/fi'le")
    info = device.sync.stat("/sdcard/new folder/fi'le")
    device.sync.pull("/sdcard/new folder/fi'le", copy)
    assert info.size == size
    assert copy.read_bytes() == source.read_bytes()


def test_adbs_own_push_pull_and_ls_work(adb_server: AdbServer, fleet: FleetProcess, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a").write_bytes(b"x" * 200_000)
    serial = fleet.serials[0]
    assert adb(adb_server, "-s", serial, "push", str(tmp_path / "folder"), "/sdcard/").returncode == 0
    assert adb(adb_server, "-s", serial, "pull", "/sdcard/folder", str(tmp_path / "back")).returncode == 0
    assert (tmp_path / "back" / "a").read_bytes() == b"x" * 200_000
    assert b" a\n" in adb(adb_server, "-s", serial, "ls", "/sdcard/folder").stdout


def test_a_missing_file_is_missing(device: adbutils.AdbDevice) -> None:
    assert not device.sync.exists("/sdcard/nope")


def test_a_forbidden_push_fails_with_its_reason(adb_server: AdbServer, fleet: FleetProcess, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x")
    ran = adb(adb_server, "-s", fleet.serials[0], "push", str(tmp_path / "f"), "/system/f")
    assert ran.returncode == 1
    assert b"Read-only file system" in ran.stdout + ran.stderr


def test_an_injection_is_seen_in_the_phones_log_file(device: adbutils.AdbDevice, fleet: FleetProcess) -> None:
    device.shell("input text hello;svc power reboot")
    assert ["svc", "power", "reboot"] in fleet.argvs(0)
    assert fleet.argvs(1) == []


def test_the_log_names_time_boot_and_service(device: adbutils.AdbDevice, fleet: FleetProcess, tmp_path: Path) -> None:
    boot_id = device.shell("cat /proc/sys/kernel/random/boot_id")
    (tmp_path / "f").write_bytes(b"four")
    device.sync.push(tmp_path / "f", "/sdcard/f")
    command, push = fleet.log_lines(0)[0], fleet.log_lines(0)[-1]
    assert command["argv"] == ["cat", "/proc/sys/kernel/random/boot_id"]
    assert (command["boot"], command["service"]) == (boot_id, "shell")
    assert (push["sync"], push["path"], push["bytes"]) == ("push", "/sdcard/f", 4)


def test_services_that_no_phone_has_are_refused_and_the_link_stays(
    adb_server: AdbServer, device: adbutils.AdbDevice
) -> None:
    with pytest.raises(adbutils.AdbError):
        device.open_transport("jdwp:1")
    assert device.shell("echo still here") == "still here"


def test_root_is_refused_in_androids_words(adb_server: AdbServer, fleet: FleetProcess) -> None:
    assert b"cannot run as root in production builds" in adb(adb_server, "-s", fleet.serials[0], "root").stdout


@pytest.mark.skipif(not Path("/usr/bin/adb").exists(), reason="the system's own adb is not installed")
def test_the_systems_own_adb_sees_the_same_phone(fleet_factory, tmp_path: Path) -> None:
    with AdbServer(path="/usr/bin/adb") as server:
        fleet = fleet_factory(2, adb_server_port=server.port)
        serial = fleet.serials[1]
        ran = adb(server, "-s", serial, "shell", "echo out; echo err >&2; exit 3")
        assert (ran.returncode, ran.stdout, ran.stderr) == (3, b"out\n", b"err\n")
        (tmp_path / "f").write_bytes(b"x" * 300_000)
        adb(server, "-s", serial, "push", str(tmp_path / "f"), "/sdcard/f")
        adb(server, "-s", serial, "pull", "/sdcard/f", str(tmp_path / "g"))
        assert (tmp_path / "g").read_bytes() == b"x" * 300_000
        assert len(adb(server, "-s", serial, "exec-out", "screencap").stdout) == 16 + 1080 * 2400 * 4
        fleet.stop()
