"""A private adb server: which binary, started as a child on a port of its own, asked over its own protocol, stopped.

It leaves USB, emulators and mDNS alone, so that it never takes phones from the server that people use.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

STANDARD_PORT = 5037
START_TIMEOUT_S = 15.0
STOP_TIMEOUT_S = 5.0
ANSWER_TIMEOUT_S = 15.0

_PR_SET_PDEATHSIG = 1
_ENVIRONMENT = {
    "ADB_EMU": "0",
    "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553",
    "ADB_MDNS": "0",
    "ADB_MDNS_AUTO_CONNECT": "",
    "ADB_REJECT_KILL_SERVER": "1",
    "ADB_USB": "0",
}


class AdbNotFound(RuntimeError):
    """No usable adb binary; the message says where it was looked for."""


class AdbServerFailed(RuntimeError):
    """The server did not start, or did not answer."""


def find_adb(path: str | Path | None = None) -> Path:
    """The adb binary: `path`, else $ADBUTILS_ADB_PATH, else on PATH, else the one that adbutils ships.

    Raises:
        AdbNotFound: the one that was named is no program, or there is none at all.
    """
    from_environment = os.environ.get("ADBUTILS_ADB_PATH")
    for source, named in (("the configured adb path", path), ("$ADBUTILS_ADB_PATH", from_environment)):
        if named:
            found = shutil.which(str(named))
            if found is None:
                raise AdbNotFound(f"{source} is {str(named)!r}, which is no program that can be run")
            return Path(found)
    on_path = shutil.which("adb")
    if on_path is not None:
        return Path(on_path)
    return bundled_adb()


def bundled_adb() -> Path:
    """The adb binary inside adbutils. Raises AdbNotFound."""
    import adbutils

    binary = Path(adbutils.__file__).parent / "binaries" / "adb"
    if not os.access(binary, os.X_OK):
        raise AdbNotFound("no adb on PATH, and adbutils ships none for this platform: install adb")
    return binary


def free_port() -> int:
    """A TCP port on 127.0.0.1 that nobody listens on now; never adb's own, never one that adb scans for emulators."""
    with ExitStack() as refused:
        while True:
            place = refused.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            place.bind(("127.0.0.1", 0))
            port = int(place.getsockname()[1])
            if port != STANDARD_PORT and not 5553 < port < 5586:
                return port


def ask(port: int, service: str, timeout_s: float = ANSWER_TIMEOUT_S) -> str:
    """The answer of the adb server on `port` to a `host:` service that answers with one text.

    Raises:
        AdbServerFailed: no server there, or it said no.
    """
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=timeout_s) as connection:
            return _ask(connection, service)
    except OSError as error:
        raise AdbServerFailed(f"adb server on port {port}, {service}: {error}") from error


def _ask(connection: socket.socket, service: str) -> str:
    data = service.encode()
    connection.sendall(b"%04x" % len(data) + data)
    with connection.makefile("rb") as answers:
        status = answers.read(4)
        text = answers.read(int(answers.read(4) or b"0", 16)).decode("utf-8", "replace")
    if status != b"OKAY":
        raise OSError(text or "it ended the connection")
    return text


def is_answering(port: int) -> bool:
    """True when an adb server answers on `port`."""
    try:
        ask(port, "host:version", timeout_s=2.0)
    except AdbServerFailed:
        return False
    return True


