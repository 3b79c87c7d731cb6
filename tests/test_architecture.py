"""docs/architecture.md, held by a test: who may import whom."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

LAYERS: list[set[str]] = [
    {"devices"},
    {"rollout.errors"},
    {"rollout.faults"},
    {"rollout.actions.schema"},
    {"rollout.records.schema", "rollout.records.screenshots", "rollout.records.journal", "rollout.records.disk",
     "rollout.records.names", "rollout.records.reader", "rollout.records.summary", "rollout.records"},
    {"rollout.plugins"},
    {"rollout.config"},
    {"rollout.tasks"},
    {"rollout.llm", "rollout.actions", "rollout.records.writers"},
    {"rollout.agent"},
    {"rollout.rewards"},
    {"rollout.scripted_model", "rollout.runtime"},
    {"rollout.commands"},
    {"rollout.cli"},
    {"rollout.__main__"},
]  # fmt: skip
"""Lowest first; a module may import what stands in an earlier set, or its own package."""

ALLOWED_SIBLINGS = {("rollout.actions", "rollout.llm")}
"""Dialects write messages; `rollout.llm.messages` is the only thing they take from there."""


def modules() -> dict[str, Path]:
    found = {}
    for package in ("devices", "rollout"):
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def layer_of(module: str) -> tuple[int, str] | None:
    """Index of the layer and the entry that names the module, the longest match."""
    matches = [
        (len(name), index, name)
        for index, layer in enumerate(LAYERS)
        for name in layer
        if module == name or module.startswith(name + ".")
    ]
    if not matches:
        return None
    _, index, name = max(matches)
    return index, name


def imports_of(path: Path) -> set[str]:
    found = set()
    known = modules()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (names & set(known)) or {node.module}
    return {name for name in found if name.split(".")[0] in ("devices", "rollout")}


@pytest.mark.parametrize("module", sorted(modules()))
def test_imports_point_one_way(module: str) -> None:
    if module == "rollout":
        return
    here = layer_of(module)
    assert here is not None, f"{module} has no place in docs/architecture.md; give it one there and here"
    for imported in imports_of(modules()[module]):
        there = layer_of(imported)
        if imported == "rollout" or there is None or there[1] == here[1]:
            continue
        is_lower = there[0] < here[0] or (there[0] == here[0] == layer_of("rollout.records.schema")[0])  # type: ignore[index]
        is_allowed = (here[1], there[1]) in ALLOWED_SIBLINGS and imported == "rollout.llm.messages"
        assert is_lower or is_allowed, f"{module} imports {imported}, which stands above or beside it"


def test_only_adb_files_talk_to_adbutils() -> None:
    users = {
        module
        for module, path in modules().items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "adbutils" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "adbutils")
    }
    assert users <= {"devices.adb_link", "devices.adb_server"}


def test_the_real_phone_side_never_imports_the_simulated_one() -> None:
    for module, path in modules().items():
        if module.startswith("devices.") and not module.startswith("devices.simulated"):
            assert not any(name.startswith("devices.simulated") for name in imports_of(path)), module


@pytest.mark.parametrize("module", sorted(modules()))
def test_every_module_says_what_it_is(module: str) -> None:
    path = modules()[module]
    if path.stat().st_size:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), f"{path} has no docstring"


FORBIDDEN = ("pickle", "marshal", "shelve", "dill")


@pytest.mark.parametrize("module", sorted(modules()))
def test_nothing_dangerous_is_imported(module: str) -> None:
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert not {alias.name for alias in node.names} & set(FORBIDDEN)
        if isinstance(node, ast.Call):
            assert not any(key.arg == "shell" for key in node.keywords), f"{module}: a shell"
            name = ast.unparse(node.func)
            assert name not in ("eval", "exec", "os.system", "yaml.load"), f"{module}: {name}"
