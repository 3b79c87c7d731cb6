"""The view toolkit of the simulated phones: what apps are made of. Layout is in `layout.py`, drawing in `draw.py`.

An app is an `App` with `Page`s. A page holds plain state (scroll, text fields, an open dialog) and builds its elements
from it whenever the screen is asked for; handlers change state and nothing else. Coordinates are device pixels of the
current rotation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

if TYPE_CHECKING:
    from devices.simulated.layout import Builder
    from devices.simulated.phone import Phone

Action = Callable[[], None]
MAX_FIELD_CHARS = 20_000
"""What a text field holds at most; more is not taken."""


class Rect(NamedTuple):
    """left and top inside, right and bottom outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def middle(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    def holds(self, x_px: float, y_px: float) -> bool:
        return self.left <= x_px < self.right and self.top <= y_px < self.bottom

    def moved(self, dx_px: int, dy_px: int) -> Rect:
        return Rect(self.left + dx_px, self.top + dy_px, self.right + dx_px, self.bottom + dy_px)

    def clipped(self, other: Rect) -> Rect:
        left, top = max(self.left, other.left), max(self.top, other.top)
        return Rect(left, top, max(left, min(self.right, other.right)), max(top, min(self.bottom, other.bottom)))


@dataclass(slots=True)
class TextField:
    """Text being edited; `cursor` counts code points."""

    name: str
    text: str = ""
    hint: str = ""
    is_multiline: bool = False
    is_password: bool = False
    on_enter: Action | None = None
    on_change: Action | None = None
    cursor: int = 0
    is_all_selected: bool = False

    def __post_init__(self) -> None:
        self.cursor = len(self.text)

    def insert(self, text: str) -> None:
        if self.is_all_selected:
            self.text, self.cursor = "", 0
        text = text[: max(0, MAX_FIELD_CHARS - len(self.text))]
        self._replace(self.cursor, self.cursor, text)

    def delete(self, *, forward: bool = False) -> None:
        """One code point before the cursor (or after it), or the whole selection."""
        if self.is_all_selected:
            self.clear()
        elif forward:
            self._replace(self.cursor, min(len(self.text), self.cursor + 1), "")
        else:
            self._replace(max(0, self.cursor - 1), self.cursor, "")

    def clear(self) -> None:
        self._replace(0, len(self.text), "")

    def move(self, cursor: int) -> None:
        self.cursor, self.is_all_selected = min(len(self.text), max(0, cursor)), False

    def _replace(self, start: int, end: int, text: str) -> None:
        self.text = self.text[:start] + text + self.text[end:]
        self.cursor, self.is_all_selected = start + len(text), False
        if self.on_change is not None:
            self.on_change()


@dataclass(slots=True)
class Element:
    """One thing on the screen. `kind` names its painter, `look` holds whatever else is visible of it.

    An element with a `key` and a handler (or a field) is actionable: it is in the strip and in the UI tree.
    """

    kind: str
    key: str
    bounds: Rect
    text: str = ""
    detail: str = ""
    look: tuple[object, ...] = ()
    checked: bool | None = None
    on_tap: Action | None = None
    on_tap_at: Callable[[float], None] | None = None
    """Called with the place of the tap, 0–1 of the element's width."""
    on_long_press: Action | None = None
    on_double_tap: Action | None = None
    on_drop: Callable[[str], None] | None = None
    """Called with the key of the element that this one was dragged to."""
    field: TextField | None = None
    is_focused: bool = False
    description: str = ""
    clip: Rect | None = None

    @property
    def is_actionable(self) -> bool:
        return bool(self.key) and (self.on_tap is not None or self.on_tap_at is not None or self.field is not None)

    @property
    def visible_bounds(self) -> Rect:
        return self.bounds if self.clip is None else self.bounds.clipped(self.clip)


class Choice(NamedTuple):
    """An option of a dialog or menu, or one of its buttons; the dialog closes before `on_tap` runs."""

    key: str
    label: str
    on_tap: Action | None = None
    checked: bool | None = None


@dataclass(frozen=True, slots=True)
class Dialog:
    id: str
    title: str = ""
    message: str = ""
    options: Sequence[Choice] = ()
    buttons: Sequence[Choice] = ()


class Page:
    """One screen of an app (an Android activity)."""

    screen: ClassVar[str] = ""
    """`app/page`, the id that the strip carries."""
    activity: ClassVar[str] = ".MainActivity"
    is_secure: ClassVar[bool] = False
    """True: the screen may not be captured (FLAG_SECURE)."""
    has_wallpaper: ClassVar[bool] = False

    def __init__(self, app: App) -> None:
        self.app = app
        self.scroll_px = 0
        self.fields: dict[str, TextField] = {}
        self.focus: str | None = None
        self.is_keyboard_hidden = False
        self.must_reveal_focus = False
        self.dialog: Dialog | None = None

    @property
    def phone(self) -> Phone:
        return self.app.phone

    @property
    def screen_id(self) -> str:
        return self.screen

    @property
    def focused_field(self) -> TextField | None:
        return self.fields.get(self.focus) if self.focus else None

    def focus_on(self, name: str | None) -> None:
        self.focus, self.is_keyboard_hidden, self.must_reveal_focus = name, False, True

    def build(self, ui: Builder) -> None:
        """Describe the page to the builder. Must not change any state."""
        raise NotImplementedError

    def go_back(self) -> None:
        """What the arrow in the app bar does."""
        self.phone.close_page()

    def open(self, page: Page) -> None:
        self.phone.open_page(page)


PageMaker = Callable[["App"], Page]


class Provider(Protocol):
    """Rows that `content` reads and writes. Values are what SQLite would hold."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    def rows(self) -> list[dict[str, str | int | None]]: ...

    def insert(self, values: Mapping[str, str | int | None]) -> None: ...

    def update(self, row_id: int, values: Mapping[str, str | int | None]) -> None: ...

    def delete(self, row_id: int) -> None: ...


class App:
    """An installed app. A module in `apps/` that has an `APP` of this type is installed on every simulated phone."""

    package: ClassVar[str]
    label: ClassVar[str]
    icon: ClassVar[str] = "square"
    colour: ClassVar[str] = "#5f6368"
    pages: ClassVar[Mapping[str, PageMaker]]
    """Activity → maker; the first is the one that the launcher starts."""
    private_activities: ClassVar[tuple[str, ...]] = ()
    """Activities that only the app itself may start."""
    actions: ClassVar[Mapping[str, str]] = {}
    """Intent action → activity."""
    is_system: ClassVar[bool] = True
    is_home: ClassVar[bool] = False
    version: ClassVar[tuple[str, int]] = ("13", 33)
    permissions: ClassVar[tuple[str, ...]] = ()
    providers: Mapping[str, Provider] = {}
    """`authority/path` → provider."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.frames = 0
        self.granted: set[str] = set()

    @property
    def main_activity(self) -> str:
        return next(iter(self.pages))

    def clear(self, random: Random) -> None:
        """Back to a fresh install. All that differs from phone to phone comes from `random`."""


@dataclass(slots=True)
class Task:
    """An app's stack of pages; the last one is shown."""

    app: App
    pages: list[Page] = field(default_factory=list)
