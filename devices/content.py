"""Reading what `content query` prints. It escapes nothing, so the columns asked for are the only anchors.

    Row: 0 _id=3, title=Eggs, milk, body=NULL

A value may hold commas, `=` and line breaks; when a value imitates an anchor the answer is called ambiguous, never cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Row = dict[str, str | None]
_NOTHING = "No result found."
_COLUMN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ContentRefused(ValueError):
    """The provider answered with an error instead of rows."""


class AmbiguousRows(ValueError):
    """A value looks like the text between two columns or rows: ask for fewer columns."""


def check_columns(columns: Sequence[str]) -> None:
    """Raises ContentRefused unless there is at least one column and each is a plain, unrepeated name."""
    bad = [column for column in columns if not _COLUMN.fullmatch(column)]
    if bad or not columns or len(set(columns)) != len(columns):
        raise ContentRefused(f"columns must be distinct plain names, not {list(columns)!r}")


def parse_rows(text: str, columns: Sequence[str]) -> list[Row]:
    """Rows in the phone's order, values as text, NULL as None (the text "NULL" cannot be told from it).

    Raises:
        ContentRefused: the output is no list of rows; the message carries its first line.
        AmbiguousRows: more than one reading is possible.
    """
    if text.strip() == _NOTHING:
        return []
    if not text.startswith(f"Row: 0 {columns[0]}="):
        line = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ContentRefused(line[:300])
    return [_row(body, columns) for body in _split_rows(text.removesuffix("\n"), columns[0])]


def _split_rows(text: str, first_column: str) -> list[str]:
    """The text of each row behind "Row: N ". Numbers follow each other, so a false row must carry the right one."""
    bodies: list[str] = []
    position = len("Row: 0 ")
    while True:
        head = f"\nRow: {len(bodies) + 1} "
        anchor = head + first_column + "="
        end = text.find(anchor, position)
        if end < 0:
            return [*bodies, text[position:]]
        if text.find(anchor, end + 1) >= 0:
            raise AmbiguousRows(f"two places could begin row {len(bodies) + 1}")
        bodies.append(text[position:end])
        position = end + len(head)


def _row(body: str, columns: Sequence[str]) -> Row:
    row: Row = {}
    rest = body.removeprefix(f"{columns[0]}=")
    for column, following in zip(columns, [*columns[1:], None], strict=True):
        if following is None:
            value = rest
        else:
            value, anchor, rest = rest.partition(f", {following}=")
            if not anchor:
                raise ContentRefused(f"no column {following!r} in the row {body[:200]!r}")
            if f", {following}=" in rest:
                raise AmbiguousRows(f"two places could begin the column {following!r}")
        row[column] = None if value == "NULL" else value
    return row
