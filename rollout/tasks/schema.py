"""A task, field by field, and its content hash."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from devices.base import KEYS, SettingsNamespace
from rollout.tasks.verifiers import Text, VerifierSpec

MAX_ID = 256


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Requires(_Strict):
    """What a phone must have for the task."""

    tags: list[str] = Field(default_factory=list)
    packages: list[str] = Field(default_factory=list)
    """Installed packages; also what `reset: app_clear` clears."""


class SettingsPut(_Strict):
    type: Literal["settings_put"]
    namespace: SettingsNamespace
    key: str = Field(min_length=1)
    value: Text


class StopApp(_Strict):
    type: Literal["stop_app"]
    app: str = Field(min_length=1)
    """Name or package, as for the other app operations."""


class ClearApp(_Strict):
    type: Literal["clear_app"]
    app: str = Field(min_length=1)


class LaunchApp(_Strict):
    type: Literal["launch_app"]
    app: str = Field(min_length=1)


class PressKey(_Strict):
    type: Literal["press_key"]
    key: str

    @field_validator("key")
    @classmethod
    def _is_known(cls, value: str) -> str:
        if value.upper() not in KEYS:
            raise ValueError(f"must be one of {', '.join(KEYS)}")
        return value.upper()


class ContentInsert(_Strict):
    type: Literal["content_insert"]
    uri: str = Field(pattern=r"^content://")
    values: dict[str, str | int]


class ContentDelete(_Strict):
    type: Literal["content_delete"]
    uri: str = Field(pattern=r"^content://")
    where: str | None = None
    """SQL condition of the provider; null deletes every row."""


class Wait(_Strict):
    type: Literal["wait"]
    seconds: float = Field(gt=0, le=600)


SetupOperation = Annotated[
    SettingsPut | StopApp | ClearApp | LaunchApp | PressKey | ContentInsert | ContentDelete | Wait,
    Field(discriminator="type"),
]


class Overrides(_Strict):
    """Of the configuration, for this task alone."""

    max_steps: int | None = Field(None, ge=0)
    """As `agent.max_steps`; null takes that."""


class Task(_Strict):
    """What to do, on which phone, from which start, and how to tell that it was done."""

    id: str = Field(min_length=1, max_length=MAX_ID)
    """Unique in its file. Missing: made from the content."""
    instruction: str = Field(min_length=1)
    params: dict[str, Any] = Field(default_factory=dict)
    """`user_context`: what the user would know when the agent asks."""
    seed: int | None = None
    split: str | None = None
    requires: Requires = Field(default_factory=Requires)
    setup: list[SetupOperation] = Field(default_factory=list)
    """Done in order before step 1."""
    reset: Literal["none", "app_clear", "state"] = "none"
    """Before set-up. app_clear: the data of the required packages; state: everything (simulated phones)."""
    verifiers: list[VerifierSpec] = Field(default_factory=list)
    overrides: Overrides = Field(default_factory=Overrides)
    origin_meta_data: Any = None
    """Passed through to the result, unread."""

    @model_validator(mode="before")
    @classmethod
    def _read_other_names(cls, given: Any) -> Any:
        return with_id(rename(given)) if isinstance(given, dict) else given

    @field_validator("id", "instruction")
    @classmethod
    def _is_said(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("must not be blank")
        return value

    def content_hash(self) -> str:
        """SHA-256 of what makes the task this task: not its id, split, requirements or origin.

        Defaults are left out, so a field added later changes no hash.
        """
        what_matters = {"instruction", "params", "seed", "setup", "reset", "verifiers", "overrides"}
        return _digest(self.model_dump(mode="json", include=what_matters, exclude_defaults=True))


_OTHER_NAMES = {"task": "instruction", "task_id": "id"}
"""gelab's names."""

_PLAN_KEYS = ("object", "close", "steps")
"""Further keys of UFO's plan files, beside `task`."""


def rename(given: dict[str, Any]) -> dict[str, Any]:
    """A task as written → with our names (gelab's and UFO's plan keys are taken). A null is as good as absent."""
    plan = {key: given[key] for key in _PLAN_KEYS if key in given} if "task" in given else {}
    renamed: dict[str, Any] = {}
    for key, value in given.items():
        name = _OTHER_NAMES.get(key, key)
        if key not in plan and value is not None:
            renamed[key if name in given else name] = value
    if plan:
        renamed["params"] = {**plan, **renamed.get("params", {})}
    return renamed


def with_id(given: dict[str, Any]) -> dict[str, Any]:
    """The same with an id as text, made from the content when there is none."""
    if isinstance(given.get("id"), int) and not isinstance(given["id"], bool):
        return {**given, "id": str(given["id"])}
    if "id" in given:
        return given
    content = {key: value for key, value in given.items() if key not in ("split", "requires", "origin_meta_data")}
    return {"id": f"task-{_digest(content)[:12]}", **given}


def _digest(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
