"""What pydantic found wrong → problems a person can act on: file and line, key path, what was given, what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from rollout.config.document import Document, KeyPath, show_path
from rollout.config.fields import known_keys, places_of
from rollout.errors import Problem

_SECRET = re.compile(r"(api|access|private)[_-]?key$|token$|secret|password|authorization", re.IGNORECASE)
_USER_INFO = re.compile(r"//[^/@\s]*@")
_SHOWN = 60
_COMPLETE = ("extra_forbidden", "missing", "value_error")
"""Complaints that stand whatever is found further inside."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint with the nearest of the known names, or with all of them."""
    names = sorted(known)
    near = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known: {', '.join(names)}" if names else ""


def is_secret(path: KeyPath) -> bool:
    """Whether the value of a key must not be shown."""
    return bool(path) and isinstance(path[-1], str) and bool(_SECRET.search(path[-1]))


def line_of(problem: Problem) -> tuple[bool, int]:
    """Sort key: problems of a file in the order of its lines, others after them."""
    _, _, line = problem.where.rpartition(":")
    return (False, int(line)) if line.isdecimal() else (True, 0)


def names_secret(text: str) -> bool:
    """Whether a text that holds keys and values (`{api_key: …}`) may hold a secret."""
    return any(_SECRET.search(word) for word in re.findall(r"\w+", text))


def explain(error: ValidationError, model: type[BaseModel], document: Document) -> list[Problem]:
    """One problem per key path. Paths that the document holds as unreadable are passed over."""
    groups: dict[KeyPath, list[Any]] = {}
    for item in error.errors(include_url=False):
        groups.setdefault(_real_path(item, document.value), []).append(item)
    explainer = _Explainer(model, document)
    return [
        Problem(document.where(path), *explainer.explain(path, items))
        for path, items in groups.items()
        if path not in document.unreadable and not _is_overruled(path, items, groups)
    ]


def _is_overruled(path: KeyPath, items: Sequence[Any], groups: Iterable[KeyPath]) -> bool:
    """Another branch of a union went deeper: that complaint is the one that helps."""
    if items[0]["type"] in _COMPLETE:
        return False
    return any(len(other) > len(path) and other[: len(path)] == path for other in groups)


def _real_path(item: Any, data: Any) -> KeyPath:
    """pydantic's location without the names of union branches, which are no keys."""
    path: list[str | int] = []
    for index, part in enumerate(item["loc"]):
        if _holds(data, part):
            data = data[part]
        elif item["type"] != "missing" or index < len(item["loc"]) - 1:
            continue
        path.append(part)
    return tuple(path)


def _holds(data: Any, part: str | int) -> bool:
    if isinstance(data, list):
        return isinstance(part, int) and part < len(data)
    return isinstance(data, dict) and part in data


class _Explainer:
    """Message and hint for each kind of complaint."""

    def __init__(self, model: type[BaseModel], document: Document) -> None:
        self._model = model
        self._document = document

    def explain(self, path: KeyPath, items: Sequence[Any]) -> tuple[str, str]:
        item, name = items[0], show_path(path) or "the file"
        match item["type"]:
            case "extra_forbidden":
                return f"unknown key {name}", self._hint_for_unknown(str(path[-1]), path[:-1], item["input"])
            case "missing":
                return f"{name} is missing", ""
            case "union_tag_not_found":
                return f"{show_path((*path, 'type'))} is missing", ""
            case "union_tag_invalid":
                tag, known = str(item["ctx"]["tag"]), re.findall(r"'([^']+)'", item["ctx"]["expected_tags"])
                return f"{name}: unknown type {tag!r}", did_you_mean(tag, known)
            case "model_type" | "dict_type" | "model_attributes_type":
                return f"{name} must be a section of `key: value` lines, {self._given(path, item)}", ""
            case "list_type":
                return f"{name} must be a list, {self._given(path, item)}", self._hint(path, items)
        message = " or ".join(dict.fromkeys(_plain(other["msg"]) for other in items)).replace(" or must be ", " or ")
        return f"{name} {message}, {self._given(path, item)}", self._hint(path, items)

    def _given(self, path: KeyPath, item: Any) -> str:
        value = item["input"]
        if isinstance(value, dict):
            return "given: a section"
        if is_secret(path) or (path[:1] == ("providers",) and len(path) == 2):
            return "given: ***"
        text = self._document.written.get(path) or (repr(value) if isinstance(value, str) else str(value))
        text = _USER_INFO.sub("//***@", text)
        return f"given: {text[:_SHOWN]}{'…' if len(text) > _SHOWN else ''}"

    def _hint(self, path: KeyPath, items: Sequence[Any]) -> str:
        value = items[0]["input"]
        kinds = {item["type"]: item for item in items}
        if "list_type" in kinds and isinstance(value, str | int):
            return f'["{self._document.written.get(path, value)}"]'
        if "literal_error" in kinds and isinstance(value, str):
            return did_you_mean(value, re.findall(r"'([^']*)'", kinds["literal_error"]["ctx"]["expected"]))
        if "string_type" in kinds and isinstance(value, bool | int | float):
            written = "" if is_secret(path) else f': "{self._document.written.get(path, value)}"'
            return f"quote it{written}"
        return ""

    def _hint_for_unknown(self, key: str, above: KeyPath, value: Any) -> str:
        section: Any = self._document.value
        for part in above:
            section = section[part]
        known = known_keys(self._model, above, section)
        if difflib.get_close_matches(key.lower(), known, n=1, cutoff=0.6):
            return did_you_mean(key, known)
        if isinstance(value, dict) and "api_base" in value:
            return "a provider goes under `providers:`"
        elsewhere = [place for place in places_of(key, self._model) if place[:-1] != above]
        if len(elsewhere) == 1:
            return f"it belongs to {show_path(elsewhere[0][:-1]) or 'the top level'}"
        return did_you_mean(key, known)


def _plain(message: str) -> str:
    """pydantic's sentence as the rest of `<key> …`."""
    for start in ("Value error, ", "Assertion failed, "):
        if message.startswith(start):
            return message.removeprefix(start)
    message = message.split(", unable to parse")[0].replace("a valid string", "text").replace("a valid ", "a ")
    return (
        message.replace("Input should be", "must be").replace("Input should", "must").replace("a integer", "an integer")
    )
