"""A command's input and output as adb carries them: plain bytes, a terminal's, or the packets of shell v2.

Output that is written without a pause leaves in one packet; when a script has to wait, what it has printed goes out.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable

from devices.simulated.adb_stream import Stream, StreamClosed

STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN = range(5)
_HEADER = struct.Struct("<BI")
MAX_STDIN_BYTES = 64 * 1024 * 1024


class Sender:
    """Collects output and sends it to a stream."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self._pending: list[bytes] = []
        self._due: asyncio.Handle | None = None
        self._sending: asyncio.Task[None] | None = None

    def add(self, data: bytes) -> None:
        self._pending.append(data)
        if self._due is None and self._sending is None:
            self._due = asyncio.get_running_loop().call_soon(self._start)

    def terminal(self, data: bytes) -> None:
        """With a terminal's line ends."""
        self.add(data.replace(b"\n", b"\r\n"))

    def _start(self) -> None:
        self._due = None
        self._sending = asyncio.get_running_loop().create_task(self._send())

    async def _send(self) -> None:
        try:
            while self._pending:
                data = self._take()
                await self.stream.write(data)
        except StreamClosed:
            self._pending.clear()
        finally:
            self._sending = None

    def _take(self) -> bytes:
        data = self._pending[0] if len(self._pending) == 1 else b"".join(self._pending)
        self._pending.clear()
        return data

    async def finish(self) -> None:
        """Send what is left, and close the stream."""
        if self._due is not None:
            self._due.cancel()
        if self._sending is not None:
            await self._sending
        await self.stream.finish(self._take() if self._pending else b"")


class V2Sender(Sender):
    """Output as shell v2 packets; on a terminal all of it is standard output."""

    def __init__(self, stream: Stream, *, is_pty: bool) -> None:
        super().__init__(stream)
        self._is_pty = is_pty

    def _packet(self, kind: int, data: bytes) -> None:
        if self._is_pty:
            kind, data = STDOUT, data.replace(b"\n", b"\r\n")
        self.add(_HEADER.pack(kind, len(data)))
        self._pending.append(data)

    def stdout(self, data: bytes) -> None:
        self._packet(STDOUT, data)

    def stderr(self, data: bytes) -> None:
        self._packet(STDERR, data)

    async def finish_with(self, status: int) -> None:
        self._pending.append(_HEADER.pack(EXIT, 1) + bytes([status & 255]))
        await self.finish()


class StreamInput:
    """Input from the client. Nothing is read before a command asks for it."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.buffer = bytearray()
        self.is_at_end = False

    async def more(self) -> bool:
        """Wait for input; False at its end."""
        raise NotImplementedError

    def peek(self) -> bytes:
        return b""

    async def read(self) -> bytes:
        while len(self.buffer) < MAX_STDIN_BYTES and await self.more():
            pass
        data = bytes(self.buffer)
        self.buffer.clear()
        return data

    async def read_line(self) -> bytes:
        while (end := self.buffer.find(b"\n") + 1) == 0 and len(self.buffer) < MAX_STDIN_BYTES:
            if not await self.more():
                end = len(self.buffer)
                break
        line = bytes(self.buffer[:end])
        del self.buffer[:end]
        return line


class RawInput(StreamInput):
    """`exec:` and v1 shells. The client's close is the end of input, and the command goes on."""

    async def more(self) -> bool:
        self.stream.outlives_client = True
        data = await self.stream.read()
        self.buffer += data
        return bool(data)


class V2Input(StreamInput):
    """Standard input out of shell v2 packets."""

    async def more(self) -> bool:
        if self.is_at_end:
            return False
        kind, length = _HEADER.unpack(await self.stream.exactly(_HEADER.size))
        data = await self.stream.exactly(length)
        if kind == STDIN:
            self.buffer += data
        self.is_at_end = kind == CLOSE_STDIN
        return not self.is_at_end


class PtyInput:
    """A terminal's input: echoed, edited with backspace, Ctrl-C drops the line, Ctrl-D ends it all."""

    def __init__(self, source: StreamInput, echo: Callable[[bytes], None]) -> None:
        self.source = source
        self.echo = echo
        self.is_at_end = False

    def peek(self) -> bytes:
        return b""

    async def read(self) -> bytes:
        lines: list[bytes] = []
        while line := await self.read_line():
            lines.append(line)
        return b"".join(lines)

    async def read_line(self) -> bytes:
        line = bytearray()
        while not self.is_at_end:
            if not self.source.buffer and not await self.source.more():
                self.is_at_end = True
                break
            if not self.source.buffer:
                continue
            character = self.source.buffer.pop(0)
            if character in b"\r\n":
                self.echo(b"\n")
                return bytes(line) + b"\n"
            if character == 4 and not line:
                self.is_at_end = True
            elif character == 3:
                self.echo(b"^C\n")
                return b"\n"
            elif character in b"\x7f\x08":
                if line:
                    line.pop()
                    self.echo(b"\b \b")
            elif character >= 32 or character == 9:
                line.append(character)
                self.echo(bytes([character]))
        return bytes(line)