def ensure_answering(port: int, path: str | Path | None = None) -> None:
    """Start the machine's shared server when none answers on `port`, as `adb start-server` does. It is left running.

    Raises:
        AdbNotFound, AdbServerFailed
    """
    if is_answering(port):
        return
    binary = find_adb(path)
    try:
        started = subprocess.run(
            [str(binary), "-P", str(port), "start-server"], capture_output=True, timeout=START_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AdbServerFailed(f"{binary} start-server: {error}") from error
    if not is_answering(port):
        said = (started.stderr or started.stdout).decode("utf-8", "replace").strip()
        raise AdbServerFailed(f"{binary} start-server on port {port}: {said[-500:]}")


def connect_all(port: int, serials: Sequence[str]) -> dict[str, str]:
    """`adb connect` for many phones at once; serial → the server's words (a refusal too).

    Raises:
        AdbServerFailed: the server itself is gone.
    """
    words: dict[str, str] = {}
    with ExitStack() as stack:
        connections: list[tuple[str, socket.socket]] = []
        try:
            for serial in serials:
                connection = stack.enter_context(
                    socket.create_connection(("127.0.0.1", port), timeout=ANSWER_TIMEOUT_S)
                )
                service = f"host:connect:{serial}".encode()
                connection.sendall(b"%04x" % len(service) + service)
                connections.append((serial, connection))
            for serial, connection in connections:
                with connection.makefile("rb") as answers:
                    answers.read(4)
                    words[serial] = answers.read(int(answers.read(4) or b"0", 16)).decode("utf-8", "replace")
        except OSError as error:
            raise AdbServerFailed(f"adb server on port {port}, connect: {error}") from error
    return words


def states(port: int) -> dict[str, str]:
    """Serial → state ("device", "offline", "unauthorized", …) of what the server knows. Raises AdbServerFailed."""
    lines = ask(port, "host:devices").splitlines()
    return dict(line.split("\t", 1) for line in lines if "\t" in line)


def wait_for_state(port: int, serial: str, state: str, timeout_s: float = ANSWER_TIMEOUT_S) -> None:
    """Wait until the server says `state` of a phone. Raises AdbServerFailed."""
    end = time.monotonic() + timeout_s
    while (now := states(port).get(serial, "absent")) != state:
        if time.monotonic() > end:
            raise AdbServerFailed(f"{serial} is {now!r} and not {state!r} after {timeout_s:g} s")
        time.sleep(0.02)


def _die_with_parent() -> Callable[[], None] | None:
    """What a child runs first so that it ends when this process is killed. Linux, and from the main thread only.

    The kernel watches the thread that started the child; another one than the main thread may end early.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return None
    prctl = ctypes.CDLL(None).prctl

    def bind() -> None:
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM))

    return bind


class AdbServer:
    """An adb server that is our own child process. Use it in a `with` block, or call `stop`."""

    def __init__(self, port: int | None = None, path: str | Path | None = None) -> None:
        """Start it (on a free port when `port` is None) and wait until it answers.

        Raises:
            AdbNotFound, AdbServerFailed.
        """
        self.path = find_adb(path)
        self._home = tempfile.TemporaryDirectory(prefix="adb-server-")
        self._log = Path(self._home.name) / "adb.log"
        self.port = port or free_port()
        self._process = self._start()
        try:
            self._wait()
        except AdbServerFailed:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {key: value for key, value in os.environ.items() if key not in ("ADB_SERVER_SOCKET", "ADB_TRACE")}
        # Keys and logs in a folder of its own: nothing of the user's is read or written.
        environment |= _ENVIRONMENT | {
            "HOME": self._home.name,
            "ANDROID_ADB_LOG_PATH": str(self._log),
            "ANDROID_ADB_SERVER_PORT": str(self.port),
            "ANDROID_SDK_HOME": self._home.name,
        }
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [str(self.path), "-L", f"tcp:localhost:{self.port}", "server", "nodaemon"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
                preexec_fn=_die_with_parent(),
            )

    def _wait(self) -> None:
        end = time.monotonic() + START_TIMEOUT_S
        while not is_answering(self.port):
            if self._process.poll() is not None or time.monotonic() > end:
                said = self._log.read_text(errors="replace")[-500:].strip()
                raise AdbServerFailed(f"{self.path} did not start a server on port {self.port}: {said}")
            time.sleep(0.02)

    def stop(self) -> None:
        """End the process and remove its folder. May be called twice."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._home.cleanup()

    def __enter__(self) -> AdbServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
