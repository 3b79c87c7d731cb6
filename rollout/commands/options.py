"""Flags over the configuration file, and everything that can be checked before a phone is touched."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rollout.config.check import SCRIPTED, check_runnable, chosen_provider
from rollout.config.load import read_config
from rollout.config.schema import Provider, RunConfig

_SCRIPTED_PLACE = "http://127.0.0.1:9/v1"
"""Stands in for the scripted server's address until it runs."""

_KEYS = {
    "samples": "tasks.samples",
    "filter": "tasks.filter",
    "slice": "tasks.slice",
    "provider": "agent.provider",
    "model": "agent.model",
}
"""Flag → the key it sets."""


def configuration(options: argparse.Namespace) -> RunConfig:
    """File, then --set, then the flags; what of the file is ignored is said. Raises ConfigError with every problem."""
    loaded = read_config(options.config, sets=[*options.set, *_flags(options)])
    for notice in loaded.notices:
        print(f"note: {notice}", file=sys.stderr)
    config = loaded.config
    if options.tasks is not None:
        config.tasks.path = Path(options.tasks).resolve()
    if config.scripted_model.enabled:
        config.agent.model = config.agent.model or SCRIPTED
    check_runnable(config)
    config.agent.provider = chosen_provider(config)
    if config.scripted_model.enabled:
        config.providers.setdefault(SCRIPTED, Provider(api_base=_SCRIPTED_PLACE))
    return config


def _flags(options: argparse.Namespace) -> list[str]:
    """The flags in the form of --set, so that they meet the same checks."""
    given = {key: getattr(options, flag) for flag, key in _KEYS.items() if getattr(options, flag) is not None}
    return [f"{key}={_quoted(value)}" for key, value in given.items()]


def _quoted(value: object) -> str:
    """Text as YAML text: a model called `1.5` or `yes` stays text."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)
