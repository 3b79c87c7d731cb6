"""Commands on text: head, tail, wc, sort, uniq, cut, tr, sed, and the sums. `grep` is in `coreutils_grep.py`."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re

from devices.simulated.command import Result
from devices.simulated.coreutils_grep import Pattern, guarded
from devices.simulated.coreutils_kit import Run, Usage, command, decoded, encoded

_CLASSES = {
    "lower": "abcdefghijklmnopqrstuvwxyz",
    "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "digit": "0123456789",
    "space": " \t\n\r\v\f",
    "blank": " \t",
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_SUBSTITUTE = re.compile(r"s(.)((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1([gip0-9]*)", re.DOTALL)
_PRINT = re.compile(r"(\d+|\$)?(?:,(\d+|\$))?([pdq])")


@command("head", flags="qv", values="nc", own=0, numbers="n")
def _head(run: Run) -> Result:
    count, is_bytes = _amount(run)
    pieces: list[bytes] = []
    for _, data in run.inputs(run.operands):
        if is_bytes:
            pieces.append(data[:count] if count >= 0 else data[: max(0, len(data) + count)])
        else:
            lines = data.splitlines(keepends=True)
            pieces.append(b"".join(lines[:count]))
    return run.result(b"".join(pieces))


@command("tail", flags="qvfF", values="nc", own=0, numbers="n")
def _tail(run: Run) -> Result:
    given = run.values.get("c", run.values.get("n", ["10"]))[-1]
    count, is_bytes = _amount(run)
    pieces: list[bytes] = []
    for _, data in run.inputs(run.operands):
        whole = data if is_bytes else data.splitlines(keepends=True)
        part = whole[max(0, count - 1) :] if given.startswith("+") else whole[max(0, len(whole) - abs(count)) :]
        pieces.append(part if isinstance(part, bytes) else b"".join(part))
    return run.result(b"".join(pieces))


def _amount(run: Run) -> tuple[int, bool]:
    """How many, and whether bytes are meant."""
    if "c" in run.values:
        return run.number("c", 0), True
    return run.number("n", 10), False


@command("wc", flags="lwcm", own=0)
def _wc(run: Run) -> Result:
    lines: list[str] = []
    for name, data in run.inputs(run.operands):
        counts = {"l": data.count(b"\n"), "w": len(data.split()), "m": len(decoded(data)), "c": len(data)}
        wanted = [letter for letter in "lwmc" if letter in run.flags] or list("lwc")
        width = "" if len(wanted) == 1 else "7"
        numbers = " ".join(f"{counts[letter]:{width}d}" for letter in wanted)
        lines.append(numbers + (f" {name}" if run.operands else ""))
    return run.result("".join(f"{line}\n" for line in lines))


@command("sort", flags="nrufb", values="ktS", own=0)
def _sort(run: Run) -> Result:
    lines = [line for _, data in run.inputs(run.operands) for line in decoded(data).splitlines()]
    column = run.number("k", 0) if "," not in run.values.get("k", [""])[-1] else int(run.values["k"][-1].split(",")[0])
    separator = run.values.get("t", [None])[-1]

    def key(line: str) -> tuple[float, str]:
        if column:
            parts = line.split(separator)
            line = (separator or " ").join(parts[column - 1 :])
        line = line.lower() if "f" in run.flags else line
        number = re.match(r"\s*-?\d+(?:\.\d+)?", line) if "n" in run.flags else None
        return float(number[0]) if number else 0.0, line

    lines.sort(key=key, reverse="r" in run.flags)
    if "u" in run.flags:
        lines = list(dict.fromkeys(lines))
    return run.result("".join(f"{line}\n" for line in lines))


@command("uniq", flags="cdu", own=0)
def _uniq(run: Run) -> Result:
    groups: list[tuple[str, int]] = []
    for line in (line for _, data in run.inputs(run.operands[:1]) for line in decoded(data).splitlines()):
        if groups and groups[-1][0] == line:
            groups[-1] = (line, groups[-1][1] + 1)
        else:
            groups.append((line, 1))
    if "d" in run.flags:
        groups = [group for group in groups if group[1] > 1]
    has_counts = "c" in run.flags
    return run.result("".join(f"{count:7d} {line}\n" if has_counts else f"{line}\n" for line, count in groups))


@command("cut", flags="sn", values="dfcb", own=0)
def _cut(run: Run) -> Result:
    option = next((option for option in "fcb" if option in run.values), None)
    if option is None:
        raise Usage("no -fFcb")
    spans = [_span(piece) for piece in run.values[option][-1].split(",")]
    separator = run.values.get("d", ["\t"])[-1] or "\t"
    lines: list[str] = []
    for line in (line for _, data in run.inputs(run.operands) for line in decoded(data).splitlines()):
        if option == "f" and separator not in line:
            lines.extend([] if "s" in run.flags else [line])
            continue
        parts = line.split(separator) if option == "f" else list(line)
        kept = [part for number, part in enumerate(parts, 1) if any(low <= number <= high for low, high in spans)]
        lines.append((separator if option == "f" else "").join(kept))
    return run.result("".join(f"{line}\n" for line in lines))


def _span(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d*)(-?)(\d*)", text)
    if not found or not (found[1] or found[3]):
        raise Usage(f"bad list '{text}'")
    low = int(found[1] or 1)
    return low, int(found[3] or 10**9) if found[2] else low


@command("tr", flags="dsc", own=2)
def _tr(run: Run) -> Result:
    if not run.operands:
        raise Usage("Needs 1 argument")
    source = _characters(run.operands[0])
    target = _characters(run.operands[1]) if len(run.operands) > 1 else ""
    text = decoded(run.call.stdin)
    if "c" in run.flags:
        source = "".join(sorted(set(text) - set(source)))
    if "d" in run.flags:
        text = text.translate({ord(character): None for character in source})
    elif target:
        target = target.ljust(len(source), target[-1])
        text = text.translate(dict(zip(map(ord, source), target, strict=False)))
    if "s" in run.flags:
        squeezed = re.escape(target or source)
        text = re.sub(f"([{squeezed}])\\1+", r"\1", text) if squeezed else text
    return run.result(text)


def _characters(text: str) -> str:
    """A set of `tr`, spelled out."""
    text = re.sub(r"\[:(\w+):\]", lambda found: _CLASSES.get(found[1], ""), text)
    text = re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text)

    def spell(found: re.Match[str]) -> str:
        low, high = ord(found[1]), ord(found[2])
        return "".join(map(chr, range(low, min(high, low + 4096) + 1)))

    return re.sub(r"(.)-(.)", spell, text, flags=re.DOTALL)


@command("sed", flags="nEr", values="e", own=1)
def _sed(run: Run) -> Result:
    """`s/a/b/flags`, and `p`, `d`, `q` with line numbers; several joined by ";"."""
    scripts = run.values.get("e") or run.operands[:1]
    names = run.operands if "e" in run.values else run.operands[1:]
    if not scripts:
        raise Usage("Needs 1 argument")
    lines = [line for _, data in run.inputs(names) for line in decoded(data).splitlines()]
    steps = [step for script in scripts for step in _sed_steps(script, is_extended=bool(run.flags & {"E", "r"}))]
    try:
        with guarded(scripts):
            printed = _sed_run(lines, steps, is_quiet="n" in run.flags)
    except re.error as error:
        raise Usage(f"bad replacement in '{scripts[0]}': {error}") from error
    return run.result("".join(f"{line}\n" for line in printed))


_Step = tuple[str, re.Pattern[str] | None, str, int | None, int | None]
"""Action, pattern, replacement or flags, first and last line (0 is the last of all)."""


def _sed_steps(script: str, *, is_extended: bool) -> list[_Step]:
    steps: list[_Step] = []
    position = 0
    while position < len(script):
        if script[position] in "; \n":
            position += 1
        elif found := _SUBSTITUTE.match(script, position):
            pattern = Pattern(found[2], is_extended=is_extended, is_caseless="i" in found[4]).compiled
            steps.append(("s" + found[4], pattern, _template(found[3]), None, None))
            position = found.end()
        elif (found := _PRINT.match(script, position)) is not None:
            first, last = (0 if text == "$" else int(text) if text else None for text in (found[1], found[2]))
            steps.append((found[3], None, "", first, last))
            position = found.end()
        else:
            raise Usage(f"bad pattern '{script}'@{position + 1} ({script[position]})")
    return steps


def _template(text: str) -> str:
    """sed's replacement text as `re` wants it."""

    def piece(found: re.Match[str]) -> str:
        if found[0] == "&":
            return r"\g<0>"
        character = found[0][1:]
        if character.isdecimal():
            return f"\\g<{character}>"
        return {"n": "\n", "t": "\t", "\\": r"\\"}.get(character, character)

    return re.sub(r"\\.|&", piece, text, flags=re.DOTALL)


