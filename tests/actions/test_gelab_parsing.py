"""What models of the gelab family really write is read right, or refused; never guessed."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rollout.actions.assertion import InvalidAction, assert_action
from rollout.actions.dialects import UnreadableReply
from rollout.actions.dialects.gelab import GelabDialect
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

CASES = Path(__file__).parent.parent / "cases" / "inputs"
GELAB = GelabDialect()
FIELDS = "explain:x\taction:CLICK\tpoint:704,763\tsummary:s"
CLICK = Click(point=(704, 763))


def case(name: str) -> str:
    return (CASES / name).read_text(encoding="utf-8")


def act(fields: str) -> AnyAction:
    """The action of a well-formed reply with these fields."""
    parsed = GELAB.parse(f"<THINK> ok </THINK>\nexplain:x\t{fields}\tsummary:s")
    assert parsed.repairs == () or fields.startswith("action:COMPLETE\tvalue")
    assert parsed.summary == "s"
    return parsed.action


# -- the good form


@pytest.mark.parametrize(
    ("fields", "action"),
    [
        ("action:CLICK\tpoint:704,763", CLICK),
        ("action:DOUBLE_CLICK\tpoint:1,2", DoubleClick(point=(1, 2))),
        ("action:LONGPRESS\tpoint:1,2", LongPress(point=(1, 2))),
        ("action:LONG_PRESS\tpoint:1,2\tduration:2.5", LongPress(point=(1, 2), duration_s=2.5)),
        ("action:TYPE\tvalue:Oslo: a city\tpoint:500,88", Type(text="Oslo: a city", point=(500, 88))),
        ("action:TYPE\tvalue:Oslo", Type(text="Oslo")),
        ("action:SLIDE\tpoint1:500,800\tpoint2:500,250", Slide(point=(500, 800), point2=(500, 250))),
        ("action:SLIDE\tpoint:5,6\tdirection:up", Slide(point=(5, 6), direction=Direction.UP)),
        (
            "action:SCROLL\tpoint:5,6\tdirection:DOWN\tdistance:400\tduration:500ms",
            Scroll(point=(5, 6), direction=Direction.DOWN, distance=400, duration_s=0.5),
        ),
        ("action:SCROLL\tdirection:向左", Scroll(direction=Direction.LEFT)),
        ("action:HOT_KEY\tvalue:volume_up", HotKeyPress(key=HotKey.VOLUME_UP)),
        ("action:HOT_KEY\tkey:KEYCODE_BACK", HotKeyPress(key=HotKey.BACK)),
        ("action:BACK", HotKeyPress(key=HotKey.BACK)),
        ("action:HOME", HotKeyPress(key=HotKey.HOME)),
        ("action:AWAKE\tvalue:Maps", Awake(app="Maps")),
        ("action:WAIT\tvalue:3", Wait(seconds=3)),
        ("action:WAIT\tvalue:3 秒", Wait(seconds=3)),
        ("action:INFO\tvalue:Which Anna?", Info(question="Which Anna?")),
        ("action:COMPLETE\treturn:12 EUR", Complete(answer="12 EUR")),
        ("action:COMPLETE\tvalue:12 EUR", Complete(answer="12 EUR")),
        ("action:COMPLETE\treturn:", Complete()),
        ("action:ABORT\tvalue:login needed", Abort(reason="login needed")),
    ],
)
def test_each_action_is_read(fields: str, action: AnyAction) -> None:
    assert act(fields) == action


def test_a_well_formed_reply_is_taken_apart_without_repairs() -> None:
    parsed = GELAB.parse(f"<THINK> the box is up there </THINK>\n{FIELDS}")
    assert (parsed.thought, parsed.explain, parsed.summary) == ("the box is up there", "x", "s")
    assert (parsed.repairs, parsed.ignored) == ((), ())
    assert parsed.fields == {"explain": "x", "action": "CLICK", "point": "704,763", "summary": "s"}


# -- think tags


@pytest.mark.parametrize(
    "text",
    [
        f"<TINK> why </TINK>\n{FIELDS}",
        f"<think>why</think>{FIELDS}",
        f"< THINK > why < / THINK >\n{FIELDS}",
        f"<THINK> why\n{FIELDS}",
        f"why </THINK>\n{FIELDS}",
        f"<THINK></THINK><THINK>why</THINK>\n{FIELDS}",
        f"why\n\n{FIELDS}",
    ],
)
def test_the_thought_is_found_however_its_tags_are_written(text: str) -> None:
    parsed = GELAB.parse(text)
    assert (parsed.action, parsed.thought, parsed.summary) == (CLICK, "why", "s")


def test_a_reply_without_think_tags_is_read_with_a_repair() -> None:
    parsed = GELAB.parse(FIELDS)
    assert parsed.action == CLICK and parsed.repairs == ("there was no THINK section",)


def test_reasoning_filed_apart_does_not_lose_the_action_of_a_content_with_think_tags() -> None:
    parsed = GELAB.parse(f"<THINK> inside </THINK>\n{FIELDS}", "outside")
    assert (parsed.action, parsed.thought, parsed.repairs) == (CLICK, "outside\ninside", ())


def test_a_reply_filed_whole_under_reasoning_is_read_only_when_its_thought_was_closed() -> None:
    assert GELAB.parse("", f"why</THINK>\n{FIELDS}").action == CLICK
    with pytest.raises(UnreadableReply):
        GELAB.parse("", f"perhaps {FIELDS}")


def test_an_action_that_is_only_considered_in_an_endless_thought_is_not_done() -> None:
    for text in ("<THINK> perhaps action:CLICK point:1,2", f"<THINK> a\n{FIELDS}\nno, rather\n{FIELDS}"):
        with pytest.raises(UnreadableReply):
            GELAB.parse(text)


# -- separators


@pytest.mark.parametrize("gap", [r"\t", " ", "\n", "  ", "\n\n", "\t\n", " \t "])
def test_fields_are_read_whatever_stands_between_them(gap: str) -> None:
    parsed = GELAB.parse("<THINK> ok </THINK>\n" + FIELDS.replace("\t", gap))
    assert (parsed.action, parsed.explain, parsed.summary) == (CLICK, "x", "s")
    assert ("\t" in gap) == (parsed.repairs == ())


@pytest.mark.parametrize(
    "point", ["704,763", "704, 763", "704 763", "[704,763]", "(704.0,763)", "７０４，７６３", "704.0 , 763.00"]
)
def test_a_point_is_read_in_any_brackets_and_digits(point: str) -> None:
    assert act(f"action:CLICK\tpoint:{point}") == CLICK


def test_full_width_colons_and_lower_case_names_are_read() -> None:
    assert GELAB.parse("Explain：x\tAction：click\tPoint：704,763\tSummary：s").action == CLICK


def test_answer_tags_fences_and_end_tokens_are_taken_off() -> None:
    for text in (f"<answer>{FIELDS}</answer>", f"```\n{FIELDS}\n```", f"{FIELDS}<|im_end|>", f"{FIELDS}</answer>"):
        parsed = GELAB.parse(f"<THINK> ok </THINK>\n{text}")
        assert (parsed.action, parsed.summary, len(parsed.repairs)) == (CLICK, "s", 1)


def test_only_the_first_of_several_actions_is_done() -> None:
    parsed = GELAB.parse(f"<THINK>a</THINK>\n{FIELDS}\n<THINK>b</THINK>\nexplain:y\taction:COMPLETE\treturn:1")
    assert (parsed.action, parsed.summary) == (CLICK, "s")
    assert parsed.ignored == ("explain:y\taction:COMPLETE\treturn:1",)


# -- typed text


def test_a_typed_text_keeps_its_lines_tabs_and_what_looks_like_fields() -> None:
    parsed = GELAB.parse(case("reply_type_many_lines.txt"))
    monday = "**Monday**\n- breakfast: toast + egg\n- note: action:COMPLETE is not meant here"
    assert parsed.action == Type(text=f"Week menu\n\n{monday}\n**Tuesday**\tsoup", point=(500, 430))
    assert parsed.summary == "typed the menu"


@pytest.mark.parametrize(
    "value",
    [
        "a\taction:COMPLETE",
        "a\nexplain:b\taction:CLICK\tpoint:1,2",
        "a\tsummary:b",
        "a\tpoint:1,2",
        "a\tvalue:b",
    ],
)
def test_a_text_whose_end_cannot_be_told_is_not_typed(value: str) -> None:
    with pytest.raises(UnreadableReply):
        GELAB.parse(f"<THINK> ok </THINK>\nexplain:x\taction:TYPE\tvalue:{value}\tpoint:5,5\tsummary:s")


@pytest.mark.parametrize("value", ["<think>x</think>", "</THINK>", "</answer>", r"a\tb\n", "key: value", "动作：点"])
def test_markup_inside_a_typed_text_is_text(value: str) -> None:
    assert act(f"action:TYPE\tvalue:{value}") == Type(text=value)


# -- refused


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (case("reply_empty.txt"), "empty"),
        (" \n\t", "empty"),
        (case("reply_other_family.txt"), "action:NAME"),
        (case("reply_no_action.txt"), "action:NAME"),
        (case("reply_unknown_action.txt"), "CLICK, DOUBLE_CLICK, LONGPRESS"),
        (case("reply_point_without_numbers.txt"), "two numbers from 0 to 1000"),
        ("explain:tap at point:5,5\taction:CLICK\tsummary:s", "CLICK needs point"),
        ("explain:x\taction:CLICK\tpoint:5", "two numbers"),
        ("explain:x\taction:CLICK\tpoint:1,2,3,4", "two numbers"),
        ("explain:x\taction:CLICK\tpoint:1,2\tpoint:3,4", "twice"),
        ("explain:x\taction:DOUBLE_CLICK\tsummary:s", "DOUBLE_CLICK needs point"),
        ("explain:x\taction:SLIDE\tpoint2:1,2", "point1 and point2"),
        ("explain:x\taction:SLIDE\tpoint1:1,2", "point1 and point2"),
        ("explain:x\taction:SLIDE\tpoint:1,2\tdirection:north", "UP, DOWN, LEFT or RIGHT"),
        ("explain:x\taction:SCROLL\tpoint:1,2", "SCROLL needs direction"),
        ("explain:x\taction:HOT_KEY\tvalue:camera", "ENTER, BACK, HOME"),
        ("explain:x\taction:TYPE\tpoint:1,2", "TYPE needs value"),
        ("explain:x\taction:AWAKE\tvalue:", "AWAKE needs value"),
        ("explain:x\taction:INFO", "INFO needs value"),
        ("explain:x\taction:WAIT\tvalue:a while", "must be a number"),
        ("explain:x\taction:CALL_USER", "is no action"),
        ("explain:x\taction:\tpoint:1,2", "is no action"),
        ("explain:x\taction:COMPLETE is near\tsummary:s", "is no action"),
        ("x" * 70_000, "64 KiB"),
        ("字" * 30_000, "64 KiB"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_is_missing(text: str, told: str) -> None:
    with pytest.raises(UnreadableReply) as caught:
        GELAB.parse(text)
    assert told in caught.value.reason


@pytest.mark.parametrize("line", case("replies_point_range.jsonl").splitlines())
def test_points_outside_the_screen_are_refused_and_decimals_are_kept(line: str) -> None:
    told = json.loads(line)
    try:
        action = GELAB.parse(told["reply"]).action
        assert_action(action)
    except (UnreadableReply, InvalidAction):
        assert told["expect"] == "reject"
    else:
        assert told["expect"].startswith("accept")
        assert action in (Click(point=(500.5, 300)), Click(point=(1000, 1000)))


# -- anything at all

_PIECES = st.sampled_from(
    ["<THINK>", "</THINK>", "< / tink>", "<answer>", "</answer>", "explain:", "action:", "CLICK", "TYPE", "COMPLETE",
     "point:", "1,2", "value:", "summary:", "\t", "\n", " ", r"\t", "```", "</s>", "：", "\ufeff", "\ud800", "\0",
     "x", "字"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(_PIECES, max_size=40).map("".join)), st.one_of(st.none(), st.text(max_size=20)))
@example("action:action:", "</")
def test_whatever_is_written_gives_an_action_or_is_refused(text: str, reasoning: str | None) -> None:
    try:
        parsed = GELAB.parse(text, reasoning)
    except UnreadableReply:
        return
    assert "action" in parsed.fields


@pytest.mark.parametrize(
    "piece",
    ["action:", " ", "\t", r"\t", "<think></think>", "<", "</think>", "\taction:CLICK", "<THINK>", " explain:", "</s>",
     " a\tpoint:", "\taction:A</think>", "1", "( ", "<answer>", "\n", "字\taction:", "point:"],
)  # fmt: skip
@pytest.mark.timeout(15)
@pytest.mark.parametrize("start", ["", "<THINK>", "explain:x\taction:TYPE\tvalue:", "explain:x\taction:CLICK\tpoint:"])
def test_no_text_keeps_the_parser_busy(piece: str, start: str) -> None:
    """Quadratic work on the longest text takes longer than the time limit; linear work takes milliseconds."""
    text = (start + piece * 65_536).encode()[:65_536].decode(errors="ignore")
    with contextlib.suppress(UnreadableReply):
        GELAB.parse(text)
