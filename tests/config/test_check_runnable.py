"""What only shows when file and flags are put together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rollout.config.load import check_runnable
from rollout.config.schema import RunConfig
from rollout.errors import ConfigError


def config(tmp_path: Path, **changes: Any) -> RunConfig:
    tasks = tmp_path / "tasks.jsonl"
    tasks.touch()
    whole: dict[str, Any] = {
        "providers": {"local": {"api_base": "http://localhost/v1"}},
        "agent": {"model": "m"},
        "devices": {"simulated": {"count": 1}},
        "tasks": {"path": tasks},
    }
    return RunConfig.model_validate(whole | changes)


def test_a_whole_configuration_can_be_run(tmp_path: Path) -> None:
    check_runnable(config(tmp_path))
    check_runnable(config(tmp_path, devices={"adb": {}}))
    check_runnable(config(tmp_path, providers={}, scripted_model={"enabled": True}))


TWO = {"local": {"api_base": "http://localhost/v1"}, "other": {"api_base": "http://localhost/v1"}}


@pytest.mark.parametrize(
    ("changes", "where", "said"),
    [
        ({"providers": {}}, "providers", "no model server"),
        ({"providers": TWO}, "agent.provider", "local, other"),
        ({"agent": {"model": "m", "provider": "lokal"}}, "agent.provider", "did you mean 'local'?"),
        ({"agent": {}}, "agent.model", "--model"),
        ({"agent": {"model": "m", "reply": {"provider": "othr"}}}, "agent.reply.provider", "no provider 'othr'"),
        ({"devices": {}}, "devices", "adb: {}"),
        ({"devices": {"adb": {"serials": []}}}, "devices.adb.serials", "empty list"),
        ({"tasks": {}}, "tasks.path", "--tasks"),
        ({"tasks": {"path": "/nowhere/x.jsonl"}}, "tasks.path", "does not exist"),
        ({"limits": {"run": {"cost_usd": 4}}}, "limits.run.cost_usd", "price of provider 'local' is unknown"),
    ],
)
def test_what_is_missing_is_said_with_what_to_do(
    changes: dict[str, Any], where: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as caught:
        check_runnable(config(tmp_path, **changes))
    (problem,) = caught.value.problems
    assert problem.where == where
    assert said in str(problem)


def test_everything_missing_is_said_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        check_runnable(RunConfig())
    assert [problem.where for problem in caught.value.problems] == ["providers", "agent.model", "devices", "tasks.path"]


def test_a_cost_limit_with_a_price_can_be_kept(tmp_path: Path) -> None:
    priced = {"local": {"api_base": "http://localhost/v1", "price_per_million": {"prompt": 1.0, "completion": 2.0}}}
    check_runnable(config(tmp_path, providers=priced, limits={"rollout": {"cost_usd": 1}}))
