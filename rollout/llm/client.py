"""Ask a model behind an OpenAI-compatible endpoint. The one layer of retries; one total deadline over all of them."""

from __future__ import annotations

import os
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx
import structlog
import tenacity

from rollout.config.schema import Provider
from rollout.errors import ConfigError, ModelError, Problem
from rollout.llm.answer import ModelReply, TryAgain, read_answer
from rollout.llm.body import BodyBuilder
from rollout.llm.messages import Message
from rollout.llm.network import CallCancelled, Watch, WatchedTransport, watched
from rollout.llm.pause import LONGEST_RETRY_AFTER_S, backoff_s, with_jitter

__all__ = ["ModelClient", "ModelReply"]

_LONGEST_ANSWER = 64 * 1024 * 1024
_MAX_REDIRECTS = 3


class ModelClient:
    """The way to one provider. Belongs to one worker; connects on first use, in the process that uses it.

    Args:
        name: the provider's name, for messages.
        transport: stands in for the network in tests.
        clock: seconds, like `time.monotonic`.
    """

    def __init__(
        self,
        name: str,
        provider: Provider,
        *,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._provider = provider
        self._transport = transport
        self._clock = clock
        self._bodies = BodyBuilder()
        self._url = httpx.URL(provider.api_base.rstrip("/") + "/chat/completions")
        self._headers = httpx.Headers(_headers(name, provider))
        self._timeouts = {
            "connect": provider.connect_timeout_s,
            "read": provider.read_timeout_s,
            "write": provider.read_timeout_s,
            "pool": provider.connect_timeout_s,
        }
        self._network: httpx.BaseTransport | None = None
        self._pid = 0
        self._noted: set[str] = set()

    def ask(
        self,
        messages: Sequence[Message],
        *,
        model: str,
        sampling: Mapping[str, Any],
        cancel: threading.Event | None = None,
    ) -> ModelReply:
        """One completion, with as many tries as the provider's settings allow.

        Args:
            sampling: request fields such as temperature, max_tokens, seed; None is left out. `logprobs: true` also asks
                for token ids.
            cancel: set it from another thread to end the call at once.

        Raises:
            ModelError: no usable answer. `fatal` when other calls would meet the same.
            ContextOverflow: the prompt is longer than the model takes.
        """
        body = self._bodies.build(messages, model, sampling)
        began = self._clock()
        watch = Watch(began + self._provider.total_timeout_s, cancel, self._clock)
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(TryAgain),
            wait=_pause,
            stop=lambda state: self._has_to_stop(state, watch),
            sleep=watch.sleep,
            reraise=True,
        )
        try:
            with watched(watch):
                reply, latency_s = retrying(self._try, body, watch)
        except CallCancelled:
            raise self._error(ModelError("ABORTED", "the call was cancelled")) from None
        except TryAgain as error:
            raise self._given_up(error, retrying, watch, began) from error
        except ModelError as error:
            raise self._error(error) from None
        reply.latency_s = latency_s
        reply.retries = int(retrying.statistics["attempt_number"]) - 1
        reply.waited_s = max(0.0, self._clock() - began - latency_s) if reply.retries else 0.0
        if reply.cost_usd is None:
            reply.cost_usd = _cost(reply, self._provider)
        self._tell_notes(reply)
        return reply

    def close(self) -> None:
        """Close the connections. The client can still be used; it connects again."""
        if self._network is not None and self._pid == os.getpid():
            self._network.close()
        self._network = None

    # -- one try

    def _try(self, body: bytes, watch: Watch) -> tuple[ModelReply, float]:
        watch.check()
        began = self._clock()
        try:
            status, headers, answer = self._send(body, watch)
        except httpx.TimeoutException as error:
            raise TryAgain(ModelError("MODEL_TIMEOUT", f"no answer ({type(error).__name__})")) from error
        except httpx.TransportError as error:
            what = f"{type(error).__name__}: {error}"
            raise TryAgain(ModelError("CONNECTION", f"the connection failed, {what}")) from error
        return read_answer(status, headers, answer), self._clock() - began

    def _send(self, body: bytes, watch: Watch) -> tuple[int, httpx.Headers, bytes]:
        """Status, headers and the whole body. Follows redirects within the server."""
        url = self._url
        # The bare transport: the cookies, auth and redirects of httpx.Client are not wanted, and cost time.
        for _ in range(_MAX_REDIRECTS + 1):
            request = httpx.Request(
                "POST", url, headers=self._headers, content=body, extensions={"timeout": self._timeouts}
            )
            response = self._connected().handle_request(request)
            try:
                answer = _read(response, watch)
            finally:
                response.close()
            onward = _onward(url, response)
            if onward is None:
                break
            url = onward
        return response.status_code, response.headers, answer

    def _connected(self) -> httpx.BaseTransport:
        """This process's connections: those made before a fork would mix up answers."""
        if self._network is None or self._pid != os.getpid():
            self._network = self._transport or _open_network(self._provider)
            self._pid = os.getpid()
        return self._network

    # -- the end of a call

    def _has_to_stop(self, state: tenacity.RetryCallState, watch: Watch) -> bool:
        if state.attempt_number >= self._provider.max_tries:
            return True
        return state.upcoming_sleep > LONGEST_RETRY_AFTER_S or state.upcoming_sleep >= watch.left_s()

    def _given_up(self, error: TryAgain, retrying: tenacity.Retrying, watch: Watch, began: float) -> ModelError:
        tries = int(retrying.statistics.get("attempt_number", 1))
        why = (
            f"{error.final}; gave up after {tries} {'try' if tries == 1 else 'tries'} in {self._clock() - began:.1f} s"
        )
        if error.wait_s is not None and tries < self._provider.max_tries:
            why += f" because the server asks to wait {error.wait_s:.0f} s"
        code = "MODEL_TIMEOUT" if watch.left_s() <= 0 else error.final.code
        return self._error(ModelError(code, why))

    def _error(self, error: ModelError) -> ModelError:
        """The error under the provider's name, without its key, whatever the server echoed."""
        key = self._provider.api_key.get_secret_value()
        message = str(error).replace(key, "***") if len(key) > 3 and key != "EMPTY" else str(error)
        named = f"provider {self._name} ({self._url}): {message}"
        if type(error) is ModelError:
            return ModelError(error.code, named, fatal=error.fatal)
        return type(error)(named)  # type: ignore[call-arg]  # ContextOverflow, which has no code of its own

    def _tell_notes(self, reply: ModelReply) -> None:
        for note in reply.notes:
            kind = note.partition(" ")[0]
            if kind not in self._noted:
                self._noted.add(kind)
                structlog.get_logger().warning("model_reply_contradicts_itself", provider=self._name, what=note)


