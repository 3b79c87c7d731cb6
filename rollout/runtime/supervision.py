"""Processes: start, watch, replace, end. Roles know nothing of this."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from dataclasses import dataclass, field
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, ForkServerProcess

from rollout.runtime import messages
from rollout.runtime.channels import ParentEnd
from rollout.runtime.child import child_main
from rollout.runtime.messages import AnyMessage
from rollout.runtime.settings import RunSettings

SILENT_S = 30.0
"""A child that has not beaten for so long is taken for dead and replaced. Beats come from a thread of their own: they
show that the process runs, not that its role gets anywhere; for that every device and model call has a deadline."""
_FAST_DEATHS = 5
_FAST_DEATHS_WITHIN_S = 600.0
_PRELOAD = ["rollout.runtime.preload"]


def process_context() -> ForkServerContext:
    """The start method is set here and nowhere else: fork server with the heavy imports done once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # inherited: Ctrl-C must not reach children
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, before)
    return context


@dataclass(slots=True)
class Child:
    """A running role. Replacing it makes a new Child with new pipes."""

    role: str
    name: str
    process: ForkServerProcess
    data: ParentEnd
    life: ParentEnd
    started_at: float
    last_beat: float

    def send(self, message: AnyMessage) -> bool:
        return self.data.send(self.name, messages.encode(message))

    def is_silent(self, now: float) -> bool:
        return now - self.last_beat > SILENT_S

    def hear_beats(self, now: float) -> bool:
        """Drain the life pipe. False: it is closed; the sentinel tells the rest."""
        try:
            beats = os.read(self.life.fd, 4096)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.last_beat = now
        return bool(beats)

    def how_it_ended(self) -> str:
        code = self.process.exitcode
        if code is not None and code < 0:
            try:
                return f"signal {signal.Signals(-code).name}"
            except ValueError:
                return f"signal {-code}"
        return f"exit status {code}"

    def close(self) -> None:
        self.data.close()
        self.life.close()
        self.process.close()


@dataclass(slots=True)
class CrashCounter:
    """How often a slot's process died lately: a crash loop is not fed for ever."""

    deaths: list[float] = field(default_factory=list)

    def may_restart(self, now: float) -> bool:
        self.deaths = [when for when in self.deaths if now - when < _FAST_DEATHS_WITHIN_S] + [now]
        return len(self.deaths) <= _FAST_DEATHS


def start_child(context: ForkServerContext, role: str, name: str, settings: RunSettings) -> Child:
    """Start one role. Call from the main thread only: the death signal follows the starting thread."""
    ours, theirs = multiprocessing.Pipe(duplex=True)
    our_life, their_life = multiprocessing.Pipe(duplex=True)
    process = context.Process(
        target=child_main,
        args=(role, name, settings.model_dump_json(), theirs, their_life),
        name=name,
        daemon=True,
    )
    process.start()
    theirs.close()
    their_life.close()
    now = time.monotonic()
    return Child(role, name, process, ParentEnd(ours), ParentEnd(our_life), now, now)


def end_child(child: Child) -> None:
    """Terminate, wait, kill. The caller has asked it to stop and has waited already."""
    for end_it in (child.process.terminate, child.process.kill):
        if child.process.is_alive():
            end_it()
            child.process.join(2.0)
    child.close()
