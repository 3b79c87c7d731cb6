"""Redirections of a shell: `>`, `>>`, `<`, `2>&1`, `&>`. Files are written when the command has ended."""

from __future__ import annotations

import errno
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from devices.simulated.files import FileError
from devices.simulated.sh_nodes import Redirect
from devices.simulated.sh_streams import BytesInput, Capture, Discard, Output, Streams
from devices.simulated.sh_words import ExpansionError, text_of

if TYPE_CHECKING:
    from devices.simulated.sh import Shell

_Opened = list[tuple[str, Capture]]
"""Path and what is to be written there."""


async def redirected(
    shell: Shell, redirects: tuple[Redirect, ...], streams: Streams, run: Callable[[Streams], Awaitable[int]]
) -> int:
    """Run with redirections in place; status 1, and nothing is run, when one of them fails."""
    if not redirects:
        return await run(streams)
    opened: _Opened = []
    inner = streams
    try:
        for redirect in redirects:
            inner = await _redirect(shell, redirect, inner, opened)
    except FileError as error:
        verb = "open" if redirect.operator == "<" else "create"
        shell.complain(streams, f"can't {verb} {error.filename}: {error.strerror}")
        return 1
    except ExpansionError as error:
        shell.complain(streams, str(error))
        return 1
    try:
        status = await run(inner)
    finally:
        is_written = _write(shell, opened, streams)
    return status if is_written else 1


def _write(shell: Shell, opened: _Opened, streams: Streams) -> bool:
    is_written = True
    for path, output in opened:
        try:
            shell.machine.files.write(path, output.data, append=True)
        except FileError as error:
            shell.complain(streams, f"{path}: write error: {error.strerror}")
            is_written = False
    return is_written


async def _redirect(shell: Shell, redirect: Redirect, streams: Streams, opened: _Opened) -> Streams:
    """The streams after one redirection. Raises FileError, ExpansionError."""
    target = await text_of(redirect.target, shell)
    if redirect.operator == "<":
        return Streams(BytesInput(shell.machine.files.read(shell.path(target))), streams.stdout, streams.stderr)
    if redirect.operator == ">&":
        output = {"1": streams.stdout, "2": streams.stderr, "-": Discard()}.get(target)
        if output is None:
            raise ExpansionError(f"{target}: bad file descriptor")
    else:
        output = _open(shell, target, redirect.operator == ">>", streams, opened)
    if redirect.operator == "&>":
        return Streams(streams.stdin, output, output)
    if redirect.descriptor == 1:
        return Streams(streams.stdin, output, streams.stderr)
    return Streams(streams.stdin, streams.stdout, output if redirect.descriptor == 2 else streams.stderr)


def _open(shell: Shell, name: str, append: bool, streams: Streams, opened: _Opened) -> Output:
    """Where output for a file goes. The file is there, and empty unless it is appended to, from now on."""
    if name == "/dev/null":
        return Discard()
    if name == "/dev/tty":
        if not shell.machine.is_tty:
            raise FileError(errno.ENXIO, name)
        return streams.stdout
    path, files = shell.path(name), shell.machine.files
    files.check_writable(path)
    files.write(path, b"", append=append)
    output = Capture()
    opened.append((path, output))
    return output
