"""YAML read with positions: plain values, the line of every key path, and every problem instead of the first.

Only plain data: no tags, no anchors or aliases (a few bytes of them unfold to gigabytes), bounded size and depth. What
is written like a time or a date (`1:5`, `2024-01-01`) stays text, as in YAML 1.2: nobody who writes a slice means 65.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from rollout.config.document import Document, KeyPath, show_path
from rollout.errors import ConfigError, Problem

MAX_BYTES = 1 << 20
MAX_DEPTH = 20

_INT = re.compile(r"[-+]?(?:0|[1-9][0-9_]*)$|[-+]?0x[0-9a-fA-F_]+$|[-+]?0b[01_]+$")
_FLOAT = re.compile(
    r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[0-9][0-9_]*[eE][-+]?[0-9]+|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?"
    r"|\.(?:inf|Inf|INF))$|\.(?:nan|NaN|NAN)$"
)
_TAG = "tag:yaml.org,2002:"
_DROPPED = {f"{_TAG}int", f"{_TAG}float", f"{_TAG}timestamp", f"{_TAG}merge", f"{_TAG}value"}


class _Resolver(yaml.resolver.BaseResolver):
    """What a plain scalar is taken for."""


_CParser: Any = getattr(yaml.cyaml, "CParser", None) if yaml.__with_libyaml__ else None


class _PythonLoader(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser, yaml.composer.Composer, _Resolver):
    def __init__(self, stream: str) -> None:
        yaml.reader.Reader.__init__(self, stream)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)
        yaml.composer.Composer.__init__(self)
        _Resolver.__init__(self)


def _loader() -> Any:
    """Parser and composer without a constructor: nothing in the text can make an object. libyaml's if there."""
    if _CParser is None:
        return _PythonLoader

    class _CLoader(_CParser, _Resolver):  # type: ignore[misc]
        def __init__(self, stream: str) -> None:
            _CParser.__init__(self, stream)
            _Resolver.__init__(self)

    return _CLoader


def scalar_resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """PyYAML's table of plain scalars with its numbers and times replaced by ours."""
    table = {
        first: [(tag, pattern) for tag, pattern in rules if tag not in _DROPPED]
        for first, rules in yaml.resolver.Resolver.yaml_implicit_resolvers.items()
    }
    for first in "-+.0123456789":
        table.setdefault(first, []).extend([(f"{_TAG}int", _INT), (f"{_TAG}float", _FLOAT)])
    return table


_Resolver.yaml_implicit_resolvers = scalar_resolvers()
_Loader = _loader()


def read_yaml_file(path: Path, max_bytes: int = MAX_BYTES) -> Document:
    """Raises ConfigError when there is no such file, or when it is no YAML of the plain kind."""
    return parse_yaml(read_text(path, max_bytes), str(path))


def read_text(path: Path, max_bytes: int) -> str:
    """A user's file as text: UTF-8, a byte order mark dropped. Raises ConfigError."""
    try:
        with path.open("rb") as file:
            raw = file.read(max_bytes + 1)
    except OSError as error:
        hint = _neighbours(path) if isinstance(error, FileNotFoundError) else ""
        raise ConfigError([Problem(str(path), f"cannot be read: {error.strerror}", hint)]) from error
    if len(raw) > max_bytes:
        raise ConfigError([Problem(str(path), f"is larger than {max_bytes} bytes")])
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError([Problem(f"{path}:{line}", "is no UTF-8 text", "save the file as UTF-8")]) from error


def parse_yaml(text: str, name: str, *, is_file: bool = True) -> Document:
    """A document from its text. `name` is a file's, or a flag, which has no lines.

    Raises:
        ConfigError: it cannot be read at all. Lesser problems are in the document.
    """
    document = Document(name, has_lines=is_file)
    try:
        _refuse_bombs(text, document)
        root = _Loader(text).get_single_node()
    except yaml.YAMLError as error:
        raise ConfigError([_syntax_problem(error, document)]) from error
    if root is not None:
        document.value = _Builder(document).build(root, ())
    return document


