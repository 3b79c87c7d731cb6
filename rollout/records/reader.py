"""Loads any run directory: plan, leases, results; steps only when asked for. Damaged lines are told, never fatal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args

from pydantic import ValidationError

from rollout.faults import FINAL
from rollout.records.journal import Damage, iter_lines
from rollout.records.schema import SCHEMA_VERSION, LeaseLine, PlanEntry, Record, ResultRecord, StepRecord

PLAN, LEASES, RESULTS, STEPS = "plan.jsonl", "leases.jsonl", "results.jsonl", "steps.jsonl"
_ATTEMPT = re.compile(r"attempt-([1-9][0-9]{0,8})")

R = TypeVar("R", bound=Record)


@dataclass(slots=True)
class Records(Generic[R]):
    """The readable records of a file in order, and its damaged lines."""

    items: list[R] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt's folder."""

    entry: PlanEntry
    number: int
    path: Path


class Run:
    """A run directory. Each file is read when it is first asked for, once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def plan(self) -> list[PlanEntry]:
        """Every rollout that must end, in planned order."""
        return self._plan.items

    @property
    def leases(self) -> list[LeaseLine]:
        return self._leases.items

    @cached_property
    def results(self) -> dict[str, ResultRecord]:
        """rollout_uid → its current final record. A rollout that is pending or faulted has none.

        A second final counts only when it names the attempt it supersedes.
        """
        current: dict[str, ResultRecord] = {}
        for result in self.all_results():
            earlier = current.get(result.rollout_uid)
            if result.status in FINAL and (earlier is None or result.supersedes is not None):
                current[result.rollout_uid] = result
        return current

    @cached_property
    def latest(self) -> dict[str, ResultRecord]:
        """rollout_uid → its current final record, or its last line when there is none."""
        last = {result.rollout_uid: result for result in self.all_results()}
        return last | self.results

    def all_results(self) -> list[ResultRecord]:
        """Every result line, in the order written: faulted ones and superseded ones too."""
        return self._results.items

    @property
    def damages(self) -> list[Damage]:
        """Damaged lines of plan, leases and results."""
        return [*self._plan.damages, *self._leases.damages, *self._results.damages]

    def folder(self, entry: PlanEntry) -> Path:
        return self.path / entry.folder

    def iter_attempts(self) -> Iterator[Attempt]:
        """Attempts that left a folder, in planned order, then by number."""
        for entry in self.plan:
            folder = self.folder(entry)
            if not folder.is_dir():
                continue
            found = ((_ATTEMPT.fullmatch(path.name), path) for path in folder.iterdir())
            for number, path in sorted((int(match[1]), path) for match, path in found if match):
                yield Attempt(entry, number, path)

    @cached_property
    def _plan(self) -> Records[PlanEntry]:
        records = read_records(self.path / PLAN, PlanEntry)
        for entry in [entry for entry in records.items if not _is_inside(entry.folder)]:
            # A plan from elsewhere must not send a reader out of its directory.
            records.items.remove(entry)
            records.damages.append(Damage(self.path / PLAN, 0, f"the folder {entry.folder!r} lies elsewhere", ""))
        return records

    @cached_property
    def _leases(self) -> Records[LeaseLine]:
        return read_records(self.path / LEASES, LeaseLine)

    @cached_property
    def _results(self) -> Records[ResultRecord]:
        return read_records(self.path / RESULTS, ResultRecord)


def _is_inside(folder: str) -> bool:
    return folder not in ("", ".", "..") and Path(folder).name == folder


def open_run(run_dir: Path) -> Run:
    """A run directory, of any age, finished or not. Missing files are empty ones."""
    return Run(run_dir)


def read_steps(attempt_dir: Path) -> Records[StepRecord]:
    """The steps of one attempt."""
    return read_records(attempt_dir / STEPS, StepRecord)


def read_records(path: Path, model: type[R]) -> Records[R]:
    """A file of records. Keys the model does not know are kept; a missing one that may be null is null."""
    records: Records[R] = Records()
    absent = dict.fromkeys(_nullable(model))
    for number, item in iter_lines(path):
        if isinstance(item, Damage):
            records.damages.append(item)
            continue
        try:
            records.items.append(model.model_validate({**absent, **item}))
        except ValidationError as error:
            records.damages.append(Damage(path, number, _why(error, item), str(item)[:200]))
    return records


def _nullable(model: type[Record]) -> list[str]:
    fields = model.model_fields.items()
    return [name for name, info in fields if info.is_required() and type(None) in get_args(info.annotation)]


def _why(error: ValidationError, item: dict[str, Any]) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    version = item.get("schema_version")
    newer = isinstance(version, int) and version > SCHEMA_VERSION
    return f"no record of this kind: {where}: {first['msg']}" + (f" (schema {version} is newer)" if newer else "")
