"""What every role is told when it starts: crosses once, as JSON, keys beside it."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, Field, SecretStr

from rollout.config.schema import RunConfig


class PhoneSlot(BaseModel):
    """A phone this run owns."""

    serial: str
    hardware_serial: str
    tags: list[str] = Field(default_factory=list)


class RunSettings(BaseModel):
    run_id: str
    run_dir: Path
    config: RunConfig
    api_keys: dict[str, str]
    """provider → key: the configuration itself only ever dumps masked."""
    adb_port: int | None
    adb_path: Path | None
    state_dir: Path
    """Where a phone's saved keyboard waits for its return."""
    phones: list[PhoneSlot]
    started_at: str
    """UTC, ISO 8601: when this invocation began."""
    redo: list[str] = Field(default_factory=list)
    """Statuses whose rollouts run again (--redo), if they ended before this invocation."""
    shard: str | None = None
    needs_packages: bool = False
    """Some task requires packages: workers report what is installed."""

    def with_keys(self) -> RunSettings:
        """The same, with the providers' keys in place again."""
        for name, key in self.api_keys.items():
            self.config.providers[name].api_key = SecretStr(key)
        return self
