"""The small commands that every Android has: echo, printf, test, sleep, date, and what the modules beside add.

`COMMANDS` maps names to handlers; the shell looks here after the phone's own commands.
"""

from __future__ import annotations

import asyncio
import re
import time

from devices.simulated import coreutils_files, coreutils_text
from devices.simulated.command import Result
from devices.simulated.coreutils_kit import COMMANDS, Run, Usage, command, encoded, reads_input
from devices.simulated.files import FileError

__all__ = ["COMMANDS", "reads_input"]

MAX_SLEEP_S = 3600.0
_PARTS = (coreutils_files, coreutils_text)
"""Imported because they register their commands."""

_ECHO_ESCAPE = re.compile(r"\\(?:0([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([abcefnrtv\\]))")
_PLAIN_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\",
}  # fmt: skip
_FORMAT = re.compile(r"%([-+ 0#]*)(\d*)(?:\.(\d+))?([sbdiuxXocfeg%])")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def _unescaped(text: str) -> tuple[str, bool]:
    """`text` with its backslash sequences resolved, and whether `\\c` ended it."""
    text, ended, _ = text.partition("\\c")

    def resolve(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 8) & 255)
        if found[2] or found[3]:
            code = int(found[2] or found[3], 16)
            return "�" if 0xD800 <= code < 0xE000 else chr(code)
        return _PLAIN_ESCAPES.get(found[4], "")

    return (_ECHO_ESCAPE.sub(resolve, text) if "\\" in text else text), bool(ended)


@command("echo")
def _echo(run: Run) -> Result:
    """As mksh's: backslash sequences count unless `-E` is given."""
    words = run.call.argv[1:]
    has_newline, has_escapes = True, True
    while words and re.fullmatch(r"-[neE]+", words[0]):
        option = words.pop(0)
        has_newline = has_newline and "n" not in option
        has_escapes = "E" not in option
    text, has_ended = _unescaped(" ".join(words)) if has_escapes else (" ".join(words), False)
    return run.result(text + ("\n" if has_newline and not has_ended else ""))


@command("printf")
def _printf(run: Run) -> Result:
    if not run.operands:
        raise Usage("Needs 1 argument")
    form, _ = _unescaped(run.operands[0])
    words = run.operands[1:]
    text = _formatted(form, words)
    while words and _FORMAT.search(form.replace("%%", "")) and len(text) < 1_000_000:
        text += _formatted(form, words)
    return run.result(text)


def _formatted(form: str, words: list[str]) -> str:
    """One round of a format; takes its words from the front."""

    def place(found: re.Match[str]) -> str:
        flags, width, precision, kind = found.groups()
        if kind == "%":
            return "%"
        word = words.pop(0) if words else ""
        value: str | int | float
        if kind in "sbc":
            value = _unescaped(word)[0] if kind == "b" else word[:1] if kind == "c" else word
        else:
            try:
                value = float(word or 0) if kind in "feg" else int(word or "0", 0)
            except ValueError as error:
                raise Usage(f"bad '{found[0]}'@1 '{word}'") from error
        places = f".{min(int(precision), 1000)}" if precision else ""
        size = str(min(int(width), 1000)) if width else ""
        return f"%{flags}{size}{places}{'s' if kind in 'sbc' else 'd' if kind in 'iu' else kind}" % value

    return _FORMAT.sub(place, form)


@command("true")
def _true(run: Run) -> Result:
    return run.result()


@command("false")
def _false(run: Run) -> Result:
    return run.result(status=1)


@command("sleep", "usleep")
async def _sleep(run: Run) -> Result:
    seconds = 0.0
    for word in run.operands:
        found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)([smhd]?)", word)
        if not found:
            raise Usage(f"bad time '{word}'")
        seconds += float(found[1]) * _UNITS[found[2] or "s"] * (1e-6 if run.name == "usleep" else 1)
    await asyncio.sleep(min(seconds, MAX_SLEEP_S))
    return run.result()


@command("id", flags="unG")
def _id(run: Run) -> Result:
    if "u" in run.flags:
        return run.result("shell\n" if "n" in run.flags else "2000\n")
    groups = "2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),3003(inet)"
    return run.result(f"uid=2000(shell) gid=2000(shell) groups={groups} context=u:r:shell:s0\n")


@command("whoami")
def _whoami(run: Run) -> Result:
    return run.result("shell\n")


@command("uname", flags="asrmno")
def _uname(run: Run) -> Result:
    return run.result("Linux\n" if not run.flags - {"s"} else "Linux localhost 5.10.149-simulated aarch64 Toybox\n")


@command("date", flags="u", values="drs")
def _date(run: Run) -> Result:
    now = time.time()
    form = next((word[1:] for word in run.operands if word.startswith("+")), "%a %b %e %H:%M:%S GMT %Y")
    form = form.replace("%N", f"{int(now % 1 * 1e9):09d}").replace("%s", str(int(now)))
    return run.result(time.strftime(form, time.gmtime(now)) + "\n")


