"""The Notes app: a list, a note, an editor, a search, and a content provider over the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, ClassVar

from devices.simulated.layout import Builder, slug
from devices.simulated.ui import App, Choice, Dialog, Page, Provider, TextField

if TYPE_CHECKING:
    from devices.simulated.phone import Phone

COLOURS = {"red": "#d9534f", "green": "#3fa45b", "blue": "#3f78d8", "yellow": "#e3b23c"}
DEFAULT_COLOUR = "yellow"
TRIPS = 40
_FIXED = {
    "Shopping list": "12 eggs\n2 litres of milk\nbread\n6 apples",
    "Old draft": "An opening line that never worked.",
    "Tea recipe": "Boil fresh water.\nSteep for four minutes.\nA slice of lemon.",
    "Books to read": "The one with the lighthouse.\nThe one about bees.",
    "Gift ideas": "Scarf, puzzle, plant",
    "Garden": "Water the tomatoes every other day.",
    "Window sizes": "Kitchen 80 x 120\nHall 60 x 90",
}
_PLACES = ("Lisbon", "Oslo", "Kyoto", "Cusco", "Hobart", "Quebec", "Riga", "Accra", "Hanoi", "Split")
_THINGS = ("two nights by the harbour", "the early train", "a walk on the old wall", "the market on Sunday")

Value = str | int | None


@dataclass(slots=True)
class Note:
    id: int
    title: str
    body: str = ""
    colour: str = DEFAULT_COLOUR
    is_pinned: bool = False


class NotesProvider:
    """content://org.example.notes/notes"""

    columns = ("_id", "title", "colour", "pinned", "body")

    def __init__(self, app: Notes) -> None:
        self._app = app

    def rows(self) -> list[dict[str, Value]]:
        notes = sorted(self._app.notes.values(), key=lambda note: note.id)
        return [
            {"_id": n.id, "title": n.title, "colour": n.colour, "pinned": int(n.is_pinned), "body": n.body}
            for n in notes
        ]

    def insert(self, values: Mapping[str, Value]) -> None:
        self._write(self._app.add(), values)

    def update(self, row_id: int, values: Mapping[str, Value]) -> None:
        self._write(self._app.notes[row_id], values)

    def delete(self, row_id: int) -> None:
        self._app.delete(row_id)

    def _write(self, note: Note, values: Mapping[str, Value]) -> None:
        note.title = str(values.get("title", note.title) or "")
        note.body = str(values.get("body", note.body) or "")
        note.colour = str(values.get("colour", note.colour) or DEFAULT_COLOUR)
        note.is_pinned = str(values.get("pinned", int(note.is_pinned))) in ("1", "true", "True")


class NotesPage(Page):
    @property
    def notes(self) -> Notes:
        assert isinstance(self.app, Notes)
        return self.app

    def note_rows(self, ui: Builder, notes: list[Note], keys: Mapping[int, str]) -> None:
        for note in notes:
            detail = note.body.split("\n", 1)[0]
            ui.row(
                f"notes.row.{keys[note.id]}", note.title or "Untitled", detail, kind="note",
                colour=COLOURS.get(note.colour, "#888888"), mark="pin" if note.is_pinned else "",
                handler=self._opener(note.id), on_long_press=self._menu_of(note.id),
            )  # fmt: skip

    def _opener(self, note_id: int) -> Callable[[], None]:
        return lambda: self.open(NoteView(self.app, note_id))

    def _menu_of(self, note_id: int) -> Callable[[], None]:
        def show() -> None:
            note = self.notes.notes.get(note_id)
            pin = "Unpin" if note and note.is_pinned else "Pin"
            self.dialog = Dialog("note", options=[
                Choice("menu.pin", pin, lambda: self.notes.toggle_pin(note_id)),
                Choice("menu.delete", "Delete", lambda: self.ask_delete(note_id)),
            ])  # fmt: skip

        return show

    def ask_delete(self, note_id: int) -> None:
        note = self.notes.notes.get(note_id)
        title = note.title if note and note.title else "Untitled"
        self.dialog = Dialog(
            "delete", "Delete note?", f"“{title}” will be gone for good.",
            buttons=[Choice("dialog.cancel", "Cancel"), Choice("dialog.ok", "Delete", lambda: self.delete(note_id))],
        )  # fmt: skip

    def delete(self, note_id: int) -> None:
        self.notes.delete(note_id)
        self.phone.toast("Note deleted")


class NoteList(NotesPage):
    screen = "notes/list"
    activity = ".MainActivity"

    def build(self, ui: Builder) -> None:
        ui.app_bar("Notes", actions=[("notes.search", "search", "Search", self._search)])
        shown = self.notes.in_order()
        self.note_rows(ui, shown, self.notes.keys())
        if not shown:
            ui.paragraph("", "No notes yet.")
        ui.floating_button("notes.new", "add", "New note", self._new)

    def _search(self) -> None:
        self.open(Search(self.app))

    def _new(self) -> None:
        self.open(Editor(self.app, None))


class Search(NotesPage):
    screen = "notes/search"
    activity = ".SearchActivity"

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.fields["search"] = TextField("search", hint="Search notes", on_change=self._to_top)
        self.focus_on("search")

    def _to_top(self) -> None:
        self.scroll_px = 0

    def build(self, ui: Builder) -> None:
        ui.app_bar("", back=True)
        ui.bar_field("notes.search.field", "search")
        wanted = self.fields["search"].text.strip().lower()
        found = [n for n in self.notes.in_order() if wanted in n.title.lower() or wanted in n.body.lower()]
        self.note_rows(ui, found if wanted else [], self.notes.keys())
        if not wanted or not found:
            ui.space(12)
            ui.paragraph("", "Nothing found." if wanted else "Type a word of the title or the text.")


