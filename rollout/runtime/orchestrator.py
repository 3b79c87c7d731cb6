"""The orchestrator: starts the roles, routes their frames unread, replaces what dies, and alone ends things.

Stop order: reader → workers → writer → logger, so that nobody writes to a role that has left.
"""

from __future__ import annotations

import selectors
import signal
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal

from pydantic import ValidationError

from rollout.faults import FINAL
from rollout.runtime import messages as m
from rollout.runtime.channels import ChannelClosed
from rollout.runtime.log import log_line
from rollout.runtime.messages import LOGGER, ORCHESTRATOR, READER, WRITER, AnyMessage, worker_address
from rollout.runtime.progress import Progress
from rollout.runtime.settings import RunSettings
from rollout.runtime.supervision import Child, CrashCounter, end_child, process_context, start_child
from rollout.runtime.terminal import Terminal

_TICK_S = 0.2
_DRAIN_GRACE_S = 10.0
_CANCEL_GRACE_S = 20.0


@dataclass(slots=True)
class RunEnd:
    """How a run ended, before it becomes an exit status."""

    total: int = 0
    final: int = 0
    faulted: int = 0
    left: int = 0
    phones_left: bool = True
    limit: str | None = None
    error: str | None = None
    interrupted: bool = False


class Orchestrator:
    """One run. `run()` blocks until it is over."""

    def __init__(self, settings: RunSettings, progress: Progress) -> None:
        self._settings = settings
        self._progress = progress
        self._context = process_context()
        self._children: dict[str, Child] = {}
        self._crashes: dict[str, CrashCounter] = {}
        self._selector = selectors.DefaultSelector()
        self._end = RunEnd()
        self._is_over = False
        self._signals = 0
        self._signals_done = 0
        self._stop_why: str | None = None
        """Why nothing new is handed out; said to a new reader too."""
        self._statuses: dict[str, m.ResultRecorded] = {}
        self._terminal = Terminal(self._selector, progress.ask, self._answer)
        self._began = time.monotonic()

    def run(self) -> RunEnd:
        """Start the roles, serve them until the reader says that the run is over, then stop them in order."""
        before = {which: signal.signal(which, self._on_signal) for which in (signal.SIGINT, signal.SIGTERM)}
        try:
            for role in (LOGGER, WRITER, READER):
                self._start(role, role)
            for slot in self._settings.phones:
                self._start("worker", worker_address(slot.serial))
            while not self._is_over:
                self._serve(_TICK_S)
                self._obey_signals()
                self._check_limits()
                self._replace_silent()
                self._progress.tick()
            self._stop_all()
        finally:
            self._kill_all()
            self._selector.close()
            for which, handler in before.items():
                signal.signal(which, handler)
        return self._result()

    # -- children

    def _start(self, role: str, name: str) -> None:
        child = start_child(self._context, role, name, self._settings)
        self._children[name] = child
        self._selector.register(child.data.fd, selectors.EVENT_READ, partial(self._on_data, child))
        self._selector.register(child.life.fd, selectors.EVENT_READ, partial(self._on_beat, child))
        self._selector.register(child.process.sentinel, selectors.EVENT_READ, partial(self._on_death, child))

    def _forget(self, child: Child) -> None:
        for fd in (child.data.fd, child.life.fd, child.process.sentinel):
            if fd in self._selector.get_map():
                self._selector.unregister(fd)
        if self._children.get(child.name) is child:
            del self._children[child.name]

    def _serve(self, timeout_s: float) -> None:
        """One turn of the loop: route what came, notice who died."""
        for child in self._children.values():
            if child.data.fd in self._selector.get_map():
                wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if child.data.wants_to_write else 0)
                key = self._selector.get_key(child.data.fd)
                if key.events != wanted:
                    self._selector.modify(child.data.fd, wanted, key.data)
        for key, events in self._selector.select(timeout_s):
            key.data(events)

    def _on_data(self, child: Child, events: int) -> None:
        if self._children.get(child.name) is not child:
            return  # It died earlier in this turn.
        if events & selectors.EVENT_WRITE:
            child.data.flush()
        if events & selectors.EVENT_READ and not self._route(child):
            self._selector.unregister(child.data.fd)
            child.process.kill()  # Dead already, or unable to speak: either way its sentinel leads to a new one.

    def _on_beat(self, child: Child, _: int) -> None:
        if self._children.get(child.name) is child and not child.hear_beats(time.monotonic()):
            self._selector.unregister(child.life.fd)

    def _route(self, child: Child) -> bool:
        """Pass on all frames that are there, unread but for our own. False: the pipe is closed."""
        try:
            frames = child.data.read()
        except ChannelClosed:
            return False
        for address, body in frames:
            if address == ORCHESTRATOR:
                self._handle(body)
            elif (to := self._children.get(address)) is not None and not to.data.send(address, body):
                self._give_up_on(to)
        return True

    def _give_up_on(self, child: Child) -> None:
        """It has not read for megabytes. Log lines may be lost; anybody else is replaced, which repairs the loss."""
        if child.role != LOGGER:
            child.process.kill()

    def _on_death(self, child: Child, _: int) -> None:
        """A process ended: take what it still said, then replace it unless the run is ending."""
        while self._route(child):
            pass
        self._forget(child)
        child.process.join()
        how = child.how_it_ended()
        child.close()
        if self._is_over:
            return
        self._log("warning", "process_ended", name=child.name, how=how)
        may_restart = self._crashes.setdefault(child.name, CrashCounter()).may_restart(time.monotonic())
        if child.role == "worker":
            self._replace_worker(child.name, how, may_restart)
        else:
            self._replace_role(child.role, how, may_restart)

    def _replace_worker(self, name: str, how: str, may_restart: bool) -> None:
        serial = name.partition(":")[2]
        self._terminal.withdraw(lambda question: question.serial == serial)
        replace = may_restart and not self._signals and self._end.error is None
        if replace:
            self._start("worker", name)
        if replace or not may_restart:
            self._progress.phone_lost(serial, f"its worker ended with {how}")
        self._send(READER, m.WorkerLost(serial=serial, how=how, for_good=not replace))

    def _replace_role(self, role: str, how: str, may_restart: bool) -> None:
        if not may_restart and role == LOGGER:
            self._progress.say(f"The logger keeps dying ({how}); the run goes on without log files.")
            return
        if not may_restart or (role == READER and self._end.error is not None):
            # Without this role nothing can end by itself any more.
            self._fail(f"the {role} process keeps dying ({how}); see run.warning.log")
            self._is_over = True
            return
        self._start(role, role)
        if role == READER:
            for child in self._children.values():
                if child.role == "worker":
                    child.send(m.Resync())
            if self._stop_why is not None:
                self._send(READER, m.Stop(how="finish", why=self._stop_why))

    def _replace_silent(self) -> None:
        now = time.monotonic()
        for child in list(self._children.values()):
            if child.is_silent(now):
                self._log("error", "process_silent", name=child.name)
                child.process.kill()  # The sentinel tells the rest.

    # -- messages

    def _send(self, name: str, message: AnyMessage) -> None:
        if (child := self._children.get(name)) is not None:
            child.send(message)

    def _handle(self, body: bytes) -> None:
        try:
            message = m.decode(body)
        except ValidationError as error:
            self._log("error", "bad_frame", error=str(error))
            return
        progress = self._progress
        match message:
            case m.Planned(total=total, final=final) if not self._end.total:
                self._end.total, self._end.final = total, final
                progress.planned(total, final)
            case m.AttemptStarted():
                progress.attempt_started(message)
            case m.StepDone():
                progress.step_done(message)
            case m.PhoneLost(serial=serial, why=why):
                progress.phone_lost(serial, why)
            case m.ResultRecorded(rollout_uid=uid) if uid not in self._statuses:
                self._statuses[uid] = message
                progress.recorded(message)
            case m.RoleReady(role=role) if role == WRITER:
                self._send(READER, message)
            case m.RunOver(left=left, phones_left=phones_left):
                self._end.left, self._end.phones_left = left, phones_left
                self._is_over = True
            case m.RoleFailed(role=role, message=text):
                progress.say(f"{role}: {text}")
                if role == READER:
                    self._fail(text)
            case m.StopRun(why=why):
                self._fail(why)
            case m.UserQuestion():
                self._terminal.ask(message)
            case m.UserQuestionOver(question_id=over):
                self._terminal.withdraw(lambda question: question.question_id == over)
            case _:
                pass

    def _answer(self, question: m.UserQuestion, text: str | None) -> None:
        self._send(worker_address(question.serial), m.UserReply(question_id=question.question_id, text=text))

    def _fail(self, why: str) -> None:
        """The run cannot go on: cancel what runs, keep what is written."""
        if self._end.error is None:
            self._end.error = why
            self._broadcast_stop("cancel", why)

    # -- stopping

    def _on_signal(self, *_: object) -> None:
        self._signals += 1

    def _obey_signals(self) -> None:
        """First: running rollouts finish. Second: they are cancelled, what is written stays. Third: kill."""
        while self._signals_done < self._signals:
            self._signals_done += 1
            self._end.interrupted = True
            match self._signals_done:
                case 1:
                    self._progress.say("Stopping: running rollouts finish, no new ones start. Again to cancel them.")
                    self._broadcast_stop("finish", "interrupted")
                case 2:
                    self._progress.say("Cancelling the running rollouts. Again to kill.")
                    self._broadcast_stop("cancel", "interrupted")
                case _:
                    self._progress.say("Killed. What was written is safe; the same command continues.")
                    self._kill_all()
                    self._is_over = True

    def _broadcast_stop(self, how: Literal["finish", "cancel"], why: str) -> None:
        """The reader hands out nothing more; with `cancel` workers end what runs."""
        self._stop_why = self._stop_why or why
        self._send(READER, m.Stop(how="finish", why=why))
        if how == "cancel":
            for child in list(self._children.values()):
                if child.role == "worker":
                    child.send(m.Stop(how="cancel", why=why))

    def _check_limits(self) -> None:
        limits = self._settings.config.limits.run
        if self._end.limit is not None:
            return
        spent_s = time.monotonic() - self._began
        if limits.seconds is not None and spent_s >= limits.seconds:
            self._end.limit = f"the run's time limit of {limits.seconds:g} s"
        elif limits.cost_usd is not None and self._progress.cost_usd >= limits.cost_usd:
            self._end.limit = f"the run's cost limit of {limits.cost_usd:g} USD"
        if self._end.limit is not None:
            self._progress.say(f"Stopping: {self._end.limit} is reached; running rollouts finish.")
            self._broadcast_stop("finish", f"not started: {self._end.limit} was reached")

    def _stop_all(self) -> None:
        """Reader, workers, writer, logger: each is asked, waited for, then ended."""
        self._stop([READER], "cancel", _DRAIN_GRACE_S)
        workers = [name for name, child in self._children.items() if child.role == "worker"]
        self._stop(workers, "cancel", _CANCEL_GRACE_S)
        self._stop([WRITER], "cancel", _DRAIN_GRACE_S)
        self._stop([LOGGER], "finish", _DRAIN_GRACE_S)

    def _stop(self, names: list[str], how: Literal["finish", "cancel"], grace_s: float) -> None:
        for name in names:
            self._send(name, m.Stop(how=how, why="over"))
        deadline, signals = time.monotonic() + grace_s, self._signals
        while any(name in self._children for name in names) and time.monotonic() < deadline:
            self._serve(_TICK_S)
            if self._signals > signals:
                break  # Told again: what does not end at once is ended.
        for name in names:
            if (child := self._children.get(name)) is not None:
                self._forget(child)
                end_child(child)

    def _kill_all(self) -> None:
        for child in list(self._children.values()):
            self._forget(child)
            child.process.kill()
            child.process.join(5.0)
            child.close()

    def _result(self) -> RunEnd:
        end = self._end
        end.final += sum(result.status in FINAL for result in self._statuses.values())
        end.faulted = sum(result.status not in FINAL for result in self._statuses.values())
        return end

    def _log(self, level: str, event: str, **fields: Any) -> None:
        line = {"timestamp": datetime.now(UTC).isoformat(), "level": level, "event": event, "role": ORCHESTRATOR}
        self._send(LOGGER, m.LogLines(lines=[log_line(line | fields)]))
