"""`python -m rollout --config …` on simulated phones behind the real adb server, as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, TASKS, Cli, assert_each_rollout_has_one_final, wait_for
from PIL import Image

from devices.adb_server import AdbServer, free_port, is_answering
from devices.simulated.fleet import FleetProcess
from rollout.records.reader import read_steps
from rollout.records.schema import StepRecord
from rollout.scripted_model.process import ScriptedModelProcess

ModelFactory = Callable[..., ScriptedModelProcess]
Configure = Callable[..., Path]
Start = Callable[..., Cli]


def steps_of(cli: Cli) -> list[tuple[Path, StepRecord]]:
    return [(attempt.path, step) for attempt in cli.run.iter_attempts() for step in read_steps(attempt.path).items]


def test_the_demo_configuration_runs_for_a_machine(tmp_path: Path, cli: Start) -> None:
    """The whole demo: planned, run, verified, recorded; good and bad rollouts are told apart."""
    run = cli(ROOT / "configs" / "demo.yaml", "--samples", "1")
    assert run.wait() == 0
    launch, done = run.events
    assert (launch["event"], launch["planned"], launch["run_dir"]) == ("launch", 15, str(run.run_dir))
    assert (done["event"], done["exit_code"]) == ("done", 0)
    assert done["counts"] == {"planned": 15, "final": 15, "faulted": 0, "left": 0}
    assert_each_rollout_has_one_final(run.run, 15)
    rewards = {result.rewards["success"] for result in run.run.results.values()}
    assert rewards == {0.0, 1.0}
    for folder, step in steps_of(run):
        assert step.observation.screenshot is not None
        with Image.open(folder / step.observation.screenshot) as image:
            image.load()
            assert image.size == (step.observation.width, step.observation.height)


@pytest.fixture
def played(fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start) -> Cli:
    """All simulated tasks at full skill on two phones that were started by hand."""
    run = cli(configure(fleet, model_factory(), agent={"sampling": {"logprobs": True}}))
    assert run.wait() == 0
    return run


def test_a_skilled_model_solves_every_task_and_the_record_is_whole(played: Cli, fleet: FleetProcess) -> None:
    """One run from all sides: results, steps, prompts, images, logs, and what the phones themselves received."""
    assert_each_rollout_has_one_final(played.run, 15)
    failed = {r.task_id: r.evidence for r in played.run.results.values() if r.rewards["success"] != 1}
    assert failed == {}
    steps = steps_of(played)
    _check_calls(steps)
    _check_phones_received(steps, fleet)
    _check_question_and_answer(steps)
    _check_results(played)
    _check_logs(played)


def _check_calls(steps: list[tuple[Path, StepRecord]]) -> None:
    for folder, step in steps:
        for call in step.calls:
            assert call.reply is not None
            assert call.model.sampling["seed"] is not None
            assert call.model.weight_version == "scripted-1"
            if call.trainable:
                ids, logprobs = call.model.completion_token_ids or [], call.model.logprobs or []
                assert len(ids) == len(logprobs) == call.model.completion_tokens
                assert len(call.model.prompt_token_ids or []) == call.model.prompt_tokens
            for image in call.request.images:
                assert (folder / image.path).is_file()
            assert "base64" not in json.dumps(call.request.messages)


def _check_phones_received(steps: list[tuple[Path, StepRecord]], fleet: FleetProcess) -> None:
    """Every command that a step claims stands in a phone's own log."""
    received = {tuple(argv) for phone in range(2) for argv in fleet.argvs(phone)}
    taps = [step for _, step in steps if step.action.type == "CLICK"]
    assert len(taps) > 15
    for step in taps:
        assert step.action.pixels is not None
        assert ("input", "tap", *map(str, step.action.pixels)) in received


def _check_question_and_answer(steps: list[tuple[Path, StepRecord]]) -> None:
    asked = [step for _, step in steps if step.action.type == "INFO"]
    assert len(asked) == 1
    assert [call.purpose for call in asked[0].calls] == ["act", "auto_reply"]
    assert [call.trainable for call in asked[0].calls] == [True, False]
    after = next(s for _, s in steps if s.task_id == asked[0].task_id and s.step == asked[0].step + 1)
    assert after.observation.user_reply is not None
    assert "green" in after.observation.user_reply
    assert "<think>" not in after.observation.user_reply


def _check_results(played: Cli) -> None:
    for result in played.run.results.values():
        assert result.device is not None
        assert result.device.hardware_serial in ("SIM0001", "SIM0002")
        assert result.device.android_version == "13"
        assert result.verdicts.reward_valid
        assert result.evidence
        on_disk = json.loads((played.run_dir / f"{result.task_id}.s0" / "result.json").read_text(encoding="utf-8"))
        assert on_disk["rollout_uid"] == result.rollout_uid
    summary = json.loads((played.run_dir / "summary.json").read_text(encoding="utf-8"))
    assert summary["planned"] == 15


