"""From words to arguments: parameters, command substitution, field splitting, globbing, quote removal."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass, field
from typing import Protocol

from devices.simulated.sh_arithmetic import BadExpression, calculate
from devices.simulated.sh_nodes import Arithmetic, Node, Parameter, Part, Substitution, Text, Word, is_pattern
from devices.simulated.sh_streams import LimitReached

MAX_VALUE_CHARS = 1024 * 1024
"""Of one expanded word; a script that doubles a variable in a loop ends here."""

_PROTECT = re.compile(r"([*?[])")
_PROTECTED = re.compile(r"\[[*?[]\]")
_SPACE = re.compile(r"[ \t\n]+")


class ExpansionError(ValueError):
    """A word cannot be expanded; the text is the shell's message."""


class Scope(Protocol):
    """What expansion needs of a shell."""

    variables: dict[str, str]
    arguments: list[str]
    """Positional parameters; the first is `$0`."""

    def special(self, name: str) -> str: ...

    def glob(self, pattern: str) -> list[str]: ...

    async def substitute(self, script: Node) -> str:
        """Standard output of a script without the line ends that close it."""


@dataclass(slots=True)
class _Fields:
    """Fields of one word being built: each as text and, beside it, as a pattern with what was quoted protected."""

    done: list[tuple[str, str]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    pattern: list[str] = field(default_factory=list)
    is_open: bool = False
    chars: int = 0

    def add(self, text: str, *, is_quoted: bool) -> None:
        self.chars += len(text)
        if self.chars > MAX_VALUE_CHARS:
            raise LimitReached("a word became too long")
        self.text.append(text)
        self.pattern.append(_PROTECT.sub(r"[\1]", text) if is_quoted else text)
        self.is_open = self.is_open or is_quoted or bool(text)

    def close(self) -> None:
        if self.is_open:
            self.done.append(("".join(self.text), "".join(self.pattern)))
        self.text, self.pattern, self.is_open = [], [], False

    def add_split(self, text: str) -> None:
        first, *others = _SPACE.split(text)
        self.add(first, is_quoted=False)
        if others:
            self.close()
            self.done.extend((piece, piece) for piece in others[:-1])
            self.add(others[-1], is_quoted=False)
            self.chars += len(text)


async def arguments_of(words: tuple[Word, ...], scope: Scope) -> list[str]:
    """Each word as zero or more arguments. Raises ExpansionError."""
    arguments: list[str] = []
    for word in words:
        plain = word.plain
        if plain is not None:
            arguments.append(plain)
            continue
        fields = _Fields()
        for part in word.parts:
            await _add_part(part, fields, scope)
        fields.close()
        for text, pattern in fields.done:
            # A pattern that matches nothing stands for itself.
            found = scope.glob(pattern) if is_pattern(_PROTECTED.sub("", pattern)) else []
            arguments.extend(found or [text])
    return arguments


async def text_of(word: Word, scope: Scope) -> str:
    """The word as one text, neither split nor globbed: a value, a redirection target. Raises ExpansionError."""
    plain = word.plain
    if plain is not None:
        return plain
    pieces: list[str] = []
    for part in word.parts:
        pieces.append(part.text if isinstance(part, Text) else " ".join(await _values(part, scope)))
        if sum(map(len, pieces)) > MAX_VALUE_CHARS:
            raise LimitReached("a word became too long")
    return "".join(pieces)


async def _add_part(part: Part, fields: _Fields, scope: Scope) -> None:
    if isinstance(part, Text):
        fields.add(part.text, is_quoted=part.is_quoted)
        return
    values = await _values(part, scope)
    is_list = isinstance(part, Parameter) and part.name == "@" and not part.operator
    if part.is_quoted and not is_list:
        fields.add(" ".join(values), is_quoted=True)
        return
    for index, value in enumerate(values):
        if index:
            fields.close()
        if part.is_quoted:
            fields.add(value, is_quoted=True)
        else:
            fields.add_split(value)


async def _values(part: Part, scope: Scope) -> list[str]:
    """What a part stands for; more than one text for `$@` and `$*` only."""
    match part:
        case Text():
            return [part.text]
        case Substitution():
            return [await scope.substitute(part.script)]
        case Arithmetic():
            try:
                return [str(calculate(await text_of(part.expression, scope), scope.variables))]
            except BadExpression as error:
                raise ExpansionError(str(error)) from error
        case Parameter(name="@" | "*", operator=""):
            return scope.arguments[1:]
        case Parameter():
            return [await _parameter(part, scope)]


async def _parameter(part: Parameter, scope: Scope) -> str:
    value = _look_up(part.name, scope)
    operator = part.operator
    if not operator:
        return value or ""
    if operator == "length":
        return str(len(value or ""))
    if operator[0] in "#%":
        assert part.argument is not None
        return _trimmed(value or "", operator, await text_of(part.argument, scope))
    is_missing = value is None or (operator.startswith(":") and not value)
    assert part.argument is not None
    match operator[-1]:
        case "+":
            return "" if is_missing else await text_of(part.argument, scope)
        case "-" if is_missing:
            return await text_of(part.argument, scope)
        case "=" if is_missing:
            scope.variables[part.name] = value = await text_of(part.argument, scope)
        case "?" if is_missing:
            message = await text_of(part.argument, scope)
            raise ExpansionError(f"{part.name}: {message or 'parameter null or not set'}")
    return value or ""


def _look_up(name: str, scope: Scope) -> str | None:
    if name.isdigit():
        return scope.arguments[int(name)] if len(name) < 4 and int(name) < len(scope.arguments) else None
    if name in "?$#!@*":
        return scope.special(name)
    return scope.variables.get(name)


def _trimmed(value: str, operator: str, pattern: str) -> str:
    """`value` without the shortest (one sign) or longest (two) match of `pattern` at its start (#) or end (%)."""
    matches = re.compile(fnmatch.translate(pattern)).match
    lengths = range(min(len(value), 4096) + 1)
    for length in reversed(lengths) if len(operator) == 2 else lengths:
        piece = value[:length] if operator[0] == "#" else value[len(value) - length :]
        if matches(piece):
            return value[length:] if operator[0] == "#" else value[: len(value) - length]
    return value
