"""A run as a user starts it: the command line in a process of its own, on a fleet that was started by hand."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from devices.adb_server import AdbServer
from devices.simulated.fleet import FleetProcess
from rollout.records.reader import Run, open_run
from rollout.scripted_model.process import ScriptedModelProcess, start_scripted_model

ROOT = Path(__file__).parent.parent.parent
TASKS = ROOT / "configs" / "tasks" / "simulated.jsonl"
RUN_TIMEOUT_S = 100.0


@dataclass
class Cli:
    """A running (or ended) `python -m rollout`."""

    process: subprocess.Popen[str]
    run_dir: Path
    out: list[str] = field(default_factory=list)

    def wait(self) -> int:
        """Exit status. Fails the test when it does not come."""
        out, _ = self.process.communicate(timeout=RUN_TIMEOUT_S)
        self.out = out.splitlines()
        return self.process.returncode

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out]

    @property
    def run(self) -> Run:
        return open_run(self.run_dir)

    def child(self, title: str) -> psutil.Process:
        """The role's process by its title, as `ps` shows it."""
        return wait_for(lambda: next((p for p in self.children() if title in " ".join(cmdline(p))), None), title)

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)


def cmdline(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def wait_for(condition: Callable[[], Any], what: str, timeout_s: float = 40.0) -> Any:
    """The first value that is true. Fails the test at the deadline."""
    deadline = time.monotonic() + timeout_s
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {timeout_s:g} s for {what}"
        time.sleep(0.02)
    return value


@pytest.fixture
def model_factory() -> Iterator[Callable[..., ScriptedModelProcess]]:
    started: list[ScriptedModelProcess] = []

    def start(**options: Any) -> ScriptedModelProcess:
        started.append(start_scripted_model(**options))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def configure(adb_server: AdbServer, tmp_path: Path) -> Callable[..., Path]:
    """Writes a configuration over the session's adb server: `configure(fleet, model, agent={…}, …)` → its path."""

    def write(fleet: FleetProcess, model: ScriptedModelProcess, **sections: Any) -> Path:
        config: dict[str, Any] = {
            "providers": {"local": {"api_base": model.api_base}},
            "agent": {"model": "scripted", "language": "en", "max_steps": 25, "settle": {"mode": "none"}},
            "devices": {"adb": {"server_port": adb_server.port, "serials": fleet.serials}, "lost_grace_s": 20},
            "tasks": {"path": str(TASKS)},
        }
        for name, section in sections.items():
            config[name] = _merged(config.get(name, {}), section)
        path = tmp_path / "run.yaml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        return path

    return write


def _merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """`over` on `under`, sections inside sections too."""
    both = {
        name: _merged(under[name], over[name]) for name in under.keys() & over.keys() if isinstance(over[name], dict)
    }
    return under | over | both


@pytest.fixture
def cli(tmp_path: Path) -> Iterator[Callable[..., Cli]]:
    """Starts `python -m rollout --config FILE --output DIR …`; whatever still runs at the end is killed."""
    started: list[Cli] = []

    def start(config: Path, *flags: str, json: bool = True, run_dir: Path | None = None, **popen: Any) -> Cli:
        run_dir = run_dir or tmp_path / "run"
        command = [sys.executable, "-m", "rollout", "--config", str(config), "--output", str(run_dir), *flags]
        process = subprocess.Popen(
            [*command, *(["--json"] if json else [])],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path), "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
            **{"stdin": subprocess.DEVNULL, **popen},
        )
        started.append(Cli(process, run_dir))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            os.killpg(one.process.pid, signal.SIGKILL)
            one.process.wait(10)
        if one.process.stdout is not None:
            one.process.stdout.close()


def assert_each_rollout_has_one_final(run: Run, planned: int) -> None:
    """Nothing lost, nothing twice."""
    finals = [result for result in run.all_results() if result.status in ("finished", "truncated")]
    assert sorted(result.rollout_uid for result in finals) == sorted(entry.rollout_uid for entry in run.plan)
    assert len(finals) == planned
    assert run.damages == []
