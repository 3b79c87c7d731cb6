"""Flags that stand for keys of the configuration. Imports nothing heavy: the command line needs them at once."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_config_flags(parser: argparse.ArgumentParser) -> None:
    """`--config` and what overrides it."""
    parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="YAML configuration")
    parser.add_argument("--tasks", type=Path, metavar="FILE", help="task file: JSONL, YAML or CSV")
    parser.add_argument("--samples", type=int, metavar="N", help="rollouts per task")
    parser.add_argument("--provider", metavar="NAME", help="provider of the agent's model")
    parser.add_argument("--model", metavar="NAME", help="the agent's model")
    parser.add_argument("--filter", metavar="RE", help="only tasks whose id matches")
    parser.add_argument("--slice", metavar="A:B", help="only these of them")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="set any key, e.g. --set agent.max_steps=20"
    )
