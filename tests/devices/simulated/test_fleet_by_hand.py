"""`python -m devices.simulated`, as a person runs it and as a parent process does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from devices.adb_server import AdbServer, bundled_adb, free_port, is_answering, states

ROOT = Path(__file__).resolve().parents[3]


class ByHand:
    """The command, its first lines of output, and its end."""

    def __init__(self, *words: str, port: int | None) -> None:
        environment = {**os.environ, "ADBUTILS_ADB_PATH": str(bundled_adb())}
        environment.pop("ANDROID_ADB_SERVER_PORT", None)
        if port is not None:
            environment["ANDROID_ADB_SERVER_PORT"] = str(port)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "devices.simulated", *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT, env=environment,
        )  # fmt: skip

    def welcome(self) -> str:
        assert self.process.stdout is not None
        lines: list[str] = []
        while not lines or not lines[-1].startswith("Ctrl-C"):
            line = self.process.stdout.readline()
            assert line, "".join(lines)
            lines.append(line)
        return "".join(lines)

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        status = self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status


@pytest.fixture
def by_hand() -> Iterator[type[ByHand]]:
    started: list[ByHand] = []

    class Remembered(ByHand):
        def __init__(self, *words: str, port: int | None) -> None:
            super().__init__(*words, port=port)
            started.append(self)

    yield Remembered
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


def test_without_a_server_it_starts_one_and_takes_it_along(by_hand: type[ByHand]) -> None:
    port = free_port()
    fleet = by_hand("--count", "4", port=port)
    welcome = fleet.welcome()
    assert f"adb server on port {port} (started for this fleet)" in welcome
    assert set(states(port).values()) == {"device"}
    assert all(serial in welcome for serial in states(port))
    assert fleet.end(signal.SIGINT) == 0
    assert not is_answering(port)


def test_a_server_that_was_there_stays(by_hand: type[ByHand], adb_server: AdbServer) -> None:
    fleet = by_hand("--count", "1", port=adb_server.port)
    assert "(was running)" in fleet.welcome()
    assert fleet.end() == 0
    assert is_answering(adb_server.port)


def test_without_a_port_it_chooses_a_free_one_and_says_it(by_hand: type[ByHand]) -> None:
    fleet = by_hand("--count", "1", port=None)
    first = fleet.welcome().splitlines()[0]
    port = int(first.split()[4])
    assert port != 5037
    assert is_answering(port)
    assert fleet.end() == 0


def test_a_wrong_count_is_told(by_hand: type[ByHand]) -> None:
    fleet = by_hand("--count", "0", port=None)
    output, _ = fleet.process.communicate(timeout=20)
    assert fleet.process.returncode == 2
    assert "--count must be at least 1" in output


def test_a_fleet_and_its_adb_server_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys, time\n"
        "from devices.simulated.fleet import start_fleet_process\n"
        "fleet = start_fleet_process(1)\n"
        "print(fleet.pid, fleet.adb_server_port, flush=True)\n"
        "time.sleep(60)\n"
    )
    environment = {**os.environ, "ADBUTILS_ADB_PATH": str(bundled_adb()), "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment)
    assert parent.stdout is not None
    pid, port = map(int, parent.stdout.readline().split())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    end = time.monotonic() + 10
    while psutil.pid_exists(pid) or is_answering(port):
        assert time.monotonic() < end, "the fleet outlived its parent"
        time.sleep(0.05)