def _sed_run(lines: list[str], steps: list[_Step], *, is_quiet: bool) -> list[str]:
    printed: list[str] = []
    for number, line in enumerate(lines, 1):
        is_kept, is_over = not is_quiet, False
        for action, pattern, replacement, first, last in steps:
            if pattern is not None:
                line, changes = pattern.subn(replacement, line, count=0 if "g" in action else 1)
                printed.extend([line] if changes and "p" in action else [])
                continue
            begin = len(lines) if first == 0 else first
            end = len(lines) if last == 0 else last or begin
            if begin is not None and end is not None and not begin <= number <= end:
                continue
            if action == "p":
                printed.append(line)
            elif action == "d":
                is_kept = False
                break
            else:
                is_over = True
        printed.extend([line] if is_kept else [])
        if is_over:
            break
    return printed


@command("sha256sum", "sha1sum", "md5sum", flags="bc", own=0)
def _sum(run: Run) -> Result:
    lines = [
        f"{hashlib.new(run.name.removesuffix('sum'), data, usedforsecurity=False).hexdigest()}  {name}\n"
        for name, data in run.inputs(run.operands)
    ]
    return run.result("".join(lines))


@command("base64", flags="di", values="w", own=0)
def _base64(run: Run) -> Result:
    data = b"".join(data for _, data in run.inputs(run.operands))
    if "d" in run.flags:
        try:
            return run.result(base64.b64decode(b"".join(data.split()), validate="i" not in run.flags))
        except binascii.Error:
            run.errors.append("base64: bad input\n")
            return run.result()
    text = base64.b64encode(data).decode()
    width = run.number("w", 76) or max(1, len(text))
    return run.result(encoded("".join(f"{text[start : start + width]}\n" for start in range(0, len(text), width))))
