"""The contract of every dialect: what it renders it reads, and whatever the text, only typed outcomes come out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollout.actions.assertion import action_problems
from rollout.actions.dialects import Dialect, ParsedReply, Turn, UnreadableReply
from rollout.actions.schema import (
    Abort,
    AnyAction,
    Awake,
    Click,
    Complete,
    Direction,
    DoubleClick,
    HotKey,
    HotKeyPress,
    Info,
    LongPress,
    Scroll,
    Slide,
    Type,
    Wait,
)
from rollout.llm.messages import ImagePart
from rollout.plugins import DIALECTS, load

NAMES = sorted(DIALECTS)

coordinates = st.integers(0, 1000).map(float) | st.floats(0, 1000).map(lambda x: round(x, 3))
points = st.tuples(coordinates, coordinates)
seconds = st.floats(0.01, 30).map(lambda x: round(x, 2))
distances = st.floats(1, 1000).map(lambda x: round(x, 1))
words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=30).filter(lambda t: ":" not in t)
lines = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=40).map(str.strip).filter(bool)
texts = st.lists(lines, min_size=1, max_size=4).map("\n".join)
actions = st.one_of(
    st.builds(Click, point=points),
    st.builds(DoubleClick, point=points),
    st.builds(LongPress, point=points, duration_s=seconds),
    st.builds(Type, text=words | texts, point=st.none() | points),
    st.builds(HotKeyPress, key=st.sampled_from(HotKey)),
    st.builds(Slide, point=points, point2=points, duration_s=seconds),
    st.builds(Slide, point=points, direction=st.sampled_from(Direction), distance=distances),
    st.builds(Scroll, point=st.none() | points, direction=st.sampled_from(Direction), distance=distances),
    st.builds(Awake, app=words),
    st.builds(Wait, seconds=st.integers(0, 20)),
    st.builds(Info, question=words),
    st.builds(Complete, answer=words),
    st.builds(Abort, reason=words),
)
SHARDS = ("explain:", "action:", "CLICK", "TYPE", "COMPLETE", "point:", "point1:", "value:", "return:", "summary:",
          "\t", "\\t", "\n", "<THINK>", "</THINK>", "<think>", "</answer>", "500,500", "[1,2]", "５００", "NaN", "-1",
          "1e400", "$(reboot)", '"', "{", "}", "]", "，", "\ud800", "\0", "```")  # fmt: skip


@pytest.fixture(params=NAMES)
def dialect(request: pytest.FixtureRequest) -> Any:
    return load(DIALECTS, request.param, "dialect")()


@pytest.mark.parametrize("name", NAMES)
@given(action=actions)
@settings(max_examples=200, deadline=None)
def test_what_is_rendered_is_read_again(name: str, action: AnyAction) -> None:
    dialect: Dialect = load(DIALECTS, name, "dialect")()
    if action.type not in dialect.actions:
        return
    parsed = dialect.parse(dialect.render(action, thought="t", explain="e", summary="s"))
    assert parsed.action == action
    assert parsed.repairs == ()


@pytest.mark.parametrize("name", NAMES)
@given(text=st.lists(st.sampled_from(SHARDS) | st.text(max_size=8), max_size=40).map("".join))
@settings(max_examples=2000, deadline=None)
def test_whatever_the_text_only_typed_outcomes_come_out(name: str, text: str) -> None:
    dialect: Dialect = load(DIALECTS, name, "dialect")()
    try:
        parsed = dialect.parse(text)
    except UnreadableReply as error:
        assert error.reason
        return
    assert isinstance(parsed, ParsedReply)
    assert parsed.action.type in dialect.actions
    action_problems(parsed.action)  # judges it; must not raise either


@pytest.mark.parametrize(
    "text",
    ["$(reboot)\n`id`", "a\tb", "a\tpoint:1,2", "a\taction:COMPLETE", "</THINK>", r"a\tb\n", "</answer>", '{"a": "'],
)
def test_a_text_of_any_wording_is_read_again_or_refused_by_the_writer(dialect: Dialect, text: str) -> None:
    action = Type(text=text, point=(5, 5))
    try:
        written = dialect.render(action, thought="because")
    except ValueError:
        return
    assert dialect.parse(written).action == action


def test_a_reask_keeps_the_prompt_and_says_what_was_wrong(dialect: Dialect) -> None:
    image = ImagePart(b"", "screenshots/0001.png", "", "png", 1080, 2400)
    for language in ("zh", "en"):
        first = dialect.prompt(Turn("do it", image, (), language))
        again = dialect.reask(first, "rubbish", "no action", language)
        assert list(again[: len(first)]) == list(first)
        assert "no action" in again[-1].text
        assert "CLICK" in again[-1].text
