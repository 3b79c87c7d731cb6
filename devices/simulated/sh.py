"""The shell of a simulated phone: runs parsed scripts the way mksh does, bounded in every direction.

What it is handed is really interpreted, so that text which slips out of its quotes runs as a command and is seen in the
command log. Pipes pass whole outputs, one side after the other; `cmd &` runs beside what follows, and the shell ends
when all it started has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from devices.simulated.command import Call, Result
from devices.simulated.files import FileError, VirtualFiles, normal_path
from devices.simulated.sh_nodes import (
    AndOr,
    For,
    Group,
    If,
    Node,
    Pipeline,
    Sequence,
    Simple,
    While,
)
from devices.simulated.sh_parser import ShellSyntaxError, parse
from devices.simulated.sh_redirects import redirected
from devices.simulated.sh_streams import Budget, BytesInput, Capture, Discard, LimitReached, Output, Streams
from devices.simulated.sh_words import ExpansionError, arguments_of, text_of

NAME = "/system/bin/sh"
NO_SUCH_COMMAND = 127
MAX_LOOP_ROUNDS = 10_000
MAX_JOBS = 16
ARGUMENT_COST_BYTES = 128
"""What an expanded argument counts beside its own length: many short ones are work too."""


class Machine(Protocol):
    """The phone below the shell."""

    @property
    def files(self) -> VirtualFiles: ...

    @property
    def is_tty(self) -> bool: ...

    def knows(self, name: str) -> bool:
        """True for commands other than the shell's own."""

    def reads_input(self, argv: list[str]) -> bool:
        """True for a command that reads standard input to its end."""

    async def begin(self, argv: list[str]) -> None:
        """Called once for each simple command before it runs, the shell's own included: log and faults."""

    async def run(self, call: Call) -> Result:
        """Run a command that the shell itself does not have; an unknown one gives status 127."""


