"""The agent loop: look, decide, act, until the agent or a limit says stop. Everything else is an object it is given."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from devices.base import Device
from devices.errors import DeviceNeedsHuman, DeviceUnavailable
from rollout.actions.dialects import PastTurn, Turn
from rollout.actions.schema import Abort, AnyAction, CallUser, Complete, Info
from rollout.agent.auto_reply import Question, Replier
from rollout.agent.control import Budget, Control
from rollout.agent.executor import Executor
from rollout.agent.observers import ImageKeeper, Observer, StepTaken
from rollout.agent.policy import Policy
from rollout.agent.settle import Settler, Sight
from rollout.errors import ContextOverflow, ModelError
from rollout.faults import FaultClass, FaultCode, StopReason
from rollout.records.schema import utc_now

_SEEDS_PER_STEP = 8
_WAKE_TRIES = 2


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an attempt is not the agent's result, or what in the agent's own reply ended it (class AGENT)."""

    fault_class: FaultClass
    code: FaultCode
    boundary: str
    message: str
    is_fatal: bool = False
    """Other rollouts would meet the same: the run should stop."""


@dataclass(slots=True)
class Outcome:
    """How an attempt ended."""

    stop_reason: StopReason
    answer: str | None = None
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """What the agent is to do, and what a person would know who is asked about it."""

    instruction: str
    user_context: str | None = None
    seed: int = 0
    """15 bits; a call's seed is `seed << 16 | step * 8 + call`."""


@dataclass(slots=True)
class Kit:
    """Everything the loop works with. Built per attempt by `rollout/runtime/attempt.py`, by hand in a test."""

    phone: Device
    policy: Policy
    executor: Executor
    settler: Settler
    replier: Replier
    images: ImageKeeper
    observers: Sequence[Observer]
    control: Control
    budget: Budget
    wake_screen: bool = True
    """False: a dark screen means that a person stopped the attempt."""
    clock: Callable[[], float] = time.monotonic
    past: list[PastTurn] = field(default_factory=list)


def gui_agent_loop(goal: Goal, kit: Kit) -> Outcome:
    """Run one attempt to its end. Returns an Outcome whatever happens on the phone or at the model.

    Raises only what is a bug or a full disk; the caller makes an INFRASTRUCTURE fault of it.
    """
    number, reply = 0, None
    while True:
        stop = kit.control.stop_reason() or kit.budget.exhausted(number)
        if stop is not None:
            return Outcome(stop)
        number += 1
        step = StepTaken(number, utc_now(), earlier_reply=reply)
        try:
            outcome = _step(goal, kit, step)
        except (DeviceUnavailable, ModelError) as error:
            outcome = _interrupted(kit, error, step)
            step.error = str(error)
        kit.budget.spend(step.decision.calls, step.decision.waited_s)
        for observer in kit.observers:
            observer.step_done(step)
        if outcome is not None:
            return outcome
        reply = step.user_reply


def _step(goal: Goal, kit: Kit, step: StepTaken) -> Outcome | None:
    """One step, into `step`. None: go on."""
    sight = _look(kit, step.number)
    step.look, step.settle_s, step.screenshot_s = sight.look, sight.settle_s, sight.screenshot_s
    if sight.look.state.is_awake is False:
        if kit.wake_screen:
            raise DeviceNeedsHuman(kit.phone.serial, "the screen stays dark; wake the phone by hand")
        return Outcome(StopReason.MANUAL_STOP_SCREEN_OFF)
    began = kit.clock()
    step.image = kit.images.keep(step.number, sight.look.screenshot)
    step.encode_s = kit.clock() - began

    decision = step.decision
    turn = Turn(goal.instruction, step.image, kit.past, kit.policy.language)
    seed = (goal.seed << 16) | (step.number * _SEEDS_PER_STEP & 0xFFFF)
    kit.policy.decide(turn, decision, seed=seed, cancel=kit.control.cancelled)
    if decision.parsed is None:
        code = decision.problem or FaultCode.PARSE_FAIL
        return Outcome(StopReason.UNREADABLE_REPLY, fault=Fault(FaultClass.AGENT, code, "model", decision.reason))

    action = decision.parsed.action
    began = kit.clock()
    step.effect = kit.executor.perform(action, sight.look)
    step.act_s = kit.clock() - began
    if isinstance(action, Info):
        step.user_reply = kit.replier.answer(
            Question(action.question, goal.instruction, step.image, goal.user_context, seed + _SEEDS_PER_STEP - 1),
            decision,
            kit.control.cancelled,
        )
    kit.past.append(PastTurn(decision.parsed, step.effect.error, step.user_reply))
    return _ended_by(action, step.user_reply)


def _ended_by(action: AnyAction, user_reply: str | None) -> Outcome | None:
    match action:
        case Complete(answer=answer):
            return Outcome(StopReason.TASK_COMPLETED_SUCCESSFULLY, answer=answer)
        case Abort(reason=reason):
            return Outcome(StopReason.TASK_ABORTED_BY_AGENT, answer=reason or None)
        case CallUser(reason=reason):
            return Outcome(StopReason.CALL_USER, answer=reason or None)
        case Info(question=question) if user_reply is None:
            return Outcome(StopReason.INFO_ACTION_NEEDS_REPLY, answer=question)
    return None


def _look(kit: Kit, number: int) -> Sight:
    """Look at the phone; a screen that fell asleep or locked itself is woken, never tapped."""
    sight = kit.settler.first() if number == 1 else kit.settler.after_action()
    for _ in range(_WAKE_TRIES):
        state = sight.look.state
        if not kit.wake_screen or (state.is_awake is not False and state.is_locked is not True):
            break
        kit.phone.wake()
        sight = kit.settler.after_action()
    return sight


def _interrupted(kit: Kit, error: DeviceUnavailable | ModelError, step: StepTaken) -> Outcome:
    """A device or model error → how the attempt ended."""
    if (stop := kit.control.stop_reason()) is StopReason.CANCELLED:
        return Outcome(stop)
    if isinstance(error, DeviceUnavailable):
        return Outcome(StopReason.FAULT, fault=Fault(FaultClass.DEVICE, FaultCode(error.code), "device", error.message))
    is_own_prompt = not step.decision.calls or step.decision.calls[-1].purpose in ("act", "reask")
    if isinstance(error, ContextOverflow) and is_own_prompt:
        return Outcome(StopReason.CONTEXT)
    return Outcome(
        StopReason.FAULT,
        fault=Fault(FaultClass.MODEL, FaultCode(error.code), "model", str(error), is_fatal=error.fatal),
    )
