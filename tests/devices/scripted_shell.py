"""A phone's shell with answers written down: for refusals and oddities of makers that no simulated phone has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from devices.commands import ShellAnswer

Answer = ShellAnswer | Callable[[str], ShellAnswer]
NOTHING = ShellAnswer("", "", 0)


def says(stdout: str = "", stderr: str = "", code: int = 0) -> ShellAnswer:
    return ShellAnswer(stdout, stderr, code)


@dataclass
class ScriptedShell:
    """Answers by the longest beginning of the command that is known; anything else prints nothing."""

    answers: dict[str, Answer] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    serial: str = "phone"

    def shell(self, command: str, *, timeout_s: float | None = None, is_read_only: bool = False) -> ShellAnswer:
        self.commands.append(command)
        known = max((start for start in self.answers if command.startswith(start)), key=len, default=None)
        answer = NOTHING if known is None else self.answers[known]
        return answer(command) if callable(answer) else answer

    def sent(self, start: str) -> list[str]:
        return [command for command in self.commands if command.startswith(start)]
