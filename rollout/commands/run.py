"""The main job: configuration → phones → orchestrator → summary and exit status."""

from __future__ import annotations

import argparse
import getpass
import json
import sys
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from rollout.commands.options import configuration
from rollout.commands.phones import Fleet, bring_up
from rollout.config.check import SCRIPTED
from rollout.config.load import dump_config
from rollout.config.schema import Provider, RunConfig
from rollout.errors import ConfigError, Problem, RunError
from rollout.faults import FINAL
from rollout.records.disk import replace_file
from rollout.records.reader import open_run
from rollout.records.schema import AgentIdentity, PlanEntry, utc_now
from rollout.records.summary import format_summary, summarise
from rollout.runtime.layout import LAYOUT_VERSION, RunDirectory, default_run_directory, lock
from rollout.runtime.orchestrator import Orchestrator, RunEnd
from rollout.runtime.plan import identity_of, make_plan, tasks_of
from rollout.runtime.progress import PhoneRow, Progress, put, view_for
from rollout.runtime.settings import RunSettings
from rollout.scripted_model.process import start_scripted_model
from rollout.tasks import Task


def run_command(options: argparse.Namespace) -> int:
    """Run, print what came of it, return the exit status."""
    config = configuration(options)
    redo = _redo(options.redo)
    tasks = tasks_of(config, options.shard)
    run = RunDirectory(options.output or default_run_directory(config, options.config, options.shard))
    if options.dry_run:
        return _dry_run(config, tasks, run)
    with ExitStack() as stack:
        if options.fresh:
            _move_aside(run.path)
        run.path.mkdir(parents=True, exist_ok=True)
        stack.enter_context(lock(run.path / ".lock", f"run directory {run.path}", f"user {getpass.getuser()}"))
        identity = identity_of(config)
        run_id = _begin(run, identity)
        _refuse_other_plan(run, make_plan(tasks, samples=config.tasks.samples, run_id=run_id, identity=identity))
        stack.enter_context(_scripted_model(config, run))
        fleet = stack.enter_context(bring_up(config, run, options.json))
        _write_config(run, config)
        end = _orchestrate(config, options, run, run_id, fleet, tasks, redo)
        return _report(run, end, options)


def _redo(text: str) -> list[str]:
    """Statuses of --redo. A faulted rollout needs none: it is tried again anyway."""
    known = sorted(status.value for status in FINAL)
    given = [status for status in text.split(",") if status]
    problems = [
        Problem("--redo", f"{status!r} is no final status", f"known: {', '.join(known)}")
        for status in given
        if status not in known
    ]
    if problems:
        raise ConfigError(problems)
    return given


def _dry_run(config: RunConfig, tasks: list[Task], run: RunDirectory) -> int:
    samples = config.tasks.samples
    print(f"{len(tasks)} tasks × {samples} samples = {len(tasks) * samples} rollouts into {run.path}")
    for task in tasks:
        print(f"  {task.id}: {task.instruction[:90]!r}")
    return 0


def _move_aside(path: Path) -> None:
    """Raises LockHeld: a run is going on there."""
    if path.exists():
        lock(path / ".lock", f"run directory {path}", "moving it aside").close()
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        path.rename(path.with_name(f"{path.name}.before-{stamp}-{uuid.uuid4().hex[:4]}"))


def _begin(run: RunDirectory, identity: AgentIdentity) -> str:
    """A new run id, or the one of the directory that is continued.

    Raises:
        ConfigError: the directory holds rollouts of another agent.
    """
    if run.identity.exists():
        try:
            before = json.loads(run.identity.read_bytes())
            earlier = AgentIdentity.model_validate(before["identity"])
            run_id = str(before["run_id"])
        except (ValueError, KeyError, TypeError) as error:
            raise RunError(f"{run.identity} cannot be read ({error}); use --fresh or another --output") from error
        _refuse_other_agent(run, earlier, identity)
        return run_id
    run_id = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:6]}"
    about = {"layout_version": LAYOUT_VERSION, "run_id": run_id, "identity": identity.model_dump(mode="json")}
    replace_file(run.identity, json.dumps(about, indent=1, ensure_ascii=False).encode())
    return run_id


def _refuse_other_agent(run: RunDirectory, earlier: AgentIdentity, now: AgentIdentity) -> None:
    old, new = earlier.model_dump(mode="json"), now.model_dump(mode="json")
    problems = [
        Problem(
            str(run.path),
            f"holds rollouts with {key}={old.get(key)!r}, the configuration says {new[key]!r}",
            "continue with the old value, or use --fresh or another --output",
        )
        for key in new
        if old.get(key) != new[key]
    ]
    if problems:
        raise ConfigError(problems)


