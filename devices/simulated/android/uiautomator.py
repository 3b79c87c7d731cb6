"""`uiautomator dump`: the active window as XML, byte for byte in the form of Android's serializer."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass, field

from devices.simulated.android.answers import err, out
from devices.simulated.command import Call, Result
from devices.simulated.files import FileError
from devices.simulated.phone import Phone
from devices.simulated.ui import Element, Rect

DEFAULT_FILE = "/sdcard/window_dump.xml"
_IDLE_LIMIT_S = 10.0
_NO_ROOT = "ERROR: null root node returned by UiTestAutomationBridge.\n"
_NOT_IDLE = "ERROR: could not get idle state.\n"
_CLASSES = {
    "button": "android.widget.Button",
    "text_button": "android.widget.Button",
    "icon_button": "android.widget.ImageButton",
    "fab": "android.widget.ImageButton",
    "field": "android.widget.EditText",
    "bar_field": "android.widget.EditText",
    "radio": "android.widget.RadioButton",
    "swatch": "android.widget.RadioButton",
    "slider": "android.widget.SeekBar",
    "app_icon": "android.widget.TextView",
    "paragraph": "android.widget.TextView",
    "section": "android.widget.TextView",
    "label": "android.widget.TextView",
    "menu_item": "android.widget.TextView",
    "pin_key": "android.widget.Button",
}
_GROUPS = ("row", "note", "bar", "panel", "task_card", "clock", "shade")
"""Kinds shown as a group whose texts are nodes of their own."""
_PICTURES = ("wallpaper", "dock", "off")


@dataclass(slots=True)
class Node:
    class_name: str
    bounds: Rect
    text: str = ""
    description: str = ""
    resource_id: str = ""
    flags: frozenset[str] = frozenset()
    children: list[Node] = field(default_factory=list)


async def run(phone: Phone, call: Call) -> Result:
    words = call.argv[1:]
    if words[:1] != ["dump"]:
        return err("Usage: uiautomator <subcommand> [options]\n", 1)
    paths = [word for word in words[1:] if not word.startswith("--")]
    if phone.rest_s > _IDLE_LIMIT_S:
        await asyncio.sleep(_IDLE_LIMIT_S)
        return err(_NOT_IDLE, 0)
    if phone.rest_s:
        await asyncio.sleep(phone.rest_s)
    xml = dump(phone)
    if xml is None:
        # The status is 0, and an older file stays where it is.
        return err(_NO_ROOT, 0)
    path = paths[0] if paths else DEFAULT_FILE
    said = f"UI hierchary dumped to: {path}\n"
    if path == "/dev/tty":
        return out(xml + said if call.is_tty else said)
    # A failure goes to the phone's log alone; the command says that it has worked.
    with suppress(FileError):
        phone.files.write(path, xml.encode(errors="replace"))
    return out(said)


def dump(phone: Phone) -> str | None:
    """The active window's XML; None when there is no window (screen off)."""
    if not phone.is_awake:
        return None
    head = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
    package = phone.page.app.package
    if phone.lock.is_showing or phone.is_shade_open:
        package = "com.android.systemui"
    body = "".join(_written(_tree(phone), package, 0))
    return f'{head}<hierarchy rotation="{phone.rotation}">{body}</hierarchy>'


def _tree(phone: Phone) -> Node:
    view = phone.view()
    screen = Rect(0, 0, view.metrics.width_px, view.metrics.navigation_top)
    root_bounds = view.overlay[0].bounds if view.overlay else Rect(0, 0, view.metrics.width_px, view.metrics.height_px)
    root = Node("android.widget.FrameLayout", root_bounds)
    listed = [e for e in view.window if e.clip is not None]
    others = [e for e in view.window if e.clip is None]
    if listed:
        can_scroll = view.max_scroll_px > 0
        kind = "androidx.recyclerview.widget.RecyclerView" if can_scroll else "android.widget.LinearLayout"
        flags = frozenset({"scrollable", "focusable"} if can_scroll else ())
        holder = Node(kind, view.list_bounds, flags=flags)
        holder.children = [n for e in listed if (n := _node(e, view.list_bounds))]
        root.children.append(holder)
    root.children += [n for e in others if (n := _node(e, screen))]
    return root


