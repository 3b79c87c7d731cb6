"""From a command string to a syntax tree, as mksh on Android reads it. Words are read in `sh_word_parser.py`.

Not known, and answered with a syntax error rather than something else: here documents, functions, `case`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from devices.simulated.sh_nodes import AndOr, For, Group, If, Node, Pipeline, Redirect, Sequence, Simple, While, Word
from devices.simulated.sh_word_parser import META, ShellSyntaxError, UnfinishedScript, WordParser

__all__ = ["ShellSyntaxError", "UnfinishedScript", "parse"]

REMEMBERED_CHARS = 4096
"""Longer scripts are parsed anew each time."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_REDIRECT = re.compile(r"([0-9]?)(>>|>&|>\||>|<&|<<|<)|&>")
_CLOSERS = frozenset({"then", "elif", "else", "fi", "do", "done", "}"})


def parse(script: str) -> Node:
    """The tree of a whole script; remembered, so that a repeated command costs no parsing.

    Raises:
        ShellSyntaxError: not a script.
    """
    return _parse_remembered(script) if len(script) <= REMEMBERED_CHARS else _parse(script)


def _parse(script: str) -> Node:
    parser = _Parser(script)
    node = parser.sequence()
    if parser.position < len(script):
        raise parser.unexpected()
    return node


_parse_remembered = lru_cache(maxsize=2048)(_parse)


class _Parser(WordParser):
    """Commands."""

    def sequence(self) -> Node:
        """Commands up to a closing word or parenthesis, or the end."""
        self.deeper()
        commands: list[Node] = []
        background: set[int] = set()
        while True:
            self.skip_lines()
            if self.position >= len(self.text) or self.peek() == ")" or self.reserved() in _CLOSERS:
                break
            commands.append(self.and_or())
            self.skip_blanks()
            if self.peek() == "&" and self.peek(2) not in ("&&", "&>"):
                self.position += 1
                background.add(len(commands) - 1)
            elif self.peek(2) == ";;" or not (self.take(";") or self.peek() == "\n"):
                break
        self.depth -= 1
        if len(commands) == 1 and not background:
            return commands[0]
        return Sequence(tuple(commands), frozenset(background))

    def body(self) -> Node:
        """A sequence that must not be empty."""
        node = self.sequence()
        if isinstance(node, Sequence) and not node.commands:
            raise self.unexpected()
        return node

    def and_or(self) -> Node:
        first = self.pipeline()
        rest: list[tuple[str, Node]] = []
        while True:
            self.skip_blanks()
            operator = self.peek(2)
            if operator not in ("&&", "||"):
                return AndOr(first, tuple(rest)) if rest else first
            self.position += 2
            self.skip_lines()
            rest.append((operator, self.pipeline()))

    def pipeline(self) -> Node:
        self.skip_blanks()
        is_negated = False
        while self.reserved() == "!":
            self.position += 1
            is_negated = not is_negated
            self.skip_blanks()
        commands = [self.command()]
        while True:
            self.skip_blanks()
            if self.peek() != "|" or self.peek(2) == "||":
                break
            self.position += 1
            self.skip_lines()
            commands.append(self.command())
        return commands[0] if len(commands) == 1 and not is_negated else Pipeline(tuple(commands), is_negated)

    def command(self) -> Node:
        self.skip_blanks()
        if self.take("("):
            body = self.body()
            self.skip_lines()
            if not self.take(")"):
                raise self.unexpected()
            return Group(body, True, self.redirects())
        match self.reserved():
            case "":
                return self.simple()
            case "{":
                self.position += 1
                body = self.body()
                self.expect("}")
                return Group(body, False, self.redirects())
            case "if":
                return self.conditional()
            case "for":
                return self.for_loop()
            case "while" | "until" as word:
                self.position += len(word)
                condition = self.body()
                body = self.loop_body()
                return While(condition, body, word == "until", self.redirects())
        raise self.unexpected()

    def conditional(self) -> Node:
        branches: list[tuple[Node, Node]] = []
        otherwise = None
        while (word := self.reserved()) in ("if", "elif"):
            self.position += len(word)
            condition = self.body()
            self.expect("then")
            branches.append((condition, self.body()))
        if word == "else":
            self.position += len(word)
            otherwise = self.body()
        self.expect("fi")
        return If(tuple(branches), otherwise, self.redirects())

    def for_loop(self) -> Node:
        self.position += len("for")
        self.skip_blanks()
        name = _NAME.match(self.text, self.position)
        if not name:
            raise self.unexpected()
        self.position = name.end()
        self.skip_lines()
        words: list[Word] | None = None
        if re.match(r"in(?=[\s;])", self.text[self.position : self.position + 3]):
            self.position += 2
            words = []
            self.skip_blanks()
            while self.position < len(self.text) and self.peek() not in META:
                words.append(self.word())
                self.skip_blanks()
        self.take(";")
        return For(name[0], None if words is None else tuple(words), self.loop_body(), self.redirects())

    def loop_body(self) -> Node:
        self.expect("do")
        body = self.body()
        self.expect("done")
        return body

    def simple(self) -> Node:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            self.skip_blanks()
            redirect = self.redirect()
            if redirect is not None:
                redirects.append(redirect)
            elif self.position >= len(self.text) or self.peek() in META:
                break
            elif not words and (found := _ASSIGNMENT.match(self.text, self.position)):
                self.position = found.end()
                assignments.append((found[1], self.word(allow_empty=True)))
            else:
                words.append(self.word())
        if self.peek() == "(" or not (assignments or words or redirects):
            raise self.unexpected()
        plain = [word.plain for word in words]
        argv = None if None in plain else tuple(word for word in plain if word is not None)
        return Simple(tuple(assignments), tuple(words), tuple(redirects), argv)

    def redirects(self) -> tuple[Redirect, ...]:
        found: list[Redirect] = []
        self.skip_blanks()
        while (redirect := self.redirect()) is not None:
            found.append(redirect)
            self.skip_blanks()
        return tuple(found)

    def redirect(self) -> Redirect | None:
        found = _REDIRECT.match(self.text, self.position)
        if not found:
            return None
        operator = found[2] or "&>"
        if operator in ("<<", "<&"):
            raise self.unexpected()
        self.position = found.end()
        self.skip_blanks()
        if self.position >= len(self.text) or self.peek() in META:
            raise self.unexpected()
        descriptor = int(found[1]) if found[1] else int(operator != "<")
        return Redirect(descriptor, operator.replace(">|", ">"), self.word())
