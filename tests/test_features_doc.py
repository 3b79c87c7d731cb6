"""docs/features.md names each promise once, and no test that does not exist."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in TEXT.splitlines() if line.startswith("| ")]
PROMISES = [row for row in ROWS if re.fullmatch(r"[USGN]\d+", row[0])]
EXPECTED = [
    f"{letter}{number}"
    for letter, last in (("U", 20), ("S", 20), ("G", 20), ("N", 12))
    for number in range(1, last + 1)
]
NAMED = sorted(set(re.findall(r"`(tests/[^`:]+)::([^`]+)`", TEXT)))


@lru_cache
def names_in(path: str) -> frozenset[str]:
    """Names of the test functions of a file, at its top or in a class."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(node.name for node in functions if node.name.startswith("test_"))


def test_each_promise_stands_there_once_and_in_order() -> None:
    assert [row[0] for row in PROMISES] == EXPECTED


@pytest.mark.parametrize("row", PROMISES, ids=lambda row: row[0])
def test_a_state_is_one_of_three_and_what_works_names_a_test(row: list[str]) -> None:
    state, shown_by = row[2], row[3] if len(row) > 3 else ""
    assert state in ("done", "partly", "later")
    assert state == "later" or "::test_" in shown_by


@pytest.mark.parametrize(("path", "name"), NAMED, ids="::".join)
def test_each_named_test_exists(path: str, name: str) -> None:
    assert (ROOT / path).is_file()
    assert name in names_in(path)