def _refuse_other_plan(run: RunDirectory, wanted: list[PlanEntry]) -> None:
    """A plan never grows: the directory must hold the same rollouts that are asked for now. Raises ConfigError."""
    planned = {entry.rollout_uid: entry for entry in open_run(run.path).plan}
    asked = {entry.rollout_uid: entry for entry in wanted}
    if not planned or planned.keys() == asked.keys():
        return
    more = [f"{e.task_id}.s{e.sample_index}" for uid, e in asked.items() if uid not in planned]
    fewer = [f"{e.task_id}.s{e.sample_index}" for uid, e in planned.items() if uid not in asked]
    says = "; ".join(
        f"{len(names)} {what}, such as {names[0]}"
        for names, what in ((more, "asked for now are not in it"), (fewer, "of it are not asked for now"))
        if names
    )
    hint = "tasks (or their text), samples, filter, slice or shard have changed: use --fresh or another --output"
    raise ConfigError([Problem(str(run.path), f"holds another plan: {says}", hint)])


@contextmanager
def _scripted_model(config: RunConfig, run: RunDirectory) -> Iterator[None]:
    """Start the scripted model server when asked for; its address fills the provider's place."""
    wanted = config.scripted_model
    if not wanted.enabled:
        yield
        return
    server = start_scripted_model(
        skill=wanted.skill,
        latency_s=wanted.latency_s,
        faults=wanted.faults,
        dialect=config.agent.dialect,
        log=run.path / "scripted_model.jsonl",
    )
    try:
        config.providers[SCRIPTED] = Provider(api_base=server.api_base)
        yield
    finally:
        server.stop()


def _write_config(run: RunDirectory, config: RunConfig) -> None:
    text = "# The resolved configuration of this run. Keys are not written; see the ${…} references.\n"
    replace_file(run.config, (text + dump_config(config)).encode())


def _orchestrate(
    config: RunConfig,
    options: argparse.Namespace,
    run: RunDirectory,
    run_id: str,
    fleet: Fleet,
    tasks: list[Task],
    redo: list[str],
) -> RunEnd:
    settings = RunSettings(
        run_id=run_id,
        run_dir=run.path.resolve(),
        config=config,
        api_keys={name: provider.api_key.get_secret_value() for name, provider in config.providers.items()},
        adb_port=fleet.adb_port,
        adb_path=fleet.adb_path,
        state_dir=fleet.state_dir,
        phones=fleet.phones,
        started_at=utc_now(),
        redo=redo,
        shard=options.shard,
        needs_packages=any(task.requires.packages for task in tasks),
    )
    if options.json:
        planned = len(tasks) * config.tasks.samples
        _say({"event": "launch", "run_id": run_id, "run_dir": str(run.path), "planned": planned})
    progress = Progress(view_for(Console(), json=options.json))
    progress.phones = {slot.serial: PhoneRow() for slot in fleet.phones}
    try:
        return Orchestrator(settings, progress).run()
    finally:
        progress.close()


def _report(run: RunDirectory, end: RunEnd, options: argparse.Namespace) -> int:
    found = open_run(run.path)
    failed = any((result.rewards.get("success") or 0.0) < 1 for result in found.results.values() if result.rewards)
    status = exit_status(end, agents_failed=failed and options.fail_on_failure)
    summary = summarise(found, left=_reasons_left(run))
    replace_file(run.summary, json.dumps(summary, indent=1, ensure_ascii=False).encode())
    if options.json:
        left = end.total - end.final - end.faulted
        counts = {"planned": end.total, "final": end.final, "faulted": end.faulted, "left": left}
        _say({"event": "done", "exit_code": status, "counts": counts, "error": end.error})
    else:
        put(f"{format_summary(summary)}\nRun directory: {run.path}")
    if end.error is not None:
        put(f"error: {end.error}", sys.stderr)
    return status


def _reasons_left(run: RunDirectory) -> dict[str, str]:
    """What the reader said of rollouts that are still pending; nothing when it had no time to."""
    try:
        return dict(json.loads(run.left.read_bytes()))
    except (FileNotFoundError, ValueError):
        return {}


def exit_status(end: RunEnd, *, agents_failed: bool) -> int:
    """The table of --help, most telling first."""
    if end.interrupted:
        return 130
    if end.error is not None:
        return 1
    if end.limit is not None and end.left:
        return 4
    if end.left and not end.phones_left:
        return 1
    if end.left or end.faulted:
        return 3
    return 5 if agents_failed else 0


def _say(event: dict[str, Any]) -> None:
    put(json.dumps(event, ensure_ascii=False))
