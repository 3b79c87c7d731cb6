"""`python -m devices.simulated --count N`: simulated phones, connected to an adb server, until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from devices.adb_server import AdbNotFound, AdbServer, AdbServerFailed, connect_all, is_answering
from devices.simulated.control import obey
from devices.simulated.faults import BadFault, read_rules
from devices.simulated.fleet import SimulatedFleet

MAX_CONTROL_LINE_BYTES = 1024 * 1024


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        rules = read_rules(options.faults) if options.faults else []
        with _adb_server(options) as (port, is_ours):
            asyncio.run(_run(options, rules, port, is_ours))
    except (AdbNotFound, AdbServerFailed, BadFault, OSError) as error:
        if options.json:
            _print_json({"event": "error", "error": str(error)})
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m devices.simulated", description=__doc__)
    parser.add_argument("--count", type=int, default=1, help="number of phones (default 1)")
    parser.add_argument(
        "--adb-server-port",
        type=int,
        help="adb server to connect the phones to; started if none answers there. 0: a new one on a free port."
        " Default: $ANDROID_ADB_SERVER_PORT, else 0",
    )
    parser.add_argument("--adb", help="adb binary (default: $ADBUTILS_ADB_PATH, PATH, the one in adbutils)")
    parser.add_argument("--seed", type=int, default=0, help="of what differs between phones, and of the faults")
    parser.add_argument("--faults", type=Path, help="YAML or JSON list of fault rules (see faults.py)")
    parser.add_argument("--log-dir", type=Path, help="folder for each phone's log of the commands it received")
    parser.add_argument("--no-strip", action="store_true", help="do not draw the strip that tells programs the screen")
    parser.add_argument("--animation-s", type=float, default=0.0, help="seconds that screen changes move (default 0)")
    parser.add_argument("--json", action="store_true", help="one JSON line when ready; control lines on standard input")
    options = parser.parse_args(arguments)
    if options.adb_server_port is None:
        options.adb_server_port = _port_from_environment(parser)
    if options.count < 1:
        parser.error("--count must be at least 1")
    return options


def _port_from_environment(parser: argparse.ArgumentParser) -> int:
    text = os.environ.get("ANDROID_ADB_SERVER_PORT") or "0"
    if not text.isdecimal():
        parser.error(f"$ANDROID_ADB_SERVER_PORT is {text!r}, which is no port")
    return int(text)


@contextlib.contextmanager
def _adb_server(options: argparse.Namespace) -> Iterator[tuple[int, bool]]:
    """The adb server's port, and whether we started it (and will stop it)."""
    if options.adb_server_port and is_answering(options.adb_server_port):
        yield options.adb_server_port, False
        return
    with AdbServer(options.adb_server_port or None, options.adb) as server:
        yield server.port, True


async def _run(options: argparse.Namespace, rules: list[Mapping[str, Any]], port: int, is_ours: bool) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    log_dir = options.log_dir.resolve() if options.log_dir else None
    fleet = SimulatedFleet(
        seed=options.seed, strip=not options.no_strip, animation_s=options.animation_s, rules=rules, log_dir=log_dir
    )
    try:
        await fleet.start(options.count)
        words = await asyncio.to_thread(connect_all, port, fleet.serials)
        if options.json:
            await _obey_standard_input(fleet, stop)
            _print_json(_ready(fleet, port))
        else:
            print(_welcome(fleet, port, is_ours, words), flush=True)
        await stop.wait()
    finally:
        await fleet.stop()


async def _obey_standard_input(fleet: SimulatedFleet, stop: asyncio.Event) -> None:
    """Obey control lines from now on; the end of the input ends the fleet."""
    reader = asyncio.StreamReader(limit=MAX_CONTROL_LINE_BYTES)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)

    async def read() -> None:
        try:
            while line := await reader.readline():
                _print_json(obey(line, fleet.phones))
        finally:
            stop.set()

    fleet.control = asyncio.create_task(read())


def _ready(fleet: SimulatedFleet, port: int) -> dict[str, Any]:
    return {
        "event": "ready",
        "pid": os.getpid(),
        "adb_server_port": port,
        "log_dir": str(fleet.log_dir) if fleet.log_dir else None,
        "phones": [
            {"index": index, "serial": host.serial, "hardware_serial": host.phone.hardware_serial}
            for index, host in enumerate(fleet.phones)
        ],
    }


def _welcome(fleet: SimulatedFleet, port: int, is_ours: bool, words: Mapping[str, str]) -> str:
    lines = [f"adb server on port {port} ({'started for this fleet' if is_ours else 'was running'})", ""]
    lines.append(f"  {'serial':<18} {'hardware':<9} {'model':<18} adb")
    for host in fleet.phones:
        model = host.phone.props.get("ro.product.model", "")
        lines.append(f"  {host.serial:<18} {host.phone.hardware_serial:<9} {model:<18} {words[host.serial]}")
    first = fleet.serials[0]
    lines += [
        "",
        "Try:",
        f"  export ANDROID_ADB_SERVER_PORT={port}",
        "  adb devices -l",
        f"  adb -s {first} exec-out screencap -p > screen.png",
        f"  adb -s {first} shell simphone fault drop 3",
        "",
        "Ctrl-C ends the phones" + (" and the adb server." if is_ours else "; the adb server stays."),
    ]
    return "\n".join(lines)


def _print_json(value: Mapping[str, Any]) -> None:
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    sys.exit(main())
