"""The writer: results and what is projected from them. It catches up from the attempt folders after its own death."""

from __future__ import annotations

import json
import time
from pathlib import Path

import structlog

from rollout.faults import VERDICTS, FaultClass
from rollout.records.disk import make_folder, replace_file
from rollout.records.journal import Journal
from rollout.records.reader import open_run
from rollout.records.schema import DevicePart, Phases, ResultRecord, TokenCounts, VerdictPart
from rollout.records.summary import summarise
from rollout.runtime import messages as m
from rollout.runtime.child import Port
from rollout.runtime.history import attempt_on_disk
from rollout.runtime.layout import RunDirectory
from rollout.runtime.messages import ORCHESTRATOR, READER
from rollout.runtime.plan import identity_of
from rollout.runtime.settings import RunSettings

_SUMMARY_EVERY_S = 5.0
_SUMMARY_SHARE = 50
"""At most one part in so many of the writer's time."""


def run(port: Port, settings: RunSettings) -> None:
    """Serve until told to stop."""
    writer = Writer(port, settings)
    while True:
        message = port.receive(_SUMMARY_EVERY_S)
        match message:
            case m.RecordResult():
                writer.record(message)
            case m.Stop(how="cancel"):
                break
            case None | m.Stop():
                pass
            case _:
                structlog.get_logger().warning("unexpected_message", kind=message.kind)
        writer.refresh_summary()
    writer.refresh_summary(now=True)


class Writer:
    """Appends one synced line per ended rollout, then writes the files derived from it."""

    def __init__(self, port: Port, settings: RunSettings) -> None:
        self._port = port
        self._settings = settings
        self._run = RunDirectory(settings.run_dir)
        self._results = Journal(self._run.results)
        self._recorded = {
            (result.rollout_uid, result.attempt): result for result in open_run(settings.run_dir).all_results()
        }
        self._summary_due = 0.0
        self._is_stale = True

    def record(self, request: m.RecordResult) -> None:
        """Write the rollout's line unless it stands there already; confirm either way."""
        key = (request.entry.rollout_uid, request.attempts[-1].attempt)
        result = self._recorded.get(key)
        if result is None:
            result = self._result(request)
            self._results.append(result)
            self._recorded[key] = result
            self._is_stale = True
        self._project(result, self._run.rollout(request.entry.folder))
        confirmation = m.ResultRecorded(
            rollout_uid=result.rollout_uid,
            task_id=result.task_id,
            sample_index=result.sample_index,
            status=result.status,
            stop_reason=result.stop_reason,
            success=result.rewards.get("success"),
            serial=request.attempts[-1].serial,
        )
        for address in (READER, ORCHESTRATOR):
            self._port.send(address, confirmation)

    def _project(self, result: ResultRecord, folder: Path) -> None:
        """result.json, unless it stands there already; the writer before may have died between line and file."""
        path = folder / "result.json"
        data = result.model_dump_json(by_alias=True, indent=1).encode()
        if not path.exists() or path.read_bytes() != data:
            make_folder(folder)
            replace_file(path, data)

    def refresh_summary(self, *, now: bool = False) -> None:
        """Write summary.json when something changed; the whole run is read for it, so the longer it takes the rarer."""
        if not now and (not self._is_stale or time.monotonic() < self._summary_due):
            return
        began = time.monotonic()
        summary = summarise(open_run(self._settings.run_dir))
        replace_file(self._run.summary, json.dumps(summary, indent=1, ensure_ascii=False).encode())
        took_s = time.monotonic() - began
        self._summary_due, self._is_stale = began + max(_SUMMARY_EVERY_S, _SUMMARY_SHARE * took_s), False

    def _result(self, request: m.RecordResult) -> ResultRecord:
        """The worker's own record with the history of attempts, or one made from the history when it left none."""
        last = request.attempts[-1]
        found = attempt_on_disk(self._run, request.entry, last.attempt)
        if found is not None and found.lease == request.lease:
            return found.model_copy(update={"attempts": request.attempts, "supersedes": request.supersedes})
        return self._without_folder(request)

    def _without_folder(self, request: m.RecordResult) -> ResultRecord:
        entry, last = request.entry, request.attempts[-1]
        fault_class = last.fault.fault_class if last.fault else FaultClass.INFRASTRUCTURE
        verdicts = VERDICTS[fault_class]
        assert last.stop_reason is not None, "the reader closes every lease with one"
        return ResultRecord(
            run_id=entry.run_id,
            rollout_uid=entry.rollout_uid,
            group_id=entry.group_id,
            task_id=entry.task_id,
            task_hash=entry.task_hash,
            sample_index=entry.sample_index,
            attempt=last.attempt,
            lease=request.lease,
            session_id="",
            instruction=str(entry.task.get("instruction", "")),
            started_at=last.started_at or "",
            ended_at=last.ended_at or "",
            status=last.status,
            stop_reason=last.stop_reason,
            fault=last.fault,
            verdicts=VerdictPart(retry=verdicts.retry, grade=verdicts.grade, reward_valid=verdicts.reward_valid),
            rewards={},
            evidence=[],
            answer=None,
            steps=0,
            counts={},
            tokens=TokenCounts(),
            cost_usd=None,
            total_s=0.0,
            working_s=0.0,
            phases_s=Phases(),
            attempts=request.attempts,
            device=DevicePart(serial=last.serial) if last.serial else None,
            agent=identity_of(self._settings.config),
            origin_meta_data=entry.task.get("origin_meta_data"),
        )