class NoteView(NotesPage):
    screen = "notes/view"
    activity = ".NoteActivity"

    def __init__(self, app: App, note_id: int) -> None:
        super().__init__(app)
        self.note_id = note_id

    def build(self, ui: Builder) -> None:
        note = self.notes.notes.get(self.note_id)
        if note is None:
            ui.app_bar("Note", back=True)
            ui.paragraph("", "This note is gone.")
            return
        pin = ("notes.view.pin", "pin", "Unpin" if note.is_pinned else "Pin", self._pin)
        edit = ("notes.view.edit", "edit", "Edit", self._edit)
        ui.app_bar("Note", back=True, actions=[pin, edit, ("notes.view.menu", "menu", "More", self._menu)])
        ui.paragraph("notes.view.title", note.title or "Untitled", size_dp=24, bold=True)
        state = f"{note.colour.capitalize()}{' - pinned' if note.is_pinned else ''}"
        ui.paragraph("notes.view.state", state, size_dp=14)
        ui.space(8)
        ui.paragraph("notes.view.body", note.body, on_double_tap=self._edit)

    def _pin(self) -> None:
        self.notes.toggle_pin(self.note_id)
        note = self.notes.notes.get(self.note_id)
        self.phone.toast("Pinned" if note and note.is_pinned else "Unpinned")

    def _edit(self) -> None:
        self.open(Editor(self.app, self.note_id))

    def _menu(self) -> None:
        self.dialog = Dialog("menu", options=[Choice("menu.delete", "Delete", lambda: self.ask_delete(self.note_id))])

    def delete(self, note_id: int) -> None:
        self.phone.close_page()
        super().delete(note_id)


class Editor(NotesPage):
    """Of a new note (id None) or an old one; nothing is kept until Save."""

    screen = "notes/edit"
    activity = ".EditActivity"

    def __init__(self, app: App, note_id: int | None = None) -> None:
        super().__init__(app)
        self.note_id = note_id
        note = self.notes.notes.get(note_id) if note_id is not None else None
        self.colour = note.colour if note else DEFAULT_COLOUR
        self.fields["title"] = TextField("title", note.title if note else "", "Title", on_enter=self._to_body)
        self.fields["body"] = TextField("body", note.body if note else "", "Write something", is_multiline=True)

    def _to_body(self) -> None:
        self.focus_on("body")

    def build(self, ui: Builder) -> None:
        save = ("notes.edit.save", "text:Save", "Save", self._save)
        ui.app_bar("New note" if self.note_id is None else "Edit note", back=True, actions=[save])
        ui.space(6)
        ui.field("notes.edit.title", "title", "Title")
        names = list(COLOURS)
        ui.swatches("notes.edit.colour", list(COLOURS.items()), self.colour, [self._colour_setter(n) for n in names])
        ui.field("notes.edit.body", "body", "Text")

    def _colour_setter(self, name: str) -> Callable[[], None]:
        def choose() -> None:
            self.colour = name

        return choose

    def _save(self) -> None:
        title, body = self.fields["title"].text, self.fields["body"].text
        if not title.strip() and not body.strip():
            self.phone.toast("An empty note is not kept")
            return
        note = self.notes.notes.get(self.note_id) if self.note_id is not None else None
        note = note or self.notes.add()
        note.title, note.body, note.colour = title, body, self.colour
        self.phone.close_page()
        if self.note_id is None:
            self.phone.page.scroll_px = 0
        self.phone.toast("Saved")


class Notes(App):
    package = "org.example.notes"
    label = "Notes"
    icon = "note"
    colour = "#d98a1f"
    is_system = False
    version = ("1.4", 14)
    permissions: ClassVar[tuple[str, ...]] = ("android.permission.POST_NOTIFICATIONS", "android.permission.CAMERA")
    private_activities = (".NoteActivity", ".EditActivity")
    pages = {".MainActivity": NoteList, ".SearchActivity": Search}  # noqa: RUF012

    def __init__(self, phone: Phone) -> None:
        super().__init__(phone)
        self.notes: dict[int, Note] = {}
        self._last_id = 0
        self.providers: dict[str, Provider] = {"org.example.notes/notes": NotesProvider(self)}

    def clear(self, random: Random) -> None:
        """The notes that come with the app: the trips below, the others above them in an order by seed."""
        self.notes, self._last_id = {}, 0
        colours = list(COLOURS)
        for number in range(TRIPS, 0, -1):
            body = f"{random.choice(_PLACES)}: {random.choice(_THINGS)}, {random.randint(2, 9)} bags"
            self.add(f"Trip {number}", body, random.choice(colours))
        titles = list(_FIXED)
        random.shuffle(titles)
        for title in titles:
            self.add(title, _FIXED[title], random.choice(colours))

    def add(self, title: str = "", body: str = "", colour: str = DEFAULT_COLOUR) -> Note:
        self._last_id += 1
        note = self.notes[self._last_id] = Note(self._last_id, title, body, colour)
        return note

    def delete(self, note_id: int) -> None:
        self.notes.pop(note_id, None)

    def toggle_pin(self, note_id: int) -> None:
        note = self.notes.get(note_id)
        if note is not None:
            note.is_pinned = not note.is_pinned

    def in_order(self) -> list[Note]:
        """Pinned first, then the newest."""
        return sorted(self.notes.values(), key=lambda note: (not note.is_pinned, -note.id))

    def keys(self) -> dict[int, str]:
        """Stable names of the notes for element keys: the title's slug, with the id where it is taken."""
        taken: set[str] = set()
        names = {}
        for note in sorted(self.notes.values(), key=lambda n: n.id):
            name = slug(note.title)
            names[note.id] = name = f"{name}-{note.id}" if name in taken else name
            taken.add(name)
        return names


APP = Notes