def _pause(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    wait_s = error.wait_s if isinstance(error, TryAgain) else None
    return backoff_s(state.attempt_number) if wait_s is None else with_jitter(wait_s)


def _read(response: httpx.Response, watch: Watch) -> bytes:
    """The whole body; the deadline is looked at between chunks, whatever transport brings them."""
    chunks, size = [], 0
    for chunk in response.iter_bytes():
        watch.check()
        if watch.left_s() <= 0:
            raise httpx.ReadTimeout("the whole call took too long")
        size += len(chunk)
        if size > _LONGEST_ANSWER:
            raise ModelError("SERVER_ERROR", f"the answer is longer than {_LONGEST_ANSWER} bytes")
        chunks.append(chunk)
    return b"".join(chunks)


def _onward(url: httpx.URL, response: httpx.Response) -> httpx.URL | None:
    """Where a 307 or 308 points, when that is the same server: nobody else gets the prompt and the key."""
    if response.status_code not in (307, 308) or "location" not in response.headers:
        return None
    try:
        target = url.join(response.headers["location"])
    except httpx.InvalidURL:
        return None
    is_same = (url.scheme, url.host, url.port) == (target.scheme, target.host, target.port)
    return target if is_same else None


def _headers(name: str, provider: Provider) -> dict[str, str]:
    key = provider.api_key.get_secret_value()
    if not (key.isascii() and key.isprintable()) or key != key.strip():
        raise ConfigError(
            [Problem(f"providers.{name}.api_key", "holds characters that no key has", "check the variable")]
        )
    sent = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "phone-rollout"}
    return {**sent, "Authorization": f"Bearer {key}"} if key else sent


def _open_network(provider: Provider) -> WatchedTransport:
    parts = urlsplit(provider.api_base)
    proxy = _proxy_for(parts.scheme, parts.hostname or "") if provider.trust_env else None
    if parts.scheme == "http":
        # Loading the trusted certificates takes longer than all else here; plain HTTP needs none.
        return WatchedTransport(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), proxy)
    return WatchedTransport(httpx.create_ssl_context(trust_env=provider.trust_env), proxy)


def _proxy_for(scheme: str, host: str) -> str | None:
    from urllib.request import getproxies, proxy_bypass

    return None if proxy_bypass(host) else getproxies().get(scheme)


def _cost(reply: ModelReply, provider: Provider) -> float | None:
    prices = provider.price_per_million
    if prices is None or reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    cached = min(reply.cached_tokens or 0, reply.prompt_tokens)
    prompt = prices.get("prompt", 0.0)
    spent = (reply.prompt_tokens - cached) * prompt + cached * prices.get("cached", prompt)
    return (spent + reply.completion_tokens * prices.get("completion", 0.0)) / 1e6
