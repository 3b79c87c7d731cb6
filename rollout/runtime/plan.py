"""From tasks to planned rollouts: which must end, under which name. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from rollout.config.schema import RunConfig
from rollout.errors import ConfigError, Problem
from rollout.plugins import DIALECTS, load
from rollout.records.names import file_name
from rollout.records.schema import AgentIdentity, PlanEntry
from rollout.runtime.messages import MAX_TASK_BYTES
from rollout.tasks import Task, load_tasks, select


def identity_of(config: RunConfig) -> AgentIdentity:
    """What makes rollouts comparable: changed identity means other data."""
    agent = config.agent
    dialect = load(DIALECTS, agent.dialect, "dialect")()
    return AgentIdentity(
        kind=agent.kind,
        dialect=agent.dialect,
        provider=agent.provider or "",
        model=agent.model or "",
        policy_version=agent.policy_version,
        prompt_hash=dialect.prompt_hash(agent.language),
        sampling=agent.sampling.model_dump(exclude_none=True),
    )


def tasks_of(config: RunConfig, shard: str | None) -> list[Task]:
    """The tasks this run is for. Raises ConfigError."""
    assert config.tasks.path is not None, "checked before the run starts"
    tasks = select(
        load_tasks(config.tasks.path),
        filter=config.tasks.filter,
        slice=config.tasks.slice,
        shuffle_seed=config.tasks.shuffle_seed,
        shard=shard,
    )
    problems = [
        Problem(str(config.tasks.path), f"task {task.id!r} is larger than {MAX_TASK_BYTES} bytes", "move data to files")
        for task in tasks
        if len(task.model_dump_json().encode()) > MAX_TASK_BYTES
    ]
    if problems:
        raise ConfigError(problems)
    return tasks


def make_plan(tasks: Sequence[Task], *, samples: int, run_id: str, identity: AgentIdentity) -> list[PlanEntry]:
    """One entry per task and sample; samples of a task stand apart: a lost phone does not take a whole group."""
    agent = identity.model_dump_json()
    return [
        PlanEntry(
            run_id=run_id,
            rollout_uid=_uid(task.id, task.content_hash(), agent, str(sample)),
            group_id=f"{run_id}:{task.id}",
            task_id=task.id,
            task_hash=task.content_hash(),
            sample_index=sample,
            folder=file_name(f"{task.id}.s{sample}"),
            task=json.loads(task.model_dump_json()),
        )
        for sample in range(samples)
        for task in tasks
    ]


def rollout_seed(entry: PlanEntry, base: int | None) -> int:
    """15 bits, the same in every run with the same base, distinct within a task's samples."""
    digest = hashlib.sha256(f"{base or 0}\0{entry.task_id}".encode()).digest()
    return (int.from_bytes(digest[:4]) + entry.sample_index) & 0x7FFF


def _uid(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
