"""What a task may ask to be verified. The checks themselves live in `rollout/rewards/`, one function a type."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from rollout.faults import StopReason

SUCCESS = "success"
"""Name of the reward over all verifiers of a task; no verifier may take it."""

MAX_PATTERN = 500
"""Characters of a regular expression."""


def _text_of(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Text = Annotated[str, BeforeValidator(_text_of)]
"""1 → "1": phones answer in text, and people write numbers. True and false are refused."""


class Spec(BaseModel):
    """Base of all verifier types. `name` names its reward; null: the type's name."""

    model_config = ConfigDict(extra="forbid")
    name: str | None = Field(None, min_length=1, max_length=100)

    @field_validator("name")
    @classmethod
    def _is_free(cls, value: str | None) -> str | None:
        if value == SUCCESS:
            raise ValueError(f"must not be {SUCCESS!r}: that is the reward over all verifiers")
        return value


class SettingSpec(Spec):
    """A value of Android's settings, as `settings get` prints it."""

    type: Literal["setting"]
    namespace: Literal["system", "secure", "global"]
    key: str = Field(min_length=1)
    equals: Text | None
    """null: the setting must not be there."""


class ContentRowSpec(Spec):
    """Rows of a content provider whose columns equal all of `match`."""

    type: Literal["content_row"]
    uri: str = Field(pattern=r"^content://")
    match: dict[str, Text | None] = Field(min_length=1)
    """Column → value; null matches NULL."""
    count: int | None = Field(None, ge=0)
    """Exactly so many rows; null: at least one."""


class ForegroundAppSpec(Spec):
    """The app in front when the attempt ended."""

    type: Literal["foreground_app"]
    package: str = Field(min_length=1)


class ScreenTextSpec(Spec):
    """A text on the screen when the attempt ended, as the UI tree tells it. Case and white space do not count."""

    type: Literal["screen_text"]
    contains: str = Field(min_length=1)


class AnswerSpec(Spec):
    """The answer the agent returned. Exactly one of the three is given."""

    type: Literal["answer"]
    equals: Text | None = None
    """Strict, except for case, white space, full-width forms, and ways to write one number (12, 12.0)."""
    contains: Text | None = None
    """A number is found as a whole number: 12 is not in 112."""
    matches: str | None = Field(None, max_length=MAX_PATTERN)
    """Regular expression, searched."""

    @field_validator("matches")
    @classmethod
    def _is_pattern(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "")
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(f"is no regular expression ({error})") from error
        return value

    @model_validator(mode="after")
    def _has_one(self) -> AnswerSpec:
        if sum(value is not None for value in (self.equals, self.contains, self.matches)) != 1:
            raise ValueError("needs one of equals, contains, matches")
        return self


class StopReasonSpec(Spec):
    """How the attempt ended (an impossible task is right to be aborted)."""

    type: Literal["stop_reason"]
    equals: StopReason


class AskedSpec(Spec):
    """The agent asked the user."""

    type: Literal["asked"]
    min: int = Field(1, ge=1)


VerifierSpec = Annotated[
    SettingSpec | ContentRowSpec | ForegroundAppSpec | ScreenTextSpec | AnswerSpec | StopReasonSpec | AskedSpec,
    Field(discriminator="type"),
]
