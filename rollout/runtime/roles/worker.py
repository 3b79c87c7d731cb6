"""The worker: one phone, one attempt at a time. It opens the phone, says it is ready, works, and says how it went.

A second thread listens, so that a stop reaches a running attempt at once.
"""

from __future__ import annotations

import os
import queue
import threading
import time
import uuid

import structlog

from devices.adb import AdbDevice
from devices.base import DeviceInfo
from devices.errors import DeviceError, DeviceNeedsHuman
from rollout.agent.control import Control
from rollout.faults import FaultClass, FaultCode, Status, StopReason
from rollout.llm.client import ModelClient
from rollout.plugins import DIALECTS, load
from rollout.records.disk import DiskTrouble
from rollout.records.schema import FaultPart, ResultRecord, StepRecord
from rollout.runtime import messages as m
from rollout.runtime.attempt import Bench, Work, run_attempt
from rollout.runtime.channels import ChannelClosed
from rollout.runtime.child import Port
from rollout.runtime.layout import RunDirectory
from rollout.runtime.manual_reply import ManualReply
from rollout.runtime.messages import ORCHESTRATOR, READER
from rollout.runtime.plan import identity_of
from rollout.runtime.settings import PhoneSlot, RunSettings

_RETRY_FIRST_S, _RETRY_MOST_S = 1.0, 10.0


def run(port: Port, settings: RunSettings) -> None:
    """Serve one phone until told to stop."""
    serial = port.name.partition(":")[2]
    slot = next(slot for slot in settings.phones if slot.serial == serial)
    Worker(port, settings, slot).serve()


