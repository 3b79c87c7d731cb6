"""Ids from outside as file names: none leaves its folder, no two meet."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollout.records.names import MAX_LENGTH, UnsafePath, file_name, path_inside

HOSTILE = [
    "", ".", "..", "/", "../", "../../etc/passwd", "/etc/passwd", "a/../../b", "..\\..\\x", "C:\\x", "~", "~root",
    "-rf", ".hidden", "a\0b", "a\nb", "a b", "CON", "con.txt", "nul", "COM1", "lpt9.log", "…/x", "‥", "．．／",
    "a" * 4096, "你好" * 500, "😀", "\udcff", "%2e%2e%2f", "=2E=2E", "$(reboot)", "`id`", "a;b", "a|b", "*", "?",
    "<", ">", '"', "'", "file:///etc/passwd", "//host/share", "127.0.0.1:5555", "emulator-5554", "a~b", "trailing.",
    "trailing ", "%s", "{}",
]  # fmt: skip


@pytest.mark.parametrize(
    "identity", [*HOSTILE, *(f"../{name}" for name in HOSTILE), *(f"{name}/.." for name in HOSTILE)]
)
def test_no_id_leaves_its_folder(identity: str, tmp_path: Path) -> None:
    path = path_inside(tmp_path, identity)
    assert path.parent == tmp_path
    assert path.resolve().is_relative_to(tmp_path.resolve())
    path.write_text("x")
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_plain_id_keeps_its_name() -> None:
    assert file_name("notes-03.s0") == "notes-03.s0"


def test_other_signs_are_escaped_byte_by_byte() -> None:
    assert file_name("127.0.0.1:5555") == "127.0.0.1=3A5555"
    assert file_name("a=b") == "a=3Db"
    assert file_name("你") == "=E4=BD=A0"


def test_a_long_id_is_cut_and_keeps_its_ending() -> None:
    name = file_name("x" * 500 + ".s12")
    assert len(name) == MAX_LENGTH
    assert name.endswith(".s12")
    assert name != file_name("x" * 501 + ".s12")


def test_a_name_in_the_escaped_form_of_another_is_another() -> None:
    long = "y" * 500
    assert file_name(file_name(long)) != file_name(long)
    assert file_name("=3A") != file_name(":")
    assert file_name("") != file_name("=")


def test_a_symbolic_link_in_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "task").symlink_to(tmp_path)
    with pytest.raises(UnsafePath):
        path_inside(tmp_path / "run", "task")


@given(st.text(max_size=400))
def test_every_name_is_short_and_plain(identity: str) -> None:
    name = file_name(identity)
    assert 0 < len(name) <= MAX_LENGTH
    assert set(name) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-=~")
    assert name[0] not in ".-~"


@given(st.text(max_size=30))
def test_an_uncut_name_leads_back_to_its_id(identity: str) -> None:
    """Hence no two ids share one."""
    name = file_name(identity)
    if "~" not in name and identity:
        assert unquote(name.replace("%", "%25").replace("=", "%")) == identity
