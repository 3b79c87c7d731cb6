"""How texts are compared: what a person would call the same answer, and nothing looser."""

from __future__ import annotations

import re
from decimal import Decimal

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
"""Full-width forms, as Chinese keyboards type them → ASCII."""

_NUMBER = re.compile(r"[-+]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,30})(?:\.[0-9]{0,30})?")
_ENDING = re.compile(r"[.。!！]+$")


def squeeze(text: str) -> str:
    """Case, full-width forms and runs of white space evened out."""
    return " ".join(text.translate(_FULL_WIDTH).casefold().split())


def is_same(given: str, wanted: str) -> bool:
    """Equal once evened out (a full stop at the end does not count), or two ways to write one number."""
    first, second = (_ENDING.sub("", squeeze(text)) for text in (given, wanted))
    if first == second:
        return True
    numbers = _number(first), _number(second)
    return numbers[0] is not None and numbers[0] == numbers[1]


def has_part(given: str, wanted: str) -> bool:
    """Contained once evened out. Digits at the edge of `wanted` must be where a number begins or ends."""
    text, part = squeeze(given), squeeze(wanted)
    before = r"(?<![0-9])(?<![0-9][.,])" if part[:1].isdecimal() else ""
    after = r"(?![0-9])(?![.,][0-9])" if part[-1:].isdecimal() else ""
    return bool(part) and re.search(f"{before}{re.escape(part)}{after}", text) is not None


def _number(text: str) -> Decimal | None:
    return Decimal(text.replace(",", "")) if _NUMBER.fullmatch(text) else None
