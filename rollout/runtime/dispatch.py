"""Which phone gets which rollout: a queue per phone, balanced, with stealing; requirements kept. No clock, no file."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from rollout.faults import MAX_ATTEMPTS, VERDICTS, FaultClass
from rollout.records.schema import AttemptPart, PlanEntry

PhoneState = Literal["starting", "idle", "busy", "lost", "gone"]


@dataclass(slots=True)
class Phone:
    """A phone as the queues see it. `lost` may come back; `gone` will not."""

    serial: str
    state: PhoneState = "starting"
    tags: frozenset[str] = frozenset()
    packages: frozenset[str] | None = None
    """None: not asked for, or not known."""
    queue: deque[Pending] = field(default_factory=deque)
    why: str = ""

    @property
    def is_alive(self) -> bool:
        return self.state in ("starting", "idle", "busy")


@dataclass(slots=True, eq=False)
class Pending:
    """A rollout that has not ended."""

    entry: PlanEntry
    attempts: list[AttemptPart] = field(default_factory=list)
    """All attempts so far, those of earlier runs of the directory included."""
    spent: dict[FaultClass, int] = field(default_factory=dict)
    """Faulted attempts of this run, by class."""
    supersedes: int | None = None
    """Attempt of the earlier final that this one replaces (--redo)."""
    broke_on: set[str] = field(default_factory=set)
    """Phones that broke it: another one is preferred."""

    def may_retry(self, fault: FaultClass) -> bool:
        """Count a faulted attempt; may the rollout have another?"""
        self.spent[fault] = self.spent.get(fault, 0) + 1
        return VERDICTS[fault].retry and self.spent[fault] < MAX_ATTEMPTS.get(fault, 1)

    def recall(self, since: str) -> None:
        """Count again what this run has spent already: the reader was replaced."""
        for attempt in self.attempts:
            if attempt.fault is not None and (attempt.ended_at or "") >= since:
                self.may_retry(attempt.fault.fault_class)
                if attempt.fault.fault_class is FaultClass.DEVICE and attempt.serial is not None:
                    self.broke_on.add(attempt.serial)

    @property
    def next_attempt(self) -> int:
        return max((attempt.attempt for attempt in self.attempts), default=0) + 1


class Dispatcher:
    """Owns the queues. A rollout is in one queue, or unplaced, or taken; never in two places."""

    def __init__(self, serials: Iterable[str], pending: Iterable[Pending]) -> None:
        self.phones = {serial: Phone(serial) for serial in serials}
        self._unplaced: list[Pending] = list(pending)

    def phone_idle(self, serial: str, tags: Iterable[str] = (), packages: Iterable[str] | None = None) -> None:
        """The phone is fit and asks for work."""
        phone = self.phones.setdefault(serial, Phone(serial))
        phone.tags = frozenset(tags)
        phone.packages = None if packages is None else frozenset(packages)
        phone.state, phone.why = "idle", ""
        self._place_all()

    def phone_busy(self, serial: str) -> None:
        self.phones.setdefault(serial, Phone(serial)).state = "busy"

    def phone_restarting(self, serial: str) -> None:
        """Its worker is being replaced: it keeps its queue."""
        self.phones.setdefault(serial, Phone(serial)).state = "starting"

    def phone_away(self, serial: str, state: Literal["lost", "gone"], why: str) -> None:
        """The phone takes no work; its queue goes to the others."""
        phone = self.phones.setdefault(serial, Phone(serial))
        phone.state, phone.why = state, why
        self._unplaced.extend(phone.queue)
        phone.queue.clear()
        self._place_all()

    def take(self, serial: str) -> Pending | None:
        """The next rollout for this phone: from its own queue, else from the longest other one."""
        phone = self.phones[serial]
        taken = self._first(phone, phone.queue) or self._steal(phone)
        if taken is not None:
            phone.state = "busy"
        return taken

    def give_back(self, pending: Pending) -> None:
        """Queue a rollout again, at the front, on a phone that did not break it if there is one."""
        phones = [phone for phone in self.phones.values() if phone.is_alive and self._can_run(phone, pending)]
        fresh = [phone for phone in phones if phone.serial not in pending.broke_on]
        if best := min(fresh or phones, key=lambda phone: len(phone.queue), default=None):
            best.queue.appendleft(pending)
        else:
            self._unplaced.append(pending)

    def waiting(self) -> list[Pending]:
        """Everything that is queued or unplaced."""
        return [*self._unplaced, *(pending for phone in self.phones.values() for pending in phone.queue)]

    def why_waiting(self, pending: Pending) -> str:
        """Why this rollout cannot run now, in words."""
        alive = [phone for phone in self.phones.values() if phone.is_alive]
        if not alive:
            reasons = sorted({phone.why for phone in self.phones.values() if phone.why})
            return "no phone is left" + (f": {'; '.join(reasons)}" if reasons else "")
        if not any(self._can_run(phone, pending) for phone in alive):
            return f"no phone fits its requirements ({_wanted(pending)})"
        return "not started"

    def is_stuck(self) -> bool:
        """Rollouts wait, nothing runs and no phone that is here can take one."""
        if any(phone.state in ("starting", "busy") for phone in self.phones.values()):
            return False
        idle = [phone for phone in self.phones.values() if phone.state == "idle"]
        return not any(self._can_run(phone, pending) for phone in idle for pending in self.waiting())

    @property
    def has_phones(self) -> bool:
        return any(phone.is_alive for phone in self.phones.values())

    @property
    def may_recover(self) -> bool:
        """A lost phone might still come back."""
        return any(phone.state == "lost" for phone in self.phones.values())

    def _place_all(self) -> None:
        unplaced, self._unplaced = self._unplaced, []
        for pending in unplaced:
            phones = [phone for phone in self.phones.values() if phone.is_alive and self._can_run(phone, pending)]
            if best := min(phones, key=lambda phone: len(phone.queue), default=None):
                best.queue.append(pending)
            else:
                self._unplaced.append(pending)

    def _steal(self, thief: Phone) -> Pending | None:
        others = sorted(self.phones.values(), key=lambda phone: len(phone.queue), reverse=True)
        for phone in others:
            if phone is not thief and (stolen := self._first(thief, phone.queue, from_end=True)):
                return stolen
        return None

    def _first(self, phone: Phone, queue: deque[Pending], *, from_end: bool = False) -> Pending | None:
        """Remove and return the first rollout this phone can run, one it did not break before any other."""
        fitting = [pending for pending in queue if self._can_run(phone, pending)]
        if from_end:
            fitting.reverse()
        fresh = (pending for pending in fitting if phone.serial not in pending.broke_on)
        chosen = next(fresh, None)
        if chosen is None:
            chosen = next((pending for pending in fitting if not self._other_can_run(phone, pending)), None)
        if chosen is not None:
            queue.remove(chosen)
        return chosen

    def _other_can_run(self, phone: Phone, pending: Pending) -> bool:
        return any(
            other is not phone
            and other.is_alive
            and other.serial not in pending.broke_on
            and self._can_run(other, pending)
            for other in self.phones.values()
        )

    @staticmethod
    def _can_run(phone: Phone, pending: Pending) -> bool:
        requires = pending.entry.task.get("requires") or {}
        if phone.state == "starting":
            return True  # Not known yet; a phone that turns out not to fit is stolen from.
        packages = requires.get("packages") or ()
        return set(requires.get("tags") or ()) <= phone.tags and (
            phone.packages is None or set(packages) <= phone.packages
        )


def _wanted(pending: Pending) -> str:
    requires = pending.entry.task.get("requires") or {}
    wanted = [f"tag {tag}" for tag in requires.get("tags") or ()]
    wanted += [f"package {package}" for package in requires.get("packages") or ()]
    return ", ".join(wanted) or "none"
