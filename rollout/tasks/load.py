"""Task files → tasks: JSONL, YAML, JSON, CSV, and folders of plan files. Everything wrong is reported at once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from rollout.config.document import Document
from rollout.config.explain import explain, line_of
from rollout.errors import ConfigError, Problem
from rollout.tasks.formats import read_raw_tasks
from rollout.tasks.schema import Task, rename

_SHOWN = 100
"""Problems reported; the rest is counted."""


def load_tasks(path: Path) -> list[Task]:
    """All tasks of a file, in its order.

    Raises:
        ConfigError: with every problem, each with `file:line` (a JSON file has no lines to tell).
    """
    raw, problems = read_raw_tasks(path)
    tasks: list[Task] = []
    first: dict[str, str] = {}
    for item in raw:
        task = _validated(item, problems)
        if task is None:
            continue
        if task.id in first:
            problems.append(_duplicate(task, item, first[task.id]))
        first.setdefault(task.id, item.where(()))
        tasks.append(task)
    if not tasks and not problems:
        problems.append(Problem(str(path), "holds no tasks"))
    if problems:
        raise ConfigError(_shortened(sorted(problems, key=line_of), path))
    return tasks


def _validated(item: Document, problems: list[Problem]) -> Task | None:
    if not isinstance(item.value, dict):
        problems.append(Problem(item.where(()), "a task is a section of keys and values", "at least an instruction"))
        return None
    item.value = rename(item.value)
    try:
        return Task.model_validate(item.value)
    except ValidationError as error:
        problems.extend(_explained(error, item))
        return None


def _explained(error: ValidationError, document: Document) -> Iterable[Problem]:
    for problem in explain(error, Task, document):
        if problem.message.startswith("unknown key") and not problem.hint.startswith("did you mean"):
            yield Problem(problem.where, problem.message, "data of your own goes under origin_meta_data")
        else:
            yield problem


def _duplicate(task: Task, item: Document, first: str) -> Problem:
    hint = "for several rollouts of one task set tasks.samples" if task.id.startswith("task-") else "give each its own"
    file, _, line = first.rpartition(":")
    place = f"in line {line}" if file == item.name else f"at {first}"
    return Problem(item.where(()), f"the id {task.id!r} is used twice, first {place}", hint)


def _shortened(problems: list[Problem], path: Path) -> list[Problem]:
    if len(problems) <= _SHOWN:
        return problems
    return [*problems[:_SHOWN], Problem(str(path), f"has {len(problems) - _SHOWN} further problems")]
