"""`content query | insert | update | delete` over the apps' providers. Output is Android's: nothing is escaped."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

from devices.simulated.android.answers import Arguments, JavaError, err, out
from devices.simulated.command import Call, Result
from devices.simulated.phone import Phone
from devices.simulated.ui import Provider

Value = str | int | None
_MAX_SQL_BYTES = 1_000_000
"""Of a statement and of a value made in it."""
_MAX_SQL_STEPS = 200
"""Of a thousand virtual machine instructions each: a hostile --where ends after that."""


@dataclass(slots=True)
class Request:
    uri: str = ""
    projection: list[str] = field(default_factory=list)
    where: str = ""
    sort: str = ""
    bindings: dict[str, Value] = field(default_factory=dict)


class UsageError(Exception):
    """The command line is wrong."""


async def run(phone: Phone, call: Call) -> Result:
    words = call.argv[1:]
    handler = _VERBS.get(words[0] if words else "")
    if handler is None:
        return _usage(f"Unsupported command: {words[0]}" if words else "No command")
    try:
        request = _parsed(words[1:])
        provider, row_id = _provider(phone, request.uri)
        result = handler(provider, request, row_id)
    except UsageError as error:
        return _usage(str(error))
    except JavaError as error:
        # The status is 0 in spite of it.
        text = f"Error while accessing provider:{_authority(request.uri)}\n{error}\n"
        text += "\tat com.android.commands.content.Content$Command.execute(Content.java:512)\n"
        return err(text, 0)
    phone.changed()
    return result


def _usage(message: str) -> Result:
    text = f"[ERROR] {message}\nusage: adb shell content [subcommand] [options]\n"
    return err(text, 0)


def _parsed(words: list[str]) -> Request:
    request, arguments = Request(), Arguments(words)
    while arguments:
        word = arguments.required()
        value = arguments.next()
        if value is None:
            raise UsageError(f"No value for argument: {word}")
        if word == "--uri":
            request.uri = value
        elif word == "--projection":
            request.projection = value.split(":")
        elif word == "--where":
            request.where = value
        elif word == "--sort":
            request.sort = value
        elif word == "--bind":
            column, bound = _binding(value)
            request.bindings[column] = bound
        elif word not in ("--user", "--extra"):
            raise UsageError(f"Unsupported argument: {word}")
    if not request.uri:
        raise UsageError("Content provider URI not specified. Did you specify --uri argument?")
    return request


def _binding(text: str) -> tuple[str, Value]:
    """COLUMN:TYPE:VALUE"""
    parts = text.split(":", 2)
    if len(parts) < 3:
        raise UsageError(f"Binding not well formed: {text}")
    column, kind, value = parts
    if kind == "s":
        return column, value
    if kind == "b":
        return column, int(value.lower() == "true")
    if kind == "n":
        return column, None
    if kind in ("i", "l"):
        try:
            return column, int(value)
        except ValueError:
            raise UsageError(f'For input string: "{value}"') from None
    if kind in ("f", "d"):
        return column, value
    raise UsageError(f"Unsupported type: {kind}")


def _authority(uri: str) -> str:
    return uri.removeprefix("content://").partition("/")[0]


def _provider(phone: Phone, uri: str) -> tuple[Provider, int | None]:
    """The provider of a URI, and the id when it names one row."""
    authority, _, path = uri.removeprefix("content://").strip("/").partition("/")
    table, _, row = path.partition("/")
    for app in phone.apps.values():
        provider = app.providers.get(f"{authority}/{table}")
        if provider is not None:
            return provider, int(row) if row.isdecimal() else None
        if any(name.startswith(f"{authority}/") for name in app.providers):
            raise JavaError("java.lang.IllegalArgumentException", f"Unknown URI {uri}")
    raise JavaError("java.lang.IllegalStateException", f"Could not find provider: {authority}")


def _selected(provider: Provider, request: Request, row_id: int | None) -> list[dict[str, Value]]:
    rows = provider.rows()
    if row_id is not None:
        rows = [row for row in rows if row["_id"] == row_id]
    if request.where or request.sort:
        ids = _sql(provider.columns, rows, request)
        by_id = {row["_id"]: row for row in rows}
        rows = [by_id[i] for i in ids if i in by_id]
    return rows


def _sql(columns: Sequence[str], rows: list[dict[str, Value]], request: Request) -> list[int]:
    """Ids of the rows that --where and --sort choose, by SQLite itself."""
    database = sqlite3.connect(":memory:")
    try:
        names = ", ".join(columns)
        database.execute(f"CREATE TABLE rows (_id INTEGER PRIMARY KEY, {names.removeprefix('_id, ')})")
        marks = ", ".join("?" * len(columns))
        database.executemany(
            f"INSERT INTO rows ({names}) VALUES ({marks})", [tuple(row[c] for c in columns) for row in rows]
        )
        database.set_authorizer(_only_reading)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_SQL_BYTES)
        database.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200)
        steps = iter(range(_MAX_SQL_STEPS))
        database.set_progress_handler(lambda: next(steps, None) is None, 1000)
        where = f" WHERE ({request.where})" if request.where else ""
        sort = f" ORDER BY {request.sort}" if request.sort else ""
        return [row[0] for row in database.execute(f"SELECT _id FROM rows{where}{sort}")]
    except (sqlite3.Error, sqlite3.Warning) as error:
        kind = "android.database.sqlite.SQLiteException"
        raise JavaError(kind, f"{error} (code 1 SQLITE_ERROR): , while compiling: {request.where}") from error
    finally:
        database.close()


def _only_reading(action: int, name: str | None, *_: object) -> int:
    """SQLite asks this for each thing a statement would do."""
    if action == sqlite3.SQLITE_READ and name != "rows":
        return sqlite3.SQLITE_DENY
    allowed = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
    return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY


def _query(provider: Provider, request: Request, row_id: int | None) -> Result:
    columns = request.projection or list(provider.columns)
    for column in columns:
        if column not in provider.columns:
            raise JavaError("java.lang.IllegalArgumentException", f"Invalid column {column}")
    lines = []
    for index, row in enumerate(_selected(provider, request, row_id)):
        values = ", ".join(f"{c}={'NULL' if row[c] is None else row[c]}" for c in columns)
        lines.append(f"Row: {index} {values}\n")
    return out("".join(lines) or "No result found.\n")


def _insert(provider: Provider, request: Request, row_id: int | None) -> Result:
    if not request.bindings:
        raise UsageError("Bindings not specified. Did you specify --bind argument(s)?")
    _check_columns(provider, request)
    provider.insert(request.bindings)
    return Result()


def _update(provider: Provider, request: Request, row_id: int | None) -> Result:
    if not request.bindings:
        raise UsageError("Bindings not specified. Did you specify --bind argument(s)?")
    _check_columns(provider, request)
    for row in _selected(provider, request, row_id):
        provider.update(int(str(row["_id"])), request.bindings)
    return Result()


def _delete(provider: Provider, request: Request, row_id: int | None) -> Result:
    for row in _selected(provider, request, row_id):
        provider.delete(int(str(row["_id"])))
    return Result()


def _check_columns(provider: Provider, request: Request) -> None:
    for column in request.bindings:
        if column not in provider.columns or column == "_id":
            message = f"table notes has no column named {column} (code 1 SQLITE_ERROR)"
            raise JavaError("android.database.sqlite.SQLiteException", message)


_VERBS = {"query": _query, "insert": _insert, "update": _update, "delete": _delete}
COMMANDS = {"content": run}
