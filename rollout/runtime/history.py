"""What earlier runs of a directory left: the plan, which rollouts are final, which leases were never closed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import structlog
from pydantic import ValidationError

from rollout.faults import FINAL
from rollout.records.journal import read_lines
from rollout.records.reader import open_run
from rollout.records.schema import AttemptPart, LeaseLine, PlanEntry, ResultRecord
from rollout.runtime.layout import RunDirectory


@dataclass(slots=True)
class History:
    """State of a run directory before anything runs."""

    plan: list[PlanEntry] = field(default_factory=list)
    final: set[str] = field(default_factory=set)
    """Rollouts with a current final record: they do not run."""
    faulted_now: set[str] = field(default_factory=set)
    """Rollouts that this invocation has recorded as faulted: the next one tries them again, not this one."""
    superseded: dict[str, int] = field(default_factory=dict)
    """rollout_uid → attempt of the final that --redo replaces."""
    attempts: dict[str, list[AttemptPart]] = field(default_factory=dict)
    """Closed attempts, in order."""
    open_leases: list[LeaseLine] = field(default_factory=list)
    last_lease: int = 0


def load_history(run: RunDirectory, *, redo: Collection[str] = (), began_at: str = "") -> History:
    """Read plan, leases and results. Damaged lines are logged and passed over.

    `redo`: statuses whose finals do not count when they ended before `began_at`, the start of this invocation.
    """
    found = open_run(run.path)
    history = History(plan=list(found.plan))
    for result in found.results.values():
        if result.status not in FINAL:
            continue
        if result.status.value in redo and result.ended_at < began_at:
            history.superseded[result.rollout_uid] = result.attempt
        else:
            history.final.add(result.rollout_uid)
    history.faulted_now = {
        uid for uid, result in found.latest.items() if result.status not in FINAL and result.ended_at >= began_at
    }
    _read_leases(run, history)
    return history


def _read_leases(run: RunDirectory, history: History) -> None:
    still_open: dict[int, LeaseLine] = {}
    for record in read_lines(run.leases).records:
        try:
            line = LeaseLine.model_validate(record)
        except ValidationError as error:
            structlog.get_logger().warning("lease_line_damaged", error=str(error))
            continue
        history.last_lease = max(history.last_lease, line.lease)
        if line.event == "open":
            still_open[line.lease] = line
            continue
        opened = still_open.pop(line.lease, None)
        history.attempts.setdefault(line.rollout_uid, []).append(
            AttemptPart.model_validate(
                {
                    "attempt": line.attempt,
                    "serial": line.serial,
                    "lease": line.lease,
                    "status": line.status,
                    "stop_reason": line.stop_reason,
                    "fault": line.fault,
                    "started_at": opened.at if opened else None,
                    "ended_at": line.at,
                }
            )
        )
    history.open_leases = list(still_open.values())


def attempt_on_disk(run: RunDirectory, entry: PlanEntry, attempt: int) -> ResultRecord | None:
    """The record the worker left in the attempt's folder, or None: there is none, or it cannot be read."""
    path = run.attempt(entry.folder, attempt) / "attempt.json"
    try:
        return ResultRecord.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        structlog.get_logger().warning("attempt_record_damaged", path=str(path), error=str(error))
        return None
