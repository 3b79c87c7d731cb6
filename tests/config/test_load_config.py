"""Loading a configuration: every problem at once, each with its place and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rollout.config.load import load_config, read_config
from rollout.config.schema import RunConfig
from rollout.errors import ConfigError, Problem

GOOD = """\
providers:
  local: {api_base: "http://localhost:8000/v1", api_key: "${KEY:-EMPTY}"}
agent: {model: m}
devices: {adb: {}}
tasks: {path: tasks.jsonl}
"""


def load(tmp_path: Path, text: str | bytes = GOOD, **how: Any) -> RunConfig:
    path = tmp_path / "c.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_config(path, **{"env": {}, **how})


def problems(tmp_path: Path, text: str | bytes = GOOD, **how: Any) -> list[Problem]:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text, **how)
    return [
        Problem(problem.where.removeprefix(f"{tmp_path}/"), problem.message, problem.hint)
        for problem in caught.value.problems
    ]


def only(tmp_path: Path, text: str | bytes = GOOD, **how: Any) -> Problem:
    found = problems(tmp_path, text, **how)
    assert len(found) == 1, found
    return found[0]


def test_a_good_file_loads(tmp_path: Path) -> None:
    config = load(tmp_path, env={"KEY": "sk-1"})
    assert config.providers["local"].api_key.get_secret_value() == "sk-1"
    assert config.tasks.path == tmp_path / "tasks.jsonl"


def test_all_problems_are_reported_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = """\
providers:
  local: {api_base: "ftp://x", api_key: "${NOPE}"}
max_steps: 3
agent:
  providr: local
  kind: gui2
  max_steps: -1
  sampling: {temperature: hot}
  settle: {min_s: 5, max_s: 1}
devices:
  adb: {serials: [1234567], connect: ["10.0.0.1"]}
  simulated: 4
