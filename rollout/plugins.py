"""Name → import path. Adding a kind is one file and one line here, or an entry point of another package.

Nothing is imported before it is asked for. A table's entry points stand in the group it names, e.g. `rollout.dialects`;
a name that is built in cannot be replaced from outside.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from rollout.errors import ConfigError, Problem


class Table(dict[str, str]):
    """Built-in names of one kind, and the entry point group where other packages add theirs."""

    def __init__(self, group: str, names: Mapping[str, str]) -> None:
        super().__init__(names)
        self.group = group

    def from_outside(self) -> dict[str, str]:
        return {point.name: point.value for point in metadata.entry_points(group=self.group)}


DIALECTS = Table(
    "rollout.dialects",
    {
        "gelab": "rollout.actions.dialects.gelab:GelabDialect",
    },
)


def load(table: Table, name: str, kind: str) -> Any:
    """What `name` stands for in `table`, imported.

    Args:
        kind: what the table holds, for the message: "dialect".

    Raises:
        ConfigError: nothing goes by that name; it lists the known ones.
    """
    target = table.get(name) or table.from_outside().get(name)
    if target is None:
        raise ConfigError([Problem(kind, f"{name!r} is no {kind}", _hint(name, known_names(table)))])
    return load_attribute(target)


def known_names(table: Table) -> list[str]:
    """Every name that `load` takes, sorted."""
    return sorted({*table, *table.from_outside()})


def load_attribute(target: str) -> Any:
    """`package.module:attribute` → the attribute. What goes wrong on import is not caught."""
    module, _, attribute = target.partition(":")
    found: Any = importlib.import_module(module)
    for part in attribute.split(".") if attribute else ():
        found = getattr(found, part)
    return found


def _hint(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    return f"{meant}known: {', '.join(known) or 'none'}"
