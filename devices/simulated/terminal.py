"""An interactive shell: `adb shell` without a command, or a script on its standard input."""

from __future__ import annotations

from devices.simulated.sh import Shell
from devices.simulated.sh_parser import ShellSyntaxError, UnfinishedScript, parse
from devices.simulated.sh_streams import Budget, Streams

MAX_COMMAND_CHARS = 1024 * 1024


async def interact(shell: Shell, streams: Streams, prompt: str) -> int:
    """Read commands and run each until the input ends or the shell exits; the last status."""
    text = ""
    while True:
        if prompt:
            streams.stderr.write((prompt if not text else "> ").encode())
        line = (await streams.stdin.read_line()).decode("utf-8", "surrogateescape")
        text += line
        if line and len(text) < MAX_COMMAND_CHARS and _is_unfinished(text):
            continue
        if text.strip():
            # Each command line has the whole allowance.
            shell.budget = Budget()
            status = await shell.run(text, streams)
            if shell.has_exited:
                return status
        if not line:
            return shell.status
        text = ""


def _is_unfinished(text: str) -> bool:
    try:
        parse(text)
    except UnfinishedScript:
        return True
    except ShellSyntaxError:
        return False
    return text.endswith("\\\n")
