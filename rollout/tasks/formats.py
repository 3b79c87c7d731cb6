"""The kinds of task files, each read into plain values with the place they stand at."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rollout.config.document import Document
from rollout.config.explain import did_you_mean
from rollout.config.yaml_lines import parse_yaml, read_text
from rollout.errors import ConfigError, Problem

MAX_BYTES = 256 << 20
MAX_YAML_BYTES = 16 << 20
_JSON_COLUMNS = ("params", "requires", "setup", "verifiers", "overrides", "origin_meta_data")


Found = tuple[list[Document], list[Problem]]
"""Tasks as they were written, each with its places, and what could not be read."""


def read_raw_tasks(path: Path) -> Found:
    """Tasks of a file by its ending, or of a folder of plan files (`*.json`), with what could not be read.

    Raises:
        ConfigError: the file as a whole cannot be read.
    """
    if path.is_dir():
        return _read_folder(path)
    read = _READERS.get(path.suffix.lower())
    if read is None:
        hint = did_you_mean(path.suffix, _READERS)
        raise ConfigError([Problem(str(path), f"{path.suffix or 'no ending'} is no kind of task file", hint)])
    return read(path)


def _read_jsonl(path: Path) -> Found:
    raw: list[Document] = []
    problems: list[Problem] = []
    for number, line in enumerate(read_text(path, MAX_BYTES).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            raw.append(Document(str(path), parse_json(line), {(): where}))
        except ValueError as error:
            hint = "one task a line; a list goes into a .json file" if line.strip() in "[{" else ""
            problems.append(Problem(where, f"is no JSON: {error}", hint))
            if hint:
                break  # written over several lines: the rest would only repeat it
    return raw, problems


def _read_yaml(path: Path) -> Found:
    document = parse_yaml(read_text(path, MAX_YAML_BYTES), str(path))
    return _tasks_of(document), document.problems


def _read_json(path: Path) -> Found:
    try:
        value = parse_json(read_text(path, MAX_BYTES))
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        raise ConfigError([Problem(f"{path}:{line}", f"is no JSON: {error}")]) from error
    if isinstance(value, dict) and "task" in value:
        value.setdefault("id", path.stem)  # a plan file is one task and goes by the file's name
    return _tasks_of(Document(str(path), value)), []


def _read_folder(folder: Path) -> Found:
    raw: list[Document] = []
    problems: list[Problem] = []
    for path in sorted(folder.glob("*.json")):
        try:
            raw.extend(_read_json(path)[0])
        except ConfigError as error:
            problems.extend(error.problems)
    return raw, problems


def _tasks_of(document: Document) -> list[Document]:
    """A list of tasks, a section `tasks`, or a single task."""
    value = document.value
    if isinstance(value, dict) and isinstance(value.get("tasks"), list):
        unknown = [key for key in value if key != "tasks"]
        if unknown:
            document.complain((unknown[0],), f"unknown key {unknown[0]} beside tasks", "tasks alone belong here")
        return document.items(("tasks",))
    if isinstance(value, list):
        return document.items(())
    return [] if value is None else [document]


def _read_csv(path: Path) -> Found:
    raw: list[Document] = []
    problems: list[Problem] = []
    rows = csv.DictReader(io.StringIO(read_text(path, MAX_BYTES), newline=""), strict=True)
    names = rows.fieldnames or []
    if not {"instruction", "task"} & set(names):
        hint = "columns are set apart by commas" if len(names) == 1 else did_you_mean("instruction", names)
        raise ConfigError([Problem(f"{path}:1", "has no column `instruction`", hint)])
    try:
        for number, row in _numbered(rows):
            document = Document(str(path), {}, {(): f"{path}:{number}"})
            document.value = dict(_cells(row, document))
            problems.extend(document.problems)
            raw.append(document)
    except csv.Error as error:
        problems.append(Problem(f"{path}:{rows.line_num}", f"is no CSV: {error}"))
    return raw, problems


def _numbered(rows: csv.DictReader[str]) -> Iterator[tuple[int, dict[str | None, Any]]]:
    """Rows with the line each begins in; a quoted cell may go over several lines."""
    line = rows.line_num
    for row in rows:
        yield line + 1, dict(row)
        line = rows.line_num


def _cells(row: dict[str | None, Any], document: Document) -> Iterator[tuple[str, Any]]:
    for name, text in row.items():
        if name is None or text is None:
            document.complain(
                ("instruction",), "has more or fewer cells than the first line", "quote a cell with a comma"
            )
        elif name.strip() in _JSON_COLUMNS and text.strip():
            try:
                yield name.strip(), parse_json(text)
            except ValueError as error:
                document.complain((name.strip(),), f"column {name.strip()} is no JSON: {error}")
        elif text.strip():
            yield name.strip(), text


def parse_json(text: str) -> Any:
    """Strict JSON: no NaN, no key twice, bounded nesting. Raises ValueError."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = next(key for index, (key, _) in enumerate(pairs) if key in dict(pairs[:index]))
        raise ValueError(f"the key {twice!r} is given twice")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


_READERS: dict[str, Callable[[Path], Found]] = {
    ".jsonl": _read_jsonl,
    ".ndjson": _read_jsonl,
    ".json": _read_json,
    ".yaml": _read_yaml,
    ".yml": _read_yaml,
    ".csv": _read_csv,
}
