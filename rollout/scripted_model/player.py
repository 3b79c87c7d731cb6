"""One chat request → one reply: recognise what is asked, look at the strip, play, or play badly. Pure."""

from __future__ import annotations

import base64
import binascii
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from devices.simulated.strip import StripInfo, read_strip
from rollout.actions.dialects import Dialect
from rollout.actions.dialects.gelab_prompts import read_task
from rollout.actions.schema import Abort, AnyAction, Click, Complete, HotKey, HotKeyPress
from rollout.scripted_model.goals import Goal, Move, Scene
from rollout.scripted_model.plays import goals_for

_PLACE = re.compile(r"\[(\d+)(?:\.(\d+))?\]")
_USER_KNOWS = re.compile(r"(?:What you know|你知道的情况)[:：]\s*(.+)")
_QUESTION = re.compile(r"(?:The assistant's question|助手的问题)[:：]\s*(.+)")
_SEED_SHIFT = 16
"""A rollout's calls share the seed's bits from here up: it is good or bad as a whole."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the server reads of a chat request."""

    text: str
    image: bytes | None
    seed: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model says, and what the request log should tell of it."""

    text: str
    purpose: str
    action: str | None = None
    screen: str | None = None


class Player:
    """Plays in one dialect with one skill (share of rollouts played well, 0–1)."""

    def __init__(self, dialect: Dialect, skill: float = 1.0) -> None:
        self._dialect = dialect
        self._skill = skill

    def answer(self, request: Request) -> Answer:
        if (question := _QUESTION.search(request.text)) is not None:
            return self._as_user(request, question[1])
        task = read_task(request.text)
        if task is None:
            return Answer("I see a phone.", "other")
        screen = read_strip(request.image) if request.image else None
        goals = goals_for(task.task)
        place, tries = _place_in(task.history)
        dice = random.Random(request.seed >> _SEED_SHIFT)
        if dice.random() >= self._skill:
            move = _play_badly(dice, goals, place, screen)
        else:
            goal = goals[min(place, len(goals) - 1)]
            move = goal(Scene(screen, tries, task.history))
        text = self._render(move, place, tries, task.history)
        return Answer(text, "act", move.action.type.value, screen.screen if screen else None)

    def _render(self, move: Move, place: int, tries: int, history: str) -> str:
        mark = f"[{place + 1}]" if move.is_done else f"[{place}.{tries + 1}]"
        return self._dialect.render(
            move.action,
            thought=f"Progress {mark}. Next: {move.says}.",
            explain=move.says,
            summary=" ".join(part for part in (mark, move.says, move.note) if part),
        )

    def _as_user(self, request: Request, question: str) -> Answer:
        """Play the user: what the prompt says that the user knows, sometimes after thinking aloud."""
        known = _USER_KNOWS.search(request.text)
        reply = known[1].strip() if known else "I do not mind, decide for yourself."
        if request.seed % 2:
            reply = f"<think>The assistant asks: {question.strip()}</think>\n{reply}"
        return Answer(reply, "auto_reply")


def _place_in(history: str) -> tuple[int, int]:
    """Index of the present goal and how often it was tried, from the mark in the summary."""
    found = _PLACE.search(history)
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)


def _play_badly(dice: random.Random, goals: list[Goal], place: int, screen: StripInfo | None) -> Move:
    """Stop early with a wrong answer, wander and claim success, or give up; the same way for the whole rollout."""
    style = dice.choice(("early", "lost", "gives_up"))
    is_abort_right = any(isinstance(_try(goal, screen), Abort) for goal in goals)
    if style == "gives_up" and not is_abort_right:
        return Move(Abort(reason="this looks too hard"), "give up")
    wander: tuple[AnyAction, ...] = (Click(point=(500, 300)), HotKeyPress(key=HotKey.HOME))
    if style == "lost" and place < len(wander):
        return Move(wander[place], "look around")
    return Move(Complete(answer="7"), "claim that it is done")


def _try(goal: Goal, screen: StripInfo | None) -> AnyAction:
    return goal(Scene(screen, 0, "")).action


def read_request(body: Mapping[str, Any]) -> Request:
    """Text and last image of a chat request.

    Raises:
        ValueError: it is no chat request; the message goes back as a 400.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise ValueError("messages must be a list that is not empty")
    texts: list[str] = []
    image: bytes | None = None
    for message in messages:
        if not isinstance(message, dict):
            raise ValueError("messages must be a list of objects")
        content = message.get("content")
        parts: Any = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        for part in parts:
            if part.get("type") == "text":
                texts.append(str(part.get("text", "")))
            elif part.get("type") == "image_url":
                image = _image(part["image_url"]["url"])
    seed = body.get("seed")
    return Request("\n".join(texts), image, seed if isinstance(seed, int) and seed >= 0 else 0)


def _image(url: str) -> bytes:
    head, comma, data = url.partition(",")
    if not comma or not head.startswith("data:image/") or not head.endswith(";base64"):
        raise ValueError("image_url must be a base64 data URL")
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise ValueError(f"image_url holds no base64: {error}") from error
