"""Simulated phones: in this event loop (`SimulatedFleet`), or in a process of their own (`start_fleet_process`)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from devices.simulated.host import PhoneHost
from devices.simulated.phone import Phone

START_TIMEOUT_S = 30.0
COMMAND_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 5.0


class FleetError(RuntimeError):
    """The fleet did not start, ended, or refused a command."""


class SimulatedFleet:
    """Phones in the current event loop. `phones` is empty until `start`.

    `rules`: see faults.py. `log_dir`: where each phone writes `<hardware serial>.jsonl`.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        strip: bool = True,
        animation_s: float = 0.0,
        rules: Iterable[Mapping[str, Any]] = (),
        log_dir: Path | None = None,
    ) -> None:
        self.seed = seed
        self.strip = strip
        self.animation_s = animation_s
        self.rules = list(rules)
        self.log_dir = log_dir
        self.phones: list[PhoneHost] = []
        self.control: asyncio.Task[None] | None = None
        """Obeys control lines, where there are any."""

    async def start(self, count: int) -> None:
        """Create and start `count` phones. Raises BadFault for a rule that makes no sense."""
        for index in range(count):
            phone = Phone(index, seed=self.seed, strip=self.strip, animation_s=self.animation_s)
            host = PhoneHost(phone, rules=self.rules, seed=self.seed, log_dir=self.log_dir)
            await host.start()
            self.phones.append(host)

    @property
    def serials(self) -> list[str]:
        return [host.serial for host in self.phones]

    async def stop(self) -> None:
        if self.control is not None:
            self.control.cancel()
        for host in self.phones:
            await host.stop()


class FleetProcess:
    """A fleet in a child process, which ends when this process does."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, name="simulated-fleet-output", daemon=True)
        self._reader.start()
        try:
            ready = self._next(START_TIMEOUT_S)
            if ready.get("event") != "ready":
                raise FleetError(f"the fleet did not start: {ready.get('error', ready)}")
        except FleetError:
            self.stop()
            raise
        self.adb_server_port = int(ready["adb_server_port"])
        self.serials: list[str] = [phone["serial"] for phone in ready["phones"]]
        self.hardware_serials: list[str] = [phone["hardware_serial"] for phone in ready["phones"]]
        self.log_dir = Path(ready["log_dir"]) if ready["log_dir"] else None

    @property
    def pid(self) -> int:
        return self._process.pid

    def command(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Send a control command and return what the fleet answers; see `control.py`.

        Raises:
            FleetError: refused, or the fleet is gone.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(dict(command)).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise FleetError(f"the fleet is gone: {error}") from error
        answer = self._next(COMMAND_TIMEOUT_S)
        if answer.get("event") != "done":
            raise FleetError(str(answer.get("error", answer)))
        return answer

    def log_lines(self, phone: int) -> list[dict[str, Any]]:
        """What a phone has logged so far. Needs a `log_dir`."""
        assert self.log_dir is not None, "start the fleet with a log_dir"
        path = self.log_dir / f"{self.hardware_serials[phone]}.jsonl"
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []

    def argvs(self, phone: int) -> list[list[str]]:
        """The arguments of each command that a phone ran."""
        return [line["argv"] for line in self.log_lines(phone) if "argv" in line]

    def stop(self) -> None:
        """End the process; may be called twice."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> FleetProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def _next(self, timeout_s: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=timeout_s)
        except queue.Empty as error:
            raise FleetError(f"the fleet says nothing for {timeout_s:g} s") from error
        if line is None:
            self._lines.put(None)
            raise FleetError(f"the fleet has ended (exit code {self._process.wait()})")
        return line


def start_fleet_process(
    count: int,
    *,
    seed: int = 0,
    adb_server_port: int | None = None,
    log_dir: Path | None = None,
    faults: Path | None = None,
    strip: bool = True,
    animation_s: float = 0.0,
) -> FleetProcess:
    """Start `count` phones in a process of their own, connected to the adb server on `adb_server_port`.

    None starts an adb server too, on a free port (`adb_server_port` of what is returned); it ends with the fleet.

    Raises:
        FleetError: it did not get ready; the message holds the reason.
    """
    words = [sys.executable, "-m", "devices.simulated", "--json", "--count", str(count), "--seed", str(seed)]
    words += ["--animation-s", str(animation_s)]
    words += [] if strip else ["--no-strip"]
    words += ["--log-dir", str(log_dir)] if log_dir is not None else []
    words += ["--faults", str(faults)] if faults is not None else []
    words += ["--adb-server-port", str(adb_server_port or 0)]
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
    environment = {**os.environ, "PYTHONPATH": path}
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True
    )
    return FleetProcess(process)
