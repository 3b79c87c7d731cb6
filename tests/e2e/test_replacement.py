"""Roles that are replaced at the worst moment, and ends that must hold however the run was disturbed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from conftest import Cli, assert_each_rollout_has_one_final, wait_for

from devices.simulated.fleet import FleetProcess
from rollout.scripted_model.process import ScriptedModelProcess

ModelFactory = Callable[..., ScriptedModelProcess]
Configure = Callable[..., Path]
Start = Callable[..., Cli]

QUICK = "settings-|notes-read|launcher"
"""Seven short tasks."""


def ended_attempts(cli: Cli) -> int:
    return len(list(cli.run_dir.glob("*/attempt-*/attempt.json")))


def test_a_reader_replaced_while_results_are_on_their_way_loses_and_repeats_nothing(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    """The orchestrator stands still meanwhile, so that both phones' words cross the reader's death."""
    run = cli(configure(fleet, model_factory(latency_s=0.1)), "--filter", QUICK)
    reader = run.child("rollout reader")
    wait_for(lambda: ended_attempts(run) >= 1, "a first result")
    os.kill(run.process.pid, signal.SIGSTOP)
    before = ended_attempts(run)
    reader.kill()
    wait_for(lambda: ended_attempts(run) >= before + 1, "an attempt to end unheard")
    os.kill(run.process.pid, signal.SIGCONT)
    assert run.wait() == 0
    assert_each_rollout_has_one_final(run.run, 7)
    assert all(len(result.attempts) <= 2 for result in run.run.results.values())


def test_a_limit_still_holds_when_the_reader_is_replaced(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start, tmp_path: Path
) -> None:
    config = configure(fleet, model_factory(latency_s=0.5), limits={"run": {"seconds": 3}})
    with (tmp_path / "stderr").open("w") as stderr:
        run = cli(config, stderr=stderr)
    reader = run.child("rollout reader")
    wait_for(lambda: "time limit" in (tmp_path / "stderr").read_text(encoding="utf-8"), "the limit")
    reader.kill()
    assert run.wait() == 4
    assert run.events[-1]["counts"]["left"] > 5


def test_thousands_of_rollouts_may_be_left_and_each_has_its_reason(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start, tmp_path: Path
) -> None:
    tasks = tmp_path / "many.jsonl"
    lines = (json.dumps({"id": f"task-{n}", "instruction": f"Order pizza number {n}."}) for n in range(3000))
    tasks.write_text("\n".join(lines), encoding="utf-8")
    run = cli(configure(fleet, model_factory(), tasks={"path": str(tasks)}, limits={"run": {"seconds": 2}}))
    assert run.wait() == 4
    left = json.loads((run.run_dir / "summary.json").read_text(encoding="utf-8"))["left"]
    assert left["count"] == run.events[-1]["counts"]["left"] > 2000
    assert all("time limit" in reason for reason in left["reasons"])


def test_a_question_nobody_answers_does_not_outlive_a_second_ctrl_c(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    config = configure(fleet, model_factory(), agent={"reply": {"mode": "manual_reply", "timeout_s": 300}})
    run = cli(config, "--filter", "ask-colour", json=False, stdin=subprocess.PIPE)
    assert run.process.stdout is not None
    for words in ("Which colour", "Stopping"):
        while words not in (line := run.process.stdout.readline()):
            assert line, f"the run ended before it said {words}"
        os.kill(run.process.pid, signal.SIGINT)
    assert run.wait() == 130
    assert run.run.all_results() == []


def test_another_selection_into_the_same_directory_is_refused_with_the_difference(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start, tmp_path: Path
) -> None:
    config = configure(fleet, model_factory())
    assert cli(config, "--filter", "settings-w|launcher", "--shard", "0/2").wait() == 0
    for flags in (("--shard", "1/2"), ("--samples", "2"), ()):
        other = cli(config, "--filter", "settings-w|launcher", *flags, stderr=subprocess.PIPE)
        error = other.process.communicate(timeout=60)[1]
        assert other.process.returncode == 2
        assert "another plan" in error
        assert "--fresh" in error


def test_failed_agents_of_an_earlier_invocation_count_too(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    config = configure(fleet, model_factory(skill=0.0))
    for _ in range(2):
        assert cli(config, "--filter", "settings-w", "--fail-on-failure").wait() == 5


def test_a_reader_of_the_output_that_goes_away_does_not_end_the_run(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    run = cli(configure(fleet, model_factory()), "--filter", QUICK, json=False)
    assert run.process.stdout is not None
    run.process.stdout.close()
    assert run.process.wait(60) == 0
    assert_each_rollout_has_one_final(run.run, 7)


def test_a_result_file_that_a_dead_writer_left_out_is_written_by_the_next(
    fleet: FleetProcess, model_factory: ModelFactory, configure: Configure, cli: Start
) -> None:
    run = cli(configure(fleet, model_factory(latency_s=0.2)), "--filter", QUICK)
    run.child("rollout writer").kill()
    assert run.wait() == 0
    for entry in run.run.plan:
        assert (run.run_dir / entry.folder / "result.json").is_file()
