"""`content query` escapes nothing: rows are read by the columns asked for, or called ambiguous."""

import pytest

from devices.content import AmbiguousRows, ContentRefused, check_columns, parse_rows


def test_values_keep_commas_equal_signs_and_line_breaks():
    text = "Row: 0 _id=3, title=Eggs, milk = 2, body=one\ntwo, three=\n\nRow: 1 _id=4, title=, body=NULL\n"
    assert parse_rows(text, ["_id", "title", "body"]) == [
        {"_id": "3", "title": "Eggs, milk = 2", "body": "one\ntwo, three=\n"},
        {"_id": "4", "title": "", "body": None},
    ]


def test_no_result_is_an_empty_list():
    assert parse_rows("No result found.\n", ["_id"]) == []


def test_a_row_number_out_of_order_is_part_of_the_value():
    text = "Row: 0 _id=1, body=x\nRow: 7 _id=9\nRow: 1 _id=2, body=y\n"
    assert [row["body"] for row in parse_rows(text, ["_id", "body"])] == ["x\nRow: 7 _id=9", "y"]


def test_a_value_that_imitates_a_column_is_ambiguous():
    with pytest.raises(AmbiguousRows):
        parse_rows("Row: 0 title=a, body=b, body=c\n", ["title", "body"])


def test_a_value_that_imitates_a_row_is_ambiguous():
    with pytest.raises(AmbiguousRows):
        parse_rows("Row: 0 title=a\nRow: 1 title=b\nRow: 1 title=c\n", ["title"])


@pytest.mark.parametrize(
    "text", ["", "Error while accessing provider:sms\njava.lang.SecurityException: …", "[ERROR] x"]
)
def test_anything_else_is_a_refusal(text):
    with pytest.raises(ContentRefused):
        parse_rows(text, ["_id"])


@pytest.mark.parametrize("columns", [[], ["a", "a"], ["a b"], ["a:b"], [""]])
def test_columns_must_be_plain_names(columns):
    with pytest.raises(ContentRefused):
        check_columns(columns)
