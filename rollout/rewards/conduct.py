"""Verifiers that need no phone: the answer returned, how the attempt ended, whether the user was asked."""

from __future__ import annotations

from rollout.rewards.patterns import search_bounded
from rollout.rewards.texts import has_part, is_same
from rollout.rewards.verdict import Scene, Verdict, short, verdict
from rollout.tasks.verifiers import AnswerSpec, AskedSpec, StopReasonSpec


def answer(spec: AnswerSpec, scene: Scene) -> Verdict:
    """The agent's answer is the expected one. No answer is a wrong one."""
    given = scene.attempt.answer
    expected = {name: getattr(spec, name) for name in ("equals", "contains", "matches") if getattr(spec, name)}
    return verdict(given is not None and _is_right(spec, given), short(given, 4000), expected)


def stop_reason(spec: StopReasonSpec, scene: Scene) -> Verdict:
    """The attempt ended as it should have."""
    saw = scene.attempt.stop_reason
    return verdict(saw is spec.equals, saw.value, spec.equals.value)


def asked(spec: AskedSpec, scene: Scene) -> Verdict:
    """The agent asked the user often enough."""
    questions = scene.attempt.questions
    return verdict(questions >= spec.min, questions, {"min": spec.min})


def _is_right(spec: AnswerSpec, given: str) -> bool:
    if spec.equals is not None:
        return is_same(given, spec.equals)
    if spec.contains is not None:
        return has_part(given, spec.contains)
    return search_bounded(spec.matches or "", given)
