"""Fixtures of all tests: a private adb server for the session, and fleets of simulated phones connected to it.

`fleet_factory(count, **options)` starts a fleet (see `start_fleet_process`), waits until adb lists its phones and logs
their commands under the test's `tmp_path`. `fleet` is one of two phones. adb's own port 5037 is never touched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from devices.adb_server import AdbServer, bundled_adb, wait_for_state
from devices.simulated.fleet import FleetProcess, start_fleet_process

FleetFactory = Callable[..., FleetProcess]


@pytest.fixture(scope="session")
def adb_server() -> Iterator[AdbServer]:
    """The adb server of this session (`.port`, `.path`), the binary out of adbutils' wheel."""
    with AdbServer(path=bundled_adb()) as server:
        names = {"ANDROID_ADB_SERVER_PORT": str(server.port), "ADBUTILS_ADB_PATH": str(server.path)}
        before = {name: os.environ.get(name) for name in names}
        os.environ.update(names)
        yield server
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@pytest.fixture
def fleet_factory(adb_server: AdbServer, tmp_path: Path) -> Iterator[FleetFactory]:
    """Starts fleets; they end with the test."""
    started: list[FleetProcess] = []

    def start(count: int = 2, *, wait: bool = True, **options: Any) -> FleetProcess:
        options.setdefault("log_dir", tmp_path / f"phone-logs-{len(started)}")
        options.setdefault("adb_server_port", adb_server.port)
        fleet = start_fleet_process(count, **options)
        started.append(fleet)
        for serial in fleet.serials if wait else ():
            wait_for_state(fleet.adb_server_port, serial, "device")
        return fleet

    yield start
    for fleet in started:
        fleet.stop()


@pytest.fixture
def fleet(fleet_factory: FleetFactory) -> FleetProcess:
    """Two simulated phones, as adb lists them in `fleet.serials`."""
    return fleet_factory(2)
