"""The loop, in milliseconds: every way out of it is an outcome, every step is told, whatever broke."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fake_phone import FakePhone, screen

from devices.base import Screenshot
from devices.errors import DeviceTimeout
from rollout.actions.dialects.gelab import GelabDialect
from rollout.agent.auto_reply import CARRY_ON, AutoReply, LimitedReplier, NoReply, PassToClient, Replier
from rollout.agent.control import Budget, Control
from rollout.agent.executor import Executor
from rollout.agent.gui_agent_loop import Goal, Kit, Outcome, gui_agent_loop
from rollout.agent.observers import StepTaken
from rollout.agent.policy import ModelSeat, Policy
from rollout.agent.settle import Settler
from rollout.config.schema import Provider, RolloutLimits, Settle
from rollout.faults import FaultClass, FaultCode, StopReason
from rollout.llm.client import ModelClient
from rollout.llm.messages import ImagePart

DONE = "<THINK>t</THINK>\nexplain:e\taction:COMPLETE\treturn:42\tsummary:s"
TAP = "<THINK>t</THINK>\nexplain:e\taction:CLICK\tpoint:500,500\tsummary:tapped"
ASK = "<THINK>t</THINK>\nexplain:e\taction:INFO\tvalue:Which colour?\tsummary:asked"

Answer = str | dict[str, Any] | httpx.Response


class Model:
    """Answers in turn; the last answer stays. Holds what it was sent."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.requests: list[dict[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(json.loads(request.content))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, httpx.Response):
            return answer
        choice = {"message": {"content": answer}, "finish_reason": "stop"} if isinstance(answer, str) else answer
        return httpx.Response(200, json={"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 4}})

    def prompt(self, index: int) -> str:
        """All text of a request."""
        return json.dumps(self.requests[index]["messages"], ensure_ascii=False)


class Recorder:
    def __init__(self) -> None:
        self.steps: list[StepTaken] = []

    def step_done(self, step: StepTaken) -> None:
        self.steps.append(step)

    def keep(self, number: int, shot: Screenshot) -> ImagePart:
        return ImagePart(shot.png, f"screenshots/{number:04d}.png", "0" * 64, "png", shot.width_px, shot.height_px)


def run(
    model: Model,
    phone: FakePhone | None = None,
    *,
    replier: Callable[[ModelSeat], Replier] = lambda seat: NoReply("en"),
    limits: RolloutLimits | None = None,
    max_steps: int = 10,
    reask: int = 1,
    control: Control | None = None,
    wake_screen: bool = True,
) -> tuple[Outcome, Recorder, FakePhone]:
    phone, recorder, control = phone or FakePhone(), Recorder(), control or Control()
    client = ModelClient(
        "test", Provider(api_base="http://model/v1", max_tries=1), transport=httpx.MockTransport(model)
    )
    seat = ModelSeat(client, "test", "m", {"temperature": 0.0})
    kit = Kit(
        phone=phone,  # type: ignore[arg-type]
        policy=Policy(GelabDialect(), seat, reask=reask, language="en"),
        executor=Executor(phone, wait=control.wait),  # type: ignore[arg-type]
        settler=Settler(phone, Settle(mode="none"), wait=control.wait),  # type: ignore[arg-type]
        replier=replier(seat),
        images=recorder,
        observers=[recorder],
        control=control,
        budget=Budget(limits or RolloutLimits(), max_steps),
        wake_screen=wake_screen,
    )
    return gui_agent_loop(Goal("do it", "I like green.", seed=3), kit), recorder, phone


def test_an_agent_that_completes_ends_with_its_answer() -> None:
    outcome, recorder, phone = run(Model(TAP, DONE))
    assert outcome == Outcome(StopReason.TASK_COMPLETED_SUCCESSFULLY, answer="42")
    assert [step.number for step in recorder.steps] == [1, 2]
    assert phone.verbs == [("tap", 540, 1200)]


def test_an_agent_that_aborts_ends_as_its_own_result() -> None:
    outcome, _, _ = run(Model("explain:e\taction:ABORT\tvalue:login needed\tsummary:s"))
    assert (outcome.stop_reason, outcome.answer) == (StopReason.TASK_ABORTED_BY_AGENT, "login needed")


def test_the_step_limit_stops_before_another_call() -> None:
    model = Model(TAP)
    outcome, recorder, _ = run(model, max_steps=3)
    assert outcome.stop_reason is StopReason.MAX_STEPS_REACHED
    assert len(recorder.steps) == len(model.requests) == 3


@pytest.mark.parametrize("limits", [{"calls": 2}, {"tokens": 20}])
def test_a_spent_budget_starts_nothing_new(limits: dict[str, int]) -> None:
    outcome, recorder, _ = run(Model(TAP), limits=RolloutLimits(**limits))
    assert outcome.stop_reason is StopReason.LIMIT
    assert len(recorder.steps) == 2


def test_an_unreadable_reply_is_asked_again_and_both_calls_are_kept() -> None:
    outcome, recorder, _ = run(Model("what?", DONE))
    assert outcome.stop_reason is StopReason.TASK_COMPLETED_SUCCESSFULLY
    calls = recorder.steps[0].decision.calls
    assert [call.purpose for call in calls] == ["act", "reask"]
    assert calls[0].error is not None
    assert calls[0].reply is not None
    assert calls[0].reply.text == "what?"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("what?", FaultCode.PARSE_FAIL),
        ("explain:e\taction:CLICK\tpoint:2000,1\tsummary:s", FaultCode.PARSE_FAIL),
        ("", FaultCode.EMPTY_REPLY),
        ({"message": {"content": DONE}, "finish_reason": "length"}, FaultCode.REPLY_CUT),
    ],
)
def test_what_stays_unreadable_is_the_agents_own_result_and_touches_nothing(answer: Answer, code: FaultCode) -> None:
    outcome, recorder, phone = run(Model(answer))
    assert outcome.stop_reason is StopReason.UNREADABLE_REPLY
    assert outcome.fault is not None
    assert (outcome.fault.fault_class, outcome.fault.code) == (FaultClass.AGENT, code)
    assert len(recorder.steps[0].decision.calls) == 2
    assert phone.verbs == []


