"""Ask the model what to do: prompt, call, read, re-ask. Every call is kept, also the one that was no use."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rollout.actions.assertion import InvalidAction, assert_action
from rollout.actions.dialects import Dialect, ParsedReply, Turn, UnreadableReply
from rollout.errors import ModelError
from rollout.faults import FaultCode
from rollout.llm.client import ModelClient, ModelReply
from rollout.llm.messages import ImagePart, Message, to_record
from rollout.records.schema import Call, CallPurpose, ImageRef, ModelPart, ReplyPart, RequestPart


@dataclass(slots=True)
class Decision:
    """What the model said at one step. Filled while it happens, so that a fault leaves what there was."""

    calls: list[Call] = field(default_factory=list)
    parsed: ParsedReply | None = None
    """None: no action could be read after the allowed re-asks."""
    problem: FaultCode | None = None
    """PARSE_FAIL, REPLY_CUT or EMPTY_REPLY when `parsed` is None."""
    reason: str = ""
    model_s: float = 0.0
    waited_s: float = 0.0
    parse_s: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelSeat:
    """A model behind a provider, as one role of the agent uses it."""

    client: ModelClient
    provider: str
    model: str
    sampling: Mapping[str, Any]
    policy_version: str | None = None

    def call(
        self,
        messages: Sequence[Message],
        *,
        purpose: CallPurpose,
        trainable: bool,
        seed: int,
        into: Decision,
        cancel: threading.Event | None = None,
    ) -> ModelReply:
        """One call, appended to `into.calls` whatever comes of it.

        Raises:
            ModelError: no usable answer; the appended call says why.
        """
        sampling = {**self.sampling, "seed": seed}
        began = time.monotonic()
        try:
            reply = self.client.ask(messages, model=self.model, sampling=sampling, cancel=cancel)
        except ModelError as error:
            into.model_s += time.monotonic() - began
            into.calls.append(self._record(messages, purpose, trainable, sampling, None, error=str(error)))
            raise
        into.model_s += time.monotonic() - began
        into.waited_s += reply.waited_s
        into.calls.append(self._record(messages, purpose, trainable, sampling, reply))
        return reply

    def _record(
        self,
        messages: Sequence[Message],
        purpose: CallPurpose,
        trainable: bool,
        sampling: Mapping[str, Any],
        reply: ModelReply | None,
        error: str | None = None,
    ) -> Call:
        images = [part for message in messages for part in message.parts if isinstance(part, ImagePart)]
        model = ModelPart(
            provider=self.provider, name=self.model, policy_version=self.policy_version, sampling=dict(sampling)
        )
        if reply is not None:
            model = _model_part(model, reply)
        return Call(
            purpose=purpose,
            trainable=trainable,
            request=RequestPart(
                messages=[to_record(message) for message in messages],
                images=[
                    ImageRef(path=i.path, sha256=i.sha256, format=i.format, width=i.width, height=i.height)
                    for i in images
                ],
            ),
            model=model,
            reply=None if reply is None else ReplyPart(text=reply.text, reasoning=reply.reasoning),
            error=error,
        )


def _model_part(base: ModelPart, reply: ModelReply) -> ModelPart:
    """What the server reported, with lengths that agree: ids that contradict the counts are the server's error."""
    return ModelPart(
        provider=base.provider,
        name=base.name,
        policy_version=base.policy_version,
        sampling=base.sampling,
        request_id=reply.request_id,
        finish_reason=reply.finish_reason,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        cached_tokens=reply.cached_tokens,
        cost_usd=reply.cost_usd,
        latency_s=reply.latency_s,
        retries=reply.retries,
        weight_version=reply.weight_version,
        prompt_token_ids=reply.prompt_token_ids,
        completion_token_ids=reply.completion_token_ids,
        logprobs=reply.logprobs,
        logprobs_mode=reply.logprobs_mode,
    )


class Policy:
    """The agent's own mind: one dialect over one model."""

    def __init__(
        self,
        dialect: Dialect,
        seat: ModelSeat,
        *,
        reask: int,
        language: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.dialect = dialect
        self.seat = seat
        self._reask = reask
        self.language = language
        self._clock = clock

    def decide(self, turn: Turn, decision: Decision, *, seed: int, cancel: threading.Event | None = None) -> None:
        """Fill `decision`: an action, or after the allowed re-asks the reason why none could be read.

        Each call's seed is `seed` plus its place among this step's calls.

        Raises:
            ModelError: no usable answer from the server.
        """
        messages = self.dialect.prompt(turn)
        purpose: CallPurpose = "act"
        for asked in range(self._reask + 1):
            reply = self.seat.call(
                messages, purpose=purpose, trainable=True, seed=seed + asked, into=decision, cancel=cancel
            )
            began = self._clock()
            decision.parsed, decision.problem, decision.reason = self._read(reply)
            decision.parse_s += self._clock() - began
            if decision.parsed is not None:
                return
            decision.calls[-1].error = decision.reason
            messages = self.dialect.reask(messages, reply.text or "", decision.reason, self.language)
            purpose = "reask"

    def _read(self, reply: ModelReply) -> tuple[ParsedReply | None, FaultCode | None, str]:
        if reply.finish_reason == "length":
            return None, FaultCode.REPLY_CUT, f"reply cut at {reply.completion_tokens} tokens"
        if not (reply.text or "").strip() and not (reply.reasoning or "").strip():
            return None, FaultCode.EMPTY_REPLY, "the reply is empty"
        try:
            parsed = self.dialect.parse(reply.text or "", reply.reasoning)
            assert_action(parsed.action)
        except (UnreadableReply, InvalidAction) as error:
            return None, FaultCode.PARSE_FAIL, str(error)
        return parsed, None, ""
