"""An answer in the OpenAI chat completion form, with usage; token ids and logprobs in vLLM's form when asked for."""

from __future__ import annotations

import re
import uuid
import zlib
from collections.abc import Mapping
from typing import Any

WEIGHT_VERSION = "scripted-1"
_PIECE = re.compile(r"\s?\w{1,6}|\s|.", re.DOTALL)
_IMAGE_TOKENS = 1200


def completion(body: Mapping[str, Any], prompt_text: str, has_image: bool, text: str, finish: str) -> dict[str, Any]:
    """The response body for `text`."""
    pieces = _PIECE.findall(text)
    most = body.get("max_tokens")
    if isinstance(most, int) and 0 < most < len(pieces):
        pieces, finish = pieces[:most], "length"
        text = "".join(pieces)
    wants_ids = bool(body.get("return_token_ids"))
    prompt_tokens = len(prompt_text) // 4 + _IMAGE_TOKENS * has_image
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": finish,
        "logprobs": _logprobs(pieces) if body.get("logprobs") else None,
    }
    reply: dict[str, Any] = {
        "id": f"chatcmpl-{uuid.uuid4().hex[:16]}",
        "object": "chat.completion",
        "model": body.get("model", "scripted"),
        "weight_version": WEIGHT_VERSION,
        "choices": [choice],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": len(pieces),
            "total_tokens": prompt_tokens + len(pieces),
        },
    }
    if wants_ids:
        choice["token_ids"] = [_token_id(piece) for piece in pieces]
        seed = zlib.crc32(prompt_text.encode())
        reply["prompt_token_ids"] = [(seed + 7919 * index) % 150_000 for index in range(prompt_tokens)]
    return reply


def _token_id(piece: str) -> int:
    return zlib.crc32(piece.encode()) % 150_000


def _logprobs(pieces: list[str]) -> dict[str, Any]:
    """One value a token, the same for the same token."""
    content: list[dict[str, Any]] = [
        {"token": piece, "logprob": -(_token_id(piece) % 1000) / 2000, "bytes": None, "top_logprobs": []}
        for piece in pieces
    ]
    return {"content": content}
