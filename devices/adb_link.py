"""The way to one phone: adb's protocol to the server, shell v2 to the phone. The only file that talks to adbutils.

What adbutils leaves open is closed here, once:

* Each call has one absolute deadline. adbutils' limits are per `recv`, so a dripping answer would never end.
* Nothing starts an adb server by the way: adbutils would, on a failed connect, for up to 20 s and on another port.
* Reads are large and go to memory that is kept, and closing does not sleep.
* A shell's end is its exit packet. A stream that just ends is a lost phone and never a success.

A call that only reads is repeated a few times when the adb *server* is in trouble (cold, restarting). Anything else is
repeated only while it is certain that nothing reached the phone.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self, TypeVar, cast

import adbutils

from devices.adb_streams import Deadline, DeadlineSocket, read_into, read_shell, read_to_end
from devices.commands import ShellAnswer
from devices.errors import AdbServerError, DeviceNeedsHuman, DeviceTimeout, DeviceUnavailable

CONNECT_TIMEOUT_S = 3.0
SERVER_WAITS_S = (0.1, 0.3, 0.6, 1.0, 1.0)
"""Waits between tries to reach the adb server: a cold one needs up to about 2.5 s."""
READ_TRIES = 3

_CODE_MARK = "__CODE:"

T = TypeVar("T")


class LinkCut(DeviceUnavailable):
    """The stream from the phone ended before its answer did: phone, link or server was lost."""


class Connection(adbutils.AdbConnection):
    """One connection to the adb server, with a deadline over its whole life."""

    def __init__(self, host: str, port: int, deadline: Deadline) -> None:
        self._address = (host, port)
        self._deadline = deadline
        super().__init__(host, port)

    def _safe_connect(self) -> DeadlineSocket:
        """Instead of adbutils' own, which may start a server."""
        connection = DeadlineSocket(socket.AF_INET, socket.SOCK_STREAM)
        connection.deadline = self._deadline
        try:
            connection.settimeout(min(CONNECT_TIMEOUT_S, self._deadline.left_s()))
            connection.connect(self._address)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:
            connection.close()
            raise
        return connection

    def __enter__(self) -> Self:
        return self

    @property
    def stream(self) -> DeadlineSocket:
        """The socket itself."""
        return cast(DeadlineSocket, self.conn)

    def close(self) -> None:
        """Without adbutils' sleep."""
        self.conn.close()

    def interrupt(self) -> None:
        """End a read that another thread waits in."""
        with suppress(OSError):
            self.conn.shutdown(socket.SHUT_RDWR)

    def exactly(self, size: int) -> bytes:
        """`size` bytes, or fewer when the stream ends."""
        data = self.conn.recv(size)
        while len(data) < size and (more := self.conn.recv(size - len(data))):
            data += more
        return data

    def block(self) -> str:
        """Text behind four hex digits of length."""
        length = self.exactly(4)
        try:
            size = int(length, 16)
        except ValueError as error:
            raise ConnectionError(f"the adb server sent {length!r} where a length should be") from error
        data = self.exactly(size)
        if len(data) < size:
            raise ConnectionError("the adb server ended the connection")
        return data.decode("utf-8", "replace")


class Client(adbutils.AdbClient):
    """adbutils' client over connections with a deadline."""

    def make_connection(self, timeout: float | None = None) -> Connection:
        return self.connection(Deadline(timeout or 10.0))

    def connection(self, deadline: Deadline) -> Connection:
        return Connection(self.host, self.port, deadline)


def adb_client(server_port: int | None, adb_path: Path | None = None) -> Client:
    """The client for one adb server. Sets both port settings and the adb binary, in the one place that does.

    `server_port` None means $ANDROID_ADB_SERVER_PORT, else 5037; `adb_path` None means $ADBUTILS_ADB_PATH, then PATH,
    then the binary that adbutils ships.
    """
    if server_port is not None:
        os.environ["ANDROID_ADB_SERVER_PORT"] = str(server_port)
    if adb_path is not None:
        os.environ["ADBUTILS_ADB_PATH"] = str(adb_path)
    return Client(port=server_port)


class ServerLink:
    """Questions to the adb server itself. `who` stands for it in error messages."""

    def __init__(self, client: Client, *, who: str = "adb server", timeout_s: float = 10.0) -> None:
        self.client = client
        self.who = who
        self.timeout_s = timeout_s

    def ask(self, service: str, timeout_s: float | None = None) -> str:
        """Answer to a `host:` service that changes nothing.

        Raises:
            AdbServerError: refused, reset or silent for the whole deadline.
            DeviceUnavailable and its kinds: the server said no for the phone that the service names.
        """
        deadline = Deadline(timeout_s or self.timeout_s)
        with self.open(service, deadline) as connection:
            try:
                return connection.block()
            except OSError as error:
                raise AdbServerError(self.who, f"no whole answer to {service!r}: {error}") from error

    def open(self, service: str, deadline: Deadline) -> Connection:
        """A connection on which the server has accepted `service`; retried while the server is in trouble."""
        for wait_s in (*SERVER_WAITS_S, None):
            try:
                return self._open_once(service, deadline)
            except AdbServerError:
                if wait_s is None or not deadline.sleep(wait_s):
                    raise
        raise AssertionError("unreachable")

    def connect(self, address: str, timeout_s: float = 12.0) -> str:
        """`adb connect`: the server's own words, to be read and not trusted."""
        return self._say(lambda: str(self.client.connect(address, timeout=timeout_s)), f"connect {address}")

    def disconnect(self, address: str) -> None:
        """`adb disconnect`; an address that is not connected is fine."""
        self._say(lambda: str(self.client.disconnect(address)), f"disconnect {address}")

    def _say(self, call: Callable[[], str], what: str) -> str:
        try:
            return call()
        except adbutils.AdbError as error:
            return str(error)
        except (OSError, EOFError, ValueError) as error:
            raise AdbServerError(self.who, f"{what}: {error}") from error

    def _open_once(self, service: str, deadline: Deadline) -> Connection:
        try:
            connection = self.client.connection(deadline)
        except OSError as error:
            raise AdbServerError(self.who, f"adb server on port {self.client.port}: {error}") from error
        try:
            self.request(connection, service)
        except OSError as error:
            connection.close()
            raise AdbServerError(self.who, f"adb server on port {self.client.port}: {error}") from error
        except DeviceUnavailable:
            connection.close()
            raise
        return connection

    def request(self, connection: Connection, service: str) -> None:
        """Send a service's name and read OKAY. Raises OSError, or what a FAIL text stands for."""
        connection.send_command(service)
        status = connection.exactly(4)
        if status == b"FAIL":
            raise refusal(self.who, connection.block())
        if status != b"OKAY":
            raise ConnectionError(f"the adb server ended the connection with {status!r}")


