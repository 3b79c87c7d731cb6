"""Flags over the configuration file, and everything that can be checked before a phone is touched."""

from __future__ import annotations

import argparse
from pathlib import Path

from rollout.config.check import SCRIPTED, check_runnable, chosen_provider
from rollout.config.load import load_config
from rollout.config.schema import Provider, RunConfig
from rollout.errors import ConfigError, Problem
from rollout.tasks import Task, load_tasks, select

_SCRIPTED_PLACE = "http://127.0.0.1:9/v1"
"""Stands in for the scripted server's address until it runs."""


def configuration(options: argparse.Namespace) -> RunConfig:
    """File, then --set, then the flags. Raises ConfigError with every problem."""
    config = load_config(options.config, sets=options.set)
    if options.tasks is not None:
        config.tasks.path = Path(options.tasks).resolve()
    if options.samples is not None:
        if options.samples < 1:
            raise ConfigError([Problem("--samples", f"{options.samples} is less than 1")])
        config.tasks.samples = options.samples
    if options.filter is not None:
        config.tasks.filter = options.filter
    if options.slice is not None:
        config.tasks.slice = options.slice
    if options.provider is not None:
        config.agent.provider = options.provider
    if options.model is not None:
        config.agent.model = options.model
    if config.scripted_model.enabled:
        config.agent.model = config.agent.model or SCRIPTED
    check_runnable(config)
    config.agent.provider = chosen_provider(config)
    if config.scripted_model.enabled:
        config.providers.setdefault(SCRIPTED, Provider(api_base=_SCRIPTED_PLACE))
    return config


def selected_tasks(config: RunConfig, shard: str | None) -> list[Task]:
    """The tasks this run is for. Raises ConfigError."""
    assert config.tasks.path is not None, "check_runnable saw to it"
    return select(
        load_tasks(config.tasks.path),
        filter=config.tasks.filter,
        slice=config.tasks.slice,
        shuffle_seed=config.tasks.shuffle_seed,
        shard=shard,
    )
