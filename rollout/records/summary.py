"""What a run came to: numbers for summary.json, and the same as text a person takes in at a glance."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from rollout.faults import FINAL, Status
from rollout.records.reader import Run
from rollout.records.schema import LeaseLine, ResultRecord
from rollout.records.summary_text import format_summary

__all__ = ["format_summary", "summarise"]

SUCCESS = "success"
NOT_STARTED = "not started"


def summarise(run: Run, left: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Counts and means over a run directory; plain values, ready for JSON. Step files are not read.

    Args:
        left: rollout_uid → why it was left pending, where that is known.
    """
    results = [run.latest[entry.rollout_uid] for entry in run.plan if entry.rollout_uid in run.latest]
    finals = [result for result in results if result.status in FINAL]
    spans = _spans(run.leases)
    return {
        "run_id": run.plan[0].run_id if run.plan else None,
        "planned": len(run.plan),
        "final": len(finals),
        "by_status": {status.value: sum(result.status is status for result in results) for status in Status},
        "left": _left(run, left or {}),
        "stop_reasons": _counted(result.stop_reason.value for result in finals),
        "rewards": _rewards(finals),
        "tasks": _tasks(run, results),
        "faults": _faults(run),
        "attempts": sum(line.event == "open" for line in run.leases),
        "steps": sum(result.steps for result in results),
        "tokens": {
            kind: sum(getattr(result.tokens, kind) for result in results) for kind in ("prompt", "completion", "cached")
        },
        "cost_usd": _sum_known(result.cost_usd for result in results),
        "active_s": round(_covered(span for mine in spans.values() for span in mine), 3),
        "phones": _phones(results, spans),
        "damaged_lines": len(run.damages),
    }


def _left(run: Run, reasons: Mapping[str, str]) -> dict[str, Any]:
    pending = {
        f"{entry.task_id}.s{entry.sample_index}": reasons.get(entry.rollout_uid, NOT_STARTED)
        for entry in run.plan
        if entry.rollout_uid not in run.latest
    }
    return {"count": len(pending), "reasons": _counted(pending.values()), "rollouts": pending}


def _rewards(finals: Iterable[ResultRecord]) -> dict[str, dict[str, Any]]:
    """Per reward, over the records whose rewards can be trusted: mean, share of full marks, how many."""
    values: dict[str, list[float]] = defaultdict(list)
    for result in finals:
        if result.verdicts.reward_valid:
            for name, value in result.rewards.items():
                if value is not None:
                    values[name].append(value)
    return {
        name: {
            "mean": round(sum(mine) / len(mine), 4),
            "rate": round(sum(value >= 1 for value in mine) / len(mine), 4),
            "count": len(mine),
        }
        for name, mine in sorted(values.items(), key=lambda item: (item[0] != SUCCESS, item[0]))
    }


def _tasks(run: Run, results: Iterable[ResultRecord]) -> dict[str, dict[str, int]]:
    table = {entry.task_id: {"planned": 0, "graded": 0, "succeeded": 0} for entry in run.plan}
    for entry in run.plan:
        table[entry.task_id]["planned"] += 1
    for result in results:
        value = result.rewards.get(SUCCESS)
        if result.status in FINAL and result.verdicts.reward_valid and value is not None:
            table[result.task_id]["graded"] += 1
            table[result.task_id]["succeeded"] += value >= 1
    return table


def _faults(run: Run) -> dict[str, dict[str, int]]:
    """class → code → number of attempts, those that a later attempt made good included."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for line in run.leases:
        if line.event == "close" and line.fault is not None:
            found[line.fault.fault_class.value][line.fault.code.value] += 1
    return {name: dict(codes) for name, codes in sorted(found.items())}


Span = tuple[float, float]


def _spans(leases: Iterable[LeaseLine]) -> dict[str, list[Span]]:
    """serial → when its attempts began and ended, seconds since the epoch."""
    opened: dict[int, LeaseLine] = {}
    spans: dict[str, list[Span]] = defaultdict(list)
    for line in leases:
        if line.event == "open":
            opened[line.lease] = line
        elif line.lease in opened:
            spans[line.serial].append((_seconds(opened.pop(line.lease).at), _seconds(line.at)))
    return spans


def _covered(spans: Iterable[Span]) -> float:
    """Seconds in which at least one attempt ran: pauses between two runs of a directory do not count."""
    total, reached = 0.0, float("-inf")
    for begin, end in sorted(spans):
        total += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return total


def _phones(results: Iterable[ResultRecord], spans: Mapping[str, Sequence[Span]]) -> dict[str, dict[str, Any]]:
    active = _covered(span for mine in spans.values() for span in mine)
    table: dict[str, dict[str, Any]] = {}
    for serial in sorted(spans):
        busy = _covered(spans[serial])
        share = round(min(1.0, busy / active), 4) if active > 0 else None
        table[serial] = {"rollouts": 0, "attempts": len(spans[serial]), "steps": 0, "utilisation": share}
    for result in results:
        if result.device is not None:
            row = table.setdefault(
                result.device.serial, {"rollouts": 0, "attempts": 0, "steps": 0, "utilisation": None}
            )
            row["rollouts"] += 1
            row["steps"] += result.steps
    return table


def _seconds(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def _sum_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known), 6) if known else None