class Exit(Exception):
    """`exit`: leaves the shell or subshell."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class LoopJump(Exception):
    """`break` or `continue` on its way to its loop."""

    def __init__(self, *, is_break: bool, levels: int) -> None:
        super().__init__(levels)
        self.is_break = is_break
        self.levels = levels


class Shell:
    """One shell process. `run` may be called again and again; variables and directory stay."""

    def __init__(
        self,
        machine: Machine,
        variables: Mapping[str, str] | None = None,
        *,
        arguments: list[str] | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.machine = machine
        self.variables: dict[str, str] = {"PWD": "/", **(variables or {})}
        self.exported: set[str] = set(self.variables)
        self.arguments = arguments or [NAME]
        self.budget = budget or Budget()
        self.status = 0
        self.has_exited = False
        self._jobs: list[asyncio.Task[int]] = []
        self._stderr: Output = Discard()
        self._substituted = 0
        self._environment: dict[str, str] | None = None

    # -- for whoever starts a shell ----------------------------------------------------------------------------------

    async def run(self, script: str, streams: Streams) -> int:
        """Run a whole script and what it left in the background; the exit status."""
        try:
            self.status = await self.execute(parse(script), streams)
        except ShellSyntaxError as error:
            self.complain(streams, str(error))
            self.status = 1
        except Exit as leave:
            self.status, self.has_exited = leave.status, True
        except LoopJump:
            self.status = 0
        except (LimitReached, RecursionError) as limit:
            self._end_jobs()
            self.complain(streams, f"script stopped: {limit}")
            self.status = 1
        except asyncio.CancelledError:
            self._end_jobs()
            raise
        await self.wait()
        return self.status

    async def wait(self) -> None:
        """Wait for background commands; when this is cancelled, they are too."""
        jobs, self._jobs = self._jobs, []
        if jobs:
            await asyncio.gather(*jobs)

    def _end_jobs(self) -> None:
        jobs, self._jobs = self._jobs, []
        for job in jobs:
            job.cancel()

    def complain(self, streams: Streams, message: str) -> None:
        streams.stderr.write(f"{NAME}: {message}\n".encode("utf-8", "surrogateescape"))

    def child(self) -> Shell:
        """A subshell: a copy whose changes are lost."""
        if self.budget.depth <= 0:
            raise LimitReached("too many shells inside each other")
        copy = Shell(self.machine, self.variables, arguments=self.arguments, budget=self.budget)
        copy.exported, copy.status, copy._environment = set(self.exported), self.status, self.environment
        return copy

    async def run_child(self, node: Node, streams: Streams) -> int:
        """Run a node in a subshell."""
        shell = self.child()
        self.budget.depth -= 1
        status = 0
        try:
            status = await shell.execute(node, streams)
        except Exit as leave:
            status = leave.status
        except LoopJump:
            pass
        except BaseException:
            shell._end_jobs()
            raise
        finally:
            self.budget.depth += 1
        await shell.wait()
        return status

    # -- for expansion (the Scope of sh_words) and builtins ----------------------------------------------------------

    def special(self, name: str) -> str:
        return {
            "?": str(self.status),
            "$": "4321",
            "#": str(len(self.arguments) - 1),
            "!": "4322",
            "@": " ".join(self.arguments[1:]),
            "*": " ".join(self.arguments[1:]),
        }[name]

    def glob(self, pattern: str) -> list[str]:
        try:
            return self.machine.files.glob(pattern, self.variables["PWD"])
        except FileError:
            return []

    async def substitute(self, script: Node) -> str:
        output = Capture()
        self.status = self._substituted = await self.run_child(script, Streams(BytesInput(), output, self._stderr))
        return output.data.replace(b"\0", b"").decode("utf-8", "surrogateescape").rstrip("\n")

    def set(self, name: str, value: str) -> None:
        self.variables[name] = value
        self._environment = None

    @property
    def environment(self) -> dict[str, str]:
        """What commands see of the variables."""
        if self._environment is None:
            self._environment = {name: self.variables[name] for name in self.exported if name in self.variables}
        return self._environment

    def path(self, name: str) -> str:
        """Absolute path of a file named by an argument. Raises FileError."""
        return normal_path(name, self.variables["PWD"])

    # -- nodes -------------------------------------------------------------------------------------------------------

    async def execute(self, node: Node, streams: Streams) -> int:
        """Run one node; its status is also `$?`."""
        self.status = await _EXECUTORS[type(node)](self, node, streams)
        return self.status

    async def _simple(self, node: Simple, streams: Streams) -> int:
        if self.budget.spend_command():
            await asyncio.sleep(0)  # Other phones live in the same loop.
        self._stderr, self._substituted = streams.stderr, 0
        try:
            if node.plain_argv is not None:
                argv = list(node.plain_argv)
            else:
                argv = await arguments_of(node.words, self)
                self.budget.spend_data(sum(map(len, argv)) + ARGUMENT_COST_BYTES * len(argv))
            values = {name: await text_of(word, self) for name, word in node.assignments} if node.assignments else {}
        except ExpansionError as error:
            self.complain(streams, str(error))
            return 1
        if node.redirects:
            return await redirected(self, node.redirects, streams, lambda inner: self.command(argv, values, inner))
        return await self.command(argv, values, streams)

    async def command(self, argv: list[str], values: dict[str, str], streams: Streams) -> int:
        """Run a command by its final arguments; `values` are the assignments in front of it."""
        if not argv:
            for name, value in values.items():
                self.budget.spend_data(len(value))
                self.set(name, value)
            return self._substituted
        await self.machine.begin(argv)
        builtin = BUILTINS.get(argv[0])
        if builtin is not None:
            return await builtin(self, argv, streams)
        environment = {**self.environment, **values} if values else self.environment
        stdin = await self._input_for(argv, streams)
        result = await self.machine.run(Call(argv, stdin, environment, self.machine.is_tty))
        self.budget.spend_data(len(result.stdout) + len(result.stderr))
        if result.stderr:
            streams.stderr.write(result.stderr)
        if result.stdout:
            streams.stdout.write(result.stdout)
        return result.status

    async def _input_for(self, argv: list[str], streams: Streams) -> bytes:
        """Readers take all there is (and wait for its end); others may look at what is there."""
        if self.machine.reads_input(argv):
            return await streams.stdin.read()
        return streams.stdin.peek()

    async def _pipeline(self, node: Pipeline, streams: Streams) -> int:
        stdin = streams.stdin
        status = 0
        for index, command in enumerate(node.commands):
            if index == len(node.commands) - 1:
                status = await self.run_child(command, Streams(stdin, streams.stdout, streams.stderr))
                break
            output = Capture()
            await self.run_child(command, Streams(stdin, output, streams.stderr))
            stdin = BytesInput(output.data)
        return int(not status) if node.is_negated else status

    async def _and_or(self, node: AndOr, streams: Streams) -> int:
        status = await self.execute(node.first, streams)
        for operator, command in node.rest:
            if (status == 0) == (operator == "&&"):
                status = await self.execute(command, streams)
        return status

    async def _sequence(self, node: Sequence, streams: Streams) -> int:
        status = 0
        for index, command in enumerate(node.commands):
            if index in node.background:
                status = self._start(command, streams)
            else:
                status = await self.execute(command, streams)
        return status

    def _start(self, command: Node, streams: Streams) -> int:
        if len(self._jobs) >= MAX_JOBS:
            raise LimitReached("too many background commands")
        self._jobs.append(asyncio.create_task(self._job(command, streams)))
        return 0

    async def _job(self, command: Node, streams: Streams) -> int:
        try:
            return await self.run_child(command, Streams(BytesInput(), streams.stdout, streams.stderr))
        except (LimitReached, RecursionError):
            return 1

    async def _group(self, node: Group, streams: Streams) -> int:
        run = self.run_child if node.is_subshell else self.execute
        return await redirected(self, node.redirects, streams, lambda inner: run(node.body, inner))

    async def _if(self, node: If, streams: Streams) -> int:
        async def choose(inner: Streams) -> int:
            for condition, body in node.branches:
                if await self.execute(condition, inner) == 0:
                    return await self.execute(body, inner)
            return await self.execute(node.otherwise, inner) if node.otherwise is not None else 0

        return await redirected(self, node.redirects, streams, choose)

    async def _for(self, node: For, streams: Streams) -> int:
        async def loop(inner: Streams) -> int:
            self._stderr = inner.stderr
            try:
                values = self.arguments[1:] if node.words is None else await arguments_of(node.words, self)
            except ExpansionError as error:
                self.complain(inner, str(error))
                return 1
            status = 0
            for value in values:
                self.set(node.name, value)
                is_over, status = await self._round(node.body, inner)
                if is_over:
                    break
            return status

        return await redirected(self, node.redirects, streams, loop)

    async def _while(self, node: While, streams: Streams) -> int:
        async def loop(inner: Streams) -> int:
            status = 0
            for _ in range(MAX_LOOP_ROUNDS):
                if (await self.execute(node.condition, inner) == 0) == node.is_until:
                    return status
                is_over, status = await self._round(node.body, inner)
                if is_over:
                    return status
            raise LimitReached(f"a loop ran {MAX_LOOP_ROUNDS} times")

        return await redirected(self, node.redirects, streams, loop)

    async def _round(self, body: Node, streams: Streams) -> tuple[bool, int]:
        """One round of a loop: whether the loop is over, and the status."""
        try:
            return False, await self.execute(body, streams)
        except LoopJump as jump:
            if jump.levels > 1:
                raise LoopJump(is_break=jump.is_break, levels=jump.levels - 1) from None
            return jump.is_break, 0


Builtin = Callable[[Shell, list[str], Streams], Awaitable[int]]
_Executor = Callable[[Shell, Node, Streams], Awaitable[int]]
_EXECUTORS: dict[type, Callable[..., Awaitable[int]]] = {
    Simple: Shell._simple,
    Pipeline: Shell._pipeline,
    AndOr: Shell._and_or,
    Sequence: Shell._sequence,
    Group: Shell._group,
    If: Shell._if,
    For: Shell._for,
    While: Shell._while,
}
BUILTINS: dict[str, Builtin] = {}
"""Filled by `sh_builtins.py`."""
