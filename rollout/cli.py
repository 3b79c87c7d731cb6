"""The command line: flags in, exit status out. Imports nothing heavy; each command imports what it needs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rollout.commands.flags import add_config_flags

EXIT_HELP = """\
exit status:
  0    every planned rollout has a final record
  1    the run could not go on
  2    the configuration or the command line is wrong
  3    the run ended, some rollouts stayed faulted after their retries
  4    a limit stopped it, rollouts are left
  5    some agent failed (only with --fail-on-failure)
  130  interrupted; the same command continues
"""


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m rollout",
        description="Run GUI-agent rollouts on a fleet of Android phones and write trajectories.",
        epilog=EXIT_HELP
        + "\nother commands (python -m rollout COMMAND --help):\n"
        + "\n".join(f"  {name:10} {summary}" for name, (_, summary) in COMMANDS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_config_flags(parser)
    parser.add_argument("--output", type=Path, metavar="RUN_DIR", help="run directory (default: made from the names)")
    parser.add_argument("--shard", metavar="I/N", help="take every N-th task, starting with the I-th (from 0)")
    parser.add_argument("--fresh", action="store_true", help="move an earlier run directory aside and begin anew")
    parser.add_argument("--redo", metavar="STATUS,…", default="", help="run finals with these statuses again")
    parser.add_argument("--dry-run", action="store_true", help="check everything, list what would run, touch nothing")
    parser.add_argument("--json", action="store_true", help="one JSON line at launch, one at the end, nothing else")
    parser.add_argument("--fail-on-failure", action="store_true", help="exit 5 when some agent failed")
    return parser


COMMANDS = {
    "devices": ("rollout.commands.devices:main", "list the phones adb sees and whether they can be used"),
    "validate": ("rollout.commands.validate:main", "check a configuration and its tasks"),
}


def main(argv: Sequence[str] | None = None) -> None:
    """Parse, run, exit. What the user must fix is printed without a traceback."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in COMMANDS:
        sys.exit(_call(COMMANDS[arguments[0]][0], arguments[1:]))
    if not arguments:
        build_parser().print_help()
        sys.exit(2)
    options = build_parser().parse_args(arguments)
    from rollout.commands.run import run_command

    sys.exit(_guarded(lambda: run_command(options)))


def _call(target: str, arguments: Sequence[str]) -> int:
    from rollout.plugins import load_attribute

    command = load_attribute(target)
    return _guarded(lambda: command(arguments))


def _guarded(command: Callable[[], int]) -> int:
    from devices.errors import DeviceError
    from rollout.errors import ConfigError, RolloutError

    try:
        return command()
    except ConfigError as error:
        for problem in error.problems:
            print(f"error: {problem}", file=sys.stderr)
        return 2
    except (RolloutError, DeviceError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
