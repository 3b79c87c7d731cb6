"""Names → what they stand for; an unknown name answers with the known ones."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rollout.errors import ConfigError
from rollout.plugins import DIALECTS, Table, known_names, load, load_attribute


def test_a_built_in_name_is_imported() -> None:
    assert load(DIALECTS, "gelab", "dialect")().name == "gelab"


def test_an_unknown_name_answers_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as caught:
        load(DIALECTS, "gelap", "dialect")
    assert "'gelap' is no dialect" in str(caught.value)
    assert "did you mean 'gelab'" in str(caught.value) and "known: gelab" in str(caught.value)


def test_a_name_of_another_package_is_found_and_cannot_replace_a_built_in_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = tmp_path / "outside-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[rollout.tests]\nmine = outside_kinds:KIND\nown = outside_kinds:KIND\n")
    (tmp_path / "outside_kinds.py").write_text("KIND = 'from outside'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    table = Table("rollout.tests", {"own": "rollout.errors:ConfigError"})
    assert load(table, "mine", "kind") == "from outside"
    assert load(table, "own", "kind") is ConfigError
    assert known_names(table) == ["mine", "own"]
    sys.modules.pop("outside_kinds", None)


def test_a_path_names_a_module_or_something_in_it() -> None:
    assert load_attribute("rollout.errors").ConfigError is ConfigError
    assert load_attribute("rollout.errors:ConfigError.__name__") == "ConfigError"