@command("uptime")
def _uptime(run: Run) -> Result:
    return run.result(f"{time.strftime(' %H:%M:%S', time.gmtime())} up 1 day,  2:03,  0 users,  load average: 0.1\n")


@command("env", "printenv")
def _env(run: Run) -> Result:
    if run.operands:
        return run.result("".join(f"{run.call.env[name]}\n" for name in run.operands if name in run.call.env))
    return run.result("".join(f"{name}={value}\n" for name, value in run.call.env.items()))


@command("basename")
def _basename(run: Run) -> Result:
    name = run.operands[0].rstrip("/").rpartition("/")[2] if run.operands else ""
    return run.result(name.removesuffix(run.operands[1] if len(run.operands) > 1 else "") + "\n")


@command("dirname")
def _dirname(run: Run) -> Result:
    name = run.operands[0].rstrip("/") if run.operands else ""
    return run.result((name.rpartition("/")[0] or ("/" if name.startswith("/") else ".")) + "\n")


@command("seq")
def _seq(run: Run) -> Result:
    try:
        numbers = [int(word) for word in run.operands]
    except ValueError as error:
        raise Usage(f"bad number: {error}") from error
    first, last = (1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[-1])
    step = numbers[1] if len(numbers) == 3 else 1
    values = range(first, last + (1 if step > 0 else -1), step or 1)[:100_000]
    return run.result("".join(f"{value}\n" for value in values))


@command("test", "[")
def _test(run: Run) -> Result:
    words = run.call.argv[1:]
    if run.call.argv[0] == "[":
        if not words or words[-1] != "]":
            return Result(stderr=encoded("/system/bin/sh: [: missing ]\n"), status=2)
        words = words[:-1]
    try:
        return run.result(status=int(not _Condition(run, words).whole()))
    except Usage as error:
        return Result(stderr=encoded(f"/system/bin/sh: {run.call.argv[0]}: {error}\n"), status=2)


class _Condition:
    """The expression of `test`: unary, binary, `!`, `-a`, `-o`, parentheses."""

    _NUMBERS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")

    def __init__(self, run: Run, words: list[str]) -> None:
        self.run = run
        self.words = words
        self.position = 0

    def whole(self) -> bool:
        if not self.words:
            return False
        if len(self.words) == 1:
            return bool(self.words[0])
        value = self.either()
        if self.position < len(self.words):
            raise Usage(f"{self.words[self.position]}: unexpected operator/operand")
        return value

    def either(self) -> bool:
        value = self.both()
        while self.take("-o"):
            value = self.both() or value
        return value

    def both(self) -> bool:
        value = self.one()
        while self.take("-a"):
            value = self.one() and value
        return value

    def take(self, word: str) -> bool:
        if self.words[self.position : self.position + 1] == [word]:
            self.position += 1
            return True
        return False

    def one(self) -> bool:
        left = self.next()
        following = self.words[self.position] if self.position < len(self.words) else ""
        if following in ("=", "==", "!=", "<", ">", *self._NUMBERS) and self.position + 1 < len(self.words):
            self.position += 1
            return self.compare(left, following, self.next())
        if left == "!":
            return not self.one()
        if left == "(":
            value = self.either()
            if not self.take(")"):
                raise Usage("missing )")
            return value
        if re.fullmatch(r"-[a-zA-Z]", left) and self.position < len(self.words):
            return self.unary(left, self.next())
        return bool(left)

    def next(self) -> str:
        if self.position >= len(self.words):
            raise Usage("argument expected")
        self.position += 1
        return self.words[self.position - 1]

    def compare(self, left: str, operator: str, right: str) -> bool:
        if operator in self._NUMBERS:
            try:
                one, two = int(left), int(right)
            except ValueError as error:
                bad = left if not re.fullmatch(r"\s*[-+]?\d+\s*", left) else right
                raise Usage(f"{bad}: unexpected operator/operand") from error
            return (one == two, one != two, one < two, one <= two, one > two, one >= two)[self._NUMBERS.index(operator)]
        return {"=": left == right, "==": left == right, "!=": left != right, "<": left < right}.get(
            operator, left > right
        )

    def unary(self, operator: str, word: str) -> bool:
        if operator in ("-n", "-z"):
            return bool(word) == (operator == "-n")
        if operator == "-t":
            return self.run.call.is_tty
        try:
            node = self.run.files.stat(self.run.path(word))
        except FileError:
            return False
        match operator:
            case "-e" | "-r":
                return True
            case "-f":
                return not node.is_dir
            case "-d":
                return node.is_dir
            case "-s":
                return node.size > 0
            case "-x":
                return bool(node.mode & 0o111)
            case "-w":
                return bool(node.mode & 0o222)
        return False
