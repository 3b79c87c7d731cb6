"""manual_reply, the worker's side: a question goes to the orchestrator, which owns the terminal."""

from __future__ import annotations

import queue
import threading
import time
import uuid
from collections.abc import Callable

from rollout.agent.auto_reply import CARRY_ON, Question
from rollout.agent.policy import Decision
from rollout.runtime.messages import UserQuestion, UserQuestionOver, UserReply


class ManualReply:
    """A Replier. When nobody answers in time, or the attempt is cancelled, the agent carries on alone."""

    def __init__(
        self, serial: str, language: str, timeout_s: float, send: Callable[[UserQuestion | UserQuestionOver], None]
    ) -> None:
        self._serial = serial
        self._language = language
        self._timeout_s = timeout_s
        self._send = send
        self._replies: queue.SimpleQueue[UserReply | None] = queue.SimpleQueue()

    def receive(self, reply: UserReply | None) -> None:
        """From the listening thread: an answer, or None when the attempt is cancelled."""
        self._replies.put(reply)

    def answer(self, question: Question, decision: Decision, cancel: threading.Event | None = None) -> str | None:
        """The wait does not count against the agent's time."""
        began = time.monotonic()
        text = self._ask(question, cancel)
        decision.waited_s += time.monotonic() - began
        return text or CARRY_ON[self._language]

    def _ask(self, question: Question, cancel: threading.Event | None) -> str | None:
        question_id = uuid.uuid4().hex
        path = question.screenshot.path
        self._send(
            UserQuestion(
                serial=self._serial,
                question_id=question_id,
                task=question.task,
                question=question.text,
                screenshot=path,
            )
        )
        deadline = time.monotonic() + self._timeout_s
        while (cancel is None or not cancel.is_set()) and (left_s := deadline - time.monotonic()) > 0:
            try:
                reply = self._replies.get(timeout=left_s)
            except queue.Empty:
                break
            if reply is not None and reply.question_id == question_id:  # else: the late answer to an earlier one
                return reply.text
        self._send(UserQuestionOver(question_id=question_id))
        return None
