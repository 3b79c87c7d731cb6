"""The syntax tree of a shell script. Nodes are immutable, so that a parsed script can be cached and run again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

_GLOB = re.compile(r"[*?]|\[[^/]+\]")


def is_pattern(text: str) -> bool:
    """True when `text` may match file names other than itself."""
    return _GLOB.search(text) is not None


@dataclass(frozen=True, slots=True)
class Text:
    """Characters as they stand; `is_quoted` protects them from globbing and keeps an empty word alive."""

    text: str
    is_quoted: bool


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$name`, `${name}`, `${name:-argument}`, `${#name}` (operator "length")."""

    name: str
    operator: str
    argument: Word | None
    is_quoted: bool


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(script)` or a pair of backticks."""

    script: Node
    is_quoted: bool


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`$((expression))`."""

    expression: Word
    is_quoted: bool


Part: TypeAlias = Text | Parameter | Substitution | Arithmetic


@dataclass(frozen=True, slots=True)
class Word:
    parts: tuple[Part, ...]

    @property
    def plain(self) -> str | None:
        """The word itself when nothing in it has to be expanded, else None."""
        for part in self.parts:
            if not isinstance(part, Text) or (not part.is_quoted and is_pattern(part.text)):
                return None
        return "".join(part.text for part in self.parts if isinstance(part, Text))


@dataclass(frozen=True, slots=True)
class Redirect:
    """`operator`: ">", ">>", "<", ">&" (to a descriptor) or "&>" (both outputs)."""

    descriptor: int
    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Simple:
    """`plain_argv` is set when the words need no expansion."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    plain_argv: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Pipeline:
    commands: tuple[Node, ...]
    is_negated: bool


@dataclass(frozen=True, slots=True)
class AndOr:
    first: Node
    rest: tuple[tuple[str, Node], ...]
    """Each with its operator, "&&" or "||"."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """Commands one after the other; those in `background` (by index) were ended by "&"."""

    commands: tuple[Node, ...]
    background: frozenset[int]


@dataclass(frozen=True, slots=True)
class Group:
    """`{ body; }`, or `( body )` when `is_subshell`."""

    body: Node
    is_subshell: bool
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class If:
    branches: tuple[tuple[Node, Node], ...]
    """Condition and body, first `if`, then each `elif`."""
    otherwise: Node | None
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class For:
    name: str
    words: tuple[Word, ...] | None
    """None: the positional parameters."""
    body: Node
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class While:
    condition: Node
    body: Node
    is_until: bool
    redirects: tuple[Redirect, ...]


Node: TypeAlias = Simple | Pipeline | AndOr | Sequence | Group | If | For | While
