"""Observers of the loop that write: images first, then the step line, both synced; then a word to the orchestrator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devices.base import Screenshot
from rollout.actions.schema import ActionType, AnyAction
from rollout.agent.observers import StepTaken
from rollout.llm.messages import ImagePart
from rollout.records.journal import Journal
from rollout.records.schema import (
    ActionPart,
    AgentPart,
    ObservationPart,
    OutcomePart,
    Phases,
    PlanEntry,
    StepRecord,
    TokenCounts,
)
from rollout.records.screenshots import ScreenshotStore

_POINTS = ("point", "point2")
_TEXTS = ("text", "answer", "question", "reason", "app")


@dataclass(slots=True)
class Totals:
    """Sums over an attempt, for its result."""

    steps: int = 0
    calls: int = 0
    reasks: int = 0
    retries: int = 0
    questions: int = 0
    action_errors: int = 0
    unreadable: int = 0
    tokens: TokenCounts = field(default_factory=TokenCounts)
    cost_usd: float | None = None
    waited_s: float = 0.0
    phases: Phases = field(default_factory=Phases)

    def counts(self) -> dict[str, int]:
        names = ("calls", "reasks", "retries", "questions", "action_errors", "unreadable")
        return {name: getattr(self, name) for name in names}

    def add(self, record: StepRecord, waited_s: float) -> None:
        self.steps += 1
        self.waited_s += waited_s
        self.action_errors += not record.outcome.ok
        self.unreadable += not record.action.valid
        self.questions += record.action.type == ActionType.INFO
        for call in record.calls:
            self.calls += 1
            self.reasks += call.purpose == "reask"
            self.retries += call.model.retries
            self.tokens.prompt += call.model.prompt_tokens or 0
            self.tokens.completion += call.model.completion_tokens or 0
            self.tokens.cached += call.model.cached_tokens or 0
            if call.model.cost_usd is not None:
                self.cost_usd = (self.cost_usd or 0.0) + call.model.cost_usd
        for name in Phases.model_fields:
            total = getattr(self.phases, name) + getattr(record.phases_s, name)
            setattr(self.phases, name, round(total, 4))


class Recorder:
    """Writes one attempt's journal; also the loop's image keeper."""

    def __init__(
        self, folder: Path, entry: PlanEntry, attempt: int, session_id: str, tell: Callable[[StepRecord], None]
    ) -> None:
        self._journal = Journal(folder / "steps.jsonl")
        self._store = ScreenshotStore(folder)
        self._entry = entry
        self._attempt = attempt
        self._session_id = session_id
        self._tell = tell
        self.totals = Totals()

    def keep(self, number: int, screenshot: Screenshot) -> ImagePart:
        """Store the image, synced. Raises DiskTrouble."""
        stored = self._store.keep(number, screenshot.png)
        return ImagePart(
            data=screenshot.png,
            path=stored.path,
            sha256=stored.sha256,
            format="png",
            width=screenshot.width_px,
            height=screenshot.height_px,
        )

    def step_done(self, step: StepTaken) -> None:
        """Append the step line, synced; count; tell."""
        record = self.record_of(step)
        self._journal.append(record)
        self.totals.add(record, step.decision.waited_s)
        self._tell(record)

    def close(self) -> None:
        self._journal.close()
        self._store.close()

    def record_of(self, step: StepTaken) -> StepRecord:
        """The step as its line will read."""
        entry, decision = self._entry, step.decision
        parsed = decision.parsed
        return StepRecord(
            run_id=entry.run_id,
            rollout_uid=entry.rollout_uid,
            group_id=entry.group_id,
            task_id=entry.task_id,
            sample_index=entry.sample_index,
            attempt=self._attempt,
            session_id=self._session_id,
            step=step.number,
            started_at=step.started_at,
            phases_s=_phases(step),
            agent=AgentPart(round_step=step.number, agent_step=step.number, fields=parsed.fields if parsed else {}),
            observation=_observation(step),
            calls=decision.calls,
            thought=parsed.thought if parsed else None,
            summary=parsed.summary if parsed else None,
            action=_action(step),
            ignored_actions=list(parsed.ignored) if parsed else [],
            outcome=OutcomePart(
                commands=list(step.effect.commands),
                ok=step.effect.ok and step.error is None,
                error=step.effect.error or step.error,
            ),
        )


def _phases(step: StepTaken) -> Phases:
    return Phases(
        screenshot=round(step.screenshot_s, 4),
        encode=round(step.encode_s, 4),
        model=round(step.decision.model_s, 4),
        parse=round(step.decision.parse_s, 4),
        act=round(step.act_s, 4),
        settle=round(step.settle_s, 4),
    )


def _observation(step: StepTaken) -> ObservationPart:
    image, state = step.image, step.look.state if step.look else None
    return ObservationPart(
        screenshot=image.path if image else None,
        sha256=image.sha256 if image else None,
        width=image.width if image else None,
        height=image.height if image else None,
        orientation=state.rotation if state else None,
        app=state.package if state else None,
        activity=state.activity if state else None,
        user_reply=step.earlier_reply,
    )


def _action(step: StepTaken) -> ActionPart:
    parsed = step.decision.parsed
    if parsed is None:
        return ActionPart(type=None, valid=False)
    fields = _fields(parsed.action)
    texts = [fields.pop(name) for name in _TEXTS if name in fields]
    return ActionPart(
        type=parsed.action.type.value,
        point=fields.pop("point", None),
        point2=fields.pop("point2", None),
        pixels=list(step.effect.pixels) or None,
        text=texts[0] if texts else None,
        repairs=list(parsed.repairs),
        args=fields,
    )


def _fields(action: AnyAction) -> dict[str, Any]:
    """The action's own fields, points as lists, without what is null."""
    fields = action.model_dump(mode="json", exclude_none=True)
    fields.pop("type")
    return {name: list(value) if name in _POINTS else value for name, value in fields.items()}
