"""One attempt, from set-up to its synced `attempt.json`. Everything that can go wrong ends as a record."""

from __future__ import annotations

import time
import traceback
import uuid
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from devices.base import Device, DeviceInfo
from devices.errors import ActionFailed, DeviceUnavailable
from rollout.actions.dialects import Dialect
from rollout.agent.auto_reply import AutoReply, LimitedReplier, NoReply, PassToClient, Replier
from rollout.agent.control import Budget, Control
from rollout.agent.executor import AppPolicy, Executor
from rollout.agent.gui_agent_loop import Fault, Goal, Kit, Outcome, gui_agent_loop
from rollout.agent.policy import ModelSeat, Policy
from rollout.agent.settle import Settler
from rollout.config.schema import RunConfig, Sampling
from rollout.faults import FINAL, NO_FAULT, VERDICTS, FaultClass, FaultCode, Status, StopReason, status_of
from rollout.llm.client import ModelClient
from rollout.records.disk import DiskTrouble, make_folder, replace_file
from rollout.records.schema import (
    AgentIdentity,
    DevicePart,
    Evidence,
    FaultPart,
    PlanEntry,
    ResultRecord,
    StepRecord,
    VerdictPart,
    utc_now,
)
from rollout.rewards import GradingInput, grade
from rollout.runtime.layout import RunDirectory
from rollout.runtime.plan import rollout_seed
from rollout.runtime.recording import Recorder, Totals
from rollout.runtime.setup import prepare
from rollout.tasks import Task

_LONGEST_MESSAGE = 2000
"""Characters of a fault's message: what a phone or a server says may be long."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What a worker keeps from one attempt to the next: model connections, dialect, identity."""

    config: RunConfig
    identity: AgentIdentity
    dialect: Dialect
    clients: dict[str, ModelClient]
    manual: Replier | None = None

    def agent_seat(self) -> ModelSeat:
        agent = self.config.agent
        assert agent.provider and agent.model, "checked before the run starts"
        return ModelSeat(
            self.clients[agent.provider], agent.provider, agent.model, _sent(agent.sampling), agent.policy_version
        )

    def replier(self) -> Replier:
        """A fresh one per attempt: it counts the questions."""
        agent, reply = self.config.agent, self.config.agent.reply
        match reply.mode:
            case "no_reply":
                return NoReply(agent.language)
            case "pass_to_client":
                return PassToClient()
            case "manual_reply":
                replier = self.manual or NoReply(agent.language)
            case "auto_reply":
                provider, model = reply.provider or agent.provider, reply.model or agent.model
                assert provider and model, "checked before the run starts"
                seat = ModelSeat(self.clients[provider], provider, model, _sent(reply.sampling))
                replier = AutoReply(seat, agent.language)
        return LimitedReplier(replier, reply.max_questions, agent.language)


def _sent(sampling: Sampling) -> dict[str, object]:
    """Sampling as the client takes it: what is null is left to the server."""
    sent = sampling.model_dump(exclude_none=True, exclude={"seed", "extra"})
    return {**sent, **sampling.extra}


@dataclass(frozen=True, slots=True)
class Work:
    """One assignment on one phone."""

    entry: PlanEntry
    attempt: int
    lease: int
    phone: Device
    info: DeviceInfo


def run_attempt(
    work: Work, bench: Bench, run: RunDirectory, control: Control, tell: Callable[[StepRecord], None]
) -> ResultRecord:
    """Run one attempt and leave its folder complete and synced. Never raises for what phone, model or agent do.

    Raises:
        DiskTrouble: the disk did not take the record; the caller reports the attempt as a DISK fault.
    """
    folder = run.attempt(work.entry.folder, work.attempt)
    make_folder(folder)
    session_id = uuid.uuid4().hex
    began, started_at = time.monotonic(), utc_now()
    recorder = Recorder(folder, work.entry, work.attempt, session_id, tell)
    task = Task.model_validate(work.entry.task)
    try:
        outcome = _play(task, work, bench, control, recorder)
    finally:
        recorder.close()
    rewards, evidence, outcome = _grade(task, work, outcome, recorder.totals)
    _restore(work.phone)
    result = _result(
        work, bench, session_id, started_at, time.monotonic() - began, outcome, rewards, evidence, recorder.totals
    )
    replace_file(folder / "attempt.json", result.model_dump_json(by_alias=True, indent=1).encode())
    return result


def _play(task: Task, work: Work, bench: Bench, control: Control, recorder: Recorder) -> Outcome:
    """Set up and loop. What is nobody's known fault is ours: BUG."""
    agent = bench.config.agent
    try:
        prepare(work.phone, task, control)
        kit = _kit(work, bench, control, recorder, task.overrides.max_steps)
        known = task.params.get("user_context")
        goal = Goal(
            task.instruction,
            None if known is None else str(known),
            rollout_seed(work.entry, agent.sampling.seed if task.seed is None else task.seed),
        )
        return gui_agent_loop(goal, kit)
    except DeviceUnavailable as error:
        return _fault(FaultClass.DEVICE, FaultCode(error.code), "device", error.message)
    except ActionFailed as error:
        code = FaultCode.APP_MISSING if error.code == "UNKNOWN_APP" else FaultCode.RESET_FAILED
        return _fault(FaultClass.ENVIRONMENT, code, "environment", error.message)
    except DiskTrouble as error:
        return _fault(FaultClass.INFRASTRUCTURE, FaultCode.DISK, "disk", str(error))
    except Exception as error:  # noqa: BLE001  the one broad catch of an attempt: it becomes a record
        structlog.get_logger().error("attempt_bug", error=str(error), traceback=traceback.format_exc(limit=20))
        return _fault(FaultClass.INFRASTRUCTURE, FaultCode.BUG, "worker", f"{type(error).__name__}: {error}")


