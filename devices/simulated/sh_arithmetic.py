"""`$((…))`: integers, variables, parentheses and the usual operators. No assignment."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping

_TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|(<=|>=|==|!=|&&|\|\||<<|>>|[-+*/%<>!~()&|^]))")
_MAX_NUMBER = 2**63
_MAX_DEPTH = 50


class BadExpression(ValueError):
    """The expression cannot be worked out; the text says why."""


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise BadExpression("divide by zero")
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


_LEVELS: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"||": lambda left, right: int(bool(left or right))},
    {"&&": lambda left, right: int(bool(left and right))},
    {"|": operator.or_},
    {"^": operator.xor},
    {"&": operator.and_},
    {"==": lambda left, right: int(left == right), "!=": lambda left, right: int(left != right)},
    {
        "<=": lambda left, right: int(left <= right),
        ">=": lambda left, right: int(left >= right),
        "<": lambda left, right: int(left < right),
        ">": lambda left, right: int(left > right),
    },
    {"<<": lambda left, right: left << (right & 63), ">>": lambda left, right: left >> (right & 63)},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": _divide, "%": lambda left, right: left - _divide(left, right) * right},
)


def calculate(expression: str, variables: Mapping[str, str]) -> int:
    """The value, as a 64-bit integer. An unset variable is 0.

    Raises:
        BadExpression: not an expression, or a division by zero.
    """
    tokens: list[str] = []
    position = 0
    expression = expression.strip()
    while position < len(expression):
        found = _TOKEN.match(expression, position)
        if not found:
            raise BadExpression(f"{expression}: unexpected '{expression[position:].strip()[:1]}'")
        tokens.append(found[0].strip())
        position = found.end()
    if not tokens:
        return 0
    calculation = _Calculation(tokens, variables)
    value = calculation.level(0)
    if calculation.tokens:
        raise BadExpression(f"{expression}: unexpected '{calculation.tokens[-1]}'")
    return value


class _Calculation:
    def __init__(self, tokens: list[str], variables: Mapping[str, str]) -> None:
        self.tokens = tokens[::-1]
        self.variables = variables
        self.depth = 0

    def level(self, number: int) -> int:
        if number == len(_LEVELS):
            return self.operand()
        value = self.level(number + 1)
        while self.tokens and self.tokens[-1] in _LEVELS[number]:
            apply = _LEVELS[number][self.tokens.pop()]
            value = _wrapped(apply(value, self.level(number + 1)))
        return value

    def operand(self) -> int:
        if not self.tokens:
            raise BadExpression("unexpected end of expression")
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise BadExpression("expression is nested too deeply")
        token = self.tokens.pop()
        if token == "(":
            value = self.level(0)
            if not self.tokens or self.tokens.pop() != ")":
                raise BadExpression("missing )")
        elif token in ("-", "+", "!", "~"):
            operand = self.operand()
            value = {"-": -operand, "+": operand, "!": int(not operand), "~": ~operand}[token]
        elif token[0].isdigit():
            value = _wrapped(int(token[:20]))
        elif token[0].isalpha() or token[0] == "_":
            text = self.variables.get(token, "").strip() or "0"
            if not re.fullmatch(r"-?[0-9]{1,19}", text):
                raise BadExpression(f"{text[:40]}: not a number")
            value = int(text)
        else:
            raise BadExpression(f"unexpected '{token}'")
        self.depth -= 1
        return value


def _wrapped(value: int) -> int:
    return (value + _MAX_NUMBER) % (2 * _MAX_NUMBER) - _MAX_NUMBER
