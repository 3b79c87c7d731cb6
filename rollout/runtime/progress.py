"""What a person sees while the run goes on: a table on a terminal, plain lines elsewhere, nothing with --json."""

from __future__ import annotations

import contextlib
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Protocol, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from rollout.faults import FINAL
from rollout.runtime import messages as m

_LINE_EVERY_S = 10.0
_RATE_OVER_S = 60.0


@dataclass(slots=True)
class PhoneRow:
    """A phone in the table."""

    state: str = "starting"
    task: str = ""
    attempt: int = 0
    step: int = 0
    done: int = 0


class View(Protocol):
    """Shows the state; never changes it."""

    def update(self, progress: Progress) -> None: ...

    def line(self, text: str) -> None: ...

    def close(self) -> None: ...


@dataclass(slots=True)
class Progress:
    """The figures of a run, fed by the orchestrator's messages."""

    view: View
    phones: dict[str, PhoneRow] = field(default_factory=dict)
    total: int = 0
    final: int = 0
    ended: int = 0
    """Ended in this invocation, final or faulted."""
    succeeded: int = 0
    graded: int = 0
    faulted: int = 0
    steps: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    began: float = field(default_factory=time.monotonic)
    _recent_steps: deque[float] = field(default_factory=deque)

    def planned(self, total: int, final: int) -> None:
        self.total, self.final = total, final
        self.say(f"{total} rollouts planned, {final} already final, {len(self.phones)} phones")

    def attempt_started(self, message: m.AttemptStarted) -> None:
        row = self.phones.setdefault(message.serial, PhoneRow())
        row.state, row.task, row.step = "busy", _name(message), 0
        row.attempt = message.attempt

    def step_done(self, message: m.StepDone) -> None:
        row = self.phones.setdefault(message.serial, PhoneRow())
        row.step = message.step
        self.steps += 1
        self.tokens += message.tokens
        self.cost_usd += message.cost_usd or 0.0
        self._recent_steps.append(time.monotonic())

    def phone_lost(self, serial: str, why: str) -> None:
        row = self.phones.setdefault(serial, PhoneRow())
        row.state, row.task = "lost", why
        self.say(f"phone {serial} lost: {why}")

    def recorded(self, message: m.ResultRecorded) -> None:
        self.ended += 1
        is_final = message.status in FINAL
        self.final += is_final
        self.faulted += not is_final
        if message.success is not None:
            self.graded += 1
            self.succeeded += message.success >= 1
        if message.serial in self.phones:
            row = self.phones[message.serial]
            row.done += 1
            # The next attempt may have begun before this one's result was recorded.
            if row.state == "busy" and row.task == _name(message):
                row.state = "idle"
        success = "-" if message.success is None else f"{message.success:g}"
        self.view.line(
            f"[{self.final + self.faulted}/{self.total}] {_name(message)}: "
            f"{message.stop_reason.value} success={success} on {message.serial}"
        )

    def say(self, text: str) -> None:
        self.view.line(text)

    def ask(self, question: m.UserQuestion) -> None:
        self.view.line(f"{question.serial} asks (task: {question.task}): {question.question}\nYour answer: ")

    def tick(self) -> None:
        self.view.update(self)

    def close(self) -> None:
        self.view.close()

    @property
    def steps_per_s(self) -> float:
        """Over the last minute."""
        now = time.monotonic()
        while self._recent_steps and now - self._recent_steps[0] > _RATE_OVER_S:
            self._recent_steps.popleft()
        return len(self._recent_steps) / max(1.0, min(_RATE_OVER_S, now - self.began))

    @property
    def eta_s(self) -> float | None:
        """Seconds to go at the pace so far; None before the first rollout ended."""
        left = self.total - self.final - self.faulted
        return None if not self.ended else left * (time.monotonic() - self.began) / self.ended

    def headline(self) -> str:
        success = f"{self.succeeded}/{self.graded} succeeded" if self.graded else "none graded yet"
        eta = "" if self.eta_s is None else f", about {duration(self.eta_s)} to go"
        return (
            f"{self.final}/{self.total} final, {self.faulted} faulted, {success}, "
            f"{self.steps} steps, {self.steps_per_s:.1f} steps/s{eta}"
        )


def _name(message: m.AttemptStarted | m.ResultRecorded) -> str:
    return f"{message.task_id} #{message.sample_index}"


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def put(text: str, file: TextIO | None = None) -> None:
    """Print, unless nobody reads any more: a closed pager or `| head` must not cost the night."""
    with contextlib.suppress(OSError, ValueError):
        print(text, file=file or sys.stdout, flush=True)


class Silent:
    """--json: standard output belongs to the machine; what a person must know goes to standard error."""

    def update(self, progress: Progress) -> None: ...

    def line(self, text: str) -> None:
        put(printable(text), sys.stderr)

    def close(self) -> None: ...


class PlainLines:
    """Piped output: a line an event, and one with the figures now and then."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _LINE_EVERY_S

    def update(self, progress: Progress) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _LINE_EVERY_S
            self.line(progress.headline())

    def line(self, text: str) -> None:
        put(printable(text))

    def close(self) -> None: ...


class LiveTable:
    """A terminal: one table that is redrawn, events above it."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, refresh_per_second=4, transient=True)
        self._live.start()
        self._drawn_at = 0.0

    def update(self, progress: Progress) -> None:
        if time.monotonic() - self._drawn_at >= 0.25:
            self._drawn_at = time.monotonic()
            self._live.update(Group(_table(progress), Text(progress.headline())))

    def line(self, text: str) -> None:
        self._live.console.print(Text(printable(text)))

    def close(self) -> None:
        self._live.stop()


def _table(progress: Progress) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("phone", "state", "task", "attempt", "step", "done"):
        table.add_column(heading, overflow="ellipsis", no_wrap=True)
    for serial, row in progress.phones.items():
        table.add_row(serial, row.state, Text(printable(row.task)), str(row.attempt), str(row.step), str(row.done))
    return table


def printable(text: str) -> str:
    """Task and device text on a terminal: no escape sequences."""
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)


def view_for(console: Console, *, json: bool) -> View:
    if json:
        return Silent()
    return LiveTable(console) if console.is_terminal and not console.is_dumb_terminal else PlainLines()
