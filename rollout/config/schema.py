"""The configuration, field by field. YAML names are these names; unknown keys are refused with the nearest known."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from rollout.config.selection import parse_slice


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", protected_namespaces=(), validate_default=True)


class Provider(Section):
    """An OpenAI-compatible endpoint."""

    api_base: str
    """Up to and including `/v1`."""
    api_key: SecretStr = SecretStr("EMPTY")
    trust_env: bool = False
    """Use HTTP_PROXY and friends. Off by default: they would catch 127.0.0.1 too."""
    connect_timeout_s: float = Field(5.0, gt=0)
    read_timeout_s: float = Field(120.0, gt=0)
    """Longest silence between two reads."""
    total_timeout_s: float = Field(300.0, gt=0)
    """One call with all its retries."""
    max_tries: int = Field(5, ge=1)
    """Tries of one call, the first included."""
    price_per_million: dict[Literal["prompt", "completion", "cached"], float] | None = None
    """USD per million tokens; null leaves cost_usd null unless the server reports it."""

    @field_validator("api_base")
    @classmethod
    def _is_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an address like http://localhost:8000/v1")
        if parts.username is not None:
            raise ValueError("must hold no user or password: use api_key")
        return value


class Sampling(Section):
    """Sent with every call. Keys beyond these go into `extra`, unchanged."""

    temperature: float | None = Field(0.1, ge=0)
    top_p: float | None = Field(0.95, gt=0, le=1)
    max_tokens: int | None = Field(4096, ge=1)
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    top_k: int | None = None
    stop: list[str] | None = None
    seed: int | None = None
    """Base seed; null is 0. Each call gets its own, derived from it, the rollout and the step."""
    logprobs: bool = False
    """Ask the server for token ids and logprobs; kept in the record when it reports them."""
    extra: dict[str, Any] = Field(default_factory=dict)


class Settle(Section):
    """When the next screenshot is taken after an action."""

    mode: Literal["adaptive", "fixed", "none"] = "adaptive"
    min_s: float = Field(0.1, ge=0)
    """adaptive: wait at least this long before the first capture."""
    max_s: float = Field(4.0, ge=0)
    """adaptive: then take the screen as it is."""
    seconds: float = Field(2.0, ge=0)
    """fixed: wait this long."""
    slow_capture_s: float = Field(1.0, ge=0)
    """adaptive: where a capture takes longer than this, watch the app's frame counter instead of comparing captures."""

    @model_validator(mode="after")
    def _in_order(self) -> Settle:
        if self.mode == "adaptive" and self.min_s > self.max_s:
            raise ValueError(f"waits at least {self.min_s:g} s and at most {self.max_s:g} s: min_s is above max_s")
        return self


class ReplySampling(Sampling):
    temperature: float | None = Field(0.5, ge=0)
    top_p: float | None = Field(1.0, gt=0, le=1)
    max_tokens: int | None = Field(1024, ge=1)
    frequency_penalty: float | None = 0.0


class Reply(Section):
    """Who answers the agent's questions (INFO)."""

    mode: Literal["auto_reply", "no_reply", "manual_reply", "pass_to_client"] = "auto_reply"
    provider: str | None = None
    """null: the agent's provider."""
    model: str | None = None
    """null: the agent's model."""
    sampling: ReplySampling = Field(default_factory=ReplySampling)
    timeout_s: float = Field(300.0, gt=0)
    """manual_reply: how long a person may take."""
    max_questions: int = Field(5, ge=0)
    """Questions answered per attempt; a further one is answered as in no_reply. 0 means no limit."""


class Agent(Section):
    kind: Literal["gui"] = "gui"
    provider: str | None = None
    """null: the only provider there is."""
    model: str | None = None
    dialect: str = "gelab"
    language: Literal["zh", "en"] = "zh"
    """Language of the prompt."""
    policy_version: str | None = None
    """A label of the weights; part of the run's identity."""
    sampling: Sampling = Field(default_factory=Sampling)
    max_steps: int = Field(40, ge=0)
    """Steps per attempt. 0 means no limit."""
    reask: int = Field(1, ge=0, le=6)
    """Further calls after an unreadable reply. 0 under `mode: rl`."""
    screen_off: Literal["wake", "stop"] = "wake"
    """A dark screen in mid-attempt: wake it, or take it as a person's stop (MANUAL_STOP_SCREEN_OFF)."""
    settle: Settle = Field(default_factory=Settle)
    reply: Reply = Field(default_factory=Reply)


