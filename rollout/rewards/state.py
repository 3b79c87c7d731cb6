"""Verifiers that read the phone: settings, content providers, the app in front, the text on the screen."""

from __future__ import annotations

from collections.abc import Mapping

from devices.base import UiNode
from rollout.rewards.texts import squeeze
from rollout.rewards.verdict import CannotTell, Scene, Verdict, short, verdict
from rollout.tasks.verifiers import ContentRowSpec, ForegroundAppSpec, ScreenTextSpec, SettingSpec

_TRIES = 3
_PAUSE_S = 0.5
_ROWS_SHOWN = 5
_TEXTS_SHOWN = 200


def setting(spec: SettingSpec, scene: Scene) -> Verdict:
    """The setting has the value, or is absent where `equals` is null."""
    saw = scene.phone().settings_get(spec.namespace, spec.key)
    return verdict(saw == spec.equals, short(saw), spec.equals)


def content_row(spec: ContentRowSpec, scene: Scene) -> Verdict:
    """So many rows have all of these values. Compared here and not in SQL: nothing needs quoting."""
    rows = scene.phone().content_query(spec.uri, sorted(spec.match))
    right = [row for row in rows if _matches(row, spec.match)]
    is_right = bool(right) if spec.count is None else len(right) == spec.count
    near = right or sorted(rows, key=lambda row: -_agreeing(row, spec.match))
    saw = {
        "matching": len(right),
        "rows": len(rows),
        "nearest": [{name: short(value) for name, value in row.items()} for row in near[:_ROWS_SHOWN]],
    }
    return verdict(is_right, saw, {"match": spec.match, "count": "at least 1" if spec.count is None else spec.count})


def foreground_app(spec: ForegroundAppSpec, scene: Scene) -> Verdict:
    """The app is in front. Between two windows Android names none for a moment; then it is asked again."""
    phone = scene.phone()
    for attempt in range(_TRIES):
        if attempt:
            scene.pause(_PAUSE_S)
        saw = phone.state().package
        if saw is not None:
            return verdict(saw == spec.package, saw, spec.package)
    raise CannotTell("the phone does not say which app is in front")


def screen_text(spec: ScreenTextSpec, scene: Scene) -> Verdict:
    """The text is on the screen, in a label or in a description."""
    texts = _texts_of(_ui_tree(scene))
    wanted = squeeze(spec.contains)
    is_there = any(wanted in squeeze(text) for text in texts)
    return verdict(is_there, [short(text, 200) for text in texts[:_TEXTS_SHOWN]], spec.contains)


def _ui_tree(scene: Scene) -> UiNode:
    """The tree; a screen that moves has none to give, so it is asked again."""
    phone = scene.phone()
    for attempt in range(_TRIES):
        if attempt:
            scene.pause(_PAUSE_S)
        tree = phone.ui_tree()
        if tree is not None:
            return tree
    raise CannotTell("the phone gives no UI tree of this screen")


def _texts_of(tree: UiNode) -> list[str]:
    texts = (text for node in tree.walk() for text in (node.text, node.content_desc) if text)
    return list(dict.fromkeys(texts))


def _matches(row: Mapping[str, str | None], wanted: Mapping[str, str | None]) -> bool:
    return all(name in row and row[name] == value for name, value in wanted.items())


def _agreeing(row: Mapping[str, str | None], wanted: Mapping[str, str | None]) -> int:
    return sum(row.get(name) == value for name, value in wanted.items())
