"""Questions about a pydantic schema by key path: which keys are known where, and where else a key is known."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

from rollout.config.document import KeyPath


def known_keys(model: type[BaseModel], path: KeyPath, section: Any = None) -> list[str]:
    """Keys the schema knows inside the section at `path`; none where any key goes.

    `section` is what was given there: its `type` picks one of several models.
    """
    kinds: list[Any] = [model]
    for part in path:
        kinds = [inner for kind in kinds for inner in _step_into(kind, part)]
    models = [kind for kind in kinds if is_model(kind)]
    tag = section.get("type") if isinstance(section, Mapping) else None
    tagged = [kind for kind in models if tag in get_args(getattr(kind.model_fields.get("type"), "annotation", None))]
    return sorted({name for kind in tagged or models for name in kind.model_fields})


def places_of(key: str, model: type[BaseModel], above: KeyPath = ()) -> list[KeyPath]:
    """Every place of the schema where a key of this name is known, lists and maps left out."""
    found: list[KeyPath] = []
    for name, info in model.model_fields.items():
        if name == key:
            found.append((*above, name))
        for branch in branches(info.annotation):
            if is_model(branch):
                found.extend(places_of(key, branch, (*above, name)))
    return found


def branches(annotation: Any) -> Iterator[Any]:
    """The alternatives of an annotation, wrappers taken off."""
    origin = get_origin(annotation)
    if origin is Union or origin is types.UnionType:
        for part in get_args(annotation):
            yield from branches(part)
    elif hasattr(annotation, "__metadata__"):
        yield from branches(get_args(annotation)[0])
    else:
        yield annotation


def is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _step_into(kind: Any, part: str | int) -> Iterator[Any]:
    if is_model(kind):
        info = kind.model_fields.get(part)
        if info is not None:
            yield from branches(info.annotation)
    elif get_origin(kind) is dict and isinstance(part, str):
        yield from branches(get_args(kind)[1])
    elif get_origin(kind) is list and isinstance(part, int):
        yield from branches(get_args(kind)[0])
