"""YAML file, flags and environment → RunConfig. Every problem is found at once and says where it stands."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from rollout.config.check import check_runnable
from rollout.config.document import Document, KeyPath, show_path
from rollout.config.dump import dump_config
from rollout.config.env import substitute
from rollout.config.explain import did_you_mean, explain, is_secret, line_of, names_secret
from rollout.config.fields import branches, is_model
from rollout.config.schema import Provider, RunConfig
from rollout.config.yaml_lines import parse_yaml, read_yaml_file
from rollout.errors import ConfigError, Problem
from rollout.plugins import DIALECTS, known_names

__all__ = ["Loaded", "check_runnable", "dump_config", "load_config", "read_config"]

_FLAG = re.compile(r'(?P<key>(?:[^".=]+|"[^"]*")(?:\.(?:[^".=]+|"[^"]*"))*)=(?P<value>.*)', re.DOTALL)
_KEY_PART = re.compile(r'[^".]+|"[^"]*"')


@dataclass(slots=True)
class Loaded:
    """A configuration, and what there is to say about it."""

    config: RunConfig
    notices: list[Problem] = field(default_factory=list)
    """Nothing wrong, but the user should know: what of the file is ignored."""


def load_config(path: Path, *, sets: Sequence[str] = (), env: Mapping[str, str] = os.environ) -> RunConfig:
    """Read a configuration, or a plain gelab `model_config.yaml` (a map of provider → api_base, api_key).

    `sets` are `a.b=value` strings over the file, the value read as YAML; a key part with a dot in it is quoted.
    Relative paths, those of `sets` included, resolve against the file; defaults against the working directory. All
    paths of the result are absolute.

    Raises:
        ConfigError: with every problem.
    """
    return read_config(path, sets=sets, env=env).config


def read_config(path: Path, *, sets: Sequence[str] = (), env: Mapping[str, str] = os.environ) -> Loaded:
    """Like `load_config`, with the notices."""
    document = read_yaml_file(path)
    notices: list[Problem] = []
    if document.value is None:
        document.value = {}
        document.complain((), "is empty", "give at least `providers:`")
    if _is_gelab_map(document.value):
        notices = _adopt_gelab_map(document)
    substitute(document, env)
    for text in sets:
        _apply_flag(text, document, env)
    _drop_empty_sections(document.value, RunConfig)
    _apply_mode(document.value)
    _check_dialect(document)
    config, problems = _validate(document)
    if config is None or problems:
        raise ConfigError(sorted(problems, key=line_of))
    _resolve_paths(config, path.absolute().parent)
    return Loaded(config, notices)


def _validate(document: Document) -> tuple[RunConfig | None, list[Problem]]:
    try:
        return RunConfig.model_validate(document.value), document.problems
    except ValidationError as error:
        return None, document.problems + explain(error, RunConfig, document)


def _is_gelab_map(value: Any) -> bool:
    if not isinstance(value, dict) or not value or set(value) & set(RunConfig.model_fields):
        return False
    sections = list(value.values())
    return all(isinstance(item, dict) for item in sections) and any("api_base" in item for item in sections)


def _adopt_gelab_map(document: Document) -> list[Problem]:
    """Put the providers where they belong; keys the runner has no use for are dropped, with a notice each."""
    notices = []
    for name, section in document.value.items():
        for key in [key for key in section if key not in Provider.model_fields]:
            del section[key]
            where = document.where((name, key))
            notices.append(Problem(where, f"{show_path((name, key))} is ignored", "the runner has no use for it"))
        if section.get("api_key", "") is None:
            del section["api_key"]
    document.value = {"providers": document.value}
    document.places = {("providers", *path): place for path, place in document.places.items()}
    document.written = {("providers", *path): text for path, text in document.written.items()}
    document.unreadable = {("providers", *path) for path in document.unreadable}
    return notices


def _apply_flag(text: str, document: Document, env: Mapping[str, str]) -> None:
    found = _FLAG.fullmatch(text)
    if found is None:
        document.problems.append(Problem(f"--set {text}", "is not KEY=VALUE", "like --set agent.max_steps=20"))
        return
    path = tuple(part.strip('"') for part in _KEY_PART.findall(found["key"]))
    name = f"--set {found['key']}=***" if is_secret(path) or names_secret(found["value"]) else f"--set {text}"
    try:
        given = parse_yaml(found["value"], name, is_file=False)
    except ConfigError as error:
        document.problems.extend(error.problems)
        return
    given.places[()] = name
    substitute(given, env)
    document.problems.extend(given.problems)
    if not _put(document.value, path, given.value):
        document.problems.append(Problem(name, f"{found['key']}: what stands above it is no section", "set it whole"))
        return
    _take_positions(document, path, given)


def _put(section: Any, path: Sequence[str], value: Any) -> bool:
    for part in path[:-1]:
        if not isinstance(section, dict):
            return False
        if section.get(part) is None:
            section[part] = {}
        section = section[part]
    if not isinstance(section, dict):
        return False
    section[path[-1]] = value
    return True


def _take_positions(document: Document, path: KeyPath, given: Document) -> None:
    for table in (document.places, document.written):
        for old in [old for old in table if old[: len(path)] == path]:
            del table[old]
    document.places.update({(*path, *inner): place for inner, place in given.places.items()})
    document.written.update({(*path, *inner): text for inner, text in given.written.items()})
    document.unreadable = {old for old in document.unreadable if old[: len(path)] != path}
    document.unreadable |= {(*path, *inner) for inner in given.unreadable}


def _drop_empty_sections(value: Any, model: type[BaseModel]) -> None:
    """`agent:` with nothing under it is null to YAML and means a section of defaults. A null with a meaning stays."""
    if not isinstance(value, dict):
        return
    for name, info in model.model_fields.items():
        kinds = list(branches(info.annotation))
        sections = [kind for kind in kinds if is_model(kind)]
        if not sections or name not in value:
            continue
        if value[name] is None and type(None) not in kinds:
            del value[name]
        else:
            _drop_empty_sections(value.get(name), sections[0])


def _apply_mode(value: Any) -> None:
    """`mode: rl` changes defaults: no re-asks, logprobs asked for. What is given stays as given."""
    if not isinstance(value, dict) or value.get("mode") != "rl":
        return
    agent = value.setdefault("agent", {})
    if isinstance(agent, dict):
        agent.setdefault("reask", 0)
        sampling = agent.setdefault("sampling", {})
        if isinstance(sampling, dict):
            sampling.setdefault("logprobs", True)


def _check_dialect(document: Document) -> None:
    path = ("agent", "dialect")
    agent = document.value.get("agent") if isinstance(document.value, dict) else None
    name = agent.get("dialect") if isinstance(agent, dict) else None
    if not isinstance(name, str) or name in DIALECTS or path in document.unreadable:
        return
    known = known_names(DIALECTS)
    if name not in known:
        document.complain(path, f"agent.dialect: {name!r} is no dialect", did_you_mean(name, known))


def _resolve_paths(section: BaseModel, base: Path) -> None:
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            _resolve_paths(value, base)
        elif isinstance(value, Path):
            start = base if name in section.model_fields_set else Path.cwd()
            setattr(section, name, Path(os.path.normpath(start / value.expanduser())))
