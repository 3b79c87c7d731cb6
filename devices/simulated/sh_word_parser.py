"""Words of a shell script: quotes, escapes, and what "$" and backticks begin. Commands are in `sh_parser.py`."""

from __future__ import annotations

import re

from devices.simulated.sh_nodes import Arithmetic, Node, Parameter, Part, Substitution, Text, Word

MAX_DEPTH = 40
"""Of nesting; deeper scripts are refused."""
META = frozenset(" \t\n;&|<>()")
"""Characters that end a word."""

_WORD_END = re.compile(r"[^ \t\n;&|<>()'\"\\$`]+")
_BLANKS = re.compile(r"(?:[ \t]|\\\n)+")
_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]|[?$#@*!]")
_BRACED_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?$#@*!]")
_OPERATOR = re.compile(r":?[-=+?]|##?|%%?")
_BACKTICKS = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_RESERVED = re.compile(r"(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|function|[{}!])(?=[\s;&|()<>]|$)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_ANSI_ESCAPE = re.compile(r"x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,6})|([0-7]{1,3})|(.)", re.DOTALL)


class ShellSyntaxError(ValueError):
    """The script is not one; the text is the shell's message without its name in front."""


class UnfinishedScript(ShellSyntaxError):
    """The script ends too early: more lines may complete it."""


