"""Queues per phone: balanced, stolen from, kept to requirements."""

from __future__ import annotations

from typing import Any

from rollout.faults import FaultClass
from rollout.records.schema import AttemptPart, PlanEntry
from rollout.runtime.dispatch import Dispatcher, Pending


def pending(name: str, **requires: list[str]) -> Pending:
    task: dict[str, Any] = {"id": name, "instruction": name, "requires": requires}
    entry = PlanEntry(
        run_id="r", rollout_uid=name, group_id="g", task_id=name, task_hash="h", sample_index=0, folder=name, task=task
    )
    return Pending(entry)


def name_of(taken: Pending | None) -> str | None:
    return taken.entry.task_id if taken else None


def test_work_is_spread_evenly_over_the_phones() -> None:
    queues = Dispatcher(["A", "B"], [pending(str(i)) for i in range(6)])
    queues.phone_idle("A")
    queues.phone_idle("B")
    assert [len(phone.queue) for phone in queues.phones.values()] == [3, 3]


def test_each_rollout_is_handed_out_once() -> None:
    queues = Dispatcher(["A", "B"], [pending(str(i)) for i in range(5)])
    taken = []
    for serial in ["A", "B"] * 4:
        queues.phone_idle(serial)
        if (one := queues.take(serial)) is not None:
            taken.append(one.entry.task_id)
    assert sorted(taken) == ["0", "1", "2", "3", "4"]


def test_an_idle_phone_steals_from_the_longest_queue() -> None:
    queues = Dispatcher(["A", "B"], [pending(str(i)) for i in range(4)])
    queues.phone_idle("A")
    for _ in range(4):
        assert queues.take("A") is not None
    assert queues.waiting() == []


def test_a_lost_phones_queue_goes_to_the_others() -> None:
    queues = Dispatcher(["A", "B"], [pending(str(i)) for i in range(4)])
    queues.phone_idle("A")
    queues.phone_away("B", "gone", "unplugged")
    assert len(queues.phones["A"].queue) == 4


def test_a_rollout_goes_only_to_a_phone_with_its_tags_and_packages() -> None:
    queues = Dispatcher(["A", "B"], [pending("fold", tags=["foldable"]), pending("maps", packages=["com.maps"])])
    queues.phone_idle("A", tags=["foldable"], packages=["com.other"])
    queues.phone_idle("B", packages=["com.maps"])
    assert name_of(queues.take("A")) == "fold"
    assert name_of(queues.take("B")) == "maps"


def test_what_no_phone_can_run_is_reported_with_what_it_wants() -> None:
    queues = Dispatcher(["A"], [pending("fold", tags=["foldable"])])
    queues.phone_idle("A")
    assert queues.take("A") is None
    assert queues.is_stuck()
    assert "tag foldable" in queues.why_waiting(queues.waiting()[0])


def test_a_broken_rollout_is_tried_on_another_phone_first() -> None:
    queues = Dispatcher(["A", "B"], [pending("x")])
    queues.phone_idle("A")
    taken = queues.take("A")
    assert taken is not None
    taken.broke_on.add("A")
    queues.give_back(taken)
    queues.phone_idle("A")
    assert queues.take("A") is None
    queues.phone_idle("B")
    assert queues.take("B") is taken


def test_a_broken_rollout_stays_on_its_phone_when_there_is_no_other() -> None:
    queues = Dispatcher(["A"], [pending("x")])
    queues.phone_idle("A")
    taken = queues.take("A")
    assert taken is not None
    taken.broke_on.add("A")
    queues.give_back(taken)
    queues.phone_idle("A")
    assert queues.take("A") is taken


def test_nothing_is_stuck_while_a_phone_is_starting_or_busy() -> None:
    queues = Dispatcher(["A"], [pending("x")])
    assert not queues.is_stuck()
    queues.phone_idle("A")
    assert not queues.is_stuck()


def test_without_phones_the_reason_names_what_became_of_them() -> None:
    queues = Dispatcher(["A"], [pending("x")])
    queues.phone_away("A", "gone", "unplugged")
    assert queues.is_stuck()
    assert "unplugged" in queues.why_waiting(queues.waiting()[0])


def test_what_a_run_has_spent_is_remembered_when_its_reader_is_replaced() -> None:
    fault = {"class": "DEVICE", "code": "OFFLINE", "boundary": "device", "message": "gone"}
    rollout = pending("x")
    for attempt, ended_at in enumerate(("2026-01-01", "2026-01-02", "2026-01-03"), 1):
        rollout.attempts.append(
            AttemptPart.model_validate(
                {"attempt": attempt, "serial": "A", "lease": attempt, "status": "faulted", "fault": fault,
                 "ended_at": ended_at}
            )
        )  # fmt: skip
    rollout.recall("2026-01-02")
    assert rollout.broke_on == {"A"}
    assert not rollout.may_retry(FaultClass.DEVICE)
    assert rollout.next_attempt == 4


def test_faults_of_a_class_are_repeated_only_so_often() -> None:
    rollout = pending("x")
    assert rollout.may_retry(FaultClass.DEVICE)
    assert rollout.may_retry(FaultClass.DEVICE)
    assert not rollout.may_retry(FaultClass.DEVICE)
    assert not pending("y").may_retry(FaultClass.AGENT)
