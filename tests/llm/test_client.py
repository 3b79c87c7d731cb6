"""The client against a server that misbehaves on a real socket."""

from __future__ import annotations

import base64
import hashlib
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from model_server import OK, Server, choice, cut, drip, drip_headers, hang, http, reply, reset, serving

from rollout.config.schema import Provider
from rollout.errors import ConfigError, ContextOverflow, ModelError
from rollout.llm import pause
from rollout.llm.client import ModelClient, ModelReply
from rollout.llm.messages import ImagePart, Message, system, user

CASES = Path(__file__).parent.parent / "cases" / "inputs"
KEY = "sk-canary-1234567890"
IMAGE = ImagePart(b"\x89PNG bytes", "screenshots/0001.png", hashlib.sha256(b"\x89PNG bytes").hexdigest(), "png", 2, 3)
MESSAGES = [user("before", IMAGE, 'after \u0000 \U0001f600 "quoted"')]


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pause, "_FIRST_S", 0.001)
    monkeypatch.setattr(pause, "_JITTER_S", 0.0)


def ask(server: Server, messages: list[Message] | None = None, sampling: Any = None, **provider: Any) -> ModelReply:
    cancel = provider.pop("cancel", None)
    settings = {"total_timeout_s": 20, "api_key": KEY, "api_base": server.api_base, **provider}
    client = ModelClient("local", Provider.model_validate(settings))
    try:
        return client.ask(messages or MESSAGES, model="demo-vl", sampling=sampling or {}, cancel=cancel)
    finally:
        client.close()


# -- what is sent


def test_a_request_carries_texts_and_images_in_order_and_the_sampling() -> None:
    with serving(OK) as server:
        ask(server, [system("be brief"), *MESSAGES], {"temperature": 0.1, "stop": None, "seed": 7, "logprobs": False})
    headers, body = server.requests[0]
    assert body == {
        "model": "demo-vl",
        "messages": [
            {"role": "system", "content": "be brief"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "before"},
                    {
                        "type": "image_url",
                        "image_url": {"url": "data:image/png;base64," + base64.b64encode(IMAGE.data).decode()},
                    },
                    {"type": "text", "text": 'after \u0000 \U0001f600 "quoted"'},
                ],
            },
        ],
        "temperature": 0.1,
        "seed": 7,
    }
    assert headers[""] == "POST /v1/chat/completions HTTP/1.1"
    assert headers["authorization"] == f"Bearer {KEY}"


def test_logprobs_ask_for_token_ids_too() -> None:
    with serving(OK) as server:
        ask(server, sampling={"logprobs": True})
    assert server.requests[0][1]["logprobs"] is True
    assert server.requests[0][1]["return_token_ids"] is True


def test_calls_share_one_connection_and_each_image_is_its_own() -> None:
    other = ImagePart(b"other", "b.png", hashlib.sha256(b"other").hexdigest(), "png", 1, 1)
    with serving(OK) as server:
        client = ModelClient("local", Provider(api_base=server.api_base))
        for image in (IMAGE, other, IMAGE):
            client.ask([user(image)], model="m", sampling={})
        client.close()
    sent = [body["messages"][0]["content"][0]["image_url"]["url"] for _, body in server.requests]
    assert server.connections == 1
    assert sent[0] == sent[2] != sent[1]
    assert base64.b64decode(sent[1].partition(",")[2]) == b"other"


# -- what is read


def test_tokens_cost_latency_and_names_are_kept() -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 400}}
    answer = reply("hi", usage=usage, metadata={"weight_version": "w7"})
    with serving(http("200 OK", answer)) as server:
        got = ask(server, price_per_million={"prompt": 1.0, "cached": 0.5, "completion": 2.0})
    assert (got.text, got.finish_reason, got.request_id, got.model) == ("hi", "stop", "call-1", "demo-vl")
    assert (got.prompt_tokens, got.completion_tokens, got.cached_tokens) == (1000, 10, 400)
    assert got.cost_usd == pytest.approx((600 * 1.0 + 400 * 0.5 + 10 * 2.0) / 1e6)
    assert got.weight_version == "w7"
    assert got.latency_s > 0 and got.retries == 0 and got.waited_s == 0


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart_from_the_text(key: str) -> None:
    answer = reply(choices=[choice({"content": None, key: "because"})])
    with serving(http("200 OK", answer)) as server:
        got = ask(server)
    assert (got.text, got.reasoning) == (None, "because")


