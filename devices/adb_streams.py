"""Bytes from the adb server: every wait ends at one deadline, and large answers are read without waste."""

from __future__ import annotations

import socket
import time

from devices.commands import ShellAnswer

READ_BYTES = 256 * 1024
FIRST_BUFFER_BYTES = 1024 * 1024
MAX_ANSWER_BYTES = 64 * 1024 * 1024

_STDOUT, _STDERR, _EXIT = 1, 2, 3
_CLOSE_STDIN = b"\x04\x00\x00\x00\x00"


class Deadline:
    """A point in monotonic time that a whole call must keep."""

    __slots__ = ("_end", "timeout_s")

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._end = time.monotonic() + timeout_s

    def left_s(self) -> float:
        """Seconds left.

        Raises:
            TimeoutError: none are.
        """
        left_s = self._end - time.monotonic()
        if left_s <= 0:
            raise TimeoutError(f"no answer in {self.timeout_s:g} s")
        return left_s

    def sleep(self, wait_s: float) -> bool:
        """Wait, unless the deadline comes first; then return False at once."""
        if self._end - time.monotonic() <= wait_s:
            return False
        time.sleep(wait_s)
        return True


class DeadlineSocket(socket.socket):
    """A socket whose every wait ends at one deadline."""

    deadline: Deadline

    def recv(self, size: int, flags: int = 0) -> bytes:
        self.settimeout(self.deadline.left_s())
        return super().recv(size, flags)

    def recv_into_view(self, view: memoryview) -> int:
        self.settimeout(self.deadline.left_s())
        return super().recv_into(view)

    def send(self, data: bytes, flags: int = 0) -> int:  # type: ignore[override]
        """All of it: adbutils does not look at how much `send` took."""
        self.settimeout(self.deadline.left_s())
        self.sendall(data, flags)
        return len(data)


def read_to_end(stream: DeadlineSocket) -> bytes:
    buffer = bytearray()
    size = read_into(stream, buffer)
    return bytes(buffer[:size])


def read_into(stream: DeadlineSocket, buffer: bytearray) -> int:
    """Fill the buffer, which grows as needed, until the stream ends; returns how much of it was filled."""
    size = 0
    while True:
        if len(buffer) - size < READ_BYTES:
            buffer.extend(bytes(max(FIRST_BUFFER_BYTES, len(buffer))))
        with memoryview(buffer) as view:
            count = stream.recv_into_view(view[size : size + 4 * READ_BYTES])
        if count == 0:
            return size
        size += count
        if size > MAX_ANSWER_BYTES:
            raise OSError(f"answer of more than {MAX_ANSWER_BYTES} bytes")


def read_shell(stream: DeadlineSocket) -> ShellAnswer:
    """Shell v2 packets: kind, length (little endian), data. Raises OSError when there is no exit packet."""
    stream.send(_CLOSE_STDIN)
    printed = {_STDOUT: bytearray(), _STDERR: bytearray()}
    buffer = bytearray()
    while chunk := stream.recv(READ_BYTES):
        buffer += chunk
        position = 0
        while (start := position + 5) <= len(buffer):
            kind, end = buffer[position], start + int.from_bytes(buffer[position + 1 : start], "little")
            if end > len(buffer):
                break
            position = end
            if kind == _EXIT:
                stdout, stderr = (printed[part].decode("utf-8", "replace") for part in (_STDOUT, _STDERR))
                return ShellAnswer(stdout, stderr, buffer[start] if end > start else 255)
            if kind in printed:
                printed[kind] += buffer[start:end]
        del buffer[:position]
        if len(buffer) + len(printed[_STDOUT]) > MAX_ANSWER_BYTES:
            raise OSError(f"answer of more than {MAX_ANSWER_BYTES} bytes")
    raise OSError("the link ended before the command did")
