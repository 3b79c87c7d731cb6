"""Bring the run's phones up: a simulated fleet on an adb server of its own, or the real ones; lock each of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from devices.adb_server import AdbNotFound, AdbServer, AdbServerFailed, ensure_answering
from devices.fleet import FoundPhone, connect_all, discover, select, tags_of
from rollout.config.schema import Adb, RunConfig, Simulated
from rollout.errors import ConfigError, Problem, RunError
from rollout.records.names import file_name
from rollout.runtime.layout import RunDirectory, lock, lock_folder
from rollout.runtime.settings import PhoneSlot

DEFAULT_ADB_PORT = 5037


@dataclass(slots=True)
class Fleet:
    """The phones of a run and the adb server they hang on."""

    adb_port: int
    adb_path: Path | None
    state_dir: Path
    phones: list[PhoneSlot] = field(default_factory=list)


def adb_port(adb: Adb) -> int:
    """The configured port, else adb's own variable, else adb's default."""
    return adb.server_port or port_of_environment()


def port_of_environment() -> int:
    """Raises ConfigError."""
    given = os.environ.get("ANDROID_ADB_SERVER_PORT") or str(DEFAULT_ADB_PORT)
    if not given.isdecimal() or not 0 < int(given) < 65536:
        raise ConfigError([Problem("ANDROID_ADB_SERVER_PORT", f"{given!r} is no port")])
    return int(given)


def shared_server(port: int, adb_path: Path | None = None) -> None:
    """The adb server that everything on this machine uses: started if need be, never stopped. Raises RunError."""
    try:
        ensure_answering(port, adb_path)
    except (AdbNotFound, AdbServerFailed) as error:
        raise RunError(f"no adb server: {error}") from error


@contextmanager
def bring_up(config: RunConfig, run: RunDirectory, quiet: bool) -> Iterator[Fleet]:
    """Find (or start) the phones and lock them until the run is over.

    Raises:
        ConfigError: no phone can be used; each one found is named with the reason.
        LockHeld: another run uses a phone.
    """
    state_dir = lock_folder() / "phones"
    with ExitStack() as stack:
        if config.devices.adb is None:
            port = stack.enter_context(_simulated(config.devices.simulated, run))
            adb_path, tags = None, {}
        else:
            adb = config.devices.adb
            port, adb_path, tags = adb_port(adb), adb.path, adb.tags
            os.environ["ANDROID_ADB_SERVER_PORT"] = str(port)
            shared_server(port, adb_path)
            _connect(adb.connect, port, adb_path, quiet)
        found = discover(port, adb_path=adb_path)
        chosen = _choose(found, config, quiet)
        for phone in chosen:
            name = lock_folder() / f"{file_name(phone.hardware_serial)}.lock"
            stack.enter_context(lock(name, f"phone {phone.serial} ({phone.hardware_serial})", f"run {run.path}"))
        slots = [
            PhoneSlot(
                serial=phone.serial,
                hardware_serial=phone.hardware_serial,
                tags=sorted(tags_of(phone, tags)),
            )
            for phone in chosen
        ]
        yield Fleet(port, adb_path, state_dir, slots)


@contextmanager
def _simulated(wanted: Simulated, run: RunDirectory) -> Iterator[int]:
    """A private adb server and a fleet process on it. Yields the server's port. Raises RunError."""
    from devices.simulated.fleet import FleetError, start_fleet_process

    with ExitStack() as stack:
        try:
            server = stack.enter_context(AdbServer())
            os.environ["ANDROID_ADB_SERVER_PORT"] = str(server.port)
            fleet = start_fleet_process(
                wanted.count,
                seed=wanted.seed,
                adb_server_port=server.port,
                log_dir=run.path / "phones",
                faults=wanted.faults,
                strip=wanted.strip,
                animation_s=wanted.animation_s,
            )
        except (AdbNotFound, AdbServerFailed, FleetError) as error:
            raise RunError(f"the simulated phones did not start: {error}") from error
        stack.enter_context(fleet)
        yield server.port


def _connect(addresses: list[str], port: int, adb_path: Path | None, quiet: bool) -> None:
    for address, trouble in connect_all(port, addresses, adb_path=adb_path).items():
        if trouble and not quiet:
            print(f"phone {address} was not connected: {trouble}", file=sys.stderr)


def _choose(found: list[FoundPhone], config: RunConfig, quiet: bool) -> list[FoundPhone]:
    adb = config.devices.adb
    chosen = select(found, serials="all" if adb is None else adb.serials)
    for phone in found:
        if not phone.usable and not quiet:
            print(f"phone {phone.serial} is left out: {phone.why}", file=sys.stderr)
    if not chosen:
        problems = [Problem(phone.serial, phone.why) for phone in found if not phone.usable]
        raise ConfigError(
            problems or [Problem("devices", "adb sees no phone", "see `python -m rollout devices`, or try `make demo`")]
        )
    return chosen
