"""A run's summary as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_TASKS_SHOWN = 40


def format_summary(summary: Mapping[str, Any]) -> str:
    """What `summarise` returned, for a terminal: what is done, how good it was, what went wrong, who did it."""
    return "\n".join([*_progress(summary), *_quality(summary), *_trouble(summary), *_effort(summary), *_who(summary)])


def _progress(summary: Mapping[str, Any]) -> Iterator[str]:
    status = summary["by_status"]
    counts = ", ".join(f"{count} {name}" for name, count in status.items() if count)
    yield f"{summary['final']} of {summary['planned']} rollouts done" + (f": {counts}" if counts else "")
    left = summary["left"]
    if left["count"]:
        yield f"{left['count']} left: {_listed(left['reasons'])}"


def _quality(summary: Mapping[str, Any]) -> Iterator[str]:
    rewards = dict(summary["rewards"])
    success = rewards.pop("success", None)
    if success is None:
        yield "Success: nothing was graded"
    else:
        good = round(success["rate"] * success["count"])
        yield f"Success: {success['rate']:.0%} ({good} of {success['count']} graded)"
    if rewards:
        parts = (f"{name} {row['mean']:.2f} ({row['count']})" for name, row in rewards.items())
        yield f"Mean rewards: {', '.join(parts)}"
    if summary["stop_reasons"]:
        yield f"Ended by: {_listed(summary['stop_reasons'])}"
    yield from _tasks(summary["tasks"])


def _tasks(tasks: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    if not tasks:
        return
    width = max(len(name) for name in tasks)
    yield "Tasks (succeeded/graded):"
    for name, row in list(tasks.items())[:_TASKS_SHOWN]:
        missing = row["planned"] - row["graded"]
        note = f"  {missing} not graded" if missing else ""
        yield f"  {name:{width}}  {row['succeeded']}/{row['graded']}{note}"
    if len(tasks) > _TASKS_SHOWN:
        yield f"  … and {len(tasks) - _TASKS_SHOWN} more"


def _trouble(summary: Mapping[str, Any]) -> Iterator[str]:
    faults = summary["faults"]
    if faults:
        yield "Faults (by attempt): " + "; ".join(f"{name}: {_listed(codes)}" for name, codes in faults.items())
    else:
        yield "Faults: none"
    if summary["damaged_lines"]:
        yield f"Damaged lines passed over: {summary['damaged_lines']}"


def _effort(summary: Mapping[str, Any]) -> Iterator[str]:
    tokens, cost, active = summary["tokens"], summary["cost_usd"], summary["active_s"]
    rate = f" ({summary['steps'] / active:.1f} steps/s)" if active else ""
    yield f"Time: {_duration(active)}, {summary['steps']} steps{rate}, {summary['attempts']} attempts"
    money = "unknown" if cost is None else f"{cost:.4f} USD"
    yield f"Tokens: {tokens['prompt']:,} in, {tokens['completion']:,} out; cost: {money}"


def _who(summary: Mapping[str, Any]) -> Iterator[str]:
    phones = summary["phones"]
    if not phones:
        return
    width = max(len(serial) for serial in phones)
    yield "Phones:"
    for serial, row in phones.items():
        busy = "" if row["utilisation"] is None else f", busy {row['utilisation']:.0%}"
        yield f"  {serial:{width}}  {row['rollouts']} rollouts, {row['steps']} steps{busy}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