class WordParser:
    """A position in a script, and the words that begin there."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.position = 0
        self.depth = depth

    def sequence(self) -> Node:
        """Commands up to a closing word or parenthesis, or the end."""
        raise NotImplementedError

    # -- small steps -------------------------------------------------------------------------------------------------

    def peek(self, length: int = 1) -> str:
        return self.text[self.position : self.position + length]

    def take(self, token: str) -> bool:
        if self.text.startswith(token, self.position):
            self.position += len(token)
            return True
        return False

    def skip_blanks(self) -> None:
        found = _BLANKS.match(self.text, self.position)
        if found:
            self.position = found.end()
        if self.peek() == "#":
            end = self.text.find("\n", self.position)
            self.position = len(self.text) if end < 0 else end

    def skip_lines(self) -> None:
        self.skip_blanks()
        while self.take("\n"):
            self.skip_blanks()

    def reserved(self) -> str:
        """The reserved word here, or ""."""
        found = _RESERVED.match(self.text, self.position)
        return found[0] if found else ""

    def expect(self, word: str) -> None:
        self.skip_lines()
        if self.reserved() != word:
            raise self.unexpected()
        self.position += len(word)

    def unexpected(self) -> ShellSyntaxError:
        if self.position >= len(self.text):
            return UnfinishedScript("syntax error: unexpected end of file")
        token = self.reserved() or (self.text[self.position : self.position + 2].strip() or "newline")
        if token[:1] in META and token not in ("&&", "||", ";;", "<<"):
            token = token[:1]
        return ShellSyntaxError(f"syntax error: unexpected '{token}'")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ShellSyntaxError("syntax error: nested too deeply")

    # -- words -------------------------------------------------------------------------------------------------------

    def word(self, *, allow_empty: bool = False) -> Word:
        parts: list[Part] = []
        while self.position < len(self.text) and (character := self.peek()) not in META:
            found = _WORD_END.match(self.text, self.position)
            if found:
                self.position = found.end()
                parts.append(Text(found[0], False))
            elif character == "'":
                parts.append(Text(self.until("'", 1), True))
            elif character == '"':
                self.position += 1
                parts.extend(self.double_quoted('"'))
            elif character == "\\":
                self.position += 2
                escaped = self.text[self.position - 1 : self.position]
                if escaped != "\n":
                    parts.append(Text(escaped, True))
            else:
                parts.append(self.expansion(is_quoted=False))
        if not parts and not allow_empty and self.position >= len(self.text):
            raise self.unexpected()
        return Word(tuple(parts))

    def until(self, end: str, opening_length: int) -> str:
        start = self.position + opening_length
        stop = self.text.find(end, start)
        if stop < 0:
            raise UnfinishedScript("syntax error: no closing quote")
        self.position = stop + len(end)
        return self.text[start:stop]

    def double_quoted(self, end: str) -> list[Part]:
        """Parts up to `end`, which is taken; nothing in them is split or globbed."""
        parts: list[Part] = []
        plain: list[str] = []
        while not self.take(end):
            character = self.peek()
            if not character:
                raise UnfinishedScript("syntax error: no closing quote")
            if character == "\\":
                escaped = self.text[self.position + 1 : self.position + 2]
                plain.append({"\n": ""}.get(escaped, escaped) if escaped in '$`"\\\n' else f"\\{escaped}")
                self.position += 2
            elif character in "$`":
                parts += [Text("".join(plain), True), self.expansion(is_quoted=True)]
                plain = []
            else:
                # Quotes inside "${name:-…}" only group.
                plain.append("" if character == '"' else character)
                self.position += 1
        if plain or not parts:
            parts.append(Text("".join(plain), True))
        return parts

    def expansion(self, *, is_quoted: bool) -> Part:
        """What "$" or a backtick begins."""
        if self.peek() == "`":
            return Substitution(self.backticks(), is_quoted)
        if self.peek(3) == "$((":
            return self.arithmetic(is_quoted)
        if self.take("$("):
            script = self.sequence()
            self.skip_lines()
            if not self.take(")"):
                raise self.unexpected()
            return Substitution(script, is_quoted)
        if self.take("${"):
            return self.braced(is_quoted)
        if not is_quoted and self.take("$'"):
            return Text(self.ansi_quoted(), True)
        self.position += 1
        found = _PARAMETER.match(self.text, self.position)
        if not found:
            return Text("$", is_quoted)
        self.position = found.end()
        return Parameter(found[0], "", None, is_quoted)

    def backticks(self) -> Node:
        found = _BACKTICKS.match(self.text, self.position)
        if not found:
            raise UnfinishedScript("syntax error: no closing quote")
        self.position = found.end()
        self.deeper()
        inner = type(self)(re.sub(r"\\([$`\\])", r"\1", found[1]), self.depth)
        node = inner.sequence()
        self.depth -= 1
        if inner.position < len(inner.text):
            raise inner.unexpected()
        return node

    def arithmetic(self, is_quoted: bool) -> Part:
        self.position += len("$((")
        self.deeper()
        parts: list[Part] = []
        level = 0
        while level or self.peek(2) != "))":
            character = self.peek()
            if not character:
                raise UnfinishedScript("syntax error: missing '))'")
            if character in "$`":
                parts.append(self.expansion(is_quoted=True))
                continue
            level += {"(": 1, ")": -1}.get(character, 0)
            parts.append(Text(character, True))
            self.position += 1
        self.position += 2
        self.depth -= 1
        return Arithmetic(Word(tuple(parts)), is_quoted)

    def braced(self, is_quoted: bool) -> Part:
        """`${…}` behind its opening."""
        if self.peek() == "#" and self.peek(2) != "#}":
            self.position += 1
            name = _BRACED_NAME.match(self.text, self.position)
            if name and self.text.startswith("}", name.end()):
                self.position = name.end() + 1
                return Parameter(name[0], "length", None, is_quoted)
            raise ShellSyntaxError("bad substitution")
        name = _BRACED_NAME.match(self.text, self.position)
        if not name:
            raise ShellSyntaxError("bad substitution")
        self.position = name.end()
        if self.take("}"):
            return Parameter(name[0], "", None, is_quoted)
        operator = _OPERATOR.match(self.text, self.position)
        if not operator:
            raise ShellSyntaxError("bad substitution")
        self.position = operator.end()
        self.deeper()
        argument = Word(tuple(self.braced_argument(is_quoted)))
        self.depth -= 1
        return Parameter(name[0], operator[0], argument, is_quoted)

    def braced_argument(self, is_quoted: bool) -> list[Part]:
        if is_quoted:
            return self.double_quoted("}")
        parts: list[Part] = []
        while not self.take("}"):
            character = self.peek()
            if not character:
                raise UnfinishedScript("syntax error: missing '}'")
            if character == "'":
                parts.append(Text(self.until("'", 1), True))
            elif self.take('"'):
                parts.extend(self.double_quoted('"'))
            elif character in "$`":
                parts.append(self.expansion(is_quoted=False))
            else:
                is_escape = self.take("\\")
                parts.append(Text(self.peek(), is_escape))
                self.position += 1
        return parts

    def ansi_quoted(self) -> str:
        """The inside of `$'…'`, behind its opening."""
        pieces: list[str] = []
        while not self.take("'"):
            if self.position >= len(self.text):
                raise UnfinishedScript("syntax error: no closing quote")
            if self.take("\\") and (found := _ANSI_ESCAPE.match(self.text, self.position)):
                self.position = found.end()
                pieces.append(_unescaped(found))
            else:
                pieces.append(self.peek())
                self.position += 1
        return "".join(pieces)


def _unescaped(found: re.Match[str]) -> str:
    number = found[1] or found[2] or found[3]
    if number:
        code = int(number, 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "�"
    if found[4]:
        return chr(int(found[4], 8) & 0xFF)
    return _ESCAPES.get(found[5], found[5])
