"""Reading `uiautomator dump`. Its output may be an error text, a bare status line, or a tree with text behind it.

The parser refuses document types and entities: what stands in the tree was written by apps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.parsers import expat

from devices.base import UiNode

MAX_BYTES = 8_000_000
MAX_DEPTH = 400
MAX_NODES = 20_000

_FLAGS = (
    "checkable", "checked", "clickable", "enabled", "focusable", "focused", "scrollable", "long-clickable", "password",
    "selected",
)  # fmt: skip
_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
_REFERENCE = re.compile(r"&#(5[56]\d{3});&#(5[67]\d{3});|&#(\d{1,7});")


class BadTree(ValueError):
    """There is a tree, but it cannot be read or must not be."""


def parse_tree(text: str) -> UiNode | None:
    """The tree in the output of `uiautomator dump`, or None when there is none in it.

    Raises:
        BadTree: broken XML, a document type, or beyond the limits of this module.
    """
    start, end = text.find("<hierarchy"), text.rfind("</hierarchy>")
    declared = text.find("<?xml")
    if start < 0:
        return None
    if end < start:
        raise BadTree("the tree is cut short")
    if len(text) > MAX_BYTES:
        raise BadTree(f"the tree is larger than {MAX_BYTES} bytes")
    begin = declared if 0 <= declared < start else start
    return _Reader().read(_REFERENCE.sub(_repair_reference, text[begin : end + len("</hierarchy>")]))


def _repair_reference(found: re.Match[str]) -> str:
    """Some versions write an emoji as two surrogate references, or control characters: both are illegal XML."""
    codes = [int(group) for group in found.groups() if group]
    if len(codes) == 2 and 0xD800 <= codes[0] < 0xDC00 <= codes[1] < 0xE000:
        return f"&#{0x10000 + ((codes[0] - 0xD800) << 10) + (codes[1] - 0xDC00)};"
    return "".join(f"&#{code if _is_legal(code) else 0xFFFD};" for code in codes)


def _is_legal(code: int) -> bool:
    return code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code <= 0x10FFFF


@dataclass(slots=True)
class _Open:
    """An element whose end has not come yet."""

    name: str
    attributes: dict[str, str]
    children: list[UiNode] = field(default_factory=list)


class _Reader:
    """Builds nodes bottom up from expat's events."""

    def __init__(self) -> None:
        self._stack: list[_Open] = []
        self._root: UiNode | None = None
        self._count = 0
        self._expat = expat.ParserCreate()
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.StartDoctypeDeclHandler = self._refuse

    def read(self, xml: str) -> UiNode | None:
        try:
            self._expat.Parse(xml.encode("utf-8", "replace"), True)
        except expat.ExpatError as error:
            raise BadTree(f"the tree is broken: {error}") from error
        if self._root is not None and len(self._root.children) == 1:
            return self._root.children[0]
        return self._root

    def _refuse(self, *_: object) -> None:
        raise BadTree("the tree declares a document type")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if len(self._stack) >= MAX_DEPTH or self._count > MAX_NODES:
            raise BadTree(f"the tree is deeper than {MAX_DEPTH} or has more than {MAX_NODES} nodes")
        self._stack.append(_Open(name, attributes))

    def _end(self, _: str) -> None:
        node = _node(self._stack.pop())
        if self._stack:
            self._stack[-1].children.append(node)
        else:
            self._root = node


def _node(element: _Open) -> UiNode:
    values = element.attributes
    bounds = _BOUNDS.fullmatch(values.get("bounds", ""))
    left, top, right, bottom = (int(number) for number in bounds.groups()) if bounds else (0, 0, 0, 0)
    return UiNode(
        text=values.get("text", ""),
        resource_id=values.get("resource-id", ""),
        class_name=values.get("class", element.name),
        package=values.get("package", ""),
        content_desc=values.get("content-desc", ""),
        bounds_px=(left, top, right, bottom),
        flags=frozenset(name for name in _FLAGS if values.get(name) == "true"),
        children=tuple(element.children),
    )
