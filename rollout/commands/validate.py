"""`validate`: check a configuration and its tasks; touch no phone and no model."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rollout.commands.flags import add_config_flags
from rollout.commands.options import configuration
from rollout.runtime.plan import identity_of, tasks_of


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m rollout validate", description=__doc__)
    add_config_flags(parser)
    options = parser.parse_args(list(arguments))
    config = configuration(options)
    tasks = tasks_of(config, None)
    identity = identity_of(config)
    print(f"{options.config}: fine")
    print(f"agent: {identity.model} behind {identity.provider}, dialect {identity.dialect}")
    print(f"{len(tasks)} tasks × {config.tasks.samples} samples = {len(tasks) * config.tasks.samples} rollouts")
    return 0
