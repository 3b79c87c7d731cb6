"""Ways to type text, and how one is chosen.

`input text` needs nothing on the phone, but it types key events: plain ASCII and nothing else. Everything else goes as
base64 to the helper keyboard, which commits any Unicode unchanged. A way that fails is not tried again on that phone;
what it had typed by then stays, and the next way goes on from there.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from devices import commands
from devices.commands import BadCommand, Shell, ShellAnswer, build, first_line
from devices.errors import DeviceNeedsHuman, TextNotTyped
from devices.keyboard import Keyboard, KeyboardTrouble

KEYS_CHUNK_CHARS = 150
HELPER_CHUNK_BYTES = 1500
"""UTF-8 bytes a broadcast, 2000 as base64."""
LONG_TEXT_CHARS = 1000
"""From here on the helper keyboard is tried first: key events would take ten seconds and more."""
SECONDS_PER_CHAR = 0.1
"""Allowed for each character typed by key events, which take 5 to 20 ms each."""

FORBIDDEN_HINT = (
    "the phone forbids injected input (INJECT_EVENTS): switch on 'USB debugging (Security settings)' in its developer"
    " options"
)
_KEYS_CAN = re.compile(r"[\x20-\x7e]*")
_KEYS_CAN_WITH_ENTER = re.compile(r"[\x20-\x7e\n]*")
_ENTER = 66


class _WayFailed(Exception):
    """This way did not type the rest of the text; another may."""

    def __init__(self, way: str, reason: str, typed_chars: int) -> None:
        super().__init__(reason)
        self.way = way
        self.typed_chars = typed_chars


@dataclass(slots=True)
class TextInput:
    """Types into the focused field of one phone."""

    shell: Shell
    keyboard: Keyboard
    broken: dict[str, str] = field(default_factory=dict)
    """Way → why it does not work on this phone."""

    def type(self, text: str) -> list[str]:
        """Type `text` unchanged; returns the commands that were sent.

        Raises:
            TextNotTyped: no way worked; the message tells each reason.
            DeviceNeedsHuman: the phone forbids injected input.
        """
        sent: list[str] = []
        reasons: list[str] = []
        whole_chars = len(text)
        for way in self._ways(text):
            try:
                self._type_by(way, text, sent)
            except _WayFailed as failure:
                self.broken[failure.way] = str(failure)
                reasons.append(f"{failure.way}: {failure}")
                text = text[failure.typed_chars :]
            except BadCommand as error:
                raise TextNotTyped(self.shell.serial, str(error)) from error
            else:
                return sent
        reasons += [f"{way}: {reason}" for way, reason in self.broken.items() if f"{way}: {reason}" not in reasons]
        what = f"only {whole_chars - len(text)} of {whole_chars} characters" if len(text) < whole_chars else "nothing"
        raise TextNotTyped(self.shell.serial, f"{what} was typed ({'; '.join(reasons)})")

    def _ways(self, text: str) -> list[str]:
        """Ways that can carry the text, best first, without those known to be broken."""
        if len(text) < LONG_TEXT_CHARS and _KEYS_CAN.fullmatch(text):
            ways = ["input text", "helper keyboard"]
        elif _KEYS_CAN_WITH_ENTER.fullmatch(text):
            # Second choice: ENTER may submit a form where a committed line break would not.
            ways = ["helper keyboard", "input text"]
        else:
            ways = ["helper keyboard"]
        return [way for way in ways if way not in self.broken]

    def _type_by(self, way: str, text: str, sent: list[str]) -> None:
        if way == "input text":
            self._by_keys(text, sent)
        else:
            self._by_helper(text, sent)

    def _by_keys(self, text: str, sent: list[str]) -> None:
        typed_chars = 0
        for chunk in key_chunks(text):
            command = commands.key_event(_ENTER) if chunk == "\n" else build("input", "text", chunk.replace(" ", "%s"))
            answer = self.shell.shell(command, timeout_s=10 + SECONDS_PER_CHAR * len(chunk))
            sent.append(command)
            self._refuse_forbidden(answer)
            if commands.input_failed(answer):
                raise _WayFailed("input text", first_line(answer.text), typed_chars)
            typed_chars += len(chunk)

    def _by_helper(self, text: str, sent: list[str]) -> None:
        try:
            chunks = list(helper_chunks(text))
        except UnicodeEncodeError as error:
            raise TextNotTyped(self.shell.serial, f"the text is not valid Unicode: {error.reason}") from error
        try:
            self.keyboard.use_helper()
        except KeyboardTrouble as error:
            raise _WayFailed("helper keyboard", str(error), 0) from error
        typed_chars = 0
        for chunk in chunks:
            message = base64.b64encode(chunk.encode()).decode()
            command = build("am", "broadcast", "-a", "ADB_INPUT_B64", "--es", "msg", message)
            answer = self.shell.shell(command)
            sent.append(command)
            if "Broadcast completed" not in answer.stdout or answer.code != 0:
                raise _WayFailed("helper keyboard", first_line(answer.text), typed_chars)
            typed_chars += len(chunk)

    def _refuse_forbidden(self, answer: ShellAnswer) -> None:
        if commands.input_is_forbidden(answer):
            raise DeviceNeedsHuman(self.shell.serial, FORBIDDEN_HINT)


def key_chunks(text: str) -> Iterator[str]:
    """Pieces for `input text`: bounded, each line break alone, and no piece that holds a literal "%s".

    `input` turns "%s" into a space and knows no escape, so such text is cut between "%" and "s".
    """
    for line in re.split(r"(\n)", text):
        for part in re.split(r"(?<=%)(?=s)", line):
            for start in range(0, len(part), KEYS_CHUNK_CHARS):
                yield part[start : start + KEYS_CHUNK_CHARS]


def helper_chunks(text: str) -> Iterator[str]:
    """Pieces of at most HELPER_CHUNK_BYTES as UTF-8, cut between characters. Raises UnicodeEncodeError."""
    start, size = 0, 0
    for index, character in enumerate(text):
        width = len(character.encode())
        if size + width > HELPER_CHUNK_BYTES:
            yield text[start:index]
            start, size = index, 0
        size += width
    if start < len(text):
        yield text[start:]
