"""Dialects: pure text ↔ action, one file per model family. No HTTP, no device, no clock.

The contract every dialect keeps (tests/contracts/test_dialects.py runs it over all of them):

- `prompt(turn)` gives the messages for the next call, images as `ImagePart`.
- `parse(text, reasoning)` gives a `ParsedReply` or raises `UnreadableReply`; nothing else escapes, whatever the text.
- `render(action, …)` writes an action as the model would; `parse(render(a)).action == a`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rollout.actions.schema import ActionType, AnyAction
from rollout.llm.messages import ImagePart, Message


class UnreadableReply(Exception):
    """No action can be read from the text. `reason` names what is missing or unknown and lists what is allowed."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What a reply said."""

    action: AnyAction
    thought: str = ""
    explain: str = ""
    summary: str = ""
    repairs: tuple[str, ...] = ()
    """Every liberty taken in reading, in words; empty when the reply was well formed."""
    ignored: tuple[str, ...] = ()
    """Further actions in the same reply, as text: only the first is done."""
    fields: dict[str, Any] = field(default_factory=dict)
    """The reply's own key–value pairs, as written."""


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A step that is over, as a dialect may need it for its history."""

    reply: ParsedReply | None
    """None when the reply was unreadable."""
    action_error: str | None = None
    """What the phone said when the action failed (an unknown app, text that was not typed)."""
    user_reply: str | None = None
    """Answer to an INFO of this turn."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Everything a dialect needs to write the next prompt."""

    instruction: str
    screenshot: ImagePart
    past: Sequence[PastTurn] = ()
    language: str = "zh"
    """zh or en."""


class Dialect(Protocol):
    """Text of one model family. Stateless; one instance serves a whole process."""

    name: str
    actions: frozenset[ActionType]
    """Actions the family can write."""

    def prompt(self, turn: Turn) -> list[Message]: ...

    def reask(self, messages: Sequence[Message], reply_text: str, reason: str, language: str) -> list[Message]:
        """The messages again, with the unreadable reply and what was wrong with it (names allowed actions)."""

    def parse(self, text: str, reasoning: str | None = None) -> ParsedReply: ...

    def render(self, action: AnyAction, *, thought: str = "", explain: str = "", summary: str = "") -> str: ...

    def prompt_hash(self, language: str) -> str:
        """sha256 hex of the fixed prompt text: part of a run's identity."""
