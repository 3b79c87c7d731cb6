"""Where a simulated shell's commands read from and write to. All of it is in memory and bounded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class LimitReached(Exception):
    """The script is stopped: too many commands, too much output, too deep."""


REST_COMMANDS = 64
REST_BYTES = 1024 * 1024
"""So many commands, or so much data, may pass before a script lets others run."""


@dataclass(slots=True)
class Budget:
    """What is left for one script and all that it starts."""

    commands: int = 20_000
    data_bytes: int = 64 * 1024 * 1024
    """Output of all commands and expanded words together."""
    depth: int = 10
    unrested: int = 0

    def spend_command(self) -> bool:
        """Count a command; True when the others in the event loop should have their turn."""
        self.commands -= 1
        if self.commands < 0:
            raise LimitReached("too many commands")
        self.unrested += REST_BYTES // REST_COMMANDS
        if self.unrested < REST_BYTES:
            return False
        self.unrested = 0
        return True

    def spend_data(self, size: int) -> None:
        self.unrested += size
        self.data_bytes -= size
        if self.data_bytes < 0:
            raise LimitReached("too much data")


class Output(Protocol):
    def write(self, data: bytes) -> None: ...


class Discard:
    """`/dev/null`."""

    def write(self, data: bytes) -> None:
        pass


class Capture:
    """Output that is kept: for a pipe, a substitution or a file."""

    __slots__ = ("pieces",)

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.pieces.append(data)

    @property
    def data(self) -> bytes:
        return b"".join(self.pieces)


class Callback:
    """Output that goes on at once."""

    __slots__ = ("write",)

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self.write = write


class Input(Protocol):
    def peek(self) -> bytes:
        """What is already there, without taking it."""

    async def read(self) -> bytes:
        """All up to the end."""

    async def read_line(self) -> bytes:
        """One line with its line end; b"" at the end."""


class BytesInput:
    """A pipe's or a file's content."""

    __slots__ = ("data",)

    def __init__(self, data: bytes = b"") -> None:
        self.data = data

    def peek(self) -> bytes:
        return self.data

    async def read(self) -> bytes:
        data, self.data = self.data, b""
        return data

    async def read_line(self) -> bytes:
        end = self.data.find(b"\n") + 1 or len(self.data)
        line, self.data = self.data[:end], self.data[end:]
        return line


@dataclass(frozen=True, slots=True)
class Streams:
    """Standard input, output and error of a command."""

    stdin: Input
    stdout: Output
    stderr: Output
