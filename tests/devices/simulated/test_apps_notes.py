"""The Notes app, driven by taps; its rows are read over its content provider."""

from __future__ import annotations

import base64

import pytest
from hands import hold, run, screen, scroll_to, strip, tap, text

from devices.simulated.keyboard import ADB_IME
from devices.simulated.phone import Phone

URI = "content://org.example.notes/notes"
ODD = '你好 😀 "it\'s" $(reboot) 100%s\nsecond; line && `id`'


@pytest.fixture
def phone() -> Phone:
    phone = Phone(0)
    tap(phone, "launcher.app.notes")
    return phone


def rows(phone: Phone, where: str, columns: str = "title") -> str:
    return text(phone, "content", "query", "--uri", URI, "--projection", columns, "--where", where)


def type_anything(phone: Phone, value: str) -> None:
    run(phone, "ime", "enable", ADB_IME)
    run(phone, "ime", "set", ADB_IME)
    run(phone, "am", "broadcast", "-a", "ADB_INPUT_B64", "--es", "msg", base64.b64encode(value.encode()).decode())


def test_a_new_note_is_saved_with_title_text_and_colour(phone):
    tap(phone, "notes.new", "notes.edit.title")
    run(phone, "input", "text", "Milk%srun")
    tap(phone, "notes.edit.body")
    run(phone, "input", "text", "Two%sbottles")
    tap(phone, "notes.edit.colour.green", "notes.edit.save")
    assert (screen(phone), phone.toast_text) == ("notes/list", "Saved")
    assert rows(phone, "title='Milk run'", "colour:pinned:body") == "Row: 0 colour=green, pinned=0, body=Two bottles\n"
    tap(phone, "notes.row.milk-run")
    assert screen(phone) == "notes/view"


def test_any_unicode_text_arrives_unchanged(phone):
    tap(phone, "notes.new", "notes.edit.body")
    type_anything(phone, ODD)
    tap(phone, "notes.edit.save")
    assert rows(phone, "title=''", "body") == f"Row: 0 body={ODD}\n"
    assert phone.capture()


def test_leaving_the_editor_keeps_nothing(phone):
    tap(phone, "notes.new", "notes.edit.title")
    run(phone, "input", "text", "Gone")
    tap(phone, "bar.back")
    assert rows(phone, "title='Gone'") == "No result found.\n"


def test_an_empty_note_is_not_saved(phone):
    tap(phone, "notes.new", "notes.edit.save")
    assert screen(phone) == "notes/edit"


def test_a_note_is_deleted_from_its_menu_after_a_question(phone):
    tap(phone, "notes.row.old-draft", "notes.view.menu", "menu.delete")
    assert strip(phone).flags == ("d=delete",)
    tap(phone, "dialog.cancel")
    assert rows(phone, "title='Old draft'") != "No result found.\n"
    tap(phone, "notes.view.menu", "menu.delete", "dialog.ok")
    assert rows(phone, "title='Old draft'") == "No result found.\n"
    assert (screen(phone), phone.toast_text) == ("notes/list", "Note deleted")


def test_a_note_is_deleted_by_a_long_press(phone):
    hold(phone, "notes.row.old-draft")
    tap(phone, "menu.delete", "dialog.ok")
    assert rows(phone, "title='Old draft'") == "No result found.\n"


def test_a_note_far_down_is_found_by_scrolling_and_pinned(phone):
    assert strip(phone).find("notes.row.trip-33") is None
    scroll_to(phone, "notes.row.trip-33")
    tap(phone, "notes.row.trip-33", "notes.view.pin")
    assert rows(phone, "pinned=1") == "Row: 0 title=Trip 33\n"
    tap(phone, "bar.back")
    phone.page.scroll_px = 0
    phone.changed()
    assert strip(phone).find("notes.row.trip-33") is not None


def test_search_finds_the_tea_recipe_alone(phone):
    tap(phone, "notes.search")
    run(phone, "input", "text", "tea")
    found = [e.key for e in phone.view().page if e.key.startswith("notes.row.")]
    assert found == ["notes.row.tea-recipe"]
    tap(phone, "notes.row.tea-recipe")
    run(phone, "uiautomator", "dump")
    assert b"Steep for four minutes" in phone.files.read("/sdcard/window_dump.xml")


def test_an_old_note_is_edited(phone):
    tap(phone, "notes.row.shopping-list", "notes.view.edit", "notes.edit.body")
    run(phone, "input", "keyevent", "66")
    run(phone, "input", "text", "salt")
    tap(phone, "notes.edit.save")
    assert screen(phone) == "notes/view"
    assert rows(phone, "title='Shopping list'", "body").endswith("\n6 apples\nsalt\n")


@pytest.mark.parametrize("seed", range(5))
def test_every_seed_has_the_notes_that_tasks_speak_of(seed):
    phone = Phone(0, seed=seed)
    titles = text(phone, "content", "query", "--uri", URI, "--projection", "title").splitlines()
    assert len(titles) >= 40
    assert len({line.split(" ", 2)[2] for line in titles}) == len(titles)
    assert rows(phone, "body LIKE '%12 eggs%'") == "Row: 0 title=Shopping list\n"
    assert rows(phone, "title IN ('Trip 1', 'Trip 40', 'Old draft')").count("Row:") == 3


def test_notes_of_the_same_title_keep_keys_of_their_own(phone):
    for _ in range(2):
        run(phone, "content", "insert", "--uri", URI, "--bind", "title:s:Trip 1")
    keys = [e.key for e in phone.view().page if e.key.startswith("notes.row.trip-1")]
    assert len(keys) == len(set(keys)) == 3 and "notes.row.trip-1" in keys


def test_a_note_deleted_over_adb_while_it_is_open_breaks_nothing(phone):
    tap(phone, "notes.row.old-draft", "notes.view.edit", "notes.edit.title")
    run(phone, "content", "delete", "--uri", URI, "--where", "title='Old draft'")
    tap(phone, "notes.edit.save")
    assert rows(phone, "title='Old draft'") == "Row: 0 title=Old draft\n"
    tap(phone, "bar.back")
    hold(phone, "notes.row.trip-2")
    run(phone, "content", "delete", "--uri", URI)
    tap(phone, "menu.delete", "dialog.ok")
    assert phone.capture()


def test_hostile_titles_are_shown_and_kept(phone):
    for title in ("\x1b[31m</node>", "‮evil", "a" * 5000, "\u0000", "e\u0301" * 30, "🏳️‍🌈" * 50):
        run(phone, "content", "insert", "--uri", URI, "--bind", f"title:s:{title}")
        assert phone.capture()
        run(phone, "uiautomator", "dump")
