"""Scripted faults of the model server: which request meets which trouble, from a file, seeded."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Kind = Literal[
    "429", "500", "502_html", "401", "404", "context", "hang", "drip", "cut", "empty", "abort", "bad_json", "reset",
    "unreadable", "error_in_body", "login_page",
]  # fmt: skip


class FaultRule(BaseModel):
    """One kind of trouble. `at`: number of the first request it meets (from 1), or `rate`: chance per request."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind
    at: int | None = Field(None, ge=1)
    rate: float | None = Field(None, gt=0, le=1)
    times: int | None = Field(None, ge=1)
    """How often at most; null: once with `at`, without end with `rate`."""
    retry_after: str | None = None
    """429: value of the Retry-After header."""
    seconds: float = Field(5.0, gt=0)
    """hang, drip: how long."""


_RULES: TypeAdapter[list[FaultRule]] = TypeAdapter(list[FaultRule])


def load_faults(path: Path) -> list[FaultRule]:
    """Read a YAML or JSON list of rules. Raises OSError, yaml.YAMLError or pydantic.ValidationError."""
    return _RULES.validate_python(yaml.safe_load(path.read_text(encoding="utf-8")) or [])


class FaultSchedule:
    """Says for each request, in order of arrival, whether something goes wrong."""

    def __init__(self, rules: list[FaultRule], seed: int = 0) -> None:
        self._rules = rules
        self._dice = random.Random(seed)
        self._fired = [0] * len(rules)
        self._requests = 0

    def next(self) -> FaultRule | None:
        self._requests += 1
        for index, rule in enumerate(self._rules):
            most = rule.times or (1 if rule.rate is None else None)
            is_due = self._dice.random() < rule.rate if rule.rate else self._requests >= (rule.at or 1)
            if is_due and (most is None or self._fired[index] < most):
                self._fired[index] += 1
                return rule
        return None
