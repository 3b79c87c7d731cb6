"""The reader: plans, keeps a queue per phone, hands out one assignment at a time, decides on another attempt.

Order of every hand-out: the lease line is synced, then the assignment leaves. Order of every end: the close line is
synced, then the writer is told, and told again until it has recorded the result.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable

import structlog

from rollout.faults import FINAL, FaultClass, FaultCode, Status, StopReason
from rollout.records.disk import replace_file
from rollout.records.journal import Journal
from rollout.records.schema import AttemptPart, FaultPart, LeaseLine, PlanEntry, utc_now
from rollout.runtime import messages as m
from rollout.runtime.child import Port
from rollout.runtime.dispatch import Dispatcher, Pending
from rollout.runtime.history import History, attempt_on_disk, load_history
from rollout.runtime.layout import RunDirectory
from rollout.runtime.messages import ORCHESTRATOR, WRITER, worker_address
from rollout.runtime.plan import identity_of, make_plan, tasks_of
from rollout.runtime.settings import RunSettings

_TICK_S = 1.0


def run(port: Port, settings: RunSettings) -> None:
    """Serve until told to stop."""
    reader = Reader(port, settings)
    reader.begin()
    while True:
        message = port.receive(_TICK_S)
        if isinstance(message, m.Stop) and message.how == "cancel" and message.why == "over":
            return
        if message is not None:
            reader.handle(message)
        reader.feed()


class Reader:
    """State of the reader. Everything it must remember is in plan, leases and results before anyone is told."""

    def __init__(self, port: Port, settings: RunSettings) -> None:
        self._port = port
        self._settings = settings
        self._run = RunDirectory(settings.run_dir)
        self._log = structlog.get_logger()
        self._leases = Journal(self._run.leases)
        self._open: dict[str, tuple[LeaseLine, Pending]] = {}
        """serial → its open lease and the rollout under it."""
        self._unrecorded: dict[str, m.RecordResult] = {}
        """rollout_uid → what the writer has not yet confirmed."""
        self._tickets: dict[str, str] = {}
        """serial → ticket of its present readiness."""
        self._no_more: str | None = None
        self._stuck_since: float | None = None
        self._told_over = False
        self._last_lease = 0
        self._final = 0
        self._queues = Dispatcher((), ())

    def begin(self) -> None:
        """Plan (or read the plan again), take in what earlier runs left, report how much there is to do."""
        history = load_history(self._run, redo=self._settings.redo, began_at=self._settings.started_at)
        plan = history.plan or self._write_plan()
        pending = {
            entry.rollout_uid: Pending(
                entry,
                history.attempts.get(entry.rollout_uid, []),
                supersedes=history.superseded.get(entry.rollout_uid),
            )
            for entry in plan
        }
        for uid in history.final:
            pending.pop(uid, None)
        self._last_lease, self._final = history.last_lease, len(plan) - len(pending)
        for uid in history.faulted_now:
            pending.pop(uid, None)
        for rollout in pending.values():
            rollout.recall(self._settings.started_at)
        serials = [slot.serial for slot in self._settings.phones]
        self._reopen(history, pending, serials)
        leased = {line.rollout_uid for line, _ in self._open.values()}
        for uid in [*leased, *self._unrecorded]:
            pending.pop(uid, None)
        self._queues = Dispatcher(serials, pending.values())
        for serial in self._open:
            self._queues.phone_busy(serial)
        self._port.send(ORCHESTRATOR, m.Planned(run_id=self._settings.run_id, total=len(plan), final=self._final))
        for request in self._unrecorded.values():
            self._port.send(WRITER, request)

    def handle(self, message: m.AnyMessage) -> None:
        match message:
            case m.PhoneReady():
                self._phone_ready(message)
            case m.PhoneBusy(serial=serial, lease=lease):
                if serial in self._open and self._open[serial][0].lease != lease:
                    self._abandon(serial, "the worker is on another lease")
            case m.PhoneLost(serial=serial, why=why):
                self._abandon(serial, why)
                self._queues.phone_away(serial, "lost", why)
            case m.WorkerLost(serial=serial, how=how, for_good=for_good):
                self._abandon(serial, f"the worker process ended with {how}")
                if for_good:
                    self._queues.phone_away(serial, "gone", f"its worker ended with {how}")
                else:
                    self._queues.phone_restarting(serial)
            case m.AttemptEnded():
                self._attempt_ended(message)
            case m.ResultRecorded(rollout_uid=uid):
                self._unrecorded.pop(uid, None)
            case m.RoleReady(role=role) if role == WRITER:
                for request in self._unrecorded.values():
                    self._port.send(WRITER, request)
            case m.Stop(why=why):
                self._no_more = self._no_more or why
            case _:
                self._log.warning("unexpected_message", kind=message.kind)

    def _phone_ready(self, ready: m.PhoneReady) -> None:
        """The phone asks for work; unless it only repeats what the lease at hand has answered already."""
        line, pending = self._open.get(ready.serial, (None, None))
        if line is not None and pending is not None and line.ticket == ready.ticket:
            self._send_assignment(line, pending)  # The first may have been lost with a process; a second is dropped.
            return
        self._abandon(ready.serial, "the worker no longer knows this attempt")
        self._tickets[ready.serial] = ready.ticket
        self._queues.phone_idle(ready.serial, ready.tags, ready.packages)

    def feed(self) -> None:
        """Give work to every idle phone; say when there is nothing left to do."""
        if self._no_more is None:
            for phone in self._queues.phones.values():
                if phone.state == "idle" and (pending := self._queues.take(phone.serial)):
                    self._assign(phone.serial, pending)
        self._maybe_over()

    def _write_plan(self) -> list[PlanEntry]:
        config = self._settings.config
        tasks = tasks_of(config, self._settings.shard)
        plan = make_plan(
            tasks, samples=config.tasks.samples, run_id=self._settings.run_id, identity=identity_of(config)
        )
        lines = "".join(entry.model_dump_json(by_alias=True) + "\n" for entry in plan)
        replace_file(self._run.plan, lines.encode())
        return plan

    def _reopen(self, history: History, pending: dict[str, Pending], serials: Iterable[str]) -> None:
        """Leases that were open when the last reader ended: of a live worker of this run, or of a run that crashed."""
        for line in history.open_leases:
            rollout = pending.get(line.rollout_uid)
            if rollout is None:
                continue
            self._open[line.serial] = (line, rollout)
            if line.serial not in serials:
                self._abandon(line.serial, "the run ended before the attempt did")
        for uid, attempts in history.attempts.items():
            ended_unrecorded = bool(attempts) and attempts[-1].status in FINAL
            if ended_unrecorded and uid in pending and attempts[-1].attempt != pending[uid].supersedes:
                last = attempts[-1]
                self._unrecorded[uid] = m.RecordResult(
                    entry=pending[uid].entry,
                    lease=last.lease or 0,
                    attempts=attempts,
                    supersedes=pending[uid].supersedes,
                )

    def _assign(self, serial: str, pending: Pending) -> None:
        self._last_lease += 1
        line = LeaseLine(
            event="open",
            lease=self._last_lease,
            rollout_uid=pending.entry.rollout_uid,
            task_id=pending.entry.task_id,
            sample_index=pending.entry.sample_index,
            attempt=pending.next_attempt,
            serial=serial,
            ticket=self._tickets[serial],
            at=utc_now(),
        )
        self._leases.append(line)
        self._open[serial] = (line, pending)
        self._send_assignment(line, pending)

    def _send_assignment(self, line: LeaseLine, pending: Pending) -> None:
        assert line.ticket is not None, "every lease of this run answers a readiness"
        assignment = m.Assignment(lease=line.lease, ticket=line.ticket, attempt=line.attempt, entry=pending.entry)
        self._port.send(worker_address(line.serial), assignment)

    def _attempt_ended(self, ended: m.AttemptEnded) -> None:
        line, pending = self._open.get(ended.serial, (None, None))
        if line is None or pending is None or line.lease != ended.lease:
            self._log.warning("stale_result_refused", serial=ended.serial, lease=ended.lease)
            return
        if ended.stop_run is not None:
            self._no_more = self._no_more or ended.stop_run
            self._port.send(ORCHESTRATOR, m.StopRun(why=ended.stop_run))
        self._close(line, pending, ended.status, ended.stop_reason, ended.fault)

    def _abandon(self, serial: str, why: str) -> None:
        """Close a lease nobody will report on: by what its folder holds, else as a crash."""
        line, pending = self._open.get(serial, (None, None))
        if line is None or pending is None:
            return
        done = attempt_on_disk(self._run, pending.entry, line.attempt)
        if done is not None and done.lease == line.lease:
            self._close(line, pending, done.status, done.stop_reason, done.fault)
            return
        fault = FaultPart.model_validate(
            {
                "class": FaultClass.INFRASTRUCTURE,
                "code": FaultCode.WORKER_CRASH,
                "boundary": "worker",
                "message": why,
            }
        )
        self._close(line, pending, Status.FAULTED, StopReason.FAULT, fault)

    def _close(
        self, line: LeaseLine, pending: Pending, status: Status, stop_reason: StopReason, fault: FaultPart | None
    ) -> None:
        """The attempt is over: sync the close line, then another attempt or the end of the rollout."""
        closed = line.model_copy(
            update={"event": "close", "at": utc_now(), "status": status, "stop_reason": stop_reason, "fault": fault}
        )
        self._leases.append(closed)
        self._open.pop(line.serial, None)
        pending.attempts.append(
            AttemptPart(
                attempt=line.attempt,
                serial=line.serial,
                lease=line.lease,
                status=status,
                stop_reason=stop_reason,
                fault=fault,
                started_at=line.at,
                ended_at=closed.at,
            )
        )
        if fault is not None and fault.fault_class is FaultClass.DEVICE:
            pending.broke_on.add(line.serial)
        if status is Status.CANCELLED:
            self._queues.give_back(pending)
        elif status in FINAL or fault is None or not pending.may_retry(fault.fault_class):
            request = m.RecordResult(
                entry=pending.entry, lease=line.lease, attempts=pending.attempts, supersedes=pending.supersedes
            )
            self._unrecorded[pending.entry.rollout_uid] = request
            self._port.send(WRITER, request)
        else:
            self._log.info(
                "attempt_repeated", task_id=line.task_id, attempt=line.attempt, fault=fault.code, why=fault.message
            )
            self._queues.give_back(pending)

    def _maybe_over(self) -> None:
        if self._open or self._unrecorded or self._told_over:
            return
        waiting = self._queues.waiting()
        if waiting and self._no_more is None and not self._gave_up_waiting():
            return
        left = {pending.entry.rollout_uid: self._no_more or self._queues.why_waiting(pending) for pending in waiting}
        replace_file(self._run.left, json.dumps(left, ensure_ascii=False).encode())
        self._port.send(ORCHESTRATOR, m.RunOver(left=len(left), phones_left=self._queues.has_phones))
        self._told_over = True

    def _gave_up_waiting(self) -> bool:
        """No phone can take what is left, and none came back within the grace."""
        if not self._queues.is_stuck():
            self._stuck_since = None
            return False
        now = time.monotonic()
        self._stuck_since = self._stuck_since or now
        grace_s = self._settings.config.devices.lost_grace_s if self._queues.may_recover else 0.0
        return now - self._stuck_since >= grace_s