def _check_logs(played: Cli) -> None:
    lines = (played.run_dir / "events.jsonl").read_text(encoding="utf-8").splitlines()
    roles = {json.loads(line)["role"].partition(":")[0] for line in lines}
    assert "worker" in roles
    assert "attempt_ended" in (played.run_dir / "run.info.log").read_text(encoding="utf-8")
    assert (played.run_dir / "run.warning.log").read_text(encoding="utf-8") == ""


def test_the_same_command_continues_and_runs_nothing_twice(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    config = configure(fleet, model_factory())
    first = cli(config, "--filter", "settings-w|notes-read")
    assert first.wait() == 0
    before = (first.run_dir / "results.jsonl").read_bytes()
    again = cli(config, "--filter", "settings-w|notes-read")
    assert again.wait() == 0
    assert (again.run_dir / "results.jsonl").read_bytes() == before
    assert again.events[1]["counts"]["final"] == 2


def test_redo_replaces_finals_and_names_what_it_supersedes(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    config = configure(fleet, model_factory())
    assert cli(config, "--filter", "settings-w").wait() == 0
    run = cli(config, "--filter", "settings-w", "--redo", "finished")
    assert run.wait() == 0
    (current,) = run.run.results.values()
    assert (current.attempt, current.supersedes) == (2, 1)
    assert len(run.run.all_results()) == 2


def test_a_directory_of_another_agent_is_not_mixed_with_this_one(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    config = configure(fleet, model_factory())
    assert cli(config, "--filter", "settings-w").wait() == 0
    assert cli(config, "--filter", "settings-w", "--model", "another").wait() == 2


def test_a_plain_gelab_model_config_is_taken_as_it_stands(
    fleet: FleetProcess, model_factory: ModelFactory, cli: Start, tmp_path: Path
) -> None:
    config = tmp_path / "model_config.yaml"
    config.write_text(f'local:\n  api_base: "{model_factory().api_base}"\n  api_key: "EMPTY"\n', encoding="utf-8")
    serials = json.dumps(fleet.serials)
    flags = ["--model", "m", "--tasks", str(TASKS), "--filter", "settings-w", "--set", f"devices.adb.serials={serials}"]
    run = cli(config, *flags)
    assert run.wait() == 0
    assert run.events[1]["counts"]["final"] == 1


def test_the_resolved_configuration_repeats_the_run(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start, tmp_path: Path
) -> None:
    run = cli(configure(fleet, model_factory()), "--filter", "settings-w")
    assert run.wait() == 0
    again = cli(run.run_dir / "run.config.yaml", run_dir=tmp_path / "again")
    assert again.wait() == 0
    assert [entry.rollout_uid for entry in again.run.plan] == [entry.rollout_uid for entry in run.run.plan]


def test_no_output_file_holds_a_key(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    canary = "sk-canary-7d1f3a"
    providers = {"local": {"api_base": model_factory().api_base, "api_key": canary}}
    run = cli(configure(fleet, model_factory(), providers=providers), "--filter", "settings-w")
    assert run.wait() == 0
    files = [path for path in run.run_dir.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if canary.encode() in path.read_bytes()] == []


def test_the_roles_are_seen_by_name_among_the_processes(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    run = cli(configure(fleet, model_factory(latency_s=0.3)))
    for title in ("rollout logger", "rollout reader", "rollout writer", *(f"worker:{s}" for s in fleet.serials)):
        run.child(title)


def test_a_phone_in_use_is_refused_to_a_second_run_that_says_by_whom(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start, tmp_path: Path
) -> None:
    config = configure(fleet, model_factory(latency_s=0.3))
    first = cli(config)
    first.child("rollout worker")
    second = cli(config, run_dir=tmp_path / "second", stderr=subprocess.PIPE)
    error = second.process.communicate(timeout=60)[1]
    assert second.process.returncode == 1
    assert "SIM000" in error
    assert str(first.run_dir) in error
    same_directory = cli(config, stderr=subprocess.PIPE)
    error = same_directory.process.communicate(timeout=60)[1]
    assert same_directory.process.returncode == 1
    assert str(first.process.pid) in error


def test_manual_reply_asks_the_person_at_the_terminal_not_the_worker(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    config = configure(fleet, model_factory(), agent={"reply": {"mode": "manual_reply"}})
    run = cli(config, "--filter", "ask-colour", json=False, stdin=subprocess.PIPE)
    out, _ = run.process.communicate("I like green best\n", timeout=60)
    assert run.process.returncode == 0
    assert "Which colour" in out
    (result,) = run.run.results.values()
    assert result.rewards["success"] == 1


@pytest.mark.parametrize("mode", ["no_reply", "manual_reply"])
def test_without_anyone_to_answer_the_agent_carries_on(
    mode: str, fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    run = cli(configure(fleet, model_factory(), agent={"reply": {"mode": mode}}), "--filter", "ask-colour")
    assert run.wait() == 0
    (result,) = run.run.results.values()
    assert result.stop_reason == "TASK_COMPLETED_SUCCESSFULLY"
    assert result.rewards["colour"] == 0


def test_pass_to_client_stops_with_the_question(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    run = cli(configure(fleet, model_factory(), agent={"reply": {"mode": "pass_to_client"}}), "--filter", "ask-colour")
    assert run.wait() == 0
    (result,) = run.run.results.values()
    assert result.stop_reason == "INFO_ACTION_NEEDS_REPLY"
    assert "colour" in (result.answer or "")


def test_rollouts_that_no_phone_fits_are_reported_and_the_rest_runs(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start, tmp_path: Path
) -> None:
    tasks = tmp_path / "tasks.jsonl"
    lines: list[dict[str, Any]] = [
        {"id": "plain", "instruction": "Switch Wi-Fi on in Settings: wifi on"},
        {"id": "fold", "instruction": "x", "requires": {"tags": ["foldable"]}},
        {"id": "maps", "instruction": "x", "requires": {"packages": ["com.example.maps"]}},
    ]
    tasks.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    run = cli(configure(fleet, model_factory(), tasks={"path": str(tasks)}))
    assert run.wait() == 3
    assert run.events[1]["counts"] == {"planned": 3, "final": 1, "faulted": 0, "left": 2}
    text = (run.run_dir / "summary.json").read_text(encoding="utf-8")
    assert "tag foldable" in text
    assert "package com.example.maps" in text


def test_piped_output_is_plain_lines_a_person_can_read(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    run = cli(configure(fleet, model_factory()), "--filter", "settings-w", json=False)
    assert run.wait() == 0
    text = "\n".join(run.out)
    assert "\x1b" not in text
    assert "1 rollouts planned" in text
    assert "1 of 1 rollouts done" in text
    assert str(run.run_dir) in text


def test_help_needs_nothing_heavy() -> None:
    code = "import sys, rollout.cli; rollout.cli.build_parser().format_help(); print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert not {"pydantic", "httpx", "adbutils", "PIL", "rich", "yaml", "structlog"} & set(out.split())


def test_bad_configuration_is_one_clear_list_and_no_traceback(tmp_path: Path, cli: Start) -> None:
    config = tmp_path / "bad.yaml"
    config.write_text("agent:\n  max_stepz: 3\ndevices:\n  adb: {serials: [12345]}\n", encoding="utf-8")
    run = cli(config, stderr=subprocess.PIPE)
    error = run.process.communicate(timeout=30)[1]
    assert run.process.returncode == 2
    assert f"{config}:2" in error
    assert "max_steps" in error
    assert f"{config}:4" in error
    assert "Traceback" not in error


def test_a_dry_run_lists_what_would_run_and_touches_nothing(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    run = cli(configure(fleet, model_factory()), "--dry-run", json=False)
    assert run.wait() == 0
    assert "15 tasks × 1 samples = 15 rollouts" in run.out[0]
    assert not run.run_dir.exists()


def test_logs_of_a_slow_run_reach_the_disk_while_it_goes_on(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    run = cli(configure(fleet, model_factory(latency_s=0.3)))
    events = run.run_dir / "events.jsonl"
    wait_for(lambda: events.exists() and "step_done" in events.read_text(encoding="utf-8"), "a step in the log")
    assert run.process.poll() is None
    for line in events.read_text(encoding="utf-8").splitlines():
        json.loads(line)


def test_the_devices_command_starts_the_shared_adb_server_and_says_what_to_do(adb_server: AdbServer) -> None:
    port = free_port()
    command = [sys.executable, "-m", "rollout", "devices", "--port", str(port)]
    try:
        out = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
        assert out.returncode == 0, out.stderr
        assert "USB debugging" in out.stdout
        assert is_answering(port)
    finally:
        subprocess.run([adb_server.path, "-P", str(port), "kill-server"], timeout=20, check=False)


def test_the_devices_command_lists_phones_by_both_serials(
    fleet_factory: Callable[..., FleetProcess],
) -> None:
    fleet = fleet_factory(2)
    command = [sys.executable, "-m", "rollout", "devices", "--port", str(fleet.adb_server_port), "--json"]
    out = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT, check=True).stdout
    listed = {phone["serial"]: phone for phone in map(json.loads, out.splitlines())}
    assert all(listed[serial]["usable"] for serial in fleet.serials)
    assert {listed[serial]["hardware_serial"] for serial in fleet.serials} == {"SIM0001", "SIM0002"}
