"""Grading over a small fake phone: what is right, what is wrong, and what cannot be told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from devices.base import ScreenState, UiNode
from devices.errors import ActionFailed, DeviceTimeout
from rollout.faults import StopReason
from rollout.rewards import VERIFIERS, GradingInput, grade
from rollout.tasks import Task
from rollout.tasks.verifiers import VerifierSpec

NOTES = "content://org.example.notes/notes"


class FakePhone:
    """The reading half of a phone. What it is not told, it does not know."""

    serial = "fake"

    def __init__(self) -> None:
        self.settings: dict[tuple[str, str], str] = {}
        self.rows: list[dict[str, str | None]] = []
        self.packages: list[str | None] = ["org.example.notes"]
        self.trees: list[UiNode | None] = []
        self.error: Exception | None = None

    def settings_get(self, namespace: str, key: str) -> str | None:
        self._raise()
        return self.settings.get((namespace, key))

    def content_query(self, uri: str, columns: Sequence[str], where: str | None = None) -> list[dict[str, str | None]]:
        self._raise()
        return [{name: row.get(name) for name in columns} for row in self.rows]

    def state(self) -> ScreenState:
        self._raise()
        return ScreenState(package=self.packages.pop(0) if self.packages else None)

    def ui_tree(self) -> UiNode | None:
        self._raise()
        return self.trees.pop(0) if self.trees else None

    def _raise(self) -> None:
        if self.error is not None:
            raise self.error


def label(text: str, description: str = "", children: tuple[UiNode, ...] = ()) -> UiNode:
    return UiNode(text, "", "android.widget.TextView", "p", description, (0, 0, 1, 1), children=children)


def run(
    *verifiers: dict[str, Any],
    phone: FakePhone | None = None,
    stop_reason: StopReason = StopReason.TASK_COMPLETED_SUCCESSFULLY,
    answer: str | None = None,
    questions: int = 0,
) -> tuple[dict[str, float | None], list[Any]]:
    task = Task.model_validate({"instruction": "x", "verifiers": verifiers})
    device: Any = phone
    return grade(task, device, GradingInput(stop_reason, answer, questions), pause=lambda _: None)


def reward(*verifiers: dict[str, Any], **how: Any) -> float | None:
    return run(*verifiers, **how)[0]["success"]


WIFI = {"type": "setting", "namespace": "global", "key": "wifi_on", "equals": 1}


def test_a_setting_has_its_value_or_not() -> None:
    phone = FakePhone()
    assert reward(WIFI, phone=phone) == 0
    assert reward(WIFI | {"equals": None}, phone=phone) == 1
    phone.settings["global", "wifi_on"] = "1"
    assert reward(WIFI, phone=phone) == 1


def test_rows_are_matched_on_all_columns_and_counted() -> None:
    phone = FakePhone()
    phone.rows = [
        {"title": "Odd", "body": "a\n$(reboot) 'q' 😀", "pinned": "1"},
        {"title": "Odd", "body": "other", "pinned": None},
    ]

    def row(match: dict[str, Any], **more: Any) -> float | None:
        return reward({"type": "content_row", "uri": NOTES, "match": match, **more}, phone=phone)

    assert row({"title": "Odd", "body": "a\n$(reboot) 'q' 😀"}) == 1
    assert row({"title": "Odd", "body": "a"}) == 0
    assert row({"title": "odd"}) == 0
    assert row({"pinned": 1}, count=1) == 1
    assert row({"pinned": None}, count=1) == 1
    assert row({"title": "Odd"}) == 1
    assert row({"title": "Odd"}, count=1) == 0
    assert row({"title": "Gone"}, count=0) == 1
    assert row({"title": "Odd"}, count=0) == 0


def test_the_nearest_rows_are_the_evidence_of_a_miss() -> None:
    phone = FakePhone()
    phone.rows = [{"title": "x", "body": "y"}, {"title": "Milk", "body": "wrong"}]
    match = {"title": "Milk", "body": "right"}
    _, (evidence,) = run({"type": "content_row", "uri": NOTES, "match": match}, phone=phone)
    assert evidence.saw["nearest"][0] == {"title": "Milk", "body": "wrong"}
    assert evidence.expected["match"] == match


def test_the_app_in_front_is_asked_for_again_while_the_phone_does_not_say() -> None:
    phone = FakePhone()
    phone.packages = [None, None, "com.android.settings"]
    assert reward({"type": "foreground_app", "package": "com.android.settings"}, phone=phone) == 1
    phone.packages = ["org.example.notes"]
    assert reward({"type": "foreground_app", "package": "com.android.settings"}, phone=phone) == 0
    phone.packages = [None, None, None]
    assert reward({"type": "foreground_app", "package": "com.android.settings"}, phone=phone) is None


def test_screen_text_is_found_in_labels_and_descriptions_of_the_whole_tree() -> None:
    phone = FakePhone()
    tree = label("", children=(label("Steep for\nFOUR  minutes"), label("", "Pin note")))
    for text, expected in (("steep for four minutes", 1), ("pin", 1), ("five", 0)):
        phone.trees = [None, tree]
        assert reward({"type": "screen_text", "contains": text}, phone=phone) == expected


def test_a_screen_that_gives_no_tree_cannot_be_judged() -> None:
    rewards, (evidence,) = run({"type": "screen_text", "contains": "x"}, phone=FakePhone())
    assert rewards == {"screen_text": None, "success": None}
    assert "no UI tree" in evidence.error


def test_answers() -> None:
    assert reward({"type": "answer", "equals": 12}, answer=" １２ ") == 1
    assert reward({"type": "answer", "equals": "12"}, answer="12 eggs") == 0
    assert reward({"type": "answer", "contains": "12"}, answer="12 eggs") == 1
    assert reward({"type": "answer", "matches": "^v[0-9]+$"}, answer="v13") == 1
    assert reward({"type": "answer", "equals": "12"}, answer=None) == 0


def test_a_pattern_without_end_is_no_zero() -> None:
    task = Task.model_validate({"instruction": "x", "verifiers": [{"type": "answer", "matches": "(a+)+$"}]})
    rewards, evidence = grade(
        task, None, GradingInput(StopReason.TASK_COMPLETED_SUCCESSFULLY, "a" * 60 + "b")
    )  # takes the whole of its time
    assert rewards["success"] is None
    assert "found no end" in str(evidence[0].error)


def test_an_abort_can_be_right_and_a_question_can_be_due() -> None:
    impossible = {"type": "stop_reason", "equals": "TASK_ABORTED_BY_AGENT"}
    assert reward(impossible, stop_reason=StopReason.TASK_ABORTED_BY_AGENT) == 1
    assert reward(impossible) == 0
    assert reward({"type": "asked"}, questions=1) == 1
    assert reward({"type": "asked", "min": 2}, questions=1) == 0


def test_success_is_the_least_reward_and_names_are_made_unique() -> None:
    rewards, evidence = run(
        {"type": "asked"}, {"type": "asked", "min": 3}, {"type": "answer", "equals": "a", "name": "asked"}, questions=2
    )
    assert rewards == {"asked": 1, "asked-2": 0, "asked-3": 0, "success": 0}
    assert [item.verifier for item in evidence] == ["asked", "asked-2", "asked-3"]


def test_one_check_that_cannot_tell_leaves_success_open_and_the_others_told() -> None:
    phone = FakePhone()
    phone.error = ActionFailed("fake", "no such provider")
    rewards, evidence = run({"type": "content_row", "uri": NOTES, "match": {"a": "b"}}, {"type": "asked"}, phone=phone)
    assert rewards == {"content_row": None, "asked": 0, "success": None}
    assert "no such provider" in str(evidence[0].error)


def test_without_a_phone_what_needs_one_cannot_be_told() -> None:
    assert run(WIFI, {"type": "asked"})[0] == {"setting": None, "asked": 0, "success": None}


def test_a_phone_that_is_gone_is_the_callers_to_hear_of() -> None:
    phone = FakePhone()
    phone.error = DeviceTimeout("fake", "no answer")
    with pytest.raises(DeviceTimeout):
        run(WIFI, phone=phone)


def test_a_mistake_in_a_check_is_no_zero() -> None:
    phone = FakePhone()
    phone.error = KeyError("bug")
    assert reward(WIFI, phone=phone) is None


def test_a_task_without_verifiers_has_no_rewards() -> None:
    assert run() == ({}, [])


def test_evidence_is_plain_and_short() -> None:
    phone = FakePhone()
    phone.settings["global", "wifi_on"] = "x" * 100_000
    _, evidence = run(WIFI, {"type": "answer", "contains": "z"}, phone=phone, answer="y" * 100_000)
    assert len(json.dumps([item.model_dump(mode="json") for item in evidence])) < 10_000


def test_every_verifier_a_task_may_name_has_its_check() -> None:
    union = VerifierSpec.__args__[0]  # type: ignore[attr-defined]
    types = {spec.model_fields["type"].annotation.__args__[0] for spec in union.__args__}
    assert types == set(VERIFIERS)
