"""`content` over the notes provider: Android's output, with nothing escaped."""

from __future__ import annotations

import pytest
from hands import run, text

from devices.simulated.phone import Phone

URI = "content://org.example.notes/notes"


def query(phone: Phone, *argv: str, uri: str = URI) -> str:
    return text(phone, "content", "query", "--uri", uri, *argv)


def test_rows_are_numbered_and_columns_keep_their_order():
    said = query(Phone(0), "--projection", "title:_id:pinned", "--where", "title='Trip 40'")
    assert said == "Row: 0 title=Trip 40, _id=1, pinned=0\n"


def test_all_columns_by_default():
    said = query(Phone(0), "--where", "title='Shopping list'")
    assert said.startswith("Row: 0 _id=") and ", title=Shopping list, colour=" in said
    assert said.endswith(", body=12 eggs\n2 litres of milk\nbread\n6 apples\n")


def test_insert_update_delete():
    phone = Phone(0)
    body = "a, b=c\n'quoted' %s $(x)"
    argv = ("--bind", "title:s:New:one", "--bind", f"body:s:{body}", "--bind", "pinned:i:1", "--bind", "colour:s:red")
    assert text(phone, "content", "insert", "--uri", URI, *argv) == ""
    assert query(phone, "--where", "pinned=1", "--projection", "title:colour:body") == (
        f"Row: 0 title=New:one, colour=red, body={body}\n"
    )
    text(phone, "content", "update", "--uri", URI, "--bind", "pinned:b:false", "--where", "title='New:one'")
    assert query(phone, "--where", "pinned=1") == "No result found.\n"
    text(phone, "content", "delete", "--uri", URI, "--where", "title='New:one'")
    assert query(phone, "--where", "title='New:one'") == "No result found.\n"


def test_sort_and_single_rows():
    phone = Phone(0)
    said = query(phone, "--projection", "_id", "--where", "_id < 4", "--sort", "_id DESC")
    assert said == "Row: 0 _id=3\nRow: 1 _id=2\nRow: 2 _id=1\n"
    assert query(phone, "--projection", "title", uri=f"{URI}/1") == "Row: 0 title=Trip 40\n"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ("query", "--uri", "content://nobody/x"),
            b"Error while accessing provider:nobody\n"
            b"java.lang.IllegalStateException: Could not find provider: nobody\n\tat ",
        ),
        (
            ("query", "--uri", URI, "--where", "nonsense ("),
            b"Error while accessing provider:org.example.notes\nandroid.database.sqlite.SQLiteException: ",
        ),
        (
            ("query", "--uri", URI, "--projection", "secret"),
            b"java.lang.IllegalArgumentException: Invalid column secret\n",
        ),
        (
            ("insert", "--uri", URI, "--bind", "nope:s:x"),
            b"android.database.sqlite.SQLiteException: table notes has no column named nope",
        ),
        (("query",), b"[ERROR] Content provider URI not specified."),
        (("insert", "--uri", URI, "--bind", "title"), b"[ERROR] Binding not well formed: title"),
        (("insert", "--uri", URI, "--bind", "pinned:i:x"), b"[ERROR] "),
    ],
)
def test_errors_are_on_stderr_with_status_zero(argv, message):
    result = run(Phone(0), "content", *argv)
    assert (result.status, result.stdout) == (0, b"")
    assert message in result.stderr


@pytest.mark.parametrize(
    "where",
    [
        "1); DROP TABLE rows; --",
        "1) UNION SELECT sql FROM sqlite_master --",
        "load_extension('x')",
        "_id IN (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c)",
        "randomblob(1000000000) IS NOT NULL",
    ],
)
def test_hostile_conditions_end_soon_and_change_nothing(where):
    phone = Phone(0)
    before = query(phone)
    run(phone, "content", "delete", "--uri", URI, "--where", where)
    run(phone, "content", "query", "--uri", URI, "--where", where)
    assert query(phone) == before
