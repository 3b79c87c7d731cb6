"""`grep`, and POSIX patterns as Python's."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

from devices.simulated.command import Result
from devices.simulated.coreutils_kit import Run, Usage, command, decoded

MAX_SECONDS = 1.0
"""For all matching of one command: a pattern that explodes must not stop the other phones."""

_CLASSES = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z", "space": r"\s",
    "blank": r" \t", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9a-fA-F",
}  # fmt: skip
_BRACKET = re.compile(r"\[(\^?)(\]?(?:\[:\w+:\]|[^\]])*)\]")
_REPEATS = re.compile(r"[*+{]")
_SWAPPED = "(){}|+?"
"""Special when bare in extended patterns, when escaped in basic ones."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A POSIX pattern, basic or extended, or a plain text. Raises Usage when it is none."""

    text: str
    is_extended: bool = False
    is_fixed: bool = False
    is_caseless: bool = False
    is_word: bool = False
    is_whole_line: bool = False

    @property
    def compiled(self) -> re.Pattern[str]:
        body = re.escape(self.text) if self.is_fixed else _translated(self.text, is_extended=self.is_extended)
        if self.is_word:
            body = rf"\b(?:{body})\b"
        if self.is_whole_line:
            body = rf"\A(?:{body})\Z"
        try:
            return re.compile(body, re.IGNORECASE if self.is_caseless else 0)
        except (re.error, OverflowError, RecursionError) as error:
            raise Usage(f"bad regex '{self.text}': {error}") from error


def _translated(text: str, *, is_extended: bool) -> str:
    pieces: list[str] = []
    position = 0
    while position < len(text):
        character = text[position]
        bracket = _BRACKET.match(text, position) if character == "[" else None
        if bracket:
            pieces.append(_bracket(bracket))
            position = bracket.end()
            continue
        position += 1
        if character == "\\":
            escaped = text[position : position + 1]
            position += 1
            if escaped in _SWAPPED and not is_extended:
                pieces.append(escaped)
            elif escaped in "<>":
                pieces.append(r"\b")
            else:
                pieces.append(f"\\{escaped}" if escaped in "wWsSbB123456789" else re.escape(escaped))
        elif character in _SWAPPED:
            pieces.append(character if is_extended else f"\\{character}")
        elif character == "*" and (not pieces or pieces[-1] == "^"):
            pieces.append(r"\*")
        elif character in ".*^$":
            pieces.append(character)
        else:
            pieces.append(re.escape(character))
    return "".join(pieces)


def _bracket(found: re.Match[str]) -> str:
    inside = re.sub(r"\[:(\w+):\]", lambda name: "\0" + name[1] + "\0", found[2])
    inside = inside.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("&&", "&\\&")
    inside = re.sub("\0(\\w+)\0", lambda name: _CLASSES.get(name[1], ""), inside)
    return f"[{'^' if found[1] else ''}{inside}]"


@contextmanager
def guarded(texts: Iterable[str]) -> Iterator[None]:
    """Stop matching that takes too long, for patterns that could. Raises Usage then.

    Works in the main thread (where fleets live); elsewhere nothing is stopped.
    """
    can_explode = any(len(_REPEATS.findall(text)) > 1 for text in texts)
    if not can_explode or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise Usage("the pattern takes too long")

    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@command("grep", "egrep", "fgrep", flags="oEiqvcFwxnhHslra", values="meABC", own=1, numbers="C")
def _grep(run: Run) -> Result:
    given = run.values.get("e") or run.operands[:1]
    if not given:
        raise Usage("no REGEX")
    flags = run.flags
    names = run.operands if "e" in run.values else run.operands[1:]
    search = _Search(run, _patterns(tuple(given), frozenset(flags), run.name))
    with guarded(given):
        for name, data in run.inputs(names):
            search.file(name if (len(names) > 1 and "h" not in flags) or "H" in flags else "", data)
    status = 2 if run.errors and "s" not in flags else int(not search.has_match)
    run.errors = [] if "s" in flags else run.errors
    return run.result("" if "q" in flags else "".join(search.printed), status)


@lru_cache(maxsize=256)
def _patterns(texts: tuple[str, ...], flags: frozenset[str], name: str) -> list[re.Pattern[str]]:
    """The compiled patterns of a call. Raises Usage."""
    return [
        Pattern(
            line,
            is_extended="E" in flags or name == "egrep",
            is_fixed="F" in flags or name == "fgrep",
            is_caseless="i" in flags,
            is_word="w" in flags,
            is_whole_line="x" in flags,
        ).compiled
        for text in texts
        for line in text.split("\n")
    ]


class _Search:
    """Goes through files and collects what is printed."""

    def __init__(self, run: Run, patterns: list[re.Pattern[str]]) -> None:
        self.flags = run.flags
        self.patterns = patterns
        self.limit = run.number("m", 2**31)
        context = run.number("C", 0)
        self.before, self.after = run.number("B", context), run.number("A", context)
        self.printed: list[str] = []
        self.has_match = False

    def file(self, name: str, data: bytes) -> None:
        lines = decoded(data).split("\n")
        if lines[-1] == "":
            lines.pop()
        hits = self._hits(lines)
        self.has_match = self.has_match or bool(hits)
        prefix = f"{name}:" if name else ""
        if "c" in self.flags:
            self.printed.append(f"{prefix}{len(hits)}\n")
        elif "l" in self.flags:
            self.printed.extend([f"{name or '(standard input)'}\n"] if hits else [])
        elif "o" in self.flags:
            for index in hits:
                self.printed.extend(f"{prefix}{text}\n" for text in self._texts(lines[index]))
        else:
            for index in self._with_context(hits, len(lines)):
                number = f"{index + 1}:" if "n" in self.flags else ""
                self.printed.append(f"{prefix}{number}{lines[index]}\n")

    def _hits(self, lines: list[str]) -> list[int]:
        wants = "v" not in self.flags
        hits: list[int] = []
        searches = [pattern.search for pattern in self.patterns]
        for index, line in enumerate(lines):
            found = searches[0](line) is not None if len(searches) == 1 else any(search(line) for search in searches)
            if found == wants:
                hits.append(index)
                if len(hits) >= self.limit:
                    break
        return hits

    def _texts(self, line: str) -> list[str]:
        found = [match for pattern in self.patterns for match in pattern.finditer(line) if match[0]]
        return [match[0] for match in sorted(found, key=lambda match: match.start())]

    def _with_context(self, hits: list[int], count: int) -> list[int]:
        if not (self.before or self.after):
            return hits
        shown = {near for hit in hits for near in range(hit - self.before, hit + self.after + 1) if 0 <= near < count}
        return sorted(shown)
