"""manual_reply: the orchestrator's own standard input, the only one a person types into. Never blocks the loop."""

from __future__ import annotations

import os
import selectors
import sys
from collections import deque
from collections.abc import Callable

from rollout.runtime.messages import UserQuestion


class Terminal:
    """Asks one question at a time and passes each line on as its answer. At end of file nobody is there."""

    def __init__(
        self,
        selector: selectors.BaseSelector,
        show: Callable[[UserQuestion], None],
        answer: Callable[[UserQuestion, str | None], None],
    ) -> None:
        self._selector = selector
        self._show = show
        self._answer = answer
        self._waiting: deque[UserQuestion] = deque()
        self._buffer = b""
        self._is_open = True
        self._is_registered = False

    def ask(self, question: UserQuestion) -> None:
        """Queue a question; it is shown when those before it are answered."""
        if self._is_open and not self._is_registered:
            self._register()
        if not self._is_open:
            self._answer(question, None)
            return
        self._waiting.append(question)
        if len(self._waiting) == 1:
            self._show(question)

    def _register(self) -> None:
        try:
            self._selector.register(sys.stdin.fileno(), selectors.EVENT_READ, self._on_input)
            self._is_registered = True
        except (OSError, ValueError, AttributeError):
            self._is_open = False  # No standard input, or a file that cannot be waited for.

    def _on_input(self, _: int) -> None:
        data = os.read(sys.stdin.fileno(), 4096)
        self._buffer += data
        while b"\n" in self._buffer and self._waiting:
            line, _sep, self._buffer = self._buffer.partition(b"\n")
            self._reply(line.decode(errors="replace").strip() or None)
        if not data:
            self._selector.unregister(sys.stdin.fileno())
            self._is_open = self._is_registered = False
            while self._waiting:
                self._reply(None)

    def _reply(self, text: str | None) -> None:
        self._answer(self._waiting.popleft(), text)
        self._show_next()

    def withdraw(self, is_over: Callable[[UserQuestion], bool]) -> None:
        """Forget questions nobody waits for any more; the next one is shown."""
        shown = self._waiting[0] if self._waiting else None
        self._waiting = deque(question for question in self._waiting if not is_over(question))
        if self._waiting and self._waiting[0] is not shown:
            self._show_next()

    def _show_next(self) -> None:
        if self._waiting:
            self._show(self._waiting[0])
