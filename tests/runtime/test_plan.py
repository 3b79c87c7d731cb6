"""Planned rollouts: one a task and sample, with names and seeds that repeat."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rollout.config.schema import RunConfig
from rollout.errors import ConfigError
from rollout.runtime.layout import default_run_directory
from rollout.runtime.plan import identity_of, make_plan, rollout_seed, tasks_of
from rollout.tasks import Task

TASKS = [Task(id=name, instruction=name) for name in ("a", "b", "../evil")]


def config(**agent: object) -> RunConfig:
    return RunConfig.model_validate({"agent": {"model": "m", "provider": "p", **agent}})


def test_each_task_is_planned_once_a_sample_and_every_name_is_unique() -> None:
    plan = make_plan(TASKS, samples=3, run_id="r", identity=identity_of(config()))
    assert len(plan) == len({entry.rollout_uid for entry in plan}) == len({entry.folder for entry in plan}) == 9
    assert len({entry.group_id for entry in plan}) == 3
    assert not any("/" in entry.folder for entry in plan)


def test_the_same_plan_has_the_same_names_and_another_agent_has_others() -> None:
    def uids(agent: RunConfig) -> list[str]:
        return [e.rollout_uid for e in make_plan(TASKS, samples=2, run_id="r", identity=identity_of(agent))]

    assert uids(config()) == uids(config())
    assert not set(uids(config())) & set(uids(config(policy_version="v2")))
    assert not set(uids(config())) & set(uids(config(sampling={"temperature": 0.9})))


def test_samples_of_a_task_get_different_seeds_that_repeat() -> None:
    plan = make_plan(TASKS, samples=50, run_id="r", identity=identity_of(config()))
    seeds = [rollout_seed(entry, None) for entry in plan if entry.task_id == "a"]
    assert len(set(seeds)) == 50
    assert seeds == [rollout_seed(entry, 0) for entry in plan if entry.task_id == "a"]
    assert all(0 <= seed < 2**15 for seed in seeds)
    assert rollout_seed(plan[0], 1) != rollout_seed(plan[0], 2)


def test_a_task_that_would_not_fit_a_frame_is_refused_before_the_run(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps({"id": "huge", "instruction": "x" * 60_000}) + "\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="huge"):
        tasks_of(RunConfig.model_validate({"tasks": {"path": str(path)}}), None)


def test_the_run_directory_is_named_after_configuration_model_sampling_and_tasks() -> None:
    run = RunConfig.model_validate(
        {"agent": {"model": "org/m"}, "tasks": {"path": "x/my_tasks.jsonl"}, "output": {"root": "out"}}
    )
    path = default_run_directory(run, Path("configs/night.yaml"))
    assert path.parts[0] == "out"
    assert path.name.startswith("night__org=2Fm__t-0.10__p-0.95__c-none___my_tasks")
