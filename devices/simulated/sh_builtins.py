"""Commands that belong to the shell itself: they change it, or start other commands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from devices.simulated.files import FileError
from devices.simulated.sh import BUILTINS, NO_SUCH_COMMAND, Builtin, Exit, LoopJump, Shell
from devices.simulated.sh_parser import ShellSyntaxError, parse
from devices.simulated.sh_streams import LimitReached, Streams

__all__ = ["Shell"]
"""The shell with its builtins in place: import it from here to run it."""

MAX_TIMEOUT_S = 3600.0


def _builtin(*names: str) -> Callable[[Builtin], Builtin]:
    def register(function: Builtin) -> Builtin:
        for name in names:
            BUILTINS[name] = function
        return function

    return register


def _print(streams: Streams, text: str) -> None:
    streams.stdout.write(text.encode("utf-8", "surrogateescape"))


def _number(argv: list[str], default: int) -> int:
    return int(argv[1]) if len(argv) > 1 and argv[1].isdecimal() else default


@_builtin(":")
async def _nothing(shell: Shell, argv: list[str], streams: Streams) -> int:
    return 0


@_builtin("cd")
async def _cd(shell: Shell, argv: list[str], streams: Streams) -> int:
    target = argv[1] if len(argv) > 1 else "/"
    try:
        path = shell.path(target)
        if not shell.machine.files.stat(path).is_dir:
            shell.complain(streams, f"cd: {target}: Not a directory")
            return 2
    except FileError as error:
        shell.complain(streams, f"cd: {target}: {error.strerror}")
        return 2
    shell.set("PWD", path)
    return 0


@_builtin("pwd")
async def _pwd(shell: Shell, argv: list[str], streams: Streams) -> int:
    _print(streams, shell.variables["PWD"] + "\n")
    return 0


@_builtin("export", "readonly", "typeset", "local")
async def _export(shell: Shell, argv: list[str], streams: Streams) -> int:
    for word in argv[1:]:
        name, equals, value = word.partition("=")
        if equals:
            shell.set(name, value)
        if argv[0] == "export" and not word.startswith("-"):
            shell.exported.add(name)
            shell.set(name, shell.variables.get(name, ""))
    if len(argv) == 1:
        _print(streams, "".join(f"export {name}={shell.variables.get(name, '')}\n" for name in sorted(shell.exported)))
    return 0


@_builtin("unset")
async def _unset(shell: Shell, argv: list[str], streams: Streams) -> int:
    for name in argv[1:]:
        if name != "PWD":
            shell.set(name, "")
            del shell.variables[name]
    return 0


@_builtin("set")
async def _set(shell: Shell, argv: list[str], streams: Streams) -> int:
    if len(argv) == 1:
        _print(streams, "".join(f"{name}={value}\n" for name, value in sorted(shell.variables.items())))
    elif argv[1] == "--" or not argv[1].startswith(("-", "+")):
        shell.arguments[1:] = argv[2:] if argv[1] == "--" else argv[1:]
    return 0


@_builtin("shift")
async def _shift(shell: Shell, argv: list[str], streams: Streams) -> int:
    del shell.arguments[1 : 1 + _number(argv, 1)]
    return 0


@_builtin("exit", "return")
async def _exit(shell: Shell, argv: list[str], streams: Streams) -> int:
    raise Exit(_number(argv, shell.status) & 255)


@_builtin("break", "continue")
async def _jump(shell: Shell, argv: list[str], streams: Streams) -> int:
    raise LoopJump(is_break=argv[0] == "break", levels=max(1, _number(argv, 1)))


@_builtin("wait")
async def _wait(shell: Shell, argv: list[str], streams: Streams) -> int:
    await shell.wait()
    return 0


@_builtin("eval")
async def _eval(shell: Shell, argv: list[str], streams: Streams) -> int:
    return await _run_here(shell, " ".join(argv[1:]), streams)


@_builtin(".", "source")
async def _source(shell: Shell, argv: list[str], streams: Streams) -> int:
    if len(argv) < 2:
        return 0
    try:
        script = shell.machine.files.read(shell.path(argv[1]))
    except FileError as error:
        shell.complain(streams, f".: {argv[1]}: {error.strerror}")
        return 1
    return await _run_here(shell, script.decode("utf-8", "surrogateescape"), streams)


async def _run_here(shell: Shell, script: str, streams: Streams) -> int:
    """Run text as part of this shell."""
    try:
        node = parse(script)
    except ShellSyntaxError as error:
        shell.complain(streams, str(error))
        return 1
    if shell.budget.depth <= 0:
        raise LimitReached("too many shells inside each other")
    shell.budget.depth -= 1
    try:
        return await shell.execute(node, streams)
    finally:
        shell.budget.depth += 1


@_builtin("sh", "/system/bin/sh")
async def _sh(shell: Shell, argv: list[str], streams: Streams) -> int:
    """`sh -c SCRIPT [NAME ARGUMENTS]`, `sh FILE [ARGUMENTS]`, or a script on standard input."""
    words = [word for word in argv[1:] if word != "--"]
    while words and words[0].startswith("-") and "c" not in words[0]:
        words.pop(0)
    if words and words[0].startswith("-"):
        if len(words) < 2:
            shell.complain(streams, "-c: requires argument")
            return 1
        script, arguments = words[1], words[2:] or [argv[0]]
    elif words:
        try:
            script = shell.machine.files.read(shell.path(words[0])).decode("utf-8", "surrogateescape")
        except FileError as error:
            shell.complain(streams, f"can't open {words[0]}: {error.strerror}")
            return NO_SUCH_COMMAND
        arguments = words
    else:
        script, arguments = (await streams.stdin.read()).decode("utf-8", "surrogateescape"), [argv[0]]
    inner = shell.child()
    inner.variables = dict(shell.environment)
    inner.arguments = list(arguments)
    shell.budget.depth -= 1
    try:
        return await inner.run(script, streams)
    finally:
        shell.budget.depth += 1


@_builtin("exec")
async def _exec(shell: Shell, argv: list[str], streams: Streams) -> int:
    if len(argv) == 1:
        return 0
    raise Exit(await shell.command(argv[1:], {}, streams))


@_builtin("command")
async def _command(shell: Shell, argv: list[str], streams: Streams) -> int:
    if len(argv) > 1 and argv[1] in ("-v", "-V"):
        return await _which(shell, argv[1:], streams)
    return await shell.command(argv[1:], {}, streams) if len(argv) > 1 else 0


@_builtin("which", "type", "whence")
async def _which(shell: Shell, argv: list[str], streams: Streams) -> int:
    status = 0
    for name in argv[1:]:
        if name in BUILTINS and not name.startswith("/"):
            _print(streams, f"{name}\n")
        elif shell.machine.knows(name):
            _print(streams, f"/system/bin/{name}\n")
        else:
            status = 1
    return status


@_builtin("timeout")
async def _timeout(shell: Shell, argv: list[str], streams: Streams) -> int:
    """`timeout SECONDS COMMAND`; status 124 when time is over."""
    try:
        seconds = min(float(argv[1]), MAX_TIMEOUT_S)
        command = argv[2:]
        if not command:
            raise IndexError
    except (ValueError, IndexError):
        streams.stderr.write(b"timeout: Needs 2 arguments\n")
        return 125
    try:
        return await asyncio.wait_for(shell.command(command, {}, streams), seconds or None)
    except TimeoutError:
        return 124


@_builtin("read")
async def _read(shell: Shell, argv: list[str], streams: Streams) -> int:
    names = [word for word in argv[1:] if not word.startswith("-")] or ["REPLY"]
    line = await streams.stdin.read_line()
    words = line.decode("utf-8", "surrogateescape").rstrip("\n").split(None, len(names) - 1)
    words += [""] * (len(names) - len(words))
    for name, word in zip(names, words, strict=True):
        shell.set(name, word.strip())
    return 0 if line else 1
