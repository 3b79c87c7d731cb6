"""The simulated tasks as goals. An instruction is recognised by its wording; names and texts are taken from it."""

from __future__ import annotations

import re
from collections.abc import Callable

from rollout.actions.schema import HotKey
from rollout.scripted_model.goals import (
    Goal,
    Play,
    ask,
    finish,
    give_up,
    hold,
    open_app,
    press,
    tap,
    tap_for_ever,
    tap_or_give_up,
    tap_told,
    type_text,
)

ANDROID_VERSION = "13"
"""Of every simulated phone; a scripted player cannot read."""
COLOURS = {colour: f"notes.edit.colour.{colour}" for colour in ("red", "green", "blue", "yellow")}


def slug(title: str) -> str:
    """The end of a note row's element key."""
    return re.sub(r"[\W_]+", "-", title.lower()).strip("-") or "note"


def goals_for(instruction: str) -> list[Goal]:
    """The goals of the first play that fits; an unknown instruction is given up with the reason."""
    for play in PLAYS:
        if found := play.pattern.search(instruction):
            return play.goals(found)
    return [give_up("this task is not known to the scripted model")]


def _settings(*goals: Goal) -> list[Goal]:
    return [open_app("Settings"), *goals]


def _notes(*goals: Goal) -> list[Goal]:
    return [open_app("Notes"), *goals]


def _fill(field: str, text: str) -> list[Goal]:
    return [tap(field), type_text(text)]


def _new_note(title: str, body: str = "", *before: Goal) -> list[Goal]:
    texts = [*_fill("notes.edit.title", title), *(_fill("notes.edit.body", body) if body else [])]
    return _notes(tap("notes.new"), *before, *texts, tap("notes.edit.save"))


def _play(pattern: str, goals: Callable[[re.Match[str]], list[Goal]]) -> Play:
    return Play(re.compile(pattern, re.IGNORECASE | re.DOTALL), goals)


def _minutes(found: re.Match[str]) -> str:
    return f"dialog.option.{int(found[1]) * 60_000}"


PLAYS = (
    _play(r"keep tapping the middle", lambda _: [tap_for_ever()]),
    _play(
        r"version .*new note.*title \"(.+?)\"",
        lambda m: [
            *_settings(tap("settings.row.about")),
            *_new_note(m[1], ANDROID_VERSION),
            finish(),
        ],
    ),
    _play(r"which android version", lambda _: _settings(tap("settings.row.about"), finish(ANDROID_VERSION))),
    _play(r"wi-?fi on", lambda _: _settings(tap("settings.row.network"), tap("settings.network.wifi"), finish())),
    _play(
        r"aeroplane mode on",
        lambda _: _settings(tap("settings.row.network"), tap("settings.network.airplane"), finish()),
    ),
    _play(
        r"screen timeout .*?(\d+) minutes",
        lambda m: _settings(tap("settings.row.display"), tap("settings.display.timeout"), tap(_minutes(m)), finish()),
    ),
    _play(
        r"device name to \"(.+?)\"",
        lambda m: _settings(
            tap("settings.row.about"),
            tap("settings.about.name"),
            hold("settings.name.field"),
            type_text(m[1]),
            tap("settings.name.save"),
            finish(),
        ),
    ),
    _play(
        r"new note with the title \"(.+?)\" in the colour the user likes",
        lambda m: [
            *_notes(tap("notes.new"), ask("Which colour do you like best: red, green, blue or yellow?")),
            tap_told(COLOURS, "yellow"),
            *_fill("notes.edit.title", m[1]),
            tap("notes.edit.save"),
            finish(),
        ],
    ),
    _play(
        r"title \"(.+?)\" and exactly this text of two lines, then save it:\n(.+)",
        lambda m: [*_new_note(m[1], m[2]), finish()],
    ),
    _play(r"title \"(.+?)\" and the text \"(.+?)\"", lambda m: [*_new_note(m[1], m[2]), finish()]),
    _play(r"how many eggs .*note \"(.+?)\"", lambda m: _notes(tap(f"notes.row.{slug(m[1])}"), finish("12"))),
    _play(
        r"delete the note \"(.+?)\"",
        lambda m: _notes(hold(f"notes.row.{slug(m[1])}"), tap("menu.delete"), tap("dialog.ok"), finish()),
    ),
    _play(
        r"open the note \"(.+?)\".*if there is no such note, abort",
        lambda m: _notes(
            tap("notes.search"),
            type_text(m[1]),
            tap_or_give_up(f"notes.row.{slug(m[1])}", f"there is no note called {m[1]}"),
        ),
    ),
    _play(
        r"open the note \"(.+?)\".*pin it",
        lambda m: _notes(tap(f"notes.row.{slug(m[1])}"), tap("notes.view.pin"), finish()),
    ),
    _play(
        r"search notes for \"(.+?)\"",
        lambda m: _notes(tap("notes.search"), type_text(m[1]), tap("notes.row.tea-recipe"), finish()),
    ),
    _play(r"home screen, open notes", lambda _: [press(HotKey.HOME), open_app("Notes"), finish()]),
)
