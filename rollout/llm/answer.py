"""An HTTP response of a model server → a reply, or an error that says whether another try makes sense.

What the policy wrote (empty, cut, odd text) is a reply. An error inside a 200 counts as if it were the status.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rollout.errors import ContextOverflow, ModelError
from rollout.llm.pause import retry_after_s

_SHOWN = 200
"""Characters of a server's answer that an error message quotes."""

_OVERFLOW = re.compile(
    r"context.{0,2}(length|window|size)|maximum (model|context|sequence) length|longer than the maximum"
    r"|prompt is too long|too many (input )?tokens",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient.{0,2}(quota|balance|credit)", re.IGNORECASE)
_NO_MODEL = re.compile(r"model.not.found|model .{0,200}does not exist|unknown model", re.IGNORECASE | re.DOTALL)


class TryAgain(Exception):
    """This try failed in a way that may pass. `final` is what the caller gets when there is no further try."""

    def __init__(self, final: ModelError, wait_s: float | None = None) -> None:
        super().__init__(str(final))
        self.final = final
        self.wait_s = wait_s
        """How long the server asked to wait; None when it did not say anything usable."""


@dataclass(slots=True)
class ModelReply:
    """What the server answered. `None` means that it did not report it."""

    text: str | None
    reasoning: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float = 0.0
    """Of the try that answered."""
    retries: int = 0
    waited_s: float = 0.0
    """Spent on tries that failed and on the pauses between them."""
    request_id: str | None = None
    weight_version: str | None = None
    prompt_token_ids: list[int] | None = None
    completion_token_ids: list[int] | None = None
    logprobs: list[float] | None = None
    """One per completion token."""
    logprobs_mode: str | None = None
    model: str | None = None
    """Name that the server gave."""
    notes: list[str] = field(default_factory=list)
    """What the server reported and contradicted itself with; left out of the fields above."""


def read_answer(status: int, headers: Mapping[str, str], body: bytes) -> ModelReply:
    """A whole response → the reply.

    Raises:
        TryAgain: 408, 409, 429, 5xx, an aborted, missing or broken answer.
        ModelError: another try would give the same.
    """
    if status != 200:
        raise failure(status, headers, _error_text(body))
    answer = _parse(headers, body)
    error = answer.get("error") or (answer if answer.get("object") == "error" else None)
    if error and not answer.get("choices"):
        code = error.get("code") if isinstance(error, dict) else None
        # Only the status that the server would have sent counts; texts like "rate_limit_exceeded" are read as a fault.
        raise failure(_as_status(code), headers, _error_text(body))
    return _read_reply(answer, headers)


def _parse(headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        start = body.lstrip()[:1]
        if start in (b"", b"{"):
            raise TryAgain(ModelError("SERVER_ERROR", f"the answer is broken JSON of {len(body)} bytes")) from error
        answer = None
    if not isinstance(answer, dict):
        kind = headers.get("content-type", "no content type")
        shown = body[: _SHOWN * 4].decode(errors="replace")[:_SHOWN]
        raise ModelError(
            "BAD_RESPONSE", f"this is no model server: it answered 200 with {kind}, beginning {shown!r}", fatal=True
        )
    return answer


def _read_reply(answer: dict[str, Any], headers: Mapping[str, str]) -> ModelReply:
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise TryAgain(ModelError("SERVER_ERROR", "the answer holds no choice"))
    finish_reason = choice.get("finish_reason")
    if finish_reason in ("abort", "aborted", "error"):
        raise TryAgain(ModelError("ABORTED", "the server broke the generation off"))
    usage = _mapping(answer.get("usage"))
    reply = ModelReply(
        text=_text(message.get("content")) or _string(message.get("refusal")) or _text(message.get("content"), ""),
        reasoning=_string(message.get("reasoning_content")) or _string(message.get("reasoning")),
        finish_reason=_string(finish_reason),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(_mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
        cost_usd=_amount(usage.get("cost")),
        request_id=_string(answer.get("id")) or headers.get("x-request-id"),
        weight_version=_weight_version(answer, choice, headers),
        logprobs_mode=_string(answer.get("logprobs_mode")),
        model=_string(answer.get("model")),
    )
    _add_tokens(reply, answer, choice)
    return reply


# -- parts of a reply


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _string(value: Any) -> str | None:
    return _clean(value) if isinstance(value, str) and value else None


def _clean(text: str) -> str:
    """Halves of surrogate pairs, which JSON lets through and no file takes, become U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _text(content: Any, empty: str | None = None) -> str | None:
    """Content may be a string, null, or a list of parts."""
    if isinstance(content, list):
        content = "".join(part["text"] for part in map(_mapping, content) if isinstance(part.get("text"), str))
    return _string(content) or (empty if isinstance(content, str) else None)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _amount(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) and value >= 0 else None


def _weight_version(answer: dict[str, Any], choice: dict[str, Any], headers: Mapping[str, str]) -> str | None:
    places = (answer, answer.get("metadata"), answer.get("meta_info"), choice, choice.get("meta_info"))
    for place in places:
        value = _mapping(place).get("weight_version")
        if isinstance(value, (str, int)) and value != "":
            return str(value)
    return headers.get("x-weight-version")


def _add_tokens(reply: ModelReply, answer: dict[str, Any], choice: dict[str, Any]) -> None:
    """Token ids and logprobs, if they agree with the counts: a trainer must be able to trust them."""
    prompt_ids = answer.get("prompt_token_ids") or choice.get("prompt_token_ids")
    content = _mapping(choice.get("logprobs")).get("content")
    logprobs = [_mapping(item).get("logprob") for item in content] if isinstance(content, list) else None
    counts = (reply.prompt_tokens, reply.completion_tokens)
    reply.prompt_token_ids = _agreeing(reply, "prompt_token_ids", prompt_ids, int, counts[0])
    reply.completion_token_ids = _agreeing(reply, "token_ids", choice.get("token_ids"), int, counts[1])
    reply.logprobs = _agreeing(reply, "logprobs", logprobs, (int, float), counts[1])


def _agreeing(reply: ModelReply, name: str, values: Any, kind: Any, count: int | None) -> Any:
    if not isinstance(values, list) or not values:
        return None
    if not all(isinstance(value, kind) for value in values):
        reply.notes.append(f"{name} holds something that is no number")
    elif count is not None and len(values) != count:
        reply.notes.append(f"{name} has {len(values)} entries, usage says {count}")
    else:
        return values
    return None


# -- errors


def failure(status: int, headers: Mapping[str, str], text: str) -> TryAgain | ModelError:
    """The error that a status stands for."""
    said = f"status {status}: {text}"
    match status:
        case 429 if _QUOTA.search(text):
            return ModelError("RATE_LIMIT", f"the quota is used up, {said}", fatal=True)
        case 429:
            return TryAgain(ModelError("RATE_LIMIT", said), retry_after_s(headers))
        case 408:
            return TryAgain(ModelError("MODEL_TIMEOUT", said), retry_after_s(headers))
        case _ if status == 409 or status >= 500:
            return TryAgain(ModelError("SERVER_ERROR", said), retry_after_s(headers))
        case 401 | 402 | 403:
            return ModelError("AUTH", f"the key is not accepted, {said}", fatal=True)
        case 404:
            return ModelError("UNKNOWN_MODEL", f"no such model or address, {said}", fatal=True)
        case _ if 300 <= status < 400:
            where = headers.get("location", "nowhere")[:_SHOWN]
            return ModelError("BAD_RESPONSE", f"sends us on to {where!r}; set api_base to that server", fatal=True)
        case 400 | 413 | 422 if _OVERFLOW.search(text):
            return ContextOverflow(said)
        case 400 if _NO_MODEL.search(text):
            return ModelError("UNKNOWN_MODEL", said, fatal=True)
    return ModelError("BAD_REQUEST", said)


def _as_status(code: Any) -> int:
    try:
        status = int(code)
    except (TypeError, ValueError):
        return 500
    return status if 400 <= status < 600 else 500


def _error_text(body: bytes) -> str:
    """What the server said, short."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    error = _mapping(answer).get("error") or answer
    told = (
        [error]
        if isinstance(error, str)
        else [_mapping(error).get(key) for key in ("message", "type", "code", "detail")]
    )
    text = " ".join(str(part) for part in told if part) or body[: _SHOWN * 4].decode(errors="replace")
    return " ".join(text.split())[: _SHOWN * 2]
