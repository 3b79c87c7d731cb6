"""Every file under configs/ loads, and together they show every key there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from rollout.config.fields import branches, is_model
from rollout.config.load import check_runnable, load_config
from rollout.config.schema import RunConfig
from rollout.tasks import load_tasks

CONFIGS = Path(__file__).parent.parent / "configs"
FILES = sorted(CONFIGS.glob("*.yaml"))
COMMENTED_KEY = re.compile(r"^(\s*)# (\s*[a-z_]+:(?: .*)?)$")
EXAMPLES = {"price_per_million", "connect", "tags"}
"""Commented keys that show an example instead of the default."""


def uncommented(path: Path) -> str:
    """The file with its commented keys switched on. Prose begins with a capital and stays a comment."""
    return "\n".join(COMMENTED_KEY.sub(r"\1\2", line) for line in path.read_text(encoding="utf-8").splitlines())


def shown(value: Any, model: type) -> Iterator[tuple[str, str]]:
    """(class that defines the field, field) of every key in a section and below it."""
    for name, info in model.model_fields.items():
        if not isinstance(value, dict) or name not in value:
            continue
        definer = next(base for base in reversed(model.__mro__) if name in getattr(base, "__annotations__", {}))
        yield definer.__name__, name
        for branch in branches(info.annotation):
            if is_model(branch):
                yield from shown(value[name], branch)
    if model is RunConfig and isinstance(value, dict):
        for provider in (value.get("providers") or {}).values():
            yield from shown(provider, RunConfig.model_fields["providers"].annotation.__args__[1])


def known(model: type) -> Iterator[tuple[str, str]]:
    for name, info in model.model_fields.items():
        definer = next(base for base in reversed(model.__mro__) if name in getattr(base, "__annotations__", {}))
        yield definer.__name__, name
        for branch in branches(info.annotation):
            if is_model(branch):
                yield from known(branch)
    if model is RunConfig:
        yield from known(RunConfig.model_fields["providers"].annotation.__args__[1])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_loads(path: Path) -> None:
    load_config(path, env={})


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_loads_with_its_commented_keys_switched_on(path: Path, tmp_path: Path) -> None:
    """So a commented key is spelt right, stands in its section, and its value is one that is taken."""
    whole = tmp_path / path.name
    whole.write_text(uncommented(path), encoding="utf-8")
    load_config(whole, env={})


def test_every_key_of_the_schema_is_shown_in_some_file() -> None:
    found = {key for path in FILES for key in shown(yaml.safe_load(uncommented(path)), RunConfig)}
    assert set(known(RunConfig)) - found == set()


def test_a_commented_key_shows_its_default(tmp_path: Path) -> None:
    path = CONFIGS / "real_phones.yaml"
    whole = tmp_path / path.name
    whole.write_text(uncommented(path), encoding="utf-8")
    as_it_stands, switched_on = load_config(path, env={}), load_config(whole, env={})
    differing = set(differences(as_it_stands.model_dump(), switched_on.model_dump()))
    assert differing <= EXAMPLES | {"path", "root"}, "paths resolve against the copy"


def differences(first: Any, second: Any, name: str = "") -> Iterator[str]:
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        for key in first:
            yield from differences(first[key], second[key], key)
    elif first != second:
        yield name


def test_the_demo_can_be_run_and_plans_enough() -> None:
    config = load_config(CONFIGS / "demo.yaml", env={})
    check_runnable(config)
    assert config.tasks.path is not None
    assert config.devices.adb is None, "the demo touches no real phone"
    assert len(load_tasks(config.tasks.path)) * config.tasks.samples >= 24


@pytest.mark.parametrize("path", sorted((CONFIGS / "tasks").iterdir()), ids=lambda path: path.name)
def test_each_task_file_loads(path: Path) -> None:
    assert load_tasks(path)