def _restore(phone: Device) -> None:
    """The phone as its user left it. What cannot be put back now is put back when the phone is opened again."""
    try:
        phone.restore()
    except DeviceUnavailable as error:
        structlog.get_logger().warning("phone_not_restored", serial=phone.serial, why=error.message)


def _kit(work: Work, bench: Bench, control: Control, recorder: Recorder, max_steps: int | None) -> Kit:
    """`max_steps` of the task goes before the configuration's."""
    config = bench.config
    agent, safety = config.agent, config.safety
    policy = AppPolicy(
        None if safety.allow_packages is None else frozenset(safety.allow_packages), frozenset(safety.deny_packages)
    )
    return Kit(
        phone=work.phone,
        policy=Policy(
            bench.dialect,
            bench.agent_seat(),
            reask=agent.reask,
            language=agent.language,
        ),
        executor=Executor(work.phone, policy=policy, wait=control.wait),
        settler=Settler(work.phone, agent.settle, wait=control.wait),
        replier=bench.replier(),
        images=recorder,
        observers=[recorder],
        control=control,
        budget=Budget(config.limits.rollout, agent.max_steps if max_steps is None else max_steps),
        wake_screen=agent.screen_off == "wake",
    )


def _grade(
    task: Task, work: Work, outcome: Outcome, totals: Totals
) -> tuple[dict[str, float | None], list[Evidence], Outcome]:
    """Verify what the attempt left on the phone. A check that cannot tell makes the attempt a fault, not a zero."""
    if status_of(outcome.stop_reason) not in FINAL:
        return {}, [], outcome
    seen = GradingInput(stop_reason=outcome.stop_reason, answer=outcome.answer, questions=totals.questions)
    try:
        rewards, evidence = grade(task, work.phone, seen)
    except DeviceUnavailable as error:
        return {}, [], _fault(FaultClass.DEVICE, FaultCode(error.code), "device", f"while grading: {error.message}")
    untold = next((item for item in evidence if item.reward is None), None)
    if untold is not None:
        message = f"verifier {untold.verifier} could not tell: {untold.error}"
        return rewards, evidence, _fault(FaultClass.ENVIRONMENT, FaultCode.CHECKER_ERROR, "environment", message)
    return rewards, evidence, outcome


def _result(
    work: Work,
    bench: Bench,
    session_id: str,
    started_at: str,
    total_s: float,
    outcome: Outcome,
    rewards: dict[str, float | None],
    evidence: list[Evidence],
    totals: Totals,
) -> ResultRecord:
    entry, fault = work.entry, outcome.fault
    status = status_of(outcome.stop_reason)
    verdicts = VERDICTS[fault.fault_class] if fault else NO_FAULT
    if status is Status.CANCELLED:
        verdicts = VERDICTS[FaultClass.CANCELLED]
    return ResultRecord(
        run_id=entry.run_id,
        rollout_uid=entry.rollout_uid,
        group_id=entry.group_id,
        task_id=entry.task_id,
        task_hash=entry.task_hash,
        sample_index=entry.sample_index,
        attempt=work.attempt,
        lease=work.lease,
        session_id=session_id,
        instruction=str(entry.task.get("instruction", "")),
        started_at=started_at,
        ended_at=utc_now(),
        status=status,
        stop_reason=outcome.stop_reason,
        fault=fault_part(fault) if fault else None,
        verdicts=VerdictPart(retry=verdicts.retry, grade=verdicts.grade, reward_valid=verdicts.reward_valid),
        rewards=rewards,
        evidence=evidence,
        answer=outcome.answer,
        steps=totals.steps,
        counts=totals.counts(),
        tokens=totals.tokens,
        cost_usd=totals.cost_usd,
        total_s=round(total_s, 3),
        working_s=round(max(0.0, total_s - totals.waited_s), 3),
        phases_s=totals.phases,
        device=device_part(work.info),
        agent=bench.identity,
        origin_meta_data=entry.task.get("origin_meta_data"),
    )


def fault_part(fault: Fault) -> FaultPart:
    return FaultPart.model_validate(
        {
            "class": fault.fault_class,
            "code": fault.code,
            "boundary": fault.boundary,
            "message": fault.message[:_LONGEST_MESSAGE],
            "fatal": fault.is_fatal,
        }
    )


def device_part(info: DeviceInfo) -> DevicePart:
    return DevicePart(
        serial=info.serial,
        hardware_serial=info.hardware_serial,
        model=info.model,
        android_version=info.android_version,
        fingerprint=info.fingerprint,
        size=[info.size.width_px, info.size.height_px],
        density=info.density,
        locale=info.locale,
        time_zone=info.time_zone,
    )


def _fault(fault_class: FaultClass, code: FaultCode, boundary: str, message: str) -> Outcome:
    return Outcome(StopReason.FAULT, fault=Fault(fault_class, code, boundary, message))
