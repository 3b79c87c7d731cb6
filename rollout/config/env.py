"""`${NAME}` and `${NAME:-default}` in the strings of a configuration. `$${` stands for a literal `${`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rollout.config.document import Document, KeyPath, show_path

_REFERENCE = re.compile(r"\$\$\{|\$\{(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\})?")


def substitute(document: Document, env: Mapping[str, str]) -> None:
    """Fill in the variables of all strings; a missing one becomes a problem of the document.

    A value from the environment is text and stays text: it is never read as YAML and never looked into again.
    """
    document.value = _fill(document.value, (), document, env)


def escape(text: str) -> str:
    """The text as a configuration must hold it, so that it is read back unchanged."""
    return text.replace("${", "$${")


def references(text: str) -> list[str]:
    """Names of the variables a text refers to."""
    return [found["name"] for found in _REFERENCE.finditer(text) if found["name"]]


def _fill(value: Any, path: KeyPath, document: Document, env: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _fill(item, (*path, key), document, env) for key, item in value.items()}
    if isinstance(value, list):
        return [_fill(item, (*path, index), document, env) for index, item in enumerate(value)]
    if not isinstance(value, str) or "${" not in value:
        return value

    def replacement(found: re.Match[str]) -> str:
        if found.group() == "$${":
            return "${"
        name, default = found["name"], found["default"]
        if name is None:
            document.complain(
                path, f"{show_path(path)}: `${{` begins no variable", "${NAME} or ${NAME:-default}; $${ is text"
            )
        elif name in env:
            return env[name]
        elif default is None:
            document.complain(
                path,
                f"{show_path(path)}: the environment variable {name} is not set",
                f"export {name}=…, or give a default: ${{{name}:-default}}",
            )
        return default or ""

    return _REFERENCE.sub(replacement, value)
