"""What the small commands (`coreutils*.py`) share: option parsing, named inputs, toybox's complaints."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from devices.simulated.command import Call, Handler, Result
from devices.simulated.files import FileError, VirtualFiles, normal_path

if TYPE_CHECKING:
    from devices.simulated.phone import Phone


class Usage(Exception):
    """The arguments make no sense; the text follows the command's name."""


@dataclass(slots=True)
class Run:
    """One run of a command: options parsed, errors collected."""

    phone: Phone
    call: Call
    flags: set[str]
    values: dict[str, list[str]]
    operands: list[str]
    errors: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.call.argv[0].rpartition("/")[2] or self.call.argv[0]

    @property
    def files(self) -> VirtualFiles:
        return self.phone.files

    def path(self, name: str) -> str:
        """Absolute path of an operand. Raises FileError."""
        return normal_path(name, self.call.env.get("PWD", "/"))

    def number(self, option: str, default: int) -> int:
        """The last value of an option. Raises Usage."""
        given = self.values.get(option)
        if not given:
            return default
        try:
            return int(given[-1])
        except ValueError as error:
            raise Usage(f"not integer: {given[-1]}") from error

    def complain(self, error: FileError, name: str) -> None:
        self.errors.append(f"{self.name}: {name}: {error.strerror}\n")

    def inputs(self, names: list[str]) -> list[tuple[str, bytes]]:
        """Content of each named file, standard input for "-" or no name; a file that cannot be read is an error."""
        found: list[tuple[str, bytes]] = []
        for name in names or ["-"]:
            try:
                found.append((name, self.call.stdin if name == "-" else self.files.read(self.path(name))))
            except FileError as error:
                self.complain(error, name)
        return found

    def result(self, stdout: bytes | str = b"", status: int | None = None) -> Result:
        """What the run gives back: status 1 when there were errors, unless told otherwise."""
        data = encoded(stdout) if isinstance(stdout, str) else stdout
        return Result(data, encoded("".join(self.errors)), int(bool(self.errors)) if status is None else status)


Body = Callable[[Run], Result | Awaitable[Result]]


@dataclass(frozen=True, slots=True)
class _Spec:
    flags: str
    values: str
    own_operands: int
    """Operands before the first input file; -1: the command never reads standard input."""
    numbers: str
    """The option that `-5` stands for, or ""."""


COMMANDS: dict[str, Handler] = {}
_SPECS: dict[str, _Spec] = {}


def command(*names: str, flags: str = "", values: str = "", own: int = -1, numbers: str = "") -> Callable[[Body], Body]:
    """Register a command under its names; see _Spec."""

    def register(body: Body) -> Body:
        spec = _Spec(flags, values, own, numbers)

        async def handle(phone: Phone, call: Call) -> Result:
            try:
                flags, values, operands = _parsed(call.argv, spec)
                run = Run(phone, call, set(flags), dict(values), list(operands))
                result = body(run)
                return result if isinstance(result, Result) else await result
            except Usage as error:
                return Result(stderr=encoded(f"{call.argv[0]}: {error}\n"), status=1)
            except FileError as error:
                return Result(stderr=encoded(f"{call.argv[0]}: {error.filename}: {error.strerror}\n"), status=1)

        for name in names:
            COMMANDS[name], _SPECS[name] = handle, spec
        return body

    return register


def reads_input(argv: list[str]) -> bool:
    """True when this call reads standard input to its end."""
    spec = _SPECS.get(argv[0])
    if spec is None or spec.own_operands < 0:
        return False
    try:
        _, values, operands = _parsed(argv, spec)
    except Usage:
        return False
    own = 0 if "e" in values else spec.own_operands
    return len(operands) <= own or "-" in operands


_Parsed = tuple[set[str], dict[str, list[str]], list[str]]
"""Flags, option values and operands."""


def _parsed(argv: list[str], spec: _Spec) -> _Parsed:
    """Parse the options; for common calls from memory. Not to be changed. Raises Usage."""
    return _remembered(tuple(argv), spec) if len(argv) < 6 else _options(argv, spec)


@lru_cache(maxsize=256)
def _remembered(argv: tuple[str, ...], spec: _Spec) -> _Parsed:
    return _options(argv, spec)


def _options(argv: Sequence[str], spec: _Spec) -> _Parsed:
    flags: set[str] = set()
    values: dict[str, list[str]] = {}
    operands: list[str] = []
    words = iter(argv[1:])
    for word in words:
        if word == "--":
            operands.extend(words)
        elif not word.startswith("-") or word == "-" or not (spec.flags or spec.values):
            operands.append(word)
        elif spec.numbers and word[1:].isdecimal():
            values.setdefault(spec.numbers, []).append(word[1:])
        else:
            _letters(word, spec, flags, values, lambda: next(words, None))
    return flags, values, operands


def _letters(
    word: str, spec: _Spec, flags: set[str], values: dict[str, list[str]], next_word: Callable[[], str | None]
) -> None:
    for index, letter in enumerate(word[1:], 1):
        if letter in spec.values:
            value = word[index + 1 :] or next_word()
            if value is None:
                raise Usage(f"Missing argument to -{letter}")
            values.setdefault(letter, []).append(value)
            return
        if letter not in spec.flags:
            raise Usage(f"Unknown option '{word.lstrip('-')}'")
        flags.add(letter)


def encoded(text: str) -> bytes:
    """Bytes that stand for a text of the shell; what was not UTF-8 comes back as it was."""
    return text.encode("utf-8", "surrogateescape")


def decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