tasks: {filter: "(", slice: 1-2, samples: 0}
agent: {}
openai: {api_base: "http://x/v1"}
"""
    found = problems(tmp_path, text)
    assert [problem.where for problem in found] == [
        *["c.yaml:2"] * 2, "c.yaml:3", "c.yaml:5", "c.yaml:6", "c.yaml:7", "c.yaml:8", "c.yaml:9", *["c.yaml:11"] * 2,
        "c.yaml:12", *["c.yaml:13"] * 3, "c.yaml:14", "c.yaml:15",
    ]  # fmt: skip
    said = {problem.where: problem for problem in found}
    assert said["c.yaml:3"].hint == "it belongs to agent"
    assert said["c.yaml:5"].hint == "did you mean 'provider'?"
    assert "given: -1" in said["c.yaml:7"].message
    assert said["c.yaml:14"].message == "agent is given twice, first in line 4"
    assert "providers:" in said["c.yaml:15"].hint


def test_digits_where_text_is_needed_are_shown_as_written_with_the_advice_to_quote(tmp_path: Path) -> None:
    problem = only(tmp_path, GOOD.replace("adb: {}", "adb: {serials: [0x12, abc]}"))
    assert problem.message == "devices.adb.serials[0] must be text, given: 0x12"
    assert problem.hint == 'quote it: "0x12"'


def test_a_serial_alone_must_be_in_a_list(tmp_path: Path) -> None:
    problem = only(tmp_path, GOOD.replace("adb: {}", "adb: {serials: emulator-5554}"))
    assert problem.message == "devices.adb.serials must be 'all' or a list, given: 'emulator-5554'"
    assert problem.hint == '["emulator-5554"]'


def test_what_looks_like_a_time_or_an_octal_number_stays_text(tmp_path: Path) -> None:
    config = load(tmp_path, GOOD.replace("tasks: {", "tasks: {slice: 1:5, ").replace("{}", "{serials: [0123]}"))
    assert config.tasks.slice == "1:5"
    assert config.devices.adb is not None
    assert config.devices.adb.serials == ["0123"]


def test_an_unknown_dialect_names_the_known_ones(tmp_path: Path) -> None:
    problem = only(tmp_path, GOOD.replace("model: m", "model: m, dialect: zzz"))
    assert (problem.where, problem.message) == ("c.yaml:3", "agent.dialect: 'zzz' is no dialect")
    assert "gelab" in problem.hint


# Variables


def test_variables_are_filled_in_and_stay_text(tmp_path: Path) -> None:
    text = GOOD.replace("model: m", 'model: "${A}-${B:-b}-${C:-}-$${A}-$5", max_steps: "${STEPS:-7}"')
    config = load(tmp_path, text, env={"A": "${B}: [1]"})
    assert config.agent.model == "${B}: [1]-b--${A}-$5"
    assert config.agent.max_steps == 7


def test_a_missing_variable_is_one_problem_and_not_two(tmp_path: Path) -> None:
    problem = only(tmp_path, GOOD.replace("model: m", 'max_steps: "${STEPS}"'))
    assert "the environment variable STEPS is not set" in problem.message
    assert "${STEPS:-default}" in problem.hint


@pytest.mark.parametrize("text", ["${", "${}", "${1X}", "${A", "${A-b}", "${A:b}"])
def test_what_begins_like_a_variable_and_is_none_is_a_problem(text: str, tmp_path: Path) -> None:
    assert "begins no variable" in only(tmp_path, GOOD.replace("model: m", f'model: "{text}"')).message


# Flags


def test_flags_lie_over_the_file_and_are_read_as_yaml(tmp_path: Path) -> None:
    sets = [
        "agent.max_steps=20",
        "agent.sampling={temperature: 1}",
        "agent.sampling.top_p=0.5",
        'devices.adb.tags."127.0.0.1:5555"=[tablet]',
        "agent.model='${M}'",
        "limits.rollout.seconds=",
        "agent.sampling.extra.a.b=[1, x]",
    ]
    config = load(tmp_path, sets=sets, env={"M": "other"})
    assert (config.agent.max_steps, config.agent.model, config.limits.rollout.seconds) == (20, "other", None)
    assert (config.agent.sampling.temperature, config.agent.sampling.top_p) == (1, 0.5)
    assert config.agent.sampling.extra == {"a": {"b": [1, "x"]}}
    assert config.devices.adb is not None
    assert config.devices.adb.tags == {"127.0.0.1:5555": ["tablet"]}


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ("agent.max_steps=-1", "must be greater than or equal to 0, given: -1"),
        ("agent.max_step=1", "unknown key agent.max_step"),
        ("agent.model=12", "must be text, given: 12"),
        ("agent", "is not KEY=VALUE"),
        ("=1", "is not KEY=VALUE"),
        ("a..b=1", "is not KEY=VALUE"),
        ("agent.model.x=1", "what stands above it is no section"),
        ("agent.model=[1", "is no YAML"),
        ("agent.model=*x", "anchors (&) and aliases (*)"),
        ("agent.model=${NOPE}", "NOPE is not set"),
        ("agent.dialect=zzz", "is no dialect"),
    ],
)
def test_a_problem_of_a_flag_stands_at_the_flag(flag: str, said: str, tmp_path: Path) -> None:
    problem = only(tmp_path, sets=[flag])
    assert problem.where == f"--set {flag}"
    assert said in problem.message


def test_a_flag_replaces_what_was_wrong_in_the_file(tmp_path: Path) -> None:
    assert load(tmp_path, GOOD.replace("model: m", "max_steps: -1"), sets=["agent.max_steps=3"]).agent.max_steps == 3


# Secrets


@pytest.mark.parametrize("text", ["api_key: sk-canary: x", "api_key: [sk-canary]", "api_key: {a: sk-canary}"])
def test_no_problem_shows_a_key(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, f'providers:\n  a:\n    api_base: "http://x/v1"\n    {text}\n')
    assert "canary" not in str(caught.value)


def test_no_problem_shows_a_key_given_by_flag_or_within_an_address(tmp_path: Path) -> None:
    sets = ["providers.local.api_key=[sk-canary]", "providers.b={api_base: 3, api_key: sk-canary}"]
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, GOOD.replace("http://localhost", "http://me:canary@localhost"), sets=sets)
    assert "canary" not in str(caught.value)
    assert len(caught.value.problems) == 3


# gelab's model_config.yaml


def test_a_plain_map_of_providers_is_accepted_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "model_config.yaml"
    path.write_text(
        'local:\n  api_base: "http://localhost:8000/v1"\n  api_key: "EMPTY"\n'
        "other:\n  api_base: https://x/v1\n  api_key:\n"
    )
    loaded = read_config(path, env={})
    assert list(loaded.config.providers) == ["local", "other"]
    assert loaded.config.providers["other"].api_key.get_secret_value() == "EMPTY"
    assert loaded.notices == []


def test_further_keys_of_its_providers_are_ignored_and_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "model_config.yaml"
    path.write_text("local:\n  api_base: http://localhost/v1\n  model_list: [a]\n  read_timeout_s: 9\n")
    loaded = read_config(path, sets=["agent.model=m"], env={})
    assert loaded.config.providers["local"].read_timeout_s == 9
    assert [(notice.where, notice.message) for notice in loaded.notices] == [
        (f"{path}:3", "local.model_list is ignored")
    ]


def test_problems_in_it_stand_at_their_lines(tmp_path: Path) -> None:
    problem = only(tmp_path, "local:\n  api_base: http://localhost/v1\nother:\n  api_key: x\n")
    assert (problem.where, problem.message) == ("c.yaml:3", "providers.other.api_base is missing")


# Modes, sections, paths


def test_mode_rl_asks_for_no_reasks_and_for_logprobs_unless_given(tmp_path: Path) -> None:
    config = load(tmp_path, "mode: rl\n" + GOOD)
    assert (config.agent.reask, config.agent.sampling.logprobs) == (0, True)
    given = load(tmp_path, "mode: rl\n" + GOOD, sets=["agent.reask=2", "agent.sampling.logprobs=false"])
    assert (given.agent.reask, given.agent.sampling.logprobs) == (2, False)
    by_flag = load(tmp_path, sets=["mode=rl"])
    assert (by_flag.agent.reask, by_flag.agent.sampling.logprobs) == (0, True)


def test_a_section_with_nothing_under_it_is_one_of_defaults(tmp_path: Path) -> None:
    config = load(tmp_path, "agent:\n  settle:\n  reply:\n    sampling:\nlimits:\n")
    assert config.agent == RunConfig().agent


def test_adb_with_nothing_under_it_is_null_and_touches_no_phone(tmp_path: Path) -> None:
    assert load(tmp_path, "devices:\n  adb:\n").devices.adb is None


def test_paths_of_the_file_resolve_against_it_and_defaults_against_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", "/home/someone")
    config = load(tmp_path, GOOD, sets=["devices.simulated.faults=../f.yaml", "devices.adb.path=~/adb"])
    assert config.tasks.path == tmp_path / "tasks.jsonl"
    assert config.output.root == tmp_path / "here" / "trajectories"
    assert config.devices.simulated.faults == tmp_path.parent / "f.yaml"
    assert config.devices.adb is not None
    assert config.devices.adb.path == Path("/home/someone/adb")


def test_a_path_with_blanks_and_quotes_is_taken_as_given(tmp_path: Path) -> None:
    config = load(tmp_path, 'output: {root: "night 1/it\'s here"}')
    assert config.output.root == tmp_path / "night 1" / "it's here"


# What is no configuration


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("", "c.yaml", "is empty"),
        ("- a\n", "c.yaml:1", "must be a section"),
        ("just text", "c.yaml:1", "must be a section"),
        ("agent: {model: [1}\n", "c.yaml:1", "is no YAML"),
        ("agent:\n\t- x\n", "c.yaml:2", "is no YAML"),
        ("agent: &a {model: x}\n", "c.yaml:1", "anchors (&)"),
        ("agent: {x: *a}\n", "c.yaml:1", "anchors (&)"),
        ("agent: !!python/object/apply:os.system [id]\n", "c.yaml:1", "is no plain !!python"),
        ("agent: !x y\n", "c.yaml:1", "is no plain !x"),
        ("a: 1\n---\nb: 1\n", "c.yaml:2", "is no YAML"),
        ("a: " + "[" * 30 + "]" * 30, "c.yaml:1", "nested deeper than 20"),
        ("? [a]\n: b\n", "c.yaml:1", "a key must be a word"),
        (b"a: \xff\n", "c.yaml:1", "is no UTF-8"),
        (b"a: \x00\n", "c.yaml", "is no YAML"),
        ("#" * (1 << 20) + "\n", "c.yaml", "is larger than"),
    ],
)
def test_what_is_no_plain_yaml_is_refused_with_its_line(
    text: str | bytes, where: str, said: str, tmp_path: Path
) -> None:
    problem = problems(tmp_path, text)[0]
    assert problem.where == where
    assert said in problem.message


def test_a_bomb_is_refused_before_it_unfolds(tmp_path: Path) -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    assert "anchors" in only(tmp_path, "\n".join(levels)).message


def test_a_missing_file_names_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "model_config.yaml").touch()
    with pytest.raises(ConfigError, match=r"there are: model_config\.yaml"):
        load_config(tmp_path / "modelconfig.yaml")


def test_an_unknown_reply_mode_is_refused_with_the_four_there_are(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("agent: {reply: {mode: telepathy}}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load_config(path)
    said = str(refused.value)
    assert f"{path}:1" in said
    for mode in ("auto_reply", "no_reply", "manual_reply", "pass_to_client"):
        assert mode in said
