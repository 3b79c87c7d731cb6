"""`python -m rollout.scripted_model`: serve until Ctrl-C, or with --json until standard input ends."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from rollout.plugins import DIALECTS, load
from rollout.scripted_model.faults import FaultSchedule, load_faults
from rollout.scripted_model.player import Player
from rollout.scripted_model.server import Rules, ScriptedServer


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m rollout.scripted_model", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument("--skill", type=float, default=1.0, help="share of rollouts played well, 0-1")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--dialect", default="gelab")
    parser.add_argument("--faults", type=Path, help="YAML list of scripted faults")
    parser.add_argument("--log", type=Path, help="append one JSON line a request")
    parser.add_argument("--json", action="store_true", help="ready line as JSON; end with standard input")
    options = parser.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(options))


async def _serve(options: argparse.Namespace) -> None:
    with ExitStack() as stack:
        rules = Rules(options.latency)
        if options.faults is not None:
            rules.faults = FaultSchedule(load_faults(options.faults))
        if options.log is not None:
            rules.log = stack.enter_context(options.log.open("a", encoding="utf-8"))
        server = ScriptedServer(Player(load(DIALECTS, options.dialect, "dialect")(), options.skill), rules)
        port = await server.start(options.port)
        api_base = f"http://127.0.0.1:{port}/v1"
        print(json.dumps({"api_base": api_base}) if options.json else f"Serving {api_base}", flush=True)
        await _until_told(options.json)
        await server.stop()


async def _until_told(ends_with_stdin: bool) -> None:
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    for which in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(which, over.set)
    if ends_with_stdin:
        loop.add_reader(sys.stdin.fileno(), _at_end_of_input(over))
    await over.wait()


def _at_end_of_input(over: asyncio.Event) -> Callable[[], None]:
    def read() -> None:
        if not os.read(sys.stdin.fileno(), 4096):
            over.set()

    return read


if __name__ == "__main__":
    main()