def test_a_lost_phone_is_a_device_fault_with_the_step_kept() -> None:
    phone = FakePhone(fail=lambda verb: DeviceTimeout("FAKE", "no answer") if verb == "tap" else None)
    outcome, recorder, _ = run(Model(TAP), phone)
    assert outcome.stop_reason is StopReason.FAULT
    assert outcome.fault is not None
    assert (outcome.fault.fault_class, outcome.fault.code) == (FaultClass.DEVICE, FaultCode.UNRESPONSIVE)
    assert recorder.steps[0].error is not None
    assert recorder.steps[0].decision.parsed is not None


def test_a_broken_model_server_is_a_model_fault_with_the_request_kept() -> None:
    outcome, recorder, _ = run(Model(httpx.Response(500, text="Internal Server Error")))
    assert outcome.fault is not None
    assert outcome.fault.fault_class is FaultClass.MODEL
    assert recorder.steps[0].decision.calls[0].reply is None
    assert recorder.steps[0].decision.calls[0].error


def test_a_wrong_key_says_that_every_rollout_would_fail() -> None:
    outcome, _, _ = run(Model(httpx.Response(401, json={"error": {"message": "wrong key"}})))
    assert outcome.fault is not None
    assert outcome.fault.is_fatal
    assert outcome.fault.code is FaultCode.AUTH


def test_a_prompt_that_is_too_long_truncates_the_attempt() -> None:
    body = {"error": {"message": "This model's maximum context length is 10", "code": "context_length_exceeded"}}
    outcome, _, _ = run(Model(httpx.Response(400, json=body)))
    assert outcome == Outcome(StopReason.CONTEXT)


def test_auto_reply_answers_with_its_own_sampling_and_without_its_thinking() -> None:
    model = Model(ASK, "<think>hm</think>\nGreen.", DONE)

    def replier(seat: ModelSeat) -> Replier:
        return AutoReply(ModelSeat(seat.client, "test", "user-model", {"temperature": 0.7}), "en")

    outcome, recorder, _ = run(model, replier=replier)
    assert outcome.stop_reason is StopReason.TASK_COMPLETED_SUCCESSFULLY
    asked = model.requests[1]
    assert (asked["model"], asked["temperature"]) == ("user-model", 0.7)
    for part in ("do it", "Which colour?", "I like green.", "data:image/png;base64,"):
        assert part in model.prompt(1)
    assert recorder.steps[0].user_reply == recorder.steps[1].earlier_reply == "Green."
    assert "Green." in model.prompt(2)
    assert "hm" not in model.prompt(2)
    call = recorder.steps[0].decision.calls[1]
    assert (call.purpose, call.trainable) == ("auto_reply", False)


