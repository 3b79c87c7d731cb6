"""Chat messages as the runner holds them: text and images by reference, never base64.

The client turns them into OpenAI wire form when it sends; the record keeps them with images by path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class TextPart:
    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image to send. `data` are the exact bytes sent; `path` is where the record finds them."""

    data: bytes
    path: str
    """Relative to the attempt folder, e.g. `screenshots/0002.png`."""
    sha256: str
    format: Literal["png", "jpeg", "webp"]
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    parts: tuple[TextPart | ImagePart, ...]

    @property
    def text(self) -> str:
        """All text of the message, parts joined by newlines."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))


def user(*parts: str | ImagePart) -> Message:
    return Message("user", tuple(TextPart(part) if isinstance(part, str) else part for part in parts))


def system(text: str) -> Message:
    return Message("system", (TextPart(text),))


def assistant(text: str) -> Message:
    return Message("assistant", (TextPart(text),))


def to_record(message: Message) -> dict[str, Any]:
    """The message as a step line holds it: images as `{"type": "image", "path": …}`."""
    content: list[dict[str, Any]] = [
        {"type": "text", "text": part.text} if isinstance(part, TextPart) else {"type": "image", "path": part.path}
        for part in message.parts
    ]
    return {"role": message.role, "content": content}
