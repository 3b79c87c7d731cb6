"""Task files in all their kinds, as people save them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rollout.errors import ConfigError, Problem
from rollout.tasks import Task, load_tasks


def load(tmp_path: Path, name: str, text: str | bytes) -> list[Task]:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_tasks(path)


def problems(tmp_path: Path, name: str, text: str | bytes) -> dict[str, Problem]:
    """Problems by `name:line` (or name), the last one at each place."""
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, name, text)
    return {problem.where.removeprefix(f"{tmp_path}/"): problem for problem in caught.value.problems}


def test_a_file_of_a_windows_editor_is_read_whole(tmp_path: Path) -> None:
    text = '\ufeff{"task_id":"t1","task":"打开设置。"}\r\n\r\n{"task_id":"t2","task":"open the clock"}\r\n{"task":"x"}'
    tasks = load(tmp_path, "t.jsonl", text)
    assert [task.instruction for task in tasks] == ["打开设置。", "open the clock", "x"]
    assert [task.id for task in tasks[:2]] == ["t1", "t2"]


def test_an_id_used_twice_is_reported_with_both_lines(tmp_path: Path) -> None:
    text = '{"id":"t1","task":"a"}\r\n\r\n{"id":"t2","task":"b"}\r\n{"id":"t2","task":"c"}'
    found = problems(tmp_path, "t.jsonl", text)
    assert "'t2' is used twice, first in line 3" in found["t.jsonl:4"].message


def test_everything_wrong_is_reported_at_once(tmp_path: Path) -> None:
    text = "\n".join(
        [
            '{"instruction": "ok"}',
            '{"instruction": 5}',
            "{broken",
            '{"instruction": "x", "verifier": []}',
            '{"id": "only"}',
            "[1]",
            '{"instruction": "x", "instruction": "y"}',
            '{"instruction": "x", "seed": NaN}',
            '{"instruction": " "}',
            '{"instruction": "x", "reset": "stat"}',
        ]
    )
    found = problems(tmp_path, "t.jsonl", text)
    assert list(found) == [f"t.jsonl:{number}" for number in range(2, 11)]
    assert found["t.jsonl:4"].hint == "did you mean 'verifiers'?"
    assert found["t.jsonl:5"].message == "instruction is missing"
    assert "given twice" in found["t.jsonl:7"].message
    assert found["t.jsonl:10"].hint == "did you mean 'state'?"


@pytest.mark.parametrize(
    ("verifier", "said"),
    [
        ({"type": "settin", "namespace": "global", "key": "x", "equals": "1"}, "unknown type 'settin'"),
        ({"type": "setting", "namespace": "globl", "key": "x", "equals": "1"}, "verifiers[0].namespace must be"),
        ({"type": "setting", "namespace": "global", "key": "x"}, "verifiers[0].equals is missing"),
        ({"type": "setting", "namespace": "global", "key": "x", "equals": True}, "must be text"),
        ({"type": "answer"}, "needs one of equals, contains, matches"),
        ({"type": "answer", "equals": "a", "contains": "b"}, "needs one of equals, contains, matches"),
        ({"type": "answer", "matches": "("}, "is no regular expression"),
        ({"type": "content_row", "uri": "http://x", "match": {"a": "b"}}, "verifiers[0].uri"),
        ({"type": "content_row", "uri": "content://x", "match": {}}, "verifiers[0].match"),
        ({"type": "stop_reason", "equals": "ABORTED"}, "verifiers[0].equals must be"),
        ({"type": "asked", "min": 0}, "verifiers[0].min must be"),
        ({"type": "foreground_app", "package": "x", "name": "success"}, "verifiers[0].name must not be 'success'"),
        ({"key": "x"}, "verifiers[0].type is missing"),
        (5, "verifiers[0] must be a section"),
    ],
)
def test_a_verifier_is_checked_when_the_file_is_read(verifier: object, said: str, tmp_path: Path) -> None:
    text = json.dumps({"instruction": "x", "verifiers": [verifier]})
    assert said in problems(tmp_path, "t.jsonl", text)["t.jsonl:1"].message


def test_set_up_operations_are_typed(tmp_path: Path) -> None:
    setup = [
        {"type": "settings_put", "namespace": "global", "key": "wifi_on", "value": 0},
        {"type": "stop_app", "app": "Notes"},
        {"type": "clear_app", "app": "org.example.notes"},
        {"type": "launch_app", "app": "Settings"},
        {"type": "press_key", "key": "home"},
        {"type": "content_insert", "uri": "content://org.example.notes/notes", "values": {"title": "a", "pinned": 1}},
        {"type": "content_delete", "uri": "content://org.example.notes/notes", "where": "title='a'"},
        {"type": "wait", "seconds": 0.5},
    ]
    (task,) = load(tmp_path, "t.jsonl", json.dumps({"instruction": "x", "setup": setup}))
    assert [operation.type for operation in task.setup] == [operation["type"] for operation in setup]
    assert task.setup[0].value == "0"  # type: ignore[union-attr]
    assert task.setup[4].key == "HOME"  # type: ignore[union-attr]
    wrong = [{"type": "press_key", "key": "FOO"}, {"type": "wait", "seconds": -1}, {"type": "reboot"}]
    path = tmp_path / "w.jsonl"
    path.write_text(json.dumps({"instruction": "x", "setup": wrong}))
    with pytest.raises(ConfigError) as caught:
        load_tasks(path)
    assert len(caught.value.problems) == 3


def test_yaml_takes_a_list_or_a_section_of_tasks_and_tells_lines(tmp_path: Path) -> None:
    listed = "- instruction: a\n- task: b\n  verifiers:\n    - {type: answer, equals: 12}\n"
    tasks = load(tmp_path, "t.yaml", listed)
    assert [task.instruction for task in tasks] == ["a", "b"]
    assert tasks[1].verifiers[0].equals == "12"  # type: ignore[union-attr]
    assert len(load(tmp_path, "s.yaml", "tasks:\n" + listed)) == 2
    found = problems(tmp_path, "w.yaml", "tasks:\n- instruction: a\n- instruction: b\n  verifers: []\n- id: 3\n")
    assert list(found) == ["w.yaml:4", "w.yaml:5"]


def test_csv_takes_json_in_its_cells_and_tells_the_line_a_row_begins_in(tmp_path: Path) -> None:
    text = (
        'id,instruction,params,verifiers,seed\r\n'
        '1,"first line\nsecond, line","{""user_context"": ""x""}",,7\r\n'
        '2,b,,"[{""type"": ""asked""}]",\r\n'
    )  # fmt: skip
    first, second = load(tmp_path, "t.csv", text)
    assert (first.id, first.instruction, first.params, first.seed) == (
        "1",
        "first line\nsecond, line",
        {"user_context": "x"},
        7,
    )
    assert second.verifiers[0].type == "asked"
    found = problems(tmp_path, "w.csv", 'id,instruction,params\n1,"a\nb",{\n2,b,,d\n3,c,\n3,d,\n')
    assert list(found) == ["w.csv:2", "w.csv:4", "w.csv:6"]
    assert "first in line 5" in found["w.csv:6"].message


def test_csv_without_the_column_or_with_other_separators_says_so(tmp_path: Path) -> None:
    assert "commas" in problems(tmp_path, "t.csv", "id;instruction\n1;a")["t.csv:1"].hint
    assert "did you mean" in problems(tmp_path, "t.csv", "id,instructions\n1,a")["t.csv:1"].hint


def test_plan_files_and_folders_of_them_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "plans"
    folder.mkdir()
    (folder / "one.json").write_text('{"task": "write", "object": "draft.docx", "close": false}')
    (folder / "two.json").write_text('{"task": "follow", "steps": ["1. open", "2. write"], "object": "draft.docx"}')
    first, second = load_tasks(folder)
    assert (first.id, first.instruction, first.params) == ("one", "write", {"object": "draft.docx", "close": False})
    assert (second.id, second.params["steps"]) == ("two", ["1. open", "2. write"])
    assert load_tasks(folder / "one.json") == [first]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.jsonl", "\n\n", "holds no tasks"),
        ("t.yaml", "", "holds no tasks"),
        ("t.txt", "x", "is no kind of task file"),
        ("t.jsonl", b"\xff\xfe{", "is no UTF-8 text"),
        ("t.jsonl", '{\n "instruction": "a"\n}\n', "is no JSON"),
        ("t.json", "[{]", "is no JSON"),
        ("t.jsonl", '{"instruction":' + "[" * 100_000, "nested too deep"),
        ("t.yaml", "- &a {instruction: x}\n- *a\n", "anchors (&) and aliases (*)"),
    ],
)
def test_what_is_no_task_file_is_refused(name: str, text: str | bytes, said: str, tmp_path: Path) -> None:
    assert any(said in problem.message for problem in problems(tmp_path, name, text).values())


def test_a_missing_file_names_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").touch()
    with pytest.raises(ConfigError, match=r"there are: tasks\.jsonl"):
        load_tasks(tmp_path / "task.jsonl")


def test_an_id_is_made_from_the_content(tmp_path: Path) -> None:
    tasks = load(tmp_path, "t.jsonl", '{"instruction":"a"}\n{"instruction":"b"}\n{"id": 7, "instruction":"c"}\n')
    assert len({task.id for task in tasks}) == 3
    assert tasks[2].id == "7"
    assert load(tmp_path, "u.jsonl", '{"task":"a"}')[0].id == tasks[0].id
    assert "tasks.samples" in problems(tmp_path, "d.jsonl", '{"task":"a"}\n{"task":"a"}')["d.jsonl:2"].hint


def test_the_hash_depends_on_what_the_task_is_and_on_nothing_else() -> None:
    task = Task(id="a", instruction="x")
    same = Task.model_validate(
        {
            "id": "b",
            "instruction": "x",
            "split": "train",
            "requires": {"tags": ["t"]},
            "origin_meta_data": 1,
            "reset": "none",
        }
    )
    assert task.content_hash() == same.content_hash()
    for change in ({"instruction": "y"}, {"params": {"a": 1}}, {"reset": "state"}, {"verifiers": [{"type": "asked"}]}):
        assert Task.model_validate({"instruction": "x", **change}).content_hash() != task.content_hash()


def test_a_task_survives_the_way_through_json(tmp_path: Path) -> None:
    text = json.dumps(
        {"id": "a", "instruction": "x 😀", "verifiers": [{"type": "asked"}], "setup": [{"type": "wait", "seconds": 1}]}
    )
    (task,) = load(tmp_path, "t.jsonl", text)
    assert Task.model_validate(json.loads(task.model_dump_json())) == task


def test_a_file_full_of_mistakes_is_reported_in_reason(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, "t.jsonl", "{}\n" * 1000)
    assert len(caught.value.problems) == 101
    assert "900 further problems" in caught.value.problems[-1].message
