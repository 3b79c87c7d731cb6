"""Measure the agent loop against a bare one, on the same phones, the same model server and the same images, in one run.

The bare loop is a process a phone that takes a screenshot over a raw adb transport, makes one httpx call and taps; it
records and decides nothing. Printed per phone count, model latency and settling mode: steps/s, CPU ms a step of the
runner's processes, unique memory a worker, phone utilisation, phase times, and the ratios to the bare loop.

    python scripts/bench_loop.py [--phones 1,4,16,64] [--latency 0,1] [--settle none,adaptive] [--seconds 12]
"""

from __future__ import annotations

import argparse
import base64
import json
import multiprocessing
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from multiprocessing.connection import Connection
from pathlib import Path

import httpx
import psutil
import yaml

from devices.adb_server import AdbServer
from devices.simulated.fleet import start_fleet_process
from rollout.actions.dialects import Turn
from rollout.actions.dialects.gelab import GelabDialect
from rollout.llm.messages import ImagePart, TextPart
from rollout.scripted_model.process import start_scripted_model

ENDLESS_TASK = "Keep tapping the middle of the screen until you are stopped."
PHASES = ("screenshot", "encode", "model", "parse", "act", "settle")
_RECV_BYTES = 256 * 1024


@dataclass(slots=True)
class Figures:
    """One row."""

    steps_per_s: float
    cpu_ms_per_step: float
    rest_ms_per_step: float = 0.0
    """CPU of phones, adb server and model server: what the loop shares the machine with."""
    uss_mib_per_worker: float = 0.0
    utilisation: float = 0.0
    phases_ms: dict[str, float] = field(default_factory=dict)


# -- the bare loop


def _adb(port: int, serial: str, service: str) -> socket.socket:
    """A raw transport: two requests to the adb server, then the service's bytes."""
    link = socket.create_connection(("127.0.0.1", port), timeout=20)
    for request in (f"host:transport:{serial}", service):
        data = request.encode()
        link.sendall(b"%04x" % len(data) + data)
        if link.recv(4, socket.MSG_WAITALL) != b"OKAY":
            raise RuntimeError(f"adb refused {request}")
    return link


def _read_all(link: socket.socket) -> bytes:
    parts = []
    while part := link.recv(_RECV_BYTES):
        parts.append(part)
    link.close()
    return b"".join(parts)


def _bare_process(port: int, serial: str, api_base: str, start_at: float, seconds: float, out: Connection) -> None:
    """Run the bare loop from `start_at` on, report (steps, CPU seconds, seconds) of the last two thirds of the time."""
    client = httpx.Client(base_url=api_base, timeout=60, trust_env=False)
    before, after = _prompt()
    time.sleep(max(0.0, start_at - time.time()))
    started, half, steps, cpu = time.monotonic(), None, 0, 0.0
    while True:
        now = time.monotonic()
        if half is None and now - started >= seconds / 3:
            half, steps, cpu = now, 0, _own_cpu_s()
        if now - started >= seconds:
            break
        png = _read_all(_adb(port, serial, "exec:screencap -p"))
        url = "data:image/png;base64," + base64.b64encode(png).decode()
        content = [before, {"type": "image_url", "image_url": {"url": url}}, after]
        body = {"model": "scripted", "messages": [{"role": "user", "content": content}], "seed": 1}
        client.post("/chat/completions", json=body).raise_for_status().json()
        _read_all(_adb(port, serial, "shell,v2,raw:input tap 540 1200"))
        steps += 1
    assert half is not None
    out.send_bytes(json.dumps([steps, _own_cpu_s() - cpu, time.monotonic() - half]).encode())


def _prompt() -> list[dict[str, str]]:
    """The texts around the image, the runner's own, so that the model server has the same work."""
    image = ImagePart(b"", "", "", "png", 1080, 2400)
    (message,) = GelabDialect().prompt(Turn(ENDLESS_TASK, image, language="zh"))
    return [{"type": "text", "text": part.text} for part in message.parts if isinstance(part, TextPart)]


def _own_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def bare_loop(rig: Rig, seconds: float) -> Figures:
    port, serials, api_base = rig.port, rig.serials, rig.api_base
    context = multiprocessing.get_context("spawn")
    pipes, processes = [], []
    start_at = time.time() + 1.0 + 0.4 * len(serials)
    for serial in serials:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_bare_process, args=(port, serial, api_base, start_at, seconds, theirs))
        process.start()
        theirs.close()
        pipes.append(ours)
        processes.append(process)
    time.sleep(max(0.0, start_at - time.time()) + seconds / 3)
    began, rest_before = time.monotonic(), rig.cpu_s()
    time.sleep(seconds / 2)
    rest_per_s = (rig.cpu_s() - rest_before) / (time.monotonic() - began)
    results = [json.loads(pipe.recv_bytes()) for pipe in pipes]
    for process in processes:
        process.join(10)
    steps, cpu_s = sum(r[0] for r in results), sum(r[1] for r in results)
    steps_per_s = sum(r[0] / r[2] for r in results)
    return Figures(steps_per_s, 1000 * cpu_s / max(1, steps), 1000 * rest_per_s / steps_per_s)


# -- the runner


def _config(folder: Path, port: int, serials: list[str], api_base: str, settle: str) -> Path:
    task = {"id": "endless", "instruction": ENDLESS_TASK}
    (folder / "tasks.jsonl").write_text(json.dumps(task) + "\n", encoding="utf-8")
    config = {
        "providers": {"bench": {"api_base": api_base}},
        "agent": {"model": "scripted", "dialect": "gelab", "max_steps": 0, "settle": {"mode": settle, "min_s": 0.0}},
        "devices": {"adb": {"server_port": port, "serials": serials}},
        "limits": {"rollout": {"seconds": 3600}},
        "tasks": {"path": "tasks.jsonl", "samples": len(serials)},
    }
    path = folder / "bench.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


