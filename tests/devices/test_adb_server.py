"""A private adb server: which binary, and that it leaves the user's own server and phones alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import psutil
import pytest

from devices.adb_server import (
    AdbNotFound,
    AdbServer,
    AdbServerFailed,
    ask,
    bundled_adb,
    connect_all,
    find_adb,
    free_port,
    is_answering,
    states,
)


def program(path: Path, text: str = "#!/bin/sh\nexit 1\n") -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_the_binary_is_the_named_one_then_the_environments_then_the_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named, from_environment = program(tmp_path / "named"), program(tmp_path / "environment")
    (tmp_path / "bin").mkdir()
    on_path = program(tmp_path / "bin" / "adb")
    monkeypatch.setenv("PATH", str(on_path.parent))
    monkeypatch.setenv("ADBUTILS_ADB_PATH", str(from_environment))
    assert find_adb(named) == named
    assert find_adb() == from_environment
    monkeypatch.delenv("ADBUTILS_ADB_PATH")
    assert find_adb() == on_path
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert find_adb() == bundled_adb()


def test_a_named_binary_that_is_missing_is_an_error_and_no_reason_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(AdbNotFound, match="configured adb path"):
        find_adb(tmp_path / "missing")
    monkeypatch.setenv("ADBUTILS_ADB_PATH", str(tmp_path / "missing"))
    with pytest.raises(AdbNotFound, match="ADBUTILS_ADB_PATH"):
        find_adb()


def test_it_listens_on_loopback_only_and_on_its_own_port(adb_server: AdbServer) -> None:
    listening = [one.laddr for one in psutil.Process(adb_server.pid).net_connections() if one.status == "LISTEN"]
    assert [(one.ip, one.port) for one in listening] == [("127.0.0.1", adb_server.port)]
    assert adb_server.port != 5037


def test_it_knows_no_phones_and_writes_nothing_to_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with AdbServer(path=bundled_adb()) as server:
        assert states(server.port) == {}
        environment = psutil.Process(server.pid).environ()
    assert (environment["ADB_USB"], environment["ADB_EMU"], environment["ADB_MDNS"]) == ("0", "0", "0")
    assert list(tmp_path.iterdir()) == []


def test_stopping_ends_the_process_and_its_folder() -> None:
    server = AdbServer(path=bundled_adb())
    folder, pid = Path(server._home.name), server.pid
    assert is_answering(server.port)
    server.stop()
    server.stop()
    assert not psutil.pid_exists(pid)
    assert not folder.exists()
    assert not is_answering(server.port)


def test_a_binary_that_cannot_serve_is_an_error_with_its_words(tmp_path: Path) -> None:
    broken = program(tmp_path / "adb", "#!/bin/sh\necho cannot today >&2\nexit 3\n")
    with pytest.raises(AdbServerFailed, match="cannot today"):
        AdbServer(path=broken)


def test_a_silent_or_absent_server_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AdbServerFailed, match="refused"):
        ask(free_port(), "host:version")


def test_connecting_to_nothing_is_told_in_the_servers_words(adb_server: AdbServer) -> None:
    serial = f"127.0.0.1:{free_port()}"
    assert "failed to connect" in connect_all(adb_server.port, [serial])[serial]


@pytest.mark.skipif(not Path("/usr/bin/adb").exists(), reason="the system's own adb is not installed")
def test_the_systems_own_adb_serves_too() -> None:
    with AdbServer(path="/usr/bin/adb") as server:
        assert int(ask(server.port, "host:version"), 16) >= 39


def test_free_ports_are_not_adbs_own() -> None:
    assert all(port != 5037 and not 5554 <= port <= 5585 for port in (free_port() for _ in range(20)))


def test_the_session_points_adb_at_the_private_server(adb_server: AdbServer) -> None:
    assert os.environ["ANDROID_ADB_SERVER_PORT"] == str(adb_server.port)
