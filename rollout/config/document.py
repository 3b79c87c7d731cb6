"""What a file or a flag held: plain values, with the place of each, and the problems found so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rollout.errors import Problem

KeyPath = tuple[str | int, ...]


def show_path(path: KeyPath) -> str:
    """`agent.sampling.stop[0]`; a key with a dot in it is quoted."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (f'"{part}"' if "." in part else part)
    return text


@dataclass(slots=True)
class Document:
    """Plain values, with where they stand."""

    name: str
    """File name or flag, as problems show it."""
    value: Any = None
    places: dict[KeyPath, str] = field(default_factory=dict)
    """`file:line` of each key or list item, or the flag that set it."""
    written: dict[KeyPath, str] = field(default_factory=dict)
    """Plain scalars that are no text, as they were written (`0123`, `yes`)."""
    problems: list[Problem] = field(default_factory=list)
    unreadable: set[KeyPath] = field(default_factory=set)
    """Where a problem stands already: what is found wrong with the value there follows from it."""
    has_lines: bool = True

    def where(self, path: KeyPath) -> str:
        """`file:line` of a key path, or of the nearest thing above it."""
        for length in range(len(path), -1, -1):
            place = self.places.get(path[:length])
            if place is not None:
                return place
        return self.name

    def part(self, path: KeyPath) -> Document:
        """What stands at `path`, as a document of its own."""
        value = self.value
        for step in path:
            value = value[step]
        cut = len(path)
        places = {inner[cut:]: place for inner, place in self.places.items() if inner[:cut] == path}
        written = {inner[cut:]: text for inner, text in self.written.items() if inner[:cut] == path}
        unreadable = {inner[cut:] for inner in self.unreadable if inner[:cut] == path}
        return Document(self.name, value, {(): self.where(path), **places}, written, [], unreadable)

    def at_line(self, line: int) -> str:
        """How a place in the text is called. A flag has no lines."""
        return f"{self.name}:{line}" if self.has_lines else self.name

    def complain(self, path: KeyPath, message: str, hint: str = "") -> None:
        """Note a problem with the value at `path`."""
        self.problems.append(Problem(self.where(path), message, hint))
        self.unreadable.add(path)
