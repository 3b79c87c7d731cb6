"""The scripted model over HTTP: the OpenAI form, token ids on request, faults as written, nothing left behind."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from PIL import Image

from rollout.errors import RunError
from rollout.scripted_model.process import ScriptedModelProcess, start_scripted_model

Start = Callable[..., ScriptedModelProcess]


@pytest.fixture
def start() -> Iterator[Start]:
    servers: list[ScriptedModelProcess] = []

    def start_one(**options: Any) -> ScriptedModelProcess:
        servers.append(start_scripted_model(**options))
        return servers[-1]

    yield start_one
    for server in servers:
        server.stop()
        assert server.process.poll() is not None


def chat(server: ScriptedModelProcess, **fields: Any) -> httpx.Response:
    data = io.BytesIO()
    Image.new("RGB", (90, 160)).save(data, "PNG")
    url = "data:image/png;base64," + base64.b64encode(data.getvalue()).decode()
    content = [{"type": "text", "text": "hello"}, {"type": "image_url", "image_url": {"url": url}}]
    body = {"model": "m", "messages": [{"role": "user", "content": content}], **fields}
    return httpx.post(f"{server.api_base}/chat/completions", json=body, timeout=20, trust_env=False)


def test_it_lists_its_model_and_answers_in_the_openai_form(start: Start) -> None:
    server = start()
    models = httpx.get(f"{server.api_base}/models", trust_env=False).json()
    assert models["data"][0]["id"] == "scripted"
    reply = chat(server).json()
    assert reply["choices"][0]["finish_reason"] == "stop"
    assert reply["choices"][0]["logprobs"] is None
    assert "prompt_token_ids" not in reply
    assert reply["usage"]["total_tokens"] == reply["usage"]["prompt_tokens"] + reply["usage"]["completion_tokens"]


def test_token_ids_and_logprobs_come_when_asked_for_and_agree_with_the_usage(start: Start) -> None:
    reply = chat(start(), logprobs=True, return_token_ids=True).json()
    choice, usage = reply["choices"][0], reply["usage"]
    assert len(choice["token_ids"]) == len(choice["logprobs"]["content"]) == usage["completion_tokens"]
    assert len(reply["prompt_token_ids"]) == usage["prompt_tokens"]
    assert "".join(item["token"] for item in choice["logprobs"]["content"]) == choice["message"]["content"]


def test_a_token_limit_cuts_the_reply_and_says_so(start: Start) -> None:
    choice = chat(start(), max_tokens=2).json()["choices"][0]
    assert choice["finish_reason"] == "length"
    assert "I see a phone.".startswith(choice["message"]["content"])


def test_rubbish_gets_a_400_and_the_server_lives_on(start: Start) -> None:
    server = start()
    url = f"{server.api_base}/chat/completions"
    for data in (b"", b"{", b"[]", b'{"messages": 3}', b'{"messages": [3]}', b"\xff\xfe"):
        assert httpx.post(url, content=data, trust_env=False).status_code == 400
    assert httpx.get(f"{server.api_base}/nowhere", trust_env=False).status_code == 404
    assert chat(server).status_code == 200


def test_many_slow_answers_are_given_side_by_side(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    server = start(latency_s=1.0, log=log)
    threads = [threading.Thread(target=chat, args=(server,)) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = [json.loads(line)["t"] for line in log.read_text(encoding="utf-8").splitlines()]
    assert len(times) == 24


def test_scripted_faults_happen_to_the_request_they_name(start: Start, tmp_path: Path) -> None:
    faults = tmp_path / "faults.yaml"
    rules = [
        {"kind": "429", "at": 1, "retry_after": "2"},
        {"kind": "502_html", "at": 2},
        {"kind": "cut", "at": 3},
        {"kind": "empty", "at": 4},
        {"kind": "bad_json", "at": 5},
    ]
    faults.write_text(yaml.safe_dump(rules), encoding="utf-8")
    server = start(faults=faults)
    limited, gateway, cut, empty, broken, fine = (chat(server) for _ in range(6))
    assert (limited.status_code, limited.headers["Retry-After"]) == (429, "2")
    assert (gateway.status_code, gateway.headers["Content-Type"]) == (502, "text/html")
    assert cut.json()["choices"][0]["finish_reason"] == "length"
    assert empty.json()["choices"][0]["message"]["content"] == ""
    with pytest.raises(json.JSONDecodeError):
        broken.json()
    assert fine.status_code == 200


def test_a_faults_file_that_makes_no_sense_ends_the_start_at_once(tmp_path: Path) -> None:
    faults = tmp_path / "faults.yaml"
    faults.write_text("- {kind: earthquake}", encoding="utf-8")
    with pytest.raises(RunError, match="did not start"):
        start_scripted_model(faults=faults)
