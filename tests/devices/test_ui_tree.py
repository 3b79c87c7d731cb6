"""What `uiautomator dump` prints: a tree, a tree with words around it, or no tree at all."""

from pathlib import Path

import pytest

from devices.ui_tree import MAX_DEPTH, BadTree, parse_tree

INPUTS = Path(__file__).parents[1] / "cases" / "inputs"


def read(name: str) -> str:
    return (INPUTS / name).read_text(encoding="utf-8")


def tree_of(attributes: str) -> str:
    return f"<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation=\"0\"><node {attributes} /></hierarchy>"


def test_an_error_text_is_no_tree():
    assert parse_tree(read("ui_dump_null_root.txt")) is None


def test_a_status_line_is_no_tree():
    assert parse_tree(read("ui_dump_only_status.txt")) is None


def test_words_behind_the_tree_are_left_out():
    root = parse_tree(read("ui_dump_xml_and_status.txt"))
    buttons = [node for node in root.walk() if node.class_name == "android.widget.Button"]
    assert [(node.text, node.bounds_px, node.flags) for node in buttons] == [
        ("OK", (400, 900, 680, 1000), frozenset({"clickable"}))
    ]


def test_a_tree_cut_short_is_said_to_be():
    with pytest.raises(BadTree, match="cut"):
        parse_tree(read("ui_dump_xml_and_status.txt")[:300])


def test_broken_xml_is_said_to_be():
    with pytest.raises(BadTree, match="broken"):
        parse_tree("<hierarchy><node></hierarchy>")


def test_a_document_type_is_refused():
    bomb = '<?xml version="1.0"?><!DOCTYPE hierarchy [<!ENTITY a "aaaa">]><hierarchy><node text="&a;" /></hierarchy>'
    with pytest.raises(BadTree, match="document type"):
        parse_tree(bomb)


def test_a_tree_of_absurd_depth_is_refused():
    deep = "<node>" * (MAX_DEPTH + 1) + "</node>" * (MAX_DEPTH + 1)
    with pytest.raises(BadTree, match="deeper"):
        parse_tree(f"<hierarchy>{deep}</hierarchy>")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("&amp; &lt;b&gt; &quot;x&quot;&#10;y", '& <b> "x"\ny'),
        ("&#128512;", "😀"),
        ("a&#55357;&#56832;b", "a😀b"),
        ("&#65;&#55357;&#56832;", "A😀"),
        ("&#0;&#8;", "\ufffd\ufffd"),
        ("&#55357;", "\ufffd"),
        ("你好 😀", "你好 😀"),
    ],
)
def test_text_is_read_as_it_was_meant(written, meant):
    assert parse_tree(tree_of(f'text="{written}"')).text == meant


def test_bounds_may_be_negative_or_missing():
    assert parse_tree(tree_of('bounds="[-5,0][10,20]"')).bounds_px == (-5, 0, 10, 20)
    assert parse_tree(tree_of('text=""')).bounds_px == (0, 0, 0, 0)


def test_several_windows_stay_under_one_root():
    root = parse_tree('<hierarchy><node text="a" /><node text="b" /></hierarchy>')
    assert [child.text for child in root.children] == ["a", "b"]