class Worker:
    """State of one phone's worker."""

    def __init__(self, port: Port, settings: RunSettings, slot: PhoneSlot) -> None:
        self._port = port
        self._settings = settings
        self._slot = slot
        self._serial = slot.serial
        self._run = RunDirectory(settings.run_dir)
        self._log = structlog.get_logger().bind(serial=slot.serial)
        self._inbox: queue.SimpleQueue[m.Assignment | m.Stop] = queue.SimpleQueue()
        agent = settings.config.agent
        self._manual = ManualReply(
            slot.serial, agent.language, agent.reply.timeout_s, lambda message: port.send(ORCHESTRATOR, message)
        )
        self._stopping = threading.Event()
        self._control = Control()
        self._state = threading.Lock()
        """Guards what both threads look at: ticket and lease."""
        self._ticket: str | None = None
        """Of the readiness that waits for an assignment."""
        self._busy_lease: int | None = None
        self._last_ended: m.AttemptEnded | None = None
        self._is_lost = False
        self._packages: list[str] | None = None
        self._bench = self._build_bench()
        self._phone = AdbDevice(
            slot.serial, server_port=settings.adb_port, adb_path=settings.adb_path, state_dir=settings.state_dir
        )

    def serve(self) -> None:
        threading.Thread(target=self._listen, name="inbox", daemon=True).start()
        info = self._open_phone(first=True)
        while info is not None and not self._stopping.is_set():
            match self._inbox.get():
                case m.Assignment() as assignment:
                    ended = self._work(assignment, info)
                    if ended.fault is not None and ended.fault.fault_class is FaultClass.DEVICE:
                        info = self._open_phone(why=ended.fault.message)
                    else:
                        self._say_ready()
                case _:
                    break
        self._phone.close()
        for client in self._bench.clients.values():
            client.close()

    # -- the phone

    def _open_phone(self, *, first: bool = False, why: str = "") -> DeviceInfo | None:
        """Open the phone, or open it again after a fault; wait as long as the run does. None: told to stop."""
        pause_s = _RETRY_FIRST_S
        if not first:
            self._say_lost(why)
        while not self._stopping.is_set():
            try:
                if not first:
                    self._phone.relink()
                info = self._phone.open()
                if self._settings.needs_packages:
                    self._packages = sorted(self._phone.installed_packages())
            except DeviceError as error:
                if first or error.message != why:
                    why, first = error.message, False
                    self._say_lost(why)
                self._stopping.wait(_RETRY_MOST_S if isinstance(error, DeviceNeedsHuman) else pause_s)
                pause_s = min(_RETRY_MOST_S, pause_s * 2)
                continue
            self._say_ready()
            return info
        return None

    def _say_ready(self) -> None:
        with self._state:
            self._is_lost, self._ticket = False, uuid.uuid4().hex
            self._port.send(READER, self._readiness(self._ticket))

    def _readiness(self, ticket: str) -> m.PhoneReady:
        return m.PhoneReady(serial=self._serial, ticket=ticket, tags=self._slot.tags, packages=self._packages)

    def _say_lost(self, why: str) -> None:
        self._is_lost = True
        self._log.warning("phone_lost", why=why)
        for address in (READER, ORCHESTRATOR):
            self._port.send(address, m.PhoneLost(serial=self._serial, why=why))

    # -- the work

    def _work(self, assignment: m.Assignment, info: DeviceInfo) -> m.AttemptEnded:
        entry = assignment.entry
        log = self._log.bind(task_id=entry.task_id, sample=entry.sample_index, attempt=assignment.attempt)
        log.info("attempt_started", lease=assignment.lease)
        self._port.send(
            ORCHESTRATOR,
            m.AttemptStarted(
                serial=self._serial,
                task_id=entry.task_id,
                sample_index=entry.sample_index,
                attempt=assignment.attempt,
            ),
        )
        work = Work(entry, assignment.attempt, assignment.lease, self._phone, info)
        began = time.monotonic()
        try:
            ended = self._ended(run_attempt(work, self._bench, self._run, self._control, self._tell), assignment)
        except DiskTrouble as error:
            ended = self._ended_by_disk(assignment, error)
        log.info(
            "attempt_ended",
            status=ended.status,
            stop_reason=ended.stop_reason,
            fault=ended.fault.code if ended.fault else None,
            seconds=round(time.monotonic() - began, 3),
        )
        self._port.send(READER, ended)
        with self._state:
            self._last_ended, self._busy_lease = ended, None
        return ended

    def _ended(self, result: ResultRecord, assignment: m.Assignment) -> m.AttemptEnded:
        fault = result.fault
        return m.AttemptEnded(
            serial=self._serial,
            lease=assignment.lease,
            rollout_uid=result.rollout_uid,
            attempt=result.attempt,
            status=result.status,
            stop_reason=result.stop_reason,
            fault=fault,
            stop_run=fault.message if fault is not None and fault.fatal else None,
        )

    def _ended_by_disk(self, assignment: m.Assignment, error: DiskTrouble) -> m.AttemptEnded:
        """The record itself could not be written."""
        fault = {"class": FaultClass.INFRASTRUCTURE, "code": FaultCode.DISK, "boundary": "disk", "message": str(error)}
        return m.AttemptEnded(
            serial=self._serial,
            lease=assignment.lease,
            rollout_uid=assignment.entry.rollout_uid,
            attempt=assignment.attempt,
            status=Status.FAULTED,
            stop_reason=StopReason.FAULT,
            fault=FaultPart.model_validate(fault),
        )

    def _tell(self, record: StepRecord) -> None:
        """A step line is on disk."""
        tokens = sum((c.model.prompt_tokens or 0) + (c.model.completion_tokens or 0) for c in record.calls)
        costs = [c.model.cost_usd for c in record.calls if c.model.cost_usd is not None]
        self._port.send(
            ORCHESTRATOR,
            m.StepDone(serial=self._serial, step=record.step, tokens=tokens, cost_usd=sum(costs) if costs else None),
        )
        self._log.debug(
            "step_done",
            task_id=record.task_id,
            step=record.step,
            action=record.action.type,
            ok=record.outcome.ok,
            error=record.outcome.error,
            model_s=record.phases_s.model,
        )

    # -- the other thread

    def _listen(self) -> None:
        """Sort what comes in. Runs until the orchestrator is gone."""
        while True:
            try:
                message = self._port.receive()
            except ChannelClosed:
                return
            match message:
                case m.Assignment():
                    self._accept(message)
                case m.Stop(how=how):
                    self._stopping.set()
                    if how == "cancel":
                        self._control.cancelled.set()
                        self._manual.receive(None)
                        self._leave_a_phone_that_is_gone()
                    self._inbox.put(message)
                case m.UserReply():
                    self._manual.receive(message)
                case m.Resync():
                    self._say_where_we_are()

    def _accept(self, assignment: m.Assignment) -> None:
        """Take an assignment once, and only the one that answers the present readiness."""
        with self._state:
            if assignment.ticket != self._ticket:
                self._log.warning("assignment_refused", lease=assignment.lease)
                return
            self._ticket, self._busy_lease = None, assignment.lease
        self._inbox.put(assignment)

    def _leave_a_phone_that_is_gone(self) -> None:
        """Mending a link can take many seconds and nothing is at stake: do not keep the run waiting."""
        with self._state:
            if self._busy_lease is None and self._ticket is None:
                os._exit(0)

    def _say_where_we_are(self) -> None:
        """The reader is new: repeat what it may have missed. It knows repeats by lease and ticket."""
        with self._state:
            if self._busy_lease is not None:
                self._port.send(READER, m.PhoneBusy(serial=self._serial, lease=self._busy_lease))
                return
            if self._last_ended is not None:
                self._port.send(READER, self._last_ended)
            if self._ticket is not None:
                self._port.send(READER, self._readiness(self._ticket))
            elif self._is_lost:
                self._port.send(READER, m.PhoneLost(serial=self._serial, why="not usable at the moment"))

    # -- built once

    def _build_bench(self) -> Bench:
        config = self._settings.config
        clients = {name: ModelClient(name, provider) for name, provider in config.providers.items()}
        dialect = load(DIALECTS, config.agent.dialect, "dialect")()
        return Bench(config, identity_of(config), dialect, clients, self._manual)
