"""Verifiers over simulated phones behind the real adb server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from devices.adb import AdbDevice
from devices.adb_server import AdbServer, wait_for_state
from devices.base import Device
from devices.simulated.fleet import start_fleet_process
from rollout.faults import StopReason
from rollout.rewards import GradingInput, grade
from rollout.tasks import Task, load_tasks

TASKS = {task.id: task for task in load_tasks(Path(__file__).parents[2] / "configs" / "tasks" / "simulated.jsonl")}
NOTES = "content://org.example.notes/notes"
SAID_DONE = GradingInput(StopReason.TASK_COMPLETED_SUCCESSFULLY)


@pytest.fixture(scope="module")
def phone(adb_server: AdbServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AdbDevice]:
    with start_fleet_process(1, adb_server_port=adb_server.port) as fleet:
        wait_for_state(adb_server.port, fleet.serials[0], "device")
        device = AdbDevice(fleet.serials[0], server_port=adb_server.port, state_dir=tmp_path_factory.mktemp("state"))
        device.open()
        yield device
        device.close()


@pytest.fixture
def fresh(phone: AdbDevice) -> Device:
    phone.reset_state()
    phone.press_key("HOME")
    return phone


def success(task_id: str, device: Device, attempt: GradingInput = SAID_DONE) -> float | None:
    rewards, evidence = grade(TASKS[task_id], device, attempt)
    assert all(item.error is None for item in evidence), evidence
    return rewards["success"]


def test_an_untouched_phone_succeeds_at_nothing(fresh: Device) -> None:
    assert {task_id: success(task_id, fresh) for task_id in TASKS} == dict.fromkeys(TASKS, 0)


@pytest.mark.parametrize(
    ("task_id", "namespace", "key", "value"),
    [
        ("settings-wifi", "global", "wifi_on", "1"),
        ("settings-airplane", "global", "airplane_mode_on", "1"),
        ("settings-timeout", "system", "screen_off_timeout", "300000"),
        ("settings-device-name", "global", "device_name", "小明的手机 📱"),
    ],
)
def test_a_setting_as_asked_for_is_a_success(task_id: str, namespace: Any, key: str, value: str, fresh: Device) -> None:
    fresh.settings_put(namespace, key, value)
    assert success(task_id, fresh) == 1


def test_a_note_with_any_text_is_compared_exactly(fresh: Device) -> None:
    match: dict[str, Any] = dict(TASKS["notes-unicode"].verifiers[0].match)  # type: ignore[union-attr]
    fresh.content_insert(NOTES, match | {"body": match["body"].replace("\n", " ")})
    assert success("notes-unicode", fresh) == 0
    fresh.content_insert(NOTES, match)
    assert success("notes-unicode", fresh) == 1
    fresh.content_insert(NOTES, match)
    assert success("notes-unicode", fresh) == 0, "two are not the one that was asked for"


def test_a_deleted_note_is_a_success(fresh: Device) -> None:
    fresh.content_delete(NOTES, "title='Old draft'")
    assert success("notes-delete", fresh) == 1


def test_the_right_colour_unasked_is_half_the_task(fresh: Device) -> None:
    fresh.content_insert(NOTES, {"title": "Party", "colour": "green", "body": ""})
    rewards, _ = grade(TASKS["notes-ask-colour"], fresh, SAID_DONE)
    assert rewards == {"colour": 1, "asked": 0, "success": 0}
    asked = GradingInput(StopReason.TASK_COMPLETED_SUCCESSFULLY, questions=1)
    assert success("notes-ask-colour", fresh, asked) == 1


def test_the_screen_and_the_app_in_front_are_seen(fresh: Device) -> None:
    fresh.launch_app("Notes")
    assert success("launcher-open", fresh) == 1
    seen = Task.model_validate(
        {"instruction": "x", "verifiers": [{"type": "screen_text", "contains": "shopping LIST"}]}
    )
    absent = Task.model_validate({"instruction": "x", "verifiers": [{"type": "screen_text", "contains": "Wi-Fi"}]})
    assert grade(seen, fresh, SAID_DONE)[0]["success"] == 1
    assert grade(absent, fresh, SAID_DONE)[0]["success"] == 0


def test_a_provider_that_is_not_there_cannot_be_judged(fresh: Device) -> None:
    verifier = {"type": "content_row", "uri": "content://nowhere/rows", "match": {"a": "b"}}
    task = Task.model_validate({"instruction": "x", "verifiers": [verifier]})
    rewards, (evidence,) = grade(task, fresh, SAID_DONE)
    assert rewards == {"content_row": None, "success": None}
    assert evidence.error


@pytest.mark.parametrize(
    ("task_id", "attempt"),
    [
        ("settings-version", GradingInput(StopReason.TASK_COMPLETED_SUCCESSFULLY, answer="13")),
        ("notes-read", GradingInput(StopReason.TASK_COMPLETED_SUCCESSFULLY, answer=" １２ ")),
        ("notes-impossible", GradingInput(StopReason.TASK_ABORTED_BY_AGENT)),
    ],
)
def test_a_right_answer_or_abort_is_a_success(task_id: str, attempt: GradingInput, fresh: Device) -> None:
    assert success(task_id, fresh, attempt) == 1