def _cpu_s(processes: list[psutil.Process]) -> float:
    total = 0.0
    for process in processes:
        times = process.cpu_times()
        total += times.user + times.system
    return total


def _steps(run_dir: Path) -> list[dict]:
    lines = []
    for path in run_dir.glob("*/attempt-*/steps.jsonl"):
        lines += [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
    return lines


def runner(rig: Rig, settle: str, seconds: float) -> Figures:
    port, serials, api_base = rig.port, rig.serials, rig.api_base
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run_dir = folder / "run"
        config = _config(folder, port, serials, api_base, settle)
        command = [sys.executable, "-m", "rollout", "--config", str(config), "--output", str(run_dir), "--json"]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            _wait_for_first_steps(run_dir, len(serials), process)
            time.sleep(seconds / 3)
            family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
            began, cpu_before, rest_before = time.time(), _cpu_s(family), rig.cpu_s()
            time.sleep(seconds * 2 / 3)
            cpu_s, ended, rest_s = _cpu_s(family) - cpu_before, time.time(), rig.cpu_s() - rest_before
            uss = [p.memory_full_info().uss / 2**20 for p in family if "rollout worker" in " ".join(p.cmdline())]
        finally:
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            process.wait(60)
        steps = [s for s in _steps(run_dir) if began <= datetime.fromisoformat(s["started_at"]).timestamp() < ended]
    return _figures(steps, cpu_s, rest_s, ended - began, len(serials), uss)


def _wait_for_first_steps(run_dir: Path, phones: int, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 90
    while len(list(run_dir.glob("*/attempt-*/steps.jsonl"))) < phones:
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the run did not start (exit status {process.poll()})")
        time.sleep(0.1)


def _figures(steps: list[dict], cpu_s: float, rest_s: float, wall_s: float, phones: int, uss: list[float]) -> Figures:
    count = max(1, len(steps))
    means = {name: 1000 * sum(step["phases_s"][name] for step in steps) / count for name in PHASES}
    busy_s = sum(sum(step["phases_s"].values()) for step in steps)
    return Figures(
        len(steps) / wall_s,
        1000 * cpu_s / count,
        1000 * rest_s / count,
        sum(uss) / max(1, len(uss)),
        min(1.0, busy_s / (wall_s * phones)),
        means,
    )


# -- all of it


@dataclass(frozen=True, slots=True)
class Rig:
    """Adb server, phones and model server."""

    port: int
    serials: list[str]
    api_base: str
    processes: list[psutil.Process]

    def cpu_s(self) -> float:
        return _cpu_s(self.processes)


@contextmanager
def rig(phones: int, latency_s: float, folder: Path) -> Iterator[Rig]:
    """The same for every loop that is measured."""
    with AdbServer() as server:
        os.environ["ANDROID_ADB_SERVER_PORT"] = str(server.port)
        fleet = start_fleet_process(phones, seed=0, adb_server_port=server.port, log_dir=folder)
        model = start_scripted_model(skill=1.0, latency_s=latency_s)
        try:
            family = [psutil.Process(pid) for pid in (server.pid, fleet.pid, model.process.pid)]
            yield Rig(server.port, fleet.serials, model.api_base, family)
        finally:
            model.stop()
            fleet.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phones", default="1,4,16,64")
    parser.add_argument("--latency", default="0,1")
    parser.add_argument("--settle", default="none,adaptive")
    parser.add_argument("--seconds", type=float, default=12.0)
    options = parser.parse_args()
    print(f"{os.cpu_count()} CPUs, Python {sys.version.split()[0]}, {options.seconds:g} s a row")
    print(
        f"{'phones':>6} {'latency':>7} {'loop':>9} {'steps/s':>8} {'x bare':>6} {'% ideal':>7} {'CPU ms':>7} "
        f"{'x bare':>6} {'rest ms':>7} {'MiB/w':>6} {'util':>5}  phases ms ({', '.join(PHASES)})"
    )
    for phones in map(int, options.phones.split(",")):
        for latency_s in map(float, options.latency.split(",")):
            with tempfile.TemporaryDirectory() as name, rig(phones, latency_s, Path(name)) as shared:
                bare = bare_loop(shared, options.seconds)
                _print_row(phones, latency_s, "bare", bare, bare)
                for settle in options.settle.split(","):
                    _print_row(phones, latency_s, settle, runner(shared, settle, options.seconds), bare)


def _print_row(phones: int, latency_s: float, name: str, row: Figures, bare: Figures) -> None:
    ideal = f"{100 * row.steps_per_s / (phones / latency_s):6.1f}%" if latency_s else "      -"
    phases = " ".join(f"{row.phases_ms[p]:.1f}" for p in PHASES) if row.phases_ms else ""
    print(
        f"{phones:>6} {latency_s:>6g}s {name:>9} {row.steps_per_s:>8.1f} {row.steps_per_s / bare.steps_per_s:>6.2f} "
        f"{ideal} {row.cpu_ms_per_step:>7.2f} {row.cpu_ms_per_step / bare.cpu_ms_per_step:>6.2f} "
        f"{row.rest_ms_per_step:>7.2f} {row.uss_mib_per_worker:>6.1f} {row.utilisation:>5.0%}  {phases}",
        flush=True,
    )


if __name__ == "__main__":
    main()