def _node(element: Element, screen: Rect) -> Node | None:
    bounds = element.bounds.clipped(screen)
    if element.kind in _PICTURES or bounds.width <= 0 or bounds.height <= 0:
        return None
    node = Node(_CLASSES.get(element.kind, "android.view.ViewGroup"), bounds)
    node.description, node.flags = element.description, _flags(element)
    node.resource_id = f"{element.key}" if element.key else ""
    if element.kind in _GROUPS:
        node.class_name = "android.widget.LinearLayout"
        node.children = _texts(element, bounds)
    else:
        node.text = element.text
    return node


def _texts(element: Element, bounds: Rect) -> list[Node]:
    """Title and detail one above the other, and the switch of a row that has one."""
    texts = [text for text in (element.text, element.detail) if text]
    found = []
    for index, text in enumerate(texts):
        top = bounds.top + bounds.height * index // len(texts)
        bottom = bounds.top + bounds.height * (index + 1) // len(texts)
        found.append(Node("android.widget.TextView", Rect(bounds.left, top, bounds.right, bottom), text))
    if element.checked is not None:
        left = bounds.left + bounds.width * 5 // 6
        flags = frozenset({"checkable", *(["checked"] if element.checked else [])})
        found.append(Node("android.widget.Switch", Rect(left, bounds.top, bounds.right, bounds.bottom), flags=flags))
    return found


def _flags(element: Element) -> frozenset[str]:
    flags = set()
    if element.is_actionable:
        flags |= {"clickable", "focusable"}
    if element.on_long_press is not None:
        flags.add("long-clickable")
    if element.field is not None:
        flags |= {"long-clickable"} | ({"password"} if element.field.is_password else set())
    if element.is_focused:
        flags.add("focused")
    if element.checked is not None and element.kind not in _GROUPS:
        flags |= {"checkable"} | ({"checked"} if element.checked else set())
    return frozenset(flags)


_FLAGS = ("checkable", "checked", "clickable", "enabled", "focusable", "focused", "scrollable", "long-clickable", "password", "selected")  # fmt: skip # noqa: E501


def _written(node: Node, package: str, index: int) -> list[str]:
    bounds = "[{},{}][{},{}]".format(*node.bounds)
    is_bare = "clickable" in node.flags and not _has_text(node)
    parts = ["<node ", 'NAF="true" ' if is_bare else "", f'index="{index}" text={_quoted(node.text)}']
    parts.append(f" resource-id={_quoted(f'{package}:id/{node.resource_id}' if node.resource_id else '')}")
    parts.append(f' class="{node.class_name}" package="{package}" content-desc={_quoted(node.description)}')
    flags = node.flags | {"enabled"}
    parts += [f' {name}="{"true" if name in flags else "false"}"' for name in _FLAGS]
    parts.append(f' bounds="{bounds}"')
    if not node.children:
        return [*parts, " />"]
    parts.append(">")
    for number, child in enumerate(node.children):
        parts += _written(child, package, number)
    return [*parts, "</node>"]


def _has_text(node: Node) -> bool:
    return bool(node.text or node.description) or any(_has_text(child) for child in node.children)


def _quoted(text: str) -> str:
    """An attribute's value in its quotes: single ones when the text holds a double quote."""
    if text.isascii() and text.isprintable() and not _SPECIAL.search(text):
        return f'"{text}"'
    quote = "'" if '"' in text else '"'
    return quote + "".join(_escaped(char, quote) for char in text) + quote


def _escaped(char: str, quote: str) -> str:
    code = ord(char)
    if char in "\n\r\t":
        return f"&#{code};"
    if char in _ENTITIES:
        return _ENTITIES[char]
    if char == quote:
        return "&quot;" if quote == '"' else "&apos;"
    if code > 0xFFFF:
        return f"&#{code};"
    if code < 0x20 or 0x7F <= code <= 0x84 or 0x86 <= code <= 0x9F or 0xD800 <= code <= 0xDFFF or code >= 0xFFFE:
        return "."
    return char


_SPECIAL = re.compile('[&<>"]')
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
COMMANDS = {"uiautomator": run}
