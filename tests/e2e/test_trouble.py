"""A night in small: phones pulled, processes killed, model servers in trouble. Nothing is lost, nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import yaml
from conftest import Cli, assert_each_rollout_has_one_final, wait_for

from devices.simulated.fleet import FleetProcess
from rollout.scripted_model.process import ScriptedModelProcess

ModelFactory = Callable[..., ScriptedModelProcess]
Configure = Callable[..., Path]
Start = Callable[..., Cli]

SLOW = 0.15
"""Model latency that keeps a run going long enough to be disturbed."""


def steps_written(cli: Cli) -> int:
    return sum(path.read_bytes().count(b"\n") for path in cli.run_dir.glob("*/attempt-*/steps.jsonl"))


def wait_for_steps(cli: Cli, count: int) -> None:
    wait_for(lambda: steps_written(cli) >= count, f"{count} steps")


def assert_no_fault_was_scored(cli: Cli) -> None:
    for result in cli.run.all_results():
        if result.fault is not None and result.fault.fault_class != "AGENT":
            assert not result.verdicts.reward_valid
            assert result.rewards.get("success") is None


def fault_codes(cli: Cli) -> set[str]:
    """Codes of all attempts, those that were repeated included."""
    return {a.fault.code.value for r in cli.run.all_results() for a in r.attempts if a.fault is not None}


@pytest.fixture
def started(fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start) -> Cli:
    """A run of all tasks on two phones, some steps in."""
    run = cli(configure(fleet, model_factory(latency_s=SLOW)))
    wait_for_steps(run, 5)
    return run


def test_a_phone_pulled_away_in_mid_run_ends_in_a_finished_run(started: Cli, fleet: FleetProcess) -> None:
    fleet.command({"cmd": "fault", "phone": 1, "kind": "offline"})
    assert started.wait() == 0
    assert_each_rollout_has_one_final(started.run, 15)
    broken = [a for r in started.run.all_results() for a in r.attempts if a.fault is not None]
    assert broken
    assert {attempt.serial for attempt in broken} == {fleet.serials[1]}
    assert {attempt.fault.fault_class for attempt in broken if attempt.fault} == {"DEVICE"}
    assert_no_fault_was_scored(started)


def test_a_phone_that_comes_back_works_on(started: Cli, fleet: FleetProcess) -> None:
    fleet.command({"cmd": "fault", "phone": 1, "kind": "offline"})
    warnings = started.run_dir / "run.warning.log"
    wait_for(lambda: warnings.exists() and "phone_lost" in warnings.read_text(encoding="utf-8"), "the loss")
    before = len(fleet.argvs(1))
    fleet.command({"cmd": "restore", "phone": 1})
    wait_for(
        lambda: (
            any(argv[:2] == ["input", "tap"] for argv in fleet.argvs(1)[before:]) or started.process.poll() is not None
        ),
        "a tap on the phone that came back",
    )
    assert started.wait() == 0
    assert_each_rollout_has_one_final(started.run, 15)


def test_when_every_phone_is_gone_the_run_says_so_and_the_same_command_finishes_it(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    config = configure(
        fleet, model_factory(latency_s=SLOW), devices={"lost_grace_s": 1, "adb": {"connect": list(fleet.serials)}}
    )
    run = cli(config)
    wait_for_steps(run, 5)
    for phone in (0, 1):
        fleet.command({"cmd": "fault", "phone": phone, "kind": "offline"})
    assert run.wait() == 1
    counts = run.events[-1]["counts"]
    assert counts["final"] + counts["faulted"] + counts["left"] == 15
    assert counts["left"] > 0
    assert "no phone is left" in (run.run_dir / "summary.json").read_text(encoding="utf-8")
    for phone in (0, 1):
        fleet.command({"cmd": "restore", "phone": phone})
    again = cli(config)
    assert again.wait() == 0
    assert_each_rollout_has_one_final(again.run, 15)


def test_a_killed_worker_is_replaced_and_its_rollout_starts_again(started: Cli, fleet: FleetProcess) -> None:
    started.child(f"worker:{fleet.serials[0]}").kill()
    assert started.wait() == 0
    assert_each_rollout_has_one_final(started.run, 15)
    assert fault_codes(started) == {"WORKER_CRASH"}
    crashed = next(r for r in started.run.results.values() if len(r.attempts) > 1)
    assert [attempt.status for attempt in crashed.attempts] == ["faulted", "finished"]
    assert "SIGKILL" in (crashed.attempts[0].fault.message if crashed.attempts[0].fault else "")
    assert_no_fault_was_scored(started)


@pytest.mark.parametrize("role", ["reader", "writer", "logger"])
def test_any_other_role_may_die_too(role: str, started: Cli) -> None:
    started.child(f"rollout {role}").kill()
    wait_for_steps(started, steps_written(started) + 3)
    assert started.wait() == 0
    assert_each_rollout_has_one_final(started.run, 15)
    assert started.events[-1]["counts"] == {"planned": 15, "final": 15, "faulted": 0, "left": 0}
    assert fault_codes(started) <= {"WORKER_CRASH"}


def test_a_reader_that_cannot_work_ends_the_run_with_the_reason(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start, tmp_path: Path
) -> None:
    (tmp_path / "run" / "leases.jsonl").mkdir(parents=True)
    run = cli(configure(fleet, model_factory()), stderr=subprocess.PIPE)
    _, error = run.process.communicate(timeout=60)
    assert run.process.returncode == 1
    assert "leases.jsonl" in error
    assert "Traceback" not in error


def test_nothing_survives_a_killed_orchestrator_and_the_same_command_continues(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    config = configure(fleet, model_factory(latency_s=SLOW))
    run = cli(config)
    wait_for_steps(run, 5)
    children = run.children()
    run.process.kill()
    run.process.wait(10)
    _, alive = psutil.wait_procs(children, timeout=10)
    assert alive == []
    finished_before = {result.rollout_uid for result in run.run.all_results()}
    again = cli(config)
    assert again.wait() == 0
    assert_each_rollout_has_one_final(again.run, 15)
    assert finished_before <= set(again.run.results)


def test_ctrl_c_lets_running_rollouts_finish_and_leaves_valid_files(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    config = configure(fleet, model_factory(latency_s=SLOW))
    run = cli(config)
    wait_for_steps(run, 5)
    os.killpg(run.process.pid, signal.SIGINT)
    assert run.wait() == 130
    assert run.run.damages == []
    counts = run.events[-1]["counts"]
    assert 0 < counts["final"] < 15
    assert counts["final"] + counts["left"] == 15
    assert {result.status.value for result in run.run.all_results()} == {"finished"}
    again = cli(config)
    assert again.wait() == 0
    assert_each_rollout_has_one_final(again.run, 15)


def test_a_second_ctrl_c_cancels_what_runs_at_once(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start, tmp_path: Path
) -> None:
    config = configure(fleet, model_factory(latency_s=20.0))
    with (tmp_path / "stderr").open("w") as stderr:
        run = cli(config, stderr=stderr)
    wait_for(lambda: list(run.run_dir.glob("*/attempt-1/screenshots/0001.png")), "a model call in flight")
    os.killpg(run.process.pid, signal.SIGINT)
    wait_for(lambda: "Stopping" in (tmp_path / "stderr").read_text(), "the first to be heard")
    os.killpg(run.process.pid, signal.SIGINT)
    assert run.wait() == 130
    assert run.run.damages == []
    assert run.run.all_results() == []
    assert run.events[-1]["counts"]["left"] == 15


def test_a_model_server_in_passing_trouble_costs_no_rollout(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start, tmp_path: Path
) -> None:
    faults = tmp_path / "faults.yaml"
    kinds = ["429", "500", "502_html", "reset", "bad_json", "abort", "error_in_body"]
    rules = [{"kind": kind, "at": 3 + 4 * index, "retry_after": "0.2"} for index, kind in enumerate(kinds)]
    faults.write_text(yaml.safe_dump(rules), encoding="utf-8")
    run = cli(configure(fleet, model_factory(faults=faults)))
    assert run.wait() == 0
    assert_each_rollout_has_one_final(run.run, 15)
    assert sum(result.counts["retries"] for result in run.run.results.values()) >= len(kinds)
    assert all(result.rewards["success"] == 1 for result in run.run.results.values())


def test_a_rollout_that_keeps_breaking_ends_as_faulted_and_is_tried_again_the_next_time(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start, tmp_path: Path
) -> None:
    faults = tmp_path / "faults.yaml"
    faults.write_text(yaml.safe_dump([{"kind": "500", "rate": 1.0, "times": 3}]), encoding="utf-8")
    model = model_factory(faults=faults)
    config = configure(fleet, model, providers={"local": {"api_base": model.api_base, "max_tries": 1}})
    run = cli(config, "--filter", "settings-w")
    assert run.wait() == 3
    (result,) = run.run.all_results()
    assert result.status == "faulted"
    assert [attempt.status for attempt in result.attempts] == ["faulted"] * 3
    assert fault_codes(run) == {"SERVER_ERROR"}
    assert_no_fault_was_scored(run)
    again = cli(config, "--filter", "settings-w")
    assert again.wait() == 0
    assert_each_rollout_has_one_final(again.run, 1)


def test_a_wrong_key_stops_the_run_before_it_burns_the_tasks(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start, tmp_path: Path
) -> None:
    faults = tmp_path / "faults.yaml"
    faults.write_text(yaml.safe_dump([{"kind": "401", "rate": 1.0}]), encoding="utf-8")
    log = tmp_path / "model.jsonl"
    run = cli(configure(fleet, model_factory(faults=faults, log=log)), stderr=subprocess.PIPE)
    _, error = run.process.communicate(timeout=60)
    assert run.process.returncode == 1
    assert "key" in error
    assert log.read_text(encoding="utf-8").count("\n") <= 4
    assert not run.run.results


def test_unreadable_replies_are_the_agents_own_result(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start, tmp_path: Path
) -> None:
    faults = tmp_path / "faults.yaml"
    faults.write_text(yaml.safe_dump([{"kind": "unreadable", "rate": 1.0}]), encoding="utf-8")
    run = cli(configure(fleet, model_factory(faults=faults)), "--filter", "settings-w|notes-c", "--fail-on-failure")
    assert run.wait() == 5
    assert_each_rollout_has_one_final(run.run, 2)
    for result in run.run.results.values():
        assert result.stop_reason == "UNREADABLE_REPLY"
        assert result.fault is not None
        assert (result.fault.fault_class, result.fault.code) == ("AGENT", "PARSE_FAIL")
        assert result.verdicts.reward_valid
        assert result.rewards["success"] == 0


def test_the_runs_time_limit_leaves_the_rest_pending(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    run = cli(configure(fleet, model_factory(latency_s=0.4), limits={"run": {"seconds": 4}}))
    assert run.wait() == 4
    assert run.events[-1]["counts"]["left"] > 0
    assert "time limit" in (run.run_dir / "summary.json").read_text(encoding="utf-8")


def test_a_phone_that_reboots_gives_its_rollout_back(started: Cli, fleet: FleetProcess) -> None:
    fleet.command({"cmd": "fault", "phone": 0, "kind": "reboot", "seconds": 2})
    assert started.wait() == 0
    assert_each_rollout_has_one_final(started.run, 15)
    assert_no_fault_was_scored(started)


@pytest.mark.parametrize("kind", ["empty_screenshot", "truncated_screenshot", "bad_screenshot", "text_before_png"])
def test_bad_screenshots_never_become_a_bad_agent(
    kind: str,
    fleet_factory: Callable[..., FleetProcess],
    model_factory: ModelFactory,
    configure: Configure,
    cli: Start,
    tmp_path: Path,
) -> None:
    faults = tmp_path / "phones.yaml"
    faults.write_text(
        yaml.safe_dump([{"phones": "all", "kind": kind, "rate": 0.2, "match": "screencap"}]), encoding="utf-8"
    )
    run = cli(configure(fleet_factory(2, faults=faults, seed=4), model_factory()), "--filter", "notes-")
    assert run.wait() in (0, 3)
    assert_no_fault_was_scored(run)
    assert all(r.rewards["success"] == 1 for r in run.run.results.values())
