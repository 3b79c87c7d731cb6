"""The child's side of supervision: life, heartbeat, log lines; then the role, which is a function of a port."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection

import setproctitle
import structlog

from rollout.plugins import load_attribute
from rollout.runtime import messages
from rollout.runtime.channels import ChannelClosed, ChildEnd
from rollout.runtime.log import LogBuffer, configure_logging
from rollout.runtime.messages import LOGGER, ORCHESTRATOR, AnyMessage, RoleFailed, RoleReady
from rollout.runtime.settings import RunSettings

BEAT_S = 0.5
_PR_SET_PDEATHSIG = 1

ROLES = {
    "logger": "rollout.runtime.roles.logger:run",
    "reader": "rollout.runtime.roles.reader:run",
    "worker": "rollout.runtime.roles.worker:run",
    "writer": "rollout.runtime.roles.writer:run",
}


class Port:
    """A role's only way to the others: messages in, messages out, by address."""

    def __init__(self, end: ChildEnd, name: str) -> None:
        self._end = end
        self.name = name
        """`reader`, `worker:SERIAL`, …"""

    def send(self, address: str, message: AnyMessage) -> None:
        self._end.send(address, messages.encode(message))

    def receive(self, timeout_s: float | None = None) -> AnyMessage | None:
        """The next message; None after the timeout."""
        frame = self._end.receive(timeout_s)
        return None if frame is None else messages.decode(frame[1])


Role = Callable[[Port, RunSettings], None]


def child_main(role: str, name: str, settings_json: str, data: Connection, life: Connection) -> None:
    """Entry of every role's process. Ends with status 0 when the role returns, 1 when it raised."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _die_with_parent()
    setproctitle.setproctitle(f"rollout {name}")
    port = Port(ChildEnd(data), name)
    buffer = LogBuffer(lambda lines: port.send(LOGGER, messages.LogLines(lines=lines)))
    configure_logging(buffer, role=name)
    threading.Thread(target=_live, args=(life, buffer), name="life", daemon=True).start()
    log = structlog.get_logger()
    try:
        settings = RunSettings.model_validate_json(settings_json).with_keys()
        run: Role = load_attribute(ROLES[role])
        port.send(ORCHESTRATOR, RoleReady(role=name))
        run(port, settings)
    except ChannelClosed:
        os._exit(0)  # The orchestrator is gone; there is nobody to tell.
    except Exception as error:  # noqa: BLE001  the one broad catch of this process: it becomes a message
        log.error("role_failed", error=str(error), traceback=traceback.format_exc(limit=20))
        buffer.flush()
        with contextlib.suppress(ChannelClosed):
            port.send(ORCHESTRATOR, RoleFailed(role=name, message=f"{type(error).__name__}: {error}"))
        sys.exit(1)
    finally:
        with contextlib.suppress(ChannelClosed):
            buffer.flush()


def _die_with_parent() -> None:
    """Linux: the kernel ends this process when its parent (the fork server) ends. Elsewhere the life pipe has to do."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _live(life: Connection, buffer: LogBuffer) -> None:
    """Beat until the orchestrator is gone, then end the process at once: no orphan drives a phone."""
    fd = life.fileno()
    while True:
        try:
            os.write(fd, b".")
            readable = select.select([fd], [], [], BEAT_S)[0]
            if readable and not os.read(fd, 64):
                os._exit(0)
            buffer.flush()
        except (OSError, ChannelClosed):
            os._exit(0)
