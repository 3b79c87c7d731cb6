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

    def items(self, path: KeyPath) -> list[Document]:
        """The items of the list at `path`, each a document of its own."""
        listed = self.value
        for step in path:
            listed = listed[step]
        parts = [Document(self.name, value, {(): self.where((*path, index))}) for index, value in enumerate(listed)]
        cut = len(path)
        for inner, place in self.places.items():
            if len(inner) > cut and inner[:cut] == path:
                parts[int(inner[cut])].places[inner[cut + 1 :]] = place
        for inner, text in self.written.items():
            if len(inner) > cut and inner[:cut] == path:
                parts[int(inner[cut])].written[inner[cut + 1 :]] = text
        for inner in self.unreadable:
            if len(inner) > cut and inner[:cut] == path:
                parts[int(inner[cut])].unreadable.add(inner[cut + 1 :])
        return parts

    def at_line(self, line: int) -> str:
        """How a place in the text is called. A flag has no lines."""
        return f"{self.name}:{line}" if self.has_lines else self.name

    def complain(self, path: KeyPath, message: str, hint: str = "") -> None:
        """Note a problem with the value at `path`."""
        self.problems.append(Problem(self.where(path), message, hint))
        self.unreadable.add(path)
