"""Reading run directories: whole, damaged, older and newer than this code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rollout.records.reader import open_run, read_steps
from rollout.records.summary import format_summary, summarise


def plan_line(task: str, sample: int = 0) -> dict[str, Any]:
    return {
        "schema_version": 1, "run_id": "r", "rollout_uid": f"{task}.{sample}", "group_id": f"r:{task}", "task_id": task,
        "task_hash": "h", "sample_index": sample, "folder": f"{task}.s{sample}",
        "task": {"id": task, "instruction": "x"},
    }  # fmt: skip


def result_line(
    task: str, sample: int = 0, status: str = "finished", reward: float | None = 1.0, **more: Any
) -> dict[str, Any]:
    fault = (
        {"class": "DEVICE", "code": "OFFLINE", "boundary": "device", "message": "gone"} if status == "faulted" else None
    )
    is_final = fault is None
    return {
        "schema_version": 1, "run_id": "r", "rollout_uid": f"{task}.{sample}", "group_id": f"r:{task}", "task_id": task,
        "task_hash": "h", "sample_index": sample, "attempt": 1, "lease": 1, "session_id": "s", "instruction": "x",
        "started_at": "2026-01-01T00:00:00.000Z", "ended_at": "2026-01-01T00:00:10.000Z", "status": status,
        "stop_reason": "TASK_COMPLETED_SUCCESSFULLY" if is_final else "FAULT", "fault": fault,
        "verdicts": {"retry": not is_final, "grade": is_final, "reward_valid": is_final},
        "rewards": {"success": reward, "setting": reward} if is_final else {}, "evidence": [], "answer": None,
        "steps": 5,
        "counts": {}, "tokens": {"prompt": 100, "completion": 10, "cached": 0}, "cost_usd": None, "total_s": 10.0,
        "working_s": 9.0, "phases_s": {}, "attempts": [], "device": {"serial": "p1"},
        "agent": {"kind": "gui", "dialect": "gelab", "provider": "p", "model": "m", "policy_version": None,
                  "prompt_hash": "h", "sampling": {}},
        "origin_meta_data": None, "supersedes": None, **more,
    }  # fmt: skip


def lease_lines(
    lease: int, serial: str, begin: int, end: int, fault: dict[str, str] | None = None
) -> list[dict[str, Any]]:
    common = {"schema_version": 1, "lease": lease, "rollout_uid": "u", "task_id": "t", "sample_index": 0, "attempt": 1,
              "serial": serial}  # fmt: skip
    return [
        {**common, "event": "open", "at": f"2026-01-01T00:00:{begin:02d}.000Z"},
        {**common, "event": "close", "at": f"2026-01-01T00:00:{end:02d}.000Z", "status": "finished", "fault": fault},
    ]


def write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_only_finals_are_results_and_a_failed_one_is_final(tmp_path: Path) -> None:
    """Done with score 0 is done; faulted is not."""
    write(
        tmp_path / "results.jsonl",
        [
            result_line("t1"),
            result_line("t2", reward=0.0),
            result_line("t3", status="faulted"),
            result_line("t4", status="cancelled"),
            result_line("t5", status="truncated"),
        ],
    )
    run = open_run(tmp_path)
    assert list(run.results) == ["t1.0", "t2.0", "t5.0"]
    assert run.latest["t3.0"].status == "faulted"


def test_a_rollout_has_one_current_final(tmp_path: Path) -> None:
    write(
        tmp_path / "results.jsonl",
        [
            result_line("t1", status="faulted"),
            result_line("t1", attempt=2, answer="first"),
            result_line("t1", attempt=3, answer="twice by mistake"),
            result_line("t1", attempt=4, answer="redone", supersedes=2),
            result_line("t1", attempt=5, status="faulted"),
        ],
    )
    run = open_run(tmp_path)
    assert run.results["t1.0"].answer == "redone"
    assert run.latest["t1.0"].answer == "redone"
    assert len(run.all_results()) == 5


def test_damaged_lines_are_told_and_the_others_read(tmp_path: Path) -> None:
    write(tmp_path / "plan.jsonl", [plan_line("t1"), plan_line("t2")])
    broken = json.dumps(result_line("t2"))[:50]
    text = json.dumps(result_line("t1")) + "\n" + broken + json.dumps(result_line("t3")) + "\n" + '{"task_id": "t4"}\n'
    (tmp_path / "results.jsonl").write_text(text, encoding="utf-8")
    run = open_run(tmp_path)
    assert list(run.results) == ["t1.0"]
    assert [(damage.path.name, damage.line) for damage in run.damages] == [("results.jsonl", 2), ("results.jsonl", 3)]


def test_an_older_line_without_a_nullable_key_is_read_with_null(tmp_path: Path) -> None:
    line = result_line("t1")
    del line["device"], line["supersedes"], line["cost_usd"]
    write(tmp_path / "results.jsonl", [line])
    assert open_run(tmp_path).results["t1.0"].device is None


def test_a_newer_lines_unknown_keys_are_kept(tmp_path: Path) -> None:
    write(tmp_path / "results.jsonl", [result_line("t1", schema_version=2, mood={"happy": True})])
    result = open_run(tmp_path).results["t1.0"]
    assert result.model_dump()["mood"] == {"happy": True}


def test_a_newer_line_that_cannot_be_read_says_that_it_is_newer(tmp_path: Path) -> None:
    write(tmp_path / "results.jsonl", [result_line("t1", schema_version=2, status="dreaming")])
    run = open_run(tmp_path)
    assert run.results == {}
    assert "schema 2 is newer" in str(run.damages[0])


def test_an_empty_directory_is_an_empty_run(tmp_path: Path) -> None:
    run = open_run(tmp_path)
    assert (run.plan, run.results, run.damages, list(run.iter_attempts())) == ([], {}, [], [])


def test_attempts_come_in_planned_order_and_by_number(tmp_path: Path) -> None:
    write(tmp_path / "plan.jsonl", [plan_line("b"), plan_line("a")])
    for name in ("a.s0/attempt-2", "a.s0/attempt-10", "a.s0/attempt-x", "b.s0/attempt-1", "other/attempt-1"):
        (tmp_path / name).mkdir(parents=True)
    found = [(attempt.entry.task_id, attempt.number) for attempt in open_run(tmp_path).iter_attempts()]
    assert found == [("b", 1), ("a", 2), ("a", 10)]


@pytest.mark.parametrize("folder", ["../x", "/etc", "..", "a/b", "."])
def test_a_plan_cannot_lead_a_reader_elsewhere(folder: str, tmp_path: Path) -> None:
    write(tmp_path / "plan.jsonl", [plan_line("t1") | {"folder": folder}, plan_line("t2")])
    run = open_run(tmp_path)
    assert [entry.task_id for entry in run.plan] == ["t2"]
    assert len(run.damages) == 1


def test_step_files_are_read_for_one_attempt_at_a_time(tmp_path: Path) -> None:
    step = {
        "schema_version": 1, "run_id": "r", "rollout_uid": "u", "group_id": "g", "task_id": "t", "sample_index": 0,
        "attempt": 1, "session_id": "s", "step": 1, "started_at": "2026-01-01T00:00:00.000Z", "phases_s": {"act": 0.1},
        "agent": {}, "observation": {}, "calls": [], "thought": None, "summary": None, "action": {"type": "WAIT"},
        "ignored_actions": [], "outcome": {}, "reward": None,
    }  # fmt: skip
    write(tmp_path / "steps.jsonl", [step, step | {"step": 2}])
    with (tmp_path / "steps.jsonl").open("a") as file:
        file.write('{"step": 3')
    steps = read_steps(tmp_path)
    assert [item.step for item in steps.items] == [1, 2]
    assert len(steps.damages) == 1


def test_the_summary_counts_what_happened(tmp_path: Path) -> None:
    write(tmp_path / "plan.jsonl", [plan_line(task, sample) for task in ("t1", "t2") for sample in (0, 1)])
    write(
        tmp_path / "results.jsonl",
        [result_line("t1"), result_line("t1", 1, reward=0.0), result_line("t2", status="faulted")],
    )
    fault = {"class": "DEVICE", "code": "OFFLINE", "boundary": "device", "message": "gone"}
    write(
        tmp_path / "leases.jsonl",
        [*lease_lines(1, "p1", 0, 10), *lease_lines(2, "p2", 5, 10, fault), *lease_lines(3, "p1", 30, 40)],
    )
    summary = summarise(open_run(tmp_path), left={"t2.1": "no phone with the tag tablet"})
    assert (summary["planned"], summary["final"]) == (4, 2)
    assert summary["by_status"] == {"finished": 2, "truncated": 0, "faulted": 1, "cancelled": 0}
    assert summary["left"]["rollouts"] == {"t2.s1": "no phone with the tag tablet"}
    assert summary["rewards"]["success"] == {"mean": 0.5, "rate": 0.5, "count": 2}
    assert summary["faults"] == {"DEVICE": {"OFFLINE": 1}}
    assert summary["tasks"]["t1"] == {"planned": 2, "graded": 2, "succeeded": 1}
    assert summary["active_s"] == 20, "the pause between the runs does not count"
    assert summary["phones"]["p1"]["utilisation"] == 1.0
    assert summary["phones"]["p2"]["utilisation"] == 0.25
    json.dumps(summary)


def test_the_summary_reads_as_text(tmp_path: Path) -> None:
    write(tmp_path / "plan.jsonl", [plan_line("t1"), plan_line("t2")])
    write(tmp_path / "results.jsonl", [result_line("t1")])
    text = format_summary(summarise(open_run(tmp_path)))
    assert "1 of 2 rollouts done" in text
    assert "Success: 100% (1 of 1 graded)" in text
    assert "1 left: not started 1" in text


def test_a_summary_of_nothing_is_text_too(tmp_path: Path) -> None:
    assert "0 of 0 rollouts done" in format_summary(summarise(open_run(tmp_path)))
