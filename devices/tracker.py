"""Which phones come and go: adb's event stream for speed, its list each few seconds for truth.

Both give whole lists, which are compared; a serial that is missing counts as gone only after a moment, because a phone
that reconnects leaves the list for an instant. While the adb server is away nothing is called gone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from devices.adb_link import Connection, ServerLink
from devices.adb_streams import Deadline
from devices.errors import AdbServerError
from devices.fleet import parse_devices
from devices.logs import Log, NoLog

POLL_S = 5.0
ABSENT_AFTER_S = 1.5
AFTER_SERVER_S = 8.0
"""USB phones need 2 to 6 s to be listed by a restarted adb server."""
ABSENT = "absent"
_STREAM_S = 3600.0


@dataclass(frozen=True, slots=True)
class Change:
    """A phone's link is in another state than before; `ABSENT` when it is gone from the list."""

    serial: str
    state: str


@dataclass(slots=True)
class StateBoard:
    """The last known state of each serial, and what changed. Pure: time is an argument (seconds, monotonic)."""

    absent_after_s: float = ABSENT_AFTER_S
    states: dict[str, str] = field(default_factory=dict)
    _missing_since_s: dict[str, float] = field(default_factory=dict)
    _patient_until_s: float = 0.0

    def update(self, listed: Mapping[str, str], now_s: float) -> list[Change]:
        """Take a whole list in; returns the changes it proves."""
        changes = [Change(serial, state) for serial, state in listed.items() if self.states.get(serial) != state]
        self.states.update(listed)
        for serial in listed:
            self._missing_since_s.pop(serial, None)
        for serial in self.states.keys() - listed.keys():
            self._missing_since_s.setdefault(serial, now_s)
        return changes + self.settle(now_s)

    def settle(self, now_s: float) -> list[Change]:
        """Phones that have been missing for long enough."""
        if now_s < self._patient_until_s:
            return []
        gone = [serial for serial, since_s in self._missing_since_s.items() if now_s - since_s >= self.absent_after_s]
        for serial in gone:
            del self._missing_since_s[serial], self.states[serial]
        return [Change(serial, ABSENT) for serial in gone]

    def next_settle_s(self) -> float | None:
        """When `settle` will have something to say, None when nothing is missing."""
        earliest = min(self._missing_since_s.values(), default=None)
        return None if earliest is None else max(earliest + self.absent_after_s, self._patient_until_s)

    def server_lost(self, now_s: float) -> None:
        """The adb server was away: its next lists may lack phones that are well."""
        self._patient_until_s = now_s + AFTER_SERVER_S


class Tracker:
    """Calls `on_change` from a thread of its own for each change of a phone's link, the first list included."""

    def __init__(self, server: ServerLink, on_change: Callable[[Change], object], *, log: Log | None = None) -> None:
        self._server = server
        self._on_change = on_change
        self._log = log or NoLog()
        self._board = StateBoard()
        self._stop = threading.Event()
        self._stream: Connection | None = None
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=body, name=name, daemon=True)
            for body, name in ((self._follow, "adb-track"), (self._poll, "adb-poll"))
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End both threads; `on_change` is not called any more when this returns."""
        self._stop.set()
        stream = self._stream
        if stream is not None:
            stream.interrupt()
        for thread in self._threads:
            thread.join(timeout=15)

    def states(self) -> dict[str, str]:
        """Serial → state as last seen."""
        with self._lock:
            return dict(self._board.states)

    def _follow(self) -> None:
        """Read the event stream; it ends with the server and is opened again."""
        while not self._stop.is_set():
            try:
                with self._server.open("host:track-devices-l", Deadline(_STREAM_S)) as stream:
                    self._stream = stream
                    while not self._stop.is_set():
                        self._take(stream.block())
            except (AdbServerError, OSError) as error:
                if not self._stop.is_set():
                    self._log.warning("adb_event_stream_lost", problem=str(error))
            self._stream = None
            self._stop.wait(0.5)

    def _poll(self) -> None:
        """Ask for the list: the event stream of some servers misses changes."""
        next_poll_s = time.monotonic()
        while not self._stop.is_set():
            if time.monotonic() >= next_poll_s:
                self._poll_once()
                next_poll_s = time.monotonic() + POLL_S
            with self._lock:
                self._tell(self._board.settle(time.monotonic()))
                settle_s = self._board.next_settle_s()
            wait_s = min(next_poll_s, settle_s or next_poll_s) - time.monotonic()
            self._stop.wait(min(0.5, max(0.01, wait_s)))

    def _poll_once(self) -> None:
        try:
            self._take(self._server.ask("host:devices-l"))
        except AdbServerError as error:
            self._log.warning("adb_server_away", problem=error.message)
            with self._lock:
                self._board.server_lost(time.monotonic())

    def _take(self, text: str) -> None:
        listed = {entry.serial: entry.state for entry in parse_devices(text)}
        with self._lock:
            self._tell(self._board.update(listed, time.monotonic()))

    def _tell(self, changes: list[Change]) -> None:
        for change in changes:
            if not self._stop.is_set():
                self._on_change(change)
