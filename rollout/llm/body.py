"""The request body. Built by parts: an image goes from bytes to base64 to the wire and is never scanned as text."""

from __future__ import annotations

import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Any

from rollout.llm.messages import ImagePart, Message, TextPart


class BodyBuilder:
    """Builds bodies; remembers the last image it encoded, since a re-ask and an unchanged screen send it again."""

    def __init__(self) -> None:
        self._sha256 = ""
        self._encoded = b""

    def build(self, messages: Sequence[Message], model: str, sampling: Mapping[str, Any]) -> bytes:
        """JSON bytes of a chat completion request, not streamed.

        `sampling` keys go in as they are, None left out; `logprobs: true` asks for token ids too.
        """
        pieces = [b'{"model": ', _json(model), b', "messages": [']
        for index, message in enumerate(messages):
            pieces.append(b", " if index else b"")
            self._add_message(pieces, message)
        pieces.append(b"]")
        for key, value in _options(sampling).items():
            pieces += (b", ", _json(key), b": ", _json(value))
        pieces.append(b"}")
        return b"".join(pieces)

    def _add_message(self, pieces: list[bytes], message: Message) -> None:
        pieces += (b'{"role": ', _json(message.role), b', "content": ')
        if len(message.parts) == 1 and isinstance(message.parts[0], TextPart):
            pieces += (_json(message.parts[0].text), b"}")
            return
        pieces.append(b"[")
        for index, part in enumerate(message.parts):
            pieces.append(b", " if index else b"")
            if isinstance(part, TextPart):
                pieces += (b'{"type": "text", "text": ', _json(part.text), b"}")
            else:
                head = f'{{"type": "image_url", "image_url": {{"url": "data:image/{part.format};base64,'
                pieces += (head.encode(), self._base64(part), b'"}}')
        pieces.append(b"]}")

    def _base64(self, image: ImagePart) -> bytes:
        if not image.sha256 or image.sha256 != self._sha256:
            self._encoded = binascii.b2a_base64(image.data, newline=False)
            self._sha256 = image.sha256
        return self._encoded


def _options(sampling: Mapping[str, Any]) -> dict[str, Any]:
    sent = {key: value for key, value in sampling.items() if value is not None and key not in ("model", "messages")}
    if sent.get("logprobs") is True:
        return {"return_token_ids": True, **sent}
    sent.pop("logprobs", None)
    return sent


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()
