"""Errors of the runner. What the user must fix is a ConfigError and is printed without a traceback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class RolloutError(Exception):
    """Base of every error this package raises on purpose."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with what the user gave: where it stands, what is wrong, what to do."""

    where: str
    """`file:line`, a key path or a flag."""
    message: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class ConfigError(RolloutError):
    """The configuration, the task file or the command line is wrong. Holds every problem found, not the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class RunError(RolloutError):
    """The run cannot go on (exit status 1)."""


class ModelError(RolloutError):
    """The model server gave no usable answer. `code` is a fault code of class MODEL.

    What the policy *wrote* is never a ModelError: unreadable, cut or empty text is the agent's own result.
    """

    def __init__(self, code: str, message: str, *, fatal: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.fatal = fatal
        """Trying other rollouts cannot help (wrong key, unknown model): the run should stop."""


class ContextOverflow(ModelError):
    """The prompt is longer than the model takes. The attempt is truncated, not faulted."""

    def __init__(self, message: str) -> None:
        super().__init__("CONTEXT_OVERFLOW", message)
