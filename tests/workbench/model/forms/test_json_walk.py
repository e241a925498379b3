"""JSON that is being typed is coloured, and its values have lines."""

import pytest

from workbench.model.forms.json_walk import LONGEST, line_break, tokens, value_lines


def test_values_have_the_lines_on_which_they_begin() -> None:
    text = '{\n  "a": 1,\n  "b": [\n    "x",\n    {"c": null}\n  ]\n}'
    expected = {(): 0, ("a",): 1, ("b",): 2, ("b", 0): 3, ("b", 1): 4, ("b", 1, "c"): 4}
    assert value_lines(text) == expected


def test_incomplete_json_has_lines_too() -> None:
    assert value_lines('{"a": [1,\n{"b": "x\n') == {(): 0, ("a",): 0, ("a", 0): 0, ("a", 1): 1, ("a", 1, "b"): 1}
    assert value_lines("}]:,") == {}


@pytest.mark.parametrize(
    ("before", "after", "written", "below"),
    [
        ('  "a": 1,', "", "\n  ", ""),
        ("  {", "", "\n    ", ""),
        ('  "a": [ ', " ],", "\n    ", "\n  "),
        ("", "}", "\n", ""),
    ],
)
def test_a_line_break_keeps_the_indentation(before: str, after: str, written: str, below: str) -> None:
    assert line_break(before, after) == (written, below)


def test_a_very_long_text_has_no_lines() -> None:
    assert value_lines("[" + "1," * LONGEST) == {}


def test_tokens_have_kinds() -> None:
    line = '"a": ["b", -1, true, "c'
    kinds = [(line[start:end], kind) for start, end, kind in tokens(line) if kind != "punctuation"]
    assert kinds == [('"a"', "key"), ('"b"', "string"), ("-1", "number"), ("true", "literal"), ('"c', "string")]
