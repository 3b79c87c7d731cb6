"""Seeded faults of a simulated phone: what goes wrong, at which command, for how long.

A fault file (YAML or JSON) is a list of rules:

    - {phones: all, kind: bad_screenshot, rate: 0.02}
    - {phones: [0, 2], kind: drop, at_command: 40, seconds: 3}
    - {phones: [3], kind: empty_screenshot, at_command: 5, seconds: 10}
    - {phones: [1], kind: slow, match: "^input ", rate: 0.1, seconds: 0.5, times: 20}

`at_command` counts from 1 the commands that the rule looks at: those whose text matches `match`, and for faults of one
command (a screenshot, injected input) that command alone, which goes wrong for `seconds` or `times`. `rate` is
a probability per such command; `when: after` lets the command happen before the fault. The same seed and the same
commands give the same faults.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import yaml

LINK_KINDS = frozenset({"drop", "hang", "reboot", "offline", "unauthorized"})
SCREENSHOT_KINDS = frozenset({"bad_screenshot", "truncated_screenshot", "empty_screenshot", "text_before_png"})
KINDS = LINK_KINDS | SCREENSHOT_KINDS | {"slow", "inject_refused"}

DEFAULT_SECONDS: Mapping[str, float] = {"drop": 2.0, "hang": 30.0, "reboot": 1.0, "slow": 1.0}
"""hang: silence; drop and reboot: time away; slow: delay of each command. 0 for the others: no end of their own."""
WARNING = (
    b"[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found,\n"
    b"however this default is not guaranteed to be consistent across captures.\n"
    b"A display id should be specified.\n"
)
INJECT_REFUSAL = (
    b"\nException occurred while executing '%b':\njava.lang.SecurityException: Injecting input events requires the"
    b" caller (or the source of the instrumentation, if any) to have the INJECT_EVENTS permission.\n"
    b"\tat com.android.server.input.InputManagerService.injectInputEvent(InputManagerService.java:1034)\n"
)

_ONE_COMMAND = {**dict.fromkeys(SCREENSHOT_KINDS, r"^screencap\b"), "inject_refused": r"^input\b"}


class BadFault(ValueError):
    """A rule that makes no sense; the text says which and why."""


@dataclass(slots=True)
class Fault:
    """One rule, and how often it has fired. `times` None: once for `at_command`, without limit otherwise."""

    kind: str
    at_command: int | None = None
    rate: float | None = None
    match: re.Pattern[str] | None = None
    seconds: float = 0.0
    times: int | None = None
    is_after: bool = False
    """Fires when the command has run: it happened, and nobody hears of it."""
    random: Random = field(default_factory=Random)
    seen: int = 0
    fired: int = 0
    end: float | None = None
    """Of a fault of single commands with `seconds`: monotonic time, set when it fires first."""

    def is_due(self, command: str) -> bool:
        """Look at a command; True when the fault fires at it."""
        if self.times is not None and self.fired >= self.times:
            return False
        if self.end is not None and time.monotonic() > self.end:
            return False
        if self.match is not None and not self.match.search(command):
            return False
        self.seen += 1
        if self.at_command is not None:
            is_due = self.seen >= self.at_command
        else:
            is_due = self.rate is None or self.random.random() < self.rate
        if is_due:
            self.fired += 1
            if self.kind in _ONE_COMMAND and self.seconds and self.end is None:
                self.end = time.monotonic() + self.seconds
        return is_due


def fault_from(rule: Mapping[str, Any], random: Random) -> Fault:
    """Check one rule. Raises BadFault."""
    known = {"phones", "kind", "at_command", "rate", "match", "seconds", "times", "when"}
    if unknown := set(rule) - known:
        raise BadFault(f"{dict(rule)}: unknown {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}")
    kind = rule.get("kind")
    if kind not in KINDS:
        raise BadFault(f"{dict(rule)}: unknown kind {kind!r}; known: {', '.join(sorted(KINDS))}")
    if rule.get("when", "before") not in ("before", "after"):
        raise BadFault(f"{dict(rule)}: `when` is before or after")
    at_command, rate, times = rule.get("at_command"), rule.get("rate"), rule.get("times")
    try:
        match = re.compile(rule.get("match") or _ONE_COMMAND.get(kind, ""))
        lasts = kind in _ONE_COMMAND and rule.get("seconds")
        if at_command is not None and times is None and not lasts:
            times = 1
        return Fault(
            kind=kind,
            at_command=None if at_command is None else int(at_command),
            rate=None if rate is None else float(rate),
            match=match if match.pattern else None,
            seconds=float(rule.get("seconds") or DEFAULT_SECONDS.get(kind, 0.0)),
            times=None if times is None else int(times),
            is_after=rule.get("when") == "after",
            random=random,
        )
    except (TypeError, ValueError, re.error) as error:
        raise BadFault(f"{dict(rule)}: {error}") from error


def read_rules(path: Path) -> list[Mapping[str, Any]]:
    """The rules of a fault file. Raises BadFault, OSError."""
    try:
        text = path.read_text(encoding="utf-8")
        rules = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (yaml.YAMLError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise BadFault(f"{path}: {error}") from error
    if not isinstance(rules, list) or not all(isinstance(rule, Mapping) for rule in rules):
        raise BadFault(f"{path}: a list of rules is expected")
    return rules


class PhoneFaults:
    """The faults of one phone: rules from the start, and what is set at run time."""

    def __init__(self, rules: Iterable[Mapping[str, Any]] = (), *, index: int = 0, seed: int = 0) -> None:
        self._seed = f"{seed}/{index}"
        self.rules: list[Fault] = []
        self._screenshot_faults: list[str] = []
        self.random = Random(f"{self._seed}/bytes")
        for number, rule in enumerate(rules):
            fault = fault_from(rule, Random(f"{self._seed}/{number}"))
            phones = rule.get("phones", "all")
            if not (phones == "all" or isinstance(phones, list)):
                raise BadFault(f"{dict(rule)}: `phones` is all or a list of numbers")
            if phones == "all" or index in phones:
                self.rules.append(fault)

    def set(self, rule: Mapping[str, Any]) -> Fault:
        """Add a rule now. Raises BadFault."""
        fault = fault_from(rule, Random(f"{self._seed}/{len(self.rules)}/{time.time()}"))
        self.rules.append(fault)
        return fault

    def clear(self) -> None:
        """Forget all rules, those from the start too."""
        self.rules.clear()
        self._screenshot_faults.clear()

    def due(self, argv: Sequence[str]) -> list[Fault]:
        """The faults that fire at this command."""
        if not self.rules:
            return []
        command = " ".join(argv)
        due = [fault for fault in self.rules if fault.is_due(command)]
        self._screenshot_faults = [fault.kind for fault in due if fault.kind in SCREENSHOT_KINDS]
        return due

    def screencap(self, data: bytes) -> bytes:
        """A screenshot's bytes after the faults that are due for it."""
        kinds, self._screenshot_faults = self._screenshot_faults, []
        for kind in kinds:
            match kind:
                case "bad_screenshot":
                    data = self.random.randbytes(len(data))
                case "truncated_screenshot":
                    data = data[: int(len(data) * self.random.uniform(0.1, 0.9))]
                case "empty_screenshot":
                    data = b""
                case "text_before_png":
                    data = WARNING + data
        return data