def test_content_may_be_a_list_of_parts() -> None:
    with serving(http("200 OK", reply([{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]))) as server:
        assert ask(server).text == "one two"


@pytest.mark.parametrize("name", ["response_cut_by_length.http", "response_cut_empty.http"])
def test_a_reply_cut_by_the_token_limit_is_a_reply_and_says_so(name: str) -> None:
    with serving((CASES / name).read_bytes()) as server:
        got = ask(server)
    assert got.finish_reason == "length" and got.completion_tokens in (512, 4096)
    assert len(server.requests) == 1


def test_token_ids_and_logprobs_are_kept_when_they_agree_with_the_counts() -> None:
    logprobs = {"content": [{"token": t, "logprob": p} for t, p in (("a", -0.1), ("b", -0.2), ("c", 0.0))]}
    answer = reply(choices=[choice(token_ids=[5, 6, 7], logprobs=logprobs)], prompt_token_ids=list(range(10)))
    with serving(http("200 OK", answer)) as server:
        got = ask(server, sampling={"logprobs": True})
    assert got.prompt_token_ids == list(range(10))
    assert got.completion_token_ids == [5, 6, 7]
    assert got.logprobs == [-0.1, -0.2, 0.0]
    assert got.notes == []


def test_token_ids_that_contradict_the_counts_are_left_out_with_a_note() -> None:
    with serving(http("200 OK", reply(choices=[choice(token_ids=[5, 6])]))) as server:
        got = ask(server)
    assert got.completion_token_ids is None
    assert got.notes == ["token_ids has 2 entries, usage says 3"]


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    body = b'{"choices": [{"message": {"content": "a\\ud83d \\ud83d\\ude00"}}]}'
    with serving(http("200 OK", body)) as server:
        assert ask(server).text == "a\ufffd \U0001f600"


# -- retries


@pytest.mark.parametrize(
    "trouble",
    [
        http("429 Too Many Requests", {"error": {"message": "slow down"}}),
        http("500 Internal Server Error", "Internal Server Error", content_type="text/plain"),
        http("408 Request Timeout", ""),
        http("409 Conflict", ""),
        (CASES / "response_502_html.http").read_bytes(),
        (CASES / "response_error_inside_200.http").read_bytes(),
        http("200 OK", reply(choices=None)),
        http("200 OK", reply(choices=[])),
        http("200 OK", reply(choices=[choice(finish_reason="abort")])),
        http("200 OK", b'{"choices": [{"mess'),
        http("200 OK", b""),
        cut,
        reset,
    ],
)
def test_what_may_pass_is_tried_again(trouble: Any) -> None:
    with serving(trouble, OK) as server:
        got = ask(server)
    assert (got.text, got.retries, len(server.requests)) == ("hello", 1, 2)
    assert got.waited_s >= 0


@pytest.mark.parametrize(
    ("trouble", "code", "fatal"),
    [
        (http("401 Unauthorized", {"error": {"message": f"bad key {KEY}"}}), "AUTH", True),
        (http("403 Forbidden", {"error": "no"}), "AUTH", True),
        (http("404 Not Found", {"error": {"message": "The model `x` does not exist."}}), "UNKNOWN_MODEL", True),
        (http("400 Bad Request", {"error": {"message": "temperature must be positive"}}), "BAD_REQUEST", False),
        (http("413 Payload Too Large", ""), "BAD_REQUEST", False),
        (http("422 Unprocessable Entity", {"detail": [{"msg": "x"}]}), "BAD_REQUEST", False),
        (http("429 Too Many Requests", {"error": {"code": "insufficient_quota"}}), "RATE_LIMIT", True),
        (http("302 Found", "", location="http://198.51.100.7/v1/"), "BAD_RESPONSE", True),
        (http("307 Temporary Redirect", "", location="http://198.51.100.7/v1/"), "BAD_RESPONSE", True),
        (http("200 OK", {"error": {"message": "bad key", "code": 401}}), "AUTH", True),
    ],
)
def test_what_will_not_pass_is_not_tried_again(trouble: bytes, code: str, fatal: bool) -> None:
    with serving(trouble) as server, pytest.raises(ModelError) as caught:
        ask(server)
    assert (caught.value.code, caught.value.fatal, len(server.requests)) == (code, fatal, 1)
    assert KEY not in str(caught.value)


def test_a_log_in_page_is_named_with_its_beginning_and_not_asked_again() -> None:
    with serving((CASES / "response_200_html.http").read_bytes()) as server, pytest.raises(ModelError) as caught:
        ask(server)
    assert caught.value.code == "BAD_RESPONSE" and caught.value.fatal
    assert "Please sign in to the network" in str(caught.value)
    assert len(server.requests) == 1


def test_a_prompt_that_is_too_long_is_an_overflow_and_not_sent_again() -> None:
    with serving((CASES / "response_context_too_long.http").read_bytes()) as server, pytest.raises(ContextOverflow):
        ask(server)
    assert len(server.requests) == 1


def test_tries_are_bounded_and_the_last_cause_is_told() -> None:
    with (
        serving((CASES / "response_error_inside_200.http").read_bytes()) as server,
        pytest.raises(ModelError) as caught,
    ):
        ask(server, max_tries=3)
    assert len(server.requests) == 3
    assert caught.value.code == "RATE_LIMIT"
    assert "Provider returned error" in str(caught.value) and "3 tries" in str(caught.value)


def test_a_dead_address_is_a_connection_fault() -> None:
    with serving(OK) as server:
        pass
    with pytest.raises(ModelError) as caught:
        ask(server, max_tries=2)
    assert caught.value.code == "CONNECTION" and not caught.value.fatal


def test_a_redirect_within_the_server_is_followed() -> None:
    with serving(http("307 Temporary Redirect", "", location="/v1/chat/completions/"), OK) as server:
        assert ask(server).text == "hello"
    assert server.requests[1][0][""] == "POST /v1/chat/completions/ HTTP/1.1"
    assert server.requests[1][1] == server.requests[0][1]


def test_the_time_a_server_asks_for_is_kept() -> None:
    busy = http("429 Too Many Requests", "", retry_after="1")
    with serving(busy, OK) as server:
        began = time.monotonic()
        got = ask(server)
    assert time.monotonic() - began >= 1 and got.waited_s >= 1


def test_a_server_that_asks_for_hours_is_not_asked_again() -> None:
    with serving(http("429 Too Many Requests", "", retry_after="86400")) as server, pytest.raises(ModelError) as caught:
        ask(server)
    assert len(server.requests) == 1
    assert "86400 s" in str(caught.value)


# -- deadlines and cancelling


@pytest.mark.parametrize("slow", [hang, drip, drip_headers])
def test_the_total_deadline_holds_against_a_server_that_never_ends(slow: Any) -> None:
    with serving(slow) as server, pytest.raises(ModelError) as caught:
        ask(server, total_timeout_s=0.5, read_timeout_s=30)
    assert caught.value.code == "MODEL_TIMEOUT"
    assert len(server.requests) == 1


def test_silence_is_ended_by_the_read_timeout_and_tried_again() -> None:
    with serving(hang, OK) as server:
        assert ask(server, read_timeout_s=0.2).retries == 1


@pytest.mark.parametrize("slow", [hang, drip, drip_headers, http("429 Too Many Requests", "", retry_after="100")])
def test_cancelling_ends_a_call_wherever_it_waits(slow: Any) -> None:
    cancel = threading.Event()
    with serving(slow) as server:
        timer = threading.Timer(0.3, cancel.set)
        timer.start()
        with pytest.raises(ModelError) as caught:
            ask(server, total_timeout_s=200, cancel=cancel)
        timer.join()
    assert caught.value.code == "ABORTED" and "cancelled" in str(caught.value)


def test_a_cancelled_call_sends_nothing() -> None:
    cancel = threading.Event()
    cancel.set()
    with serving(OK) as server, pytest.raises(ModelError):
        ask(server, cancel=cancel)
    assert server.requests == []


def test_a_key_that_cannot_be_one_is_refused_without_being_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        ModelClient("local", Provider.model_validate({"api_base": "http://127.0.0.1:1/v1", "api_key": "clé\n"}))
    assert "clé" not in str(caught.value)
