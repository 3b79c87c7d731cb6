"""The logger: events of all processes into events.jsonl and one readable file a level. Never the record of results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from typing import IO, Any

from rollout.runtime import messages as m
from rollout.runtime.child import Port
from rollout.runtime.layout import RunDirectory
from rollout.runtime.settings import RunSettings

LEVELS = ("debug", "info", "warning", "error", "critical")
FILES = {"debug": 0, "info": 1, "warning": 2}
"""Log file → the lowest level it takes."""
_OWN_FIELDS = ("timestamp", "level", "event", "role")


def run(port: Port, settings: RunSettings) -> None:
    """Serve until told to stop; lines that came before the stop are written."""
    directory = RunDirectory(settings.run_dir)
    with ExitStack() as stack:
        events = stack.enter_context(directory.events.open("a", encoding="utf-8"))
        files = {
            name: stack.enter_context(directory.log(name).open("a", encoding="utf-8", errors="replace"))
            for name in FILES
        }
        while True:
            match port.receive():
                case m.LogLines(lines=lines):
                    _write(lines, events, files)
                case m.Stop():
                    return
                case _:
                    pass


def _write(lines: list[str], events: IO[str], files: Mapping[str, IO[str]]) -> None:
    for line in lines:
        events.write(line + "\n")
        event = json.loads(line)
        level = LEVELS.index(event["level"]) if event.get("level") in LEVELS else 1
        text = readable(event)
        for name, lowest in FILES.items():
            if level >= lowest:
                files[name].write(text + "\n")
    for file in (events, *files.values()):
        file.flush()


def readable(line: Mapping[str, Any]) -> str:
    """One line for a person: time, level, role, event, fields. Control characters are escaped."""
    fields = " ".join(f"{key}={_shown(value)}" for key, value in line.items() if key not in _OWN_FIELDS)
    head = f"{line.get('timestamp', '')} {str(line.get('level', '')).upper():8} {line.get('role', '')}"
    return f"{head}  {_escaped(str(line.get('event', '')))}  {fields}".rstrip()


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return json.dumps(text, ensure_ascii=True) if not text.isprintable() or " " in text else text


def _escaped(text: str) -> str:
    return text if text.isprintable() else json.dumps(text)
