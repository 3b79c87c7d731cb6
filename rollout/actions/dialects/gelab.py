"""The gelab family: a THINK section, then one line of tab-separated `key:value` fields. Points are 0–1000.

The prompt shows one image and, as history, only the model's own last `summary`, to which the user's reply and the last
action's error are added.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict

from rollout.actions.dialects import ParsedReply, PastTurn, Turn, UnreadableReply
from rollout.actions.dialects.gelab_actions import OFFERED, SPELLINGS, read_action, write_action
from rollout.actions.dialects.gelab_fields import Fields, read_fields
from rollout.actions.dialects.gelab_prompts import TEXTS, Texts
from rollout.actions.schema import AnyAction, Type
from rollout.llm.messages import Message, assistant, user

_LONGEST_QUOTE = 4000
"""Characters of an unreadable reply that a re-ask repeats to the model."""


class GelabDialect:
    """See `rollout.actions.dialects.Dialect`."""

    name = "gelab"
    actions = frozenset(SPELLINGS)

    def prompt(self, turn: Turn) -> list[Message]:
        texts = TEXTS[turn.language]
        task = texts.task.replace("{history}", _history(turn.past, texts)).replace(
            "{task}", turn.instruction.strip(), 1
        )
        return [user(f"{texts.actions}\n\n{task}", turn.screenshot, texts.form)]

    def reask(self, messages: Sequence[Message], reply_text: str, reason: str, language: str) -> list[Message]:
        quoted = [assistant(reply_text[:_LONGEST_QUOTE])] if reply_text.strip() else []
        return [*messages, *quoted, user(TEXTS[language].reask.format(reason=reason, actions=OFFERED))]

    def parse(self, text: str, reasoning: str | None = None) -> ParsedReply:
        apart = _take_apart(text, (reasoning or "").strip())
        action = read_action(apart.pairs, apart.repairs)
        return ParsedReply(
            action=action,
            thought=apart.thought,
            explain=apart.pairs.get("explain", ""),
            summary=apart.pairs.get("summary", ""),
            repairs=tuple(dict.fromkeys(apart.repairs)),
            ignored=tuple(apart.ignored),
            fields=dict(apart.pairs),
        )

    def render(self, action: AnyAction, *, thought: str = "", explain: str = "", summary: str = "") -> str:
        """Raises ValueError for CALL_USER, and for a text to type that the form cannot hold."""
        fields = [f"explain:{_one_line(explain)}", *write_action(action), f"summary:{_one_line(summary)}"]
        written = f"<THINK> {thought} </THINK>\n" + "\t".join(fields)
        if isinstance(action, Type) and "\t" in action.text and not self._reads_as(written, action):
            raise ValueError("the text to type holds a tab followed by a field name")
        return written

    def _reads_as(self, written: str, action: AnyAction) -> bool:
        try:
            return self.parse(written).action == action
        except UnreadableReply:
            return False

    def prompt_hash(self, language: str) -> str:
        return hashlib.sha256(json.dumps(asdict(TEXTS[language]), sort_keys=True).encode()).hexdigest()


def _take_apart(text: str, reasoning: str) -> Fields:
    """Fields of the reply. A server may file the thought apart, or (wrongly) the whole reply."""
    if text.strip():
        apart = read_fields(text)
        if reasoning:
            apart.repairs[:] = [repair for repair in apart.repairs if repair != "there was no THINK section"]
            same = apart.thought in reasoning
            apart.thought = reasoning if same else f"{reasoning}\n{apart.thought}"
        return apart
    if "</" in reasoning and reasoning.rstrip()[-1] != ">":
        apart = read_fields(reasoning)
        apart.repairs.append("the whole reply stood in the reasoning field")
        return apart
    raise UnreadableReply("the reply is empty")


def _history(past: Sequence[PastTurn], texts: Texts) -> str:
    """The last summary, then what the user replied and what went wrong at the last step."""
    summary = next((turn.reply.summary for turn in reversed(past) if turn.reply and turn.reply.summary), "")
    lines = [summary] if summary else []
    if past and past[-1].user_reply is not None:
        lines.append(texts.user_reply.format(reply=past[-1].user_reply))
    if past and past[-1].action_error is not None:
        lines.append(texts.action_error.format(error=past[-1].action_error))
    return "\n".join(lines) or texts.no_history


def _one_line(text: str) -> str:
    return " ".join(text.split())
