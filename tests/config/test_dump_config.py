"""A written configuration is true YAML, holds no key, and repeats the run."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from rollout.config.load import dump_config, load_config
from rollout.errors import ConfigError

ODD = [
    "1e-3",
    "0123",
    "1:5",
    "yes",
    "null",
    "~",
    "12",
    "2024-01-01",
    "${X}",
    "$${X}",
    "a: b",
    "# x",
    "",
    " x ",
    "你好 😀",
    "a\nb",
    "=",
    "<<",
]


def loaded(tmp_path: Path, text: str, env: dict[str, str], *, name: str = "c.yaml"):  # type: ignore[no-untyped-def]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return load_config(path, env=env)


def test_it_loads_back_to_the_same_configuration(tmp_path: Path) -> None:
    text = """\
mode: rl
providers:
  local: {api_base: "http://localhost:8000/v1", api_key: "${K}"}
  free: {api_base: "http://localhost:8001/v1", price_per_million: {prompt: 0.00001}}
agent: {provider: local, model: m, settle: {mode: fixed, seconds: 1e-7}}
devices: {adb: {tags: {"127.0.0.1:5555": [a, "12"]}, serials: ["0123", "77"]}}
tasks: {path: x.jsonl, slice: "1:5"}
"""
    first = loaded(tmp_path, text, {"K": "sk-1"})
    (tmp_path / "run").mkdir()
    again = loaded(tmp_path / "run", dump_config(first), {"ROLLOUT_KEY_LOCAL": "sk-1"})
    assert again == first
    assert dump_config(again) == dump_config(first)


@pytest.mark.parametrize("text", ODD)
def test_any_text_comes_back_as_text(text: str, tmp_path: Path) -> None:
    config = load_config_with(tmp_path, text)
    again = loaded(tmp_path, dump_config(config), {}, name="again.yaml")
    assert again.agent.sampling.extra == {"text": text, text: [text]}
    assert yaml.safe_load(dump_config(config))["agent"]["sampling"]["extra"]["text"] == text.replace("${", "$${")


def load_config_with(tmp_path: Path, text: str):  # type: ignore[no-untyped-def]
    config = loaded(tmp_path, "mode: eval\n", {})
    config.agent.sampling.extra = {"text": text, text: [text]}
    return config


def test_it_holds_no_key_and_says_which_variable_it_wants(tmp_path: Path) -> None:
    text = 'providers: {my-own: {api_base: "http://x/v1", api_key: sk-canary}, open: {api_base: "http://y/v1"}}'
    written = dump_config(loaded(tmp_path, text, {}))
    assert "canary" not in written
    assert yaml.safe_load(written)["providers"]["open"]["api_key"] == "EMPTY"
    with pytest.raises(ConfigError, match="the environment variable ROLLOUT_KEY_MY_OWN is not set"):
        loaded(tmp_path, written, {})