class Adb(Section):
    """Real phones and emulators (or a simulated fleet that was started by hand)."""

    server_port: int | None = Field(None, ge=1, le=65535)
    """null: $ANDROID_ADB_SERVER_PORT, else 5037."""
    path: Path | None = None
    """The adb binary; null: $ADBUTILS_ADB_PATH, then PATH, then the one adbutils ships."""
    connect: list[str] = Field(default_factory=list)
    """host:port of phones to connect to over TCP."""
    serials: Literal["all"] | list[str] = "all"
    tags: dict[str, list[str]] = Field(default_factory=dict)
    """serial → tags, matched against a task's `requires.tags`."""

    @field_validator("connect")
    @classmethod
    def _are_addresses(cls, value: list[str]) -> list[str]:
        for address in value:
            host, _, port = address.rpartition(":")
            if not host or not port.isdecimal() or not 0 < int(port) < 65536:
                raise ValueError(f"holds {address!r}: an address is host:port, like 192.168.1.20:5555")
        return value


class Simulated(Section):
    """Simulated phones on an adb server of their own, started and stopped with the run."""

    count: int = Field(0, ge=0)
    seed: int = 0
    strip: bool = True
    """Draw the strip that tells the scripted model which screen it sees."""
    animation_s: float = Field(0.0, ge=0)
    faults: Path | None = None


class Devices(Section):
    adb: Adb | None = None
    """Absent: no real phone is touched."""
    simulated: Simulated = Field(default_factory=Simulated)
    lost_grace_s: float = Field(60.0, ge=0)
    """How long the run waits when every phone is lost."""


class RolloutLimits(Section):
    seconds: float | None = Field(1800, gt=0)
    cost_usd: float | None = Field(None, gt=0)
    tokens: int | None = Field(None, gt=0)
    calls: int | None = Field(None, gt=0)


class RunLimits(Section):
    """Of one invocation; continuing a run directory begins them anew."""

    seconds: float | None = Field(None, gt=0)
    cost_usd: float | None = Field(None, gt=0)


class Limits(Section):
    rollout: RolloutLimits = Field(default_factory=RolloutLimits)
    run: RunLimits = Field(default_factory=RunLimits)


class Safety(Section):
    allow_packages: list[str] | None = None
    """Packages that may be opened; null means all."""
    deny_packages: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _agree(self) -> Safety:
        both = sorted(set(self.allow_packages or ()) & set(self.deny_packages))
        if both:
            raise ValueError(f"both allows and denies {', '.join(both)}")
        return self


class Tasks(Section):
    path: Path | None = None
    samples: int = Field(1, ge=1)
    """Rollouts per task."""
    filter: str = ".*"
    """Regular expression searched in task ids."""
    slice: str = ":"
    """A:B as in Python, after the filter and the shuffle."""
    shuffle_seed: int | None = None
    """null keeps the order of the file."""

    @field_validator("filter")
    @classmethod
    def _is_pattern(cls, value: str) -> str:
        try:
            re.compile(value)
        except (re.error, RecursionError) as error:
            raise ValueError(f"is no regular expression ({error})") from error
        return value

    @field_validator("slice")
    @classmethod
    def _is_slice(cls, value: str) -> str:
        parse_slice(value)
        return value


class Output(Section):
    root: Path = Path("trajectories")
    writers: list[str] = Field(default_factory=list)
    """Projections besides the journal; none yet."""

    @field_validator("writers")
    @classmethod
    def _are_known(cls, value: list[str]) -> list[str]:
        if value:
            raise ValueError(f"names {', '.join(value)}: there are no writers of these names")
        return value


class ScriptedModel(Section):
    """The scripted model server, started and stopped with the run; its address becomes provider `scripted`."""

    enabled: bool = False
    skill: float = Field(1.0, ge=0, le=1)
    """Share of rollouts in which it plays well; decided by the request's seed."""
    latency_s: float = Field(0.0, ge=0)
    faults: Path | None = None


class RunConfig(Section):
    """A whole run."""

    mode: Literal["eval", "rl"] = "eval"
    """rl: no re-asks, token ids and logprobs asked for."""
    providers: dict[str, Provider] = Field(default_factory=dict)
    scripted_model: ScriptedModel = Field(default_factory=ScriptedModel)
    agent: Agent = Field(default_factory=Agent)
    devices: Devices = Field(default_factory=Devices)
    limits: Limits = Field(default_factory=Limits)
    safety: Safety = Field(default_factory=Safety)
    tasks: Tasks = Field(default_factory=Tasks)
    output: Output = Field(default_factory=Output)
