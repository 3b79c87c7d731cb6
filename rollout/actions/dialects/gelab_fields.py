"""Gelab text → thought and fields. Reads what models of this family really write; never cuts a typed text on a guess.

The good form is `<THINK> … </THINK>`, a line end, then `key:value` fields with one tab between them. Where the tabs are
missing, weaker separators are tried in turn (line ends, a written-out `\\t`, blanks), until an `action` field shows.
All patterns are linear in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from rollout.actions.dialects import UnreadableReply

MAX_BYTES = 64 * 1024
_MAX_FIELDS = 500
_MAX_THINK_BLOCKS = 16
_MAX_END_TOKENS = 4

FREE_TEXT = frozenset({"explain", "value", "return", "summary", "verify", "note"})
"""Fields that may hold anything. The others are a word or a few numbers and end at the next field in any case."""
_OPENING = frozenset({"explain", "verify", "note"})
"""Fields that stand before an action, and so may open the next one."""

_KEY = re.compile(
    r"(?<![^\stn>])(?=[eapvrsdnk])"
    r"(explain|action_type|action|point1|point2|point|value|return|summary|direction|distance|duration|key|verify|note"
    r"|keyboard_exists|status)[ \t]{0,4}[:：]",
    re.IGNORECASE,
)
"""A field's name; `_gap_before` says whether it stands where one may."""
_TAG = r"[<＜]\s{0,8}%s\s{0,8}(think|thinking|tink)\s{0,8}[>＞]"
_OPEN = re.compile(_TAG % "", re.IGNORECASE)
_CLOSE = re.compile(_TAG % r"[/／]", re.IGNORECASE)
_ACTION_FIELD = re.compile(r"(?:\A|(?<=[\t\n]))action(?:_type)?[ \t]{0,4}[:：]", re.IGNORECASE)
_END_TOKENS = ("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "</s>")


class Gap(IntEnum):
    """What stands between two fields, weakest first."""

    BLANK = 1
    LITERAL = 2
    """A backslash and a `t` (or `n`), written out."""
    LINE = 3
    TAB = 4
    START = 5


_TIERS = (Gap.TAB, Gap.LINE, Gap.LITERAL, Gap.BLANK)
_GAP_NAMES = {Gap.BLANK: "blanks", Gap.LITERAL: "a written-out \\t", Gap.LINE: "line ends"}


@dataclass(slots=True)
class Fields:
    """A reply taken apart. `pairs` are the first action's fields, values as written without surrounding blanks."""

    thought: str = ""
    pairs: dict[str, str] = field(default_factory=dict)
    repairs: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where a key stands: the gap before it begins at `begin`, its value at `value`."""

    key: str
    gap: Gap
    begin: int
    value: int


def read_fields(text: str) -> Fields:
    """Take a reply apart.

    Raises:
        UnreadableReply: too long, no action field, or a text whose end cannot be told.
    """
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise UnreadableReply(f"the reply is longer than {MAX_BYTES // 1024} KiB")
    found = Fields()
    rest, is_open = _split_thought(_unwrap(text, found.repairs), found)
    rest = _unwrap(rest, found.repairs)
    marks = _choose_marks(rest, found, is_open)
    _take_first_action(rest, marks, found)
    return found


# -- wrappers and thought


def _unwrap(text: str, repairs: list[str]) -> str:
    """Without code fence, answer tags and end tokens around the whole."""
    text = text.strip().lstrip("\ufeff")
    for _ in range(_MAX_END_TOKENS):
        if text.endswith(_END_TOKENS):
            text = text[: text.rindex("<")].rstrip()
            repairs.append("an end token stood in the text")
    if text.startswith("```"):
        text = text.partition("\n")[2].removesuffix("```").strip()
        repairs.append("a code fence stood around the reply")
    if text[:8].lower() == "<answer>":
        text = text[8:].strip()
        if text[-9:].lower() == "</answer>":
            text = text[:-9].rstrip()
        repairs.append("answer tags stood around the action")
    return text


def _split_thought(text: str, found: Fields) -> tuple[str, bool]:
    """Move leading think blocks to `found.thought`. The flag tells that the last one was never closed."""
    thoughts, at, is_open = [], 0, False
    for _ in range(_MAX_THINK_BLOCKS):
        at = _skip_blanks(text, at)
        opening = _OPEN.match(text, at)
        closing = _CLOSE.search(text, opening.end() if opening else at)
        if opening and closing is None:
            at, is_open = opening.end(), True
            found.repairs.append("the THINK tag was never closed")
            break
        if closing is None or not (opening or _is_lone(text, at, closing)):
            break
        thoughts.append(text[opening.end() if opening else at : closing.start()].strip())
        _note_tags(opening, closing, found.repairs)
        at = closing.end()
    if not thoughts and not is_open:
        found.repairs.append("there was no THINK section")
    found.thought = "\n".join(thought for thought in thoughts if thought)
    return text[at:], is_open


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _is_lone(text: str, at: int, closing: re.Match[str]) -> bool:
    """A closing tag whose opening one went missing ends the thought; inside a typed text it is just text."""
    if _OPEN.search(text, at, closing.start()):
        return False
    is_after_action = _ACTION_FIELD.search(text[at : closing.start()]) is not None
    return not is_after_action or _ACTION_FIELD.search(text[closing.end() :].lstrip()) is not None


def _note_tags(opening: re.Match[str] | None, closing: re.Match[str], repairs: list[str]) -> None:
    if opening is None:
        repairs.append("the opening THINK tag was missing")
    for tag, name in ((opening, "<think>"), (closing, "</think>")):
        if tag is not None and tag[0].lower() != name:
            repairs.append(f"a THINK tag was written {tag[0]!r}")


# -- fields


def _choose_marks(text: str, found: Fields, is_open: bool) -> list[_Mark]:
    """The keys that count, by the strongest separators under which there is an action."""
    every = _all_marks(text)
    # In a thought that never ends, blanks are prose: an action mentioned there is no action.
    for least in _TIERS[: 2 if is_open else None]:
        marks = _accepted(every, least)
        if any(mark.key == "action" for mark in marks):
            if least is Gap.BLANK and marks[0].gap is not Gap.START:
                break
            if is_open and sum(mark.key == "action" for mark in marks) > 1:
                raise UnreadableReply("the THINK tag is never closed and more than one action follows it")
            _note_gaps(marks, found.repairs)
            _keep_prefix(text[: marks[0].begin], is_open, found)
            return marks
    raise UnreadableReply(
        "there is no action field; write action:NAME after the THINK section, tabs between the fields"
    )


def _all_marks(text: str) -> list[_Mark]:
    marks: list[_Mark] = []
    for match in _KEY.finditer(text):
        if len(marks) >= _MAX_FIELDS:
            raise UnreadableReply(f"the reply holds more than {_MAX_FIELDS} fields")
        gap, begin = _gap_before(text, match.start())
        key = match[1].lower()
        if gap is not None:
            marks.append(_Mark("action" if key == "action_type" else key, gap, begin, match.end()))
    return marks


def _gap_before(text: str, at: int) -> tuple[Gap | None, int]:
    """The strongest separator in the run of blanks before `at` (None: there is none), and where the run begins."""
    gap: Gap | None = None
    while at > 0:
        if text[at - 1].isspace():
            letter, width = text[at - 1], 1
            seen = Gap.TAB if letter == "\t" else Gap.LINE if letter in "\r\n" else Gap.BLANK
        elif (gap is None or gap is Gap.BLANK) and text[at - 2 : at] in ("\\t", "\\n"):
            # One is the separator; a second one, or one before a real tab, ends the text in front.
            seen, width = Gap.LITERAL, 2
        elif text[at - 8 : at].lower() == "<answer>":
            return max(gap or Gap.LINE, Gap.LINE), at
        else:
            return gap, at
        gap, at = max(gap or seen, seen), at - width
    return Gap.START, 0


def _accepted(marks: Sequence[_Mark], least: Gap) -> list[_Mark]:
    """Those that end the field before them: after a free text only by a separator of at least `least`.

    A line end is enough where nothing can be cut: before the first field, and after a summary.
    """
    kept: list[_Mark] = []
    for mark in marks:
        before = kept[-1].key if kept else None
        is_first = before is None and mark.gap >= Gap.LINE and mark.key in _OPENING
        is_next_action = before == "summary" and mark.gap >= Gap.LINE and (mark.key in _OPENING or mark.key == "action")
        is_after_word = before is not None and before not in FREE_TEXT
        if mark.gap >= least or is_first or is_after_word or is_next_action:
            kept.append(mark)
    return kept


def _note_gaps(marks: Sequence[_Mark], repairs: list[str]) -> None:
    seen = {mark.gap for mark in marks[1:] if not (mark.gap is Gap.LINE and mark.key in _OPENING)}
    repairs.extend(f"fields were separated by {name}" for gap, name in _GAP_NAMES.items() if gap in seen)


def _keep_prefix(prefix: str, is_open: bool, found: Fields) -> None:
    """What stands before the first field is thought."""
    prefix = prefix.strip()
    if prefix:
        found.thought = f"{found.thought}\n{prefix}".strip()
        if not is_open:
            found.repairs.append("text before the first field was taken as thought")


def _take_first_action(text: str, marks: Sequence[_Mark], found: Fields) -> None:
    """Fill `found.pairs` from the first action's fields; further actions are kept as text."""
    ends = [mark.begin for mark in marks[1:]] + [len(text)]
    values = [text[mark.value : end].strip() for mark, end in zip(marks, ends, strict=True)]
    actions = [index for index, mark in enumerate(marks) if mark.key == "action"]
    is_type = values[actions[0]].upper() == "TYPE"
    cut = len(marks)
    if len(actions) > 1:
        cut = actions[1]
        while cut - 1 > actions[0] and marks[cut - 1].key in _OPENING:
            cut -= 1
        if is_type and marks[cut - 1].key == "value":
            raise UnreadableReply("an action follows inside the text to type; its end cannot be told")
        opening = _OPEN.search(values[cut - 1])
        if opening:
            values[cut - 1] = values[cut - 1][: opening.start()].rstrip()
        found.ignored.append(text[marks[cut].begin :].strip())
    for mark, value in zip(marks[:cut], values[:cut], strict=True):
        _put(found, mark.key, value, is_type)
    _drop_answer_tag(found, marks[cut - 1].key)


def _put(found: Fields, key: str, value: str, is_type: bool) -> None:
    if key not in found.pairs:
        found.pairs[key] = value
        return
    is_text = key in FREE_TEXT and key != "value"
    if is_type or (not is_text and found.pairs[key] != value):
        raise UnreadableReply(f"the field {key} is given twice; give it once")
    found.repairs.append(f"the field {key} was given twice; the first counts")


def _drop_answer_tag(found: Fields, last: str) -> None:
    """A closing answer tag glued to the last field; in a typed text it may be meant."""
    if last != "value" and found.pairs[last].lower().endswith("</answer>"):
        found.pairs[last] = found.pairs[last][: -len("</answer>")].rstrip()
        found.repairs.append("a lone answer tag stood after the action")