def _refuse_bombs(text: str, document: Document) -> None:
    """Over the events, before any node is made: they cost nothing to pass and cannot unfold."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        where = document.at_line(_line(event))
        if getattr(event, "anchor", None) is not None:
            raise ConfigError([Problem(where, "anchors (&) and aliases (*) are not allowed", "quote the text")])
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise ConfigError([Problem(where, f"is nested deeper than {MAX_DEPTH} levels")])
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _line(marked: Any) -> int:
    return int(marked.start_mark.line) + 1


class _Builder:
    """Nodes → plain values, noting positions and problems on the way."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def build(self, node: Node, path: KeyPath) -> Any:
        self._note_line(node, path)
        if not isinstance(node, ScalarNode) and node.tag not in (f"{_TAG}map", f"{_TAG}seq"):
            self._refuse_tag(node, path)
        match node:
            case MappingNode():
                return dict(self._pairs(node, path))
            case SequenceNode():
                return [self.build(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _pairs(self, node: MappingNode, path: KeyPath) -> Iterator[tuple[str, Any]]:
        seen: dict[str, int] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                self._problem(key_node, "a key must be a word, not a list or a section")
                continue
            key = str(key_node.value)
            if key in seen:
                self._problem(
                    key_node,
                    f"{show_path((*path, key))} is given twice, first in line {seen[key]}",
                    "keep one of the two",
                )
                continue
            seen[key] = _line(key_node)
            value = self.build(value_node, (*path, key))
            self._note_line(key_node, (*path, key))
            yield key, value

    def _scalar(self, node: Node, path: KeyPath) -> Any:
        text = str(node.value)
        kind = str(node.tag).removeprefix(_TAG)
        if kind != "str":
            self._document.written[path] = text
        try:
            return _SCALARS[kind](text)
        except (KeyError, ValueError):
            self._refuse_tag(node, path)
            return None

    def _refuse_tag(self, node: Node, path: KeyPath) -> None:
        tag = node.tag.replace(_TAG, "!!")
        self._document.unreadable.add(path)
        self._problem(node, f"{show_path(path) or 'the value'} is no plain {tag}", "write plain values without tags")

    def _problem(self, node: Node, message: str, hint: str = "") -> None:
        self._document.problems.append(Problem(self._document.at_line(_line(node)), message, hint))

    def _note_line(self, node: Node, path: KeyPath) -> None:
        self._document.places[path] = self._document.at_line(_line(node))


def _to_int(text: str) -> int:
    return int(text.replace("_", ""), 0)


def _to_float(text: str) -> float:
    return float(text.lower().replace("_", "").replace(".inf", "inf").replace(".nan", "nan"))


_SCALARS: dict[str, Any] = {
    "str": str,
    "null": lambda _: None,
    "bool": lambda text: text.lower() in ("yes", "true", "on"),
    "int": _to_int,
    "float": _to_float,
}


_SYNTAX_HINTS = {
    "start any token": "indent with blanks, not tabs; quote a text that starts with @, % or `",
    "mapping values are not allowed": 'quote a text that holds ": "',
    "expected ',' or '}'": 'inside {…} quote a text that holds braces or commas, like "${NAME}"',
    "another document": "one document a file: no `---` in the middle",
}


def _syntax_problem(error: yaml.YAMLError, document: Document) -> Problem:
    mark = getattr(error, "problem_mark", None)
    where = document.name if mark is None else document.at_line(mark.line + 1)
    what = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
    context = getattr(error, "context", None)
    hint = next((hint for part, hint in _SYNTAX_HINTS.items() if part in what), "")
    return Problem(where, f"is no YAML: {context + ', ' if context else ''}{what}", hint)


def _neighbours(path: Path) -> str:
    """What the user may have meant, when the file is not there."""
    try:
        there = sorted(other.name for other in path.parent.iterdir() if other.suffix == path.suffix)
    except OSError:
        return f"there is no folder {path.parent}"
    return f"in {path.parent} there are: {', '.join(there[:8])}" if there else ""