def test_no_reply_says_to_carry_on() -> None:
    model = Model(ASK, DONE)
    run(model)
    assert CARRY_ON["en"] in model.prompt(1)


def test_pass_to_client_stops_with_the_question() -> None:
    outcome, _, _ = run(Model(ASK), replier=lambda seat: PassToClient())
    assert outcome == Outcome(StopReason.INFO_ACTION_NEEDS_REPLY, answer="Which colour?")


def test_a_talkative_agent_is_told_to_carry_on_after_its_questions_are_used_up() -> None:
    model = Model(ASK, "Green.", ASK, DONE)
    run(model, replier=lambda seat: LimitedReplier(AutoReply(seat, "en"), 1, "en"))
    assert CARRY_ON["en"] in model.prompt(3)


def test_the_last_action_error_reaches_the_next_prompt() -> None:
    from devices.errors import UnknownApp

    model = Model("explain:e\taction:AWAKE\tvalue:Nope\tsummary:s", DONE)
    error = UnknownApp("FAKE", "Nope", ["Notes"])
    run(model, FakePhone(fail=lambda verb: error if verb == "resolve_app" else None))
    assert "Notes" in model.prompt(1)


def test_a_screen_that_fell_asleep_is_woken_before_anything_is_tapped() -> None:
    phone = FakePhone(screen(is_awake=False), screen())
    outcome, _, _ = run(Model(DONE), phone)
    assert outcome.stop_reason is StopReason.TASK_COMPLETED_SUCCESSFULLY
    assert phone.verbs == [("wake",)]


def test_a_screen_that_stays_dark_is_the_phones_fault() -> None:
    model = Model(TAP)
    outcome, _, phone = run(model, FakePhone(screen(is_awake=False)))
    assert outcome.fault is not None
    assert outcome.fault.code is FaultCode.NEEDS_HUMAN
    assert model.requests == []
    assert ("tap", 540, 1200) not in phone.verbs


def test_a_dark_screen_is_a_persons_stop_when_configured_so() -> None:
    outcome, _, phone = run(Model(TAP), FakePhone(screen(is_awake=False)), wake_screen=False)
    assert outcome.stop_reason is StopReason.MANUAL_STOP_SCREEN_OFF
    assert phone.verbs == []


def test_a_cancelled_attempt_stops_before_its_next_step() -> None:
    control = Control()
    control.cancelled.set()
    model = Model(TAP)
    outcome, recorder, _ = run(model, control=control)
    assert outcome.stop_reason is StopReason.CANCELLED
    assert (recorder.steps, model.requests) == ([], [])


def test_each_call_of_a_rollout_has_its_own_seed_that_repeats() -> None:
    first, again = Model("what?", TAP, DONE), Model("what?", TAP, DONE)
    run(first)
    run(again)
    seeds = [request["seed"] for request in first.requests]
    assert seeds == [request["seed"] for request in again.requests]
    assert len(set(seeds)) == 3
    assert {seed >> 16 for seed in seeds} == {3}


def test_the_recorded_prompt_is_the_one_that_was_sent() -> None:
    """Texts byte for byte, images by the path of the very file whose bytes were sent."""
    model = Model("what?", ASK, "Green.", DONE)
    _, recorder, _ = run(model, replier=lambda seat: AutoReply(seat, "en"))
    calls = [call for step in recorder.steps for call in step.decision.calls]
    assert len(calls) == len(model.requests) == 4
    for call, request in zip(calls, model.requests, strict=True):
        assert len(call.request.messages) == len(request["messages"])
        for recorded, sent in zip(call.request.messages, request["messages"], strict=True):
            assert recorded["role"] == sent["role"]
            parts = (
                sent["content"] if isinstance(sent["content"], list) else [{"type": "text", "text": sent["content"]}]
            )
            for part, sent_part in zip(recorded["content"], parts, strict=True):
                if part["type"] == "text":
                    assert part["text"] == sent_part["text"]
                else:
                    assert sent_part["type"] == "image_url"
                    assert part["path"] in {image.path for image in call.request.images}