def refusal(serial: str, text: str) -> DeviceUnavailable:
    """The error that a FAIL text of the adb server stands for."""
    if "unauthorized" in text:
        return DeviceNeedsHuman(serial, "unauthorized: approve USB debugging on the phone's screen")
    if "permissions" in text:
        return DeviceNeedsHuman(serial, f"the adb server may not open the USB device (udev rules?): {text}")
    return DeviceUnavailable(serial, text.splitlines()[0] if text else "refused without a reason")


class AdbLink:
    """Runs commands on the phone that the adb server calls `serial`."""

    def __init__(self, serial: str, client: Client, *, timeout_s: float = 10.0) -> None:
        self.server = ServerLink(client, who=serial, timeout_s=timeout_s)
        self._timeout_s = timeout_s
        self._has_shell_v2 = True
        # Kept between calls: memory that is new to the process costs more than the bytes that are read into it.
        self._buffer = bytearray()

    @property
    def serial(self) -> str:
        return self.server.who

    def learn_features(self) -> frozenset[str]:
        """What the phone's adb daemon can do; decides how `shell` is spoken from now on."""
        features = frozenset(self.server.ask(f"host-serial:{self.serial}:features").split(","))
        self._has_shell_v2 = "shell_v2" in features
        return features

    def link_state(self) -> str:
        """`device`, `offline`, … as the server sees it. Raises DeviceUnavailable when it does not know the phone."""
        return self.server.ask(f"host-serial:{self.serial}:get-state")

    def relink(self) -> str:
        """Disconnect and connect a TCP phone. Never `adb reconnect`: a TCP link that was kicked does not come back."""
        self.server.disconnect(self.serial)
        return self.server.connect(self.serial)

    def shell(self, command: str, *, timeout_s: float | None = None, is_read_only: bool = False) -> ShellAnswer:
        """Run `command` on the phone and wait for its exit code.

        Raises:
            DeviceTimeout: no exit within the deadline; whether the command did its work is unknown.
            LinkCut: the stream ended before the exit code came; unknown as well.
        """
        if self._has_shell_v2:
            return self._on_phone(f"shell,v2,raw:{command}", read_shell, timeout_s, is_read_only)
        printed = self._on_phone(f"shell:{command}\necho {_CODE_MARK}$?", read_to_end, timeout_s, is_read_only)
        text, mark, code = printed.decode("utf-8", "replace").replace("\r\n", "\n").rpartition(_CODE_MARK)
        if not mark or not code.strip().isdigit():
            raise LinkCut(self.serial, f"the link ended before {command[:80]!r} did")
        return ShellAnswer(text, "", int(code))

    def exec_out(self, command: str, *, timeout_s: float | None = None) -> bytes:
        """Every byte a command that only reads prints, standard error among them. There is no exit code."""
        return self.exec_view(command, bytes, timeout_s=timeout_s)

    def exec_view(self, command: str, take: Callable[[memoryview], T], *, timeout_s: float | None = None) -> T:
        """As `exec_out`, without a copy: `take` gets a view that is valid until it returns."""

        def read(stream: DeadlineSocket) -> T:
            buffer, self._buffer = self._buffer, bytearray()
            try:
                size = read_into(stream, buffer)
                with memoryview(buffer) as whole, whole[:size] as filled:
                    return take(filled)
            finally:
                self._buffer = buffer

        return self._on_phone(f"exec:{command}", read, timeout_s, is_read_only=True)

    def _on_phone(
        self, service: str, read: Callable[[DeadlineSocket], T], timeout_s: float | None, is_read_only: bool
    ) -> T:
        deadline = Deadline(timeout_s or self._timeout_s)
        for tries_left in range(READ_TRIES if is_read_only else 1, 0, -1):
            try:
                return self._once(service, read, deadline)
            except (AdbServerError, LinkCut):
                if tries_left == 1 or not deadline.sleep(0.1):
                    raise
        raise AssertionError("unreachable")

    def _once(self, service: str, read: Callable[[DeadlineSocket], T], deadline: Deadline) -> T:
        with self.server.open(f"host:transport:{self.serial}", deadline) as connection:
            # From here on the phone may have got the command.
            try:
                self.server.request(connection, service)
                return read(connection.stream)
            except TimeoutError as error:
                message = f"no answer to {service[:80]!r} in {deadline.timeout_s:g} s"
                raise DeviceTimeout(self.serial, message) from error
            except ConnectionResetError as error:
                raise AdbServerError(self.serial, f"adb server reset the connection during {service[:80]!r}") from error
            except OSError as error:
                raise LinkCut(self.serial, f"{error} during {service[:80]!r}") from error
