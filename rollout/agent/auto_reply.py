"""Who answers the agent's questions (INFO). Four modes; none of them reads a worker's stdin."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from typing import Protocol

from rollout.agent.policy import Decision, ModelSeat
from rollout.llm.messages import ImagePart, Message, user

CARRY_ON = {
    "zh": "用户没有更多信息可以提供。请不要再提问，按你自己的判断继续完成任务。",
    "en": "The user has nothing to add. Do not ask again; use your own judgement and carry on with the task.",
}

_PROMPT = {
    "zh": (
        "你现在扮演手机用户。一个助手正在你的手机上替你完成任务，它向你提了一个问题。\n"
        "任务：{task}\n{context}助手的问题：{question}\n"
        "附图是手机当前的屏幕。请用一两句话直接回答问题，像用户那样说话；不要提问，不要解释，不要输出动作。\n"
        "涉及付款、授权或删除的请求，一律回答不同意。"
    ),
    "en": (
        "You play the user of a phone. An assistant is carrying out a task on your phone and asks you a question.\n"
        "Task: {task}\n{context}The assistant's question: {question}\n"
        "The image is the current screen. Answer in one or two sentences, as the user would; do not ask back, do not "
        "explain, do not write actions.\nRefuse whatever asks for a payment, a permission or a deletion."
    ),
}

_CONTEXT = {"zh": "你知道的情况：{context}\n", "en": "What you know: {context}\n"}

_THINKING = re.compile(r"<\s*(think|tink)\s*>.*?(<\s*/\s*\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_LONE_CLOSING = re.compile(r"\A.*<\s*/\s*(think|tink)\s*>", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the agent, and what a person would need to answer it."""

    text: str
    task: str
    screenshot: ImagePart
    user_context: str | None
    seed: int


class Replier(Protocol):
    """Answers one question. Returns None to stop the attempt and let the caller reply."""

    def answer(self, question: Question, decision: Decision, cancel: threading.Event | None = None) -> str | None: ...


def strip_thinking(text: str) -> str:
    """The text without think blocks; an unclosed block runs to the end, a lone closing tag starts at the beginning."""
    return _LONE_CLOSING.sub("", _THINKING.sub("", text)).strip()


class AutoReply:
    """A model plays the user: its own provider, model and sampling. The calls are kept, and not trained on."""

    def __init__(self, seat: ModelSeat, language: str) -> None:
        self._seat = seat
        self._language = language

    def answer(self, question: Question, decision: Decision, cancel: threading.Event | None = None) -> str | None:
        """Raises ModelError like any call. An answer that is empty after stripping becomes the carry-on sentence."""
        reply = self._seat.call(
            [self.prompt(question)],
            purpose="auto_reply",
            trainable=False,
            seed=question.seed,
            into=decision,
            cancel=cancel,
        )
        return strip_thinking(reply.text or "") or CARRY_ON[self._language]

    def prompt(self, question: Question) -> Message:
        context = (
            _CONTEXT[self._language].format(context=question.user_context.replace("\n", " "))
            if question.user_context
            else ""
        )
        text = _PROMPT[self._language].format(task=question.task, context=context, question=question.text)
        return user(text, question.screenshot)


class NoReply:
    """A fixed sentence: carry on, do not ask."""

    def __init__(self, language: str) -> None:
        self._language = language

    def answer(self, question: Question, decision: Decision, cancel: threading.Event | None = None) -> str | None:
        return CARRY_ON[self._language]


class PassToClient:
    """Stop with INFO_ACTION_NEEDS_REPLY; whoever called continues."""

    def answer(self, question: Question, decision: Decision, cancel: threading.Event | None = None) -> str | None:
        return None


class LimitedReplier:
    """Answers at most `most` questions of an attempt, then says to carry on. 0 means no limit."""

    def __init__(self, replier: Replier, most: int, language: str) -> None:
        self._replier = replier
        self._most = most
        self._language = language
        self._asked = 0

    def answer(self, question: Question, decision: Decision, cancel: threading.Event | None = None) -> str | None:
        self._asked += 1
        if self._most and self._asked > self._most:
            return CARRY_ON[self._language]
        return self._replier.answer(question, decision, cancel)
