"""RunConfig → YAML that loads back to the same configuration. Providers' keys become references to the environment."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, SecretStr

from rollout.config.env import escape
from rollout.config.schema import RunConfig
from rollout.config.yaml_lines import scalar_resolvers

NO_KEY = "EMPTY"
"""What servers without a key are given by custom. No secret."""


def key_variable(provider: str) -> str:
    """Name of the environment variable that a written configuration takes a provider's key from."""
    return f"ROLLOUT_KEY_{re.sub(r'[^A-Z0-9]', '_', provider.upper())}"


def dump_config(config: RunConfig) -> str:
    """The whole configuration, defaults included.

    A provider's key is written as `${ROLLOUT_KEY_<PROVIDER>}`: loading again asks for that variable by name when it is
    missing. Names that differ only in signs share a variable.
    """
    values = _plain(config)
    for name, provider in config.providers.items():
        key = provider.api_key.get_secret_value()
        values["providers"][name]["api_key"] = key if key in ("", NO_KEY) else f"${{{key_variable(name)}}}"
    return yaml.dump(values, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=120)


def _plain(value: Any) -> Any:
    match value:
        case BaseModel():
            return {name: _plain(getattr(value, name)) for name in type(value).model_fields}
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case SecretStr():
            return "***"
        case Path():
            return escape(str(value))
        case str():
            return escape(value)
    return value


class _Dumper(yaml.SafeDumper):
    """Quotes every text that YAML 1.1, or our reader, would take for something else; writes no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.yaml_implicit_resolvers = {
    first: [*yaml.SafeDumper.yaml_implicit_resolvers.get(first, []), *rules]
    for first, rules in scalar_resolvers().items()
}
