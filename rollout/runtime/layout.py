"""The run directory: where everything lies, and who may write there."""

from __future__ import annotations

import fcntl
import getpass
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from rollout.config.schema import RunConfig
from rollout.errors import RunError
from rollout.records.names import checked_inside, file_name

LAYOUT_VERSION = 1


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """Paths inside a run directory, layout version 1."""

    path: Path

    @property
    def plan(self) -> Path:
        return self.path / "plan.jsonl"

    @property
    def leases(self) -> Path:
        return self.path / "leases.jsonl"

    @property
    def results(self) -> Path:
        return self.path / "results.jsonl"

    @property
    def summary(self) -> Path:
        return self.path / "summary.json"

    @property
    def left(self) -> Path:
        """`left.json`: rollout_uid → why it was pending when the last invocation ended."""
        return self.path / "left.json"

    @property
    def events(self) -> Path:
        return self.path / "events.jsonl"

    @property
    def config(self) -> Path:
        return self.path / "run.config.yaml"

    @property
    def identity(self) -> Path:
        """`run.json`: run id, layout version, and what makes its rollouts comparable."""
        return self.path / "run.json"

    def log(self, level: str) -> Path:
        """`run.debug.log` and so on."""
        return self.path / f"run.{level}.log"

    def rollout(self, folder: str) -> Path:
        """Raises UnsafePath: what stands in the folder's place leads out of the run directory."""
        return checked_inside(self.path, folder)

    def attempt(self, folder: str, attempt: int) -> Path:
        return self.rollout(folder) / f"attempt-{attempt}"


def default_run_directory(config: RunConfig, config_path: Path, shard: str | None = None) -> Path:
    """`<root>/<user>/<config>__<model>__t-<T>__p-<top_p>__c-<cost limit>___<task file>[__shard-I-of-N]`."""
    sampling, tasks = config.agent.sampling, config.tasks.path
    parts = (
        config_path.stem,
        config.agent.model or "model",
        f"t-{_number(sampling.temperature)}",
        f"p-{_number(sampling.top_p)}",
        f"c-{_number(config.limits.rollout.cost_usd)}",
    )
    name = "__".join(parts) + f"___{tasks.stem if tasks else 'tasks'}"
    if shard is not None:
        name += f"__shard-{shard.replace('/', '-of-')}"
    return config.output.root / file_name(_user()) / file_name(name)


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid{os.getuid()}"


class LockHeld(RunError):
    """Somebody else has it; the message says who."""


def lock(path: Path, what: str, holder: str) -> IO[str]:
    """Take an exclusive lock that the kernel releases when this process ends; the file names its holder.

    Raises:
        LockHeld: another process has it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        by = file.read(500).strip() or "another process"
        file.close()
        raise LockHeld(f"{what} is in use by {by}") from None
    file.truncate(0)
    file.write(f"process {os.getpid()}, {holder}\n")
    file.flush()
    return file


def lock_folder() -> Path:
    """Where phones are locked, by hardware serial, for every run of this user on this machine."""
    base = os.environ.get("XDG_RUNTIME_DIR")
    if base and Path(base).is_dir():
        return Path(base) / "rollout"
    import tempfile

    return Path(tempfile.gettempdir()) / f"rollout-{os.getuid()}"
