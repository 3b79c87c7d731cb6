"""Start the scripted model as a process and stop it again; it ends by itself when this process does."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from rollout.errors import RunError

READY_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class ScriptedModelProcess:
    """A running server."""

    api_base: str
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        """End it and wait until it is gone."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(5)
        self.process.stdout.close()


def start_scripted_model(
    *,
    skill: float = 1.0,
    latency_s: float = 0.0,
    faults: Path | None = None,
    dialect: str = "gelab",
    log: Path | None = None,
) -> ScriptedModelProcess:
    """Start a server on a free port of loopback.

    Raises:
        RunError: it did not come up in time, or ended at once (a faults file it cannot read).
    """
    command = [sys.executable, "-m", "rollout.scripted_model", "--json"]
    command += ["--skill", str(skill), "--latency", str(latency_s), "--dialect", dialect]
    command += ["--faults", str(faults)] if faults else []
    command += ["--log", str(log)] if log else []
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    line, deadline = b"", time.monotonic() + READY_TIMEOUT_S
    while not line.endswith(b"\n"):
        readable = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]
        part = os.read(process.stdout.fileno(), 4096) if readable else b""
        if not part:
            process.kill()
            process.wait()
            raise RunError("the scripted model server did not start; what it printed stands above")
        line += part
    return ScriptedModelProcess(json.loads(line)["api_base"], process)
