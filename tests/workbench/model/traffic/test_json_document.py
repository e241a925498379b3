"""The lines of a body: laid out, coloured and wrapped."""

import json

import pytest
from hypothesis import given, settings

from tests.tables import each_row
from tests.workbench.model.forms.schemas import VALUES
from workbench.model.short_text import is_safe
from workbench.model.traffic import json_document
from workbench.model.traffic.json_document import JsonDocument

quick = settings(deadline=None, database=None)


def shown(document: JsonDocument) -> str:
    return "\n".join(document.plain_line(index) for index in range(document.line_count))


@quick
@given(VALUES)
def test_json_is_laid_out_as_json_dumps_does(value: object) -> None:
    expected = json.dumps(value, indent=2)
    for text in (json.dumps(value), json.dumps(value, separators=(",", ":")), json.dumps(value, indent=7)):
        document = JsonDocument(text.encode())
        assert shown(document) == document.pretty() == expected


@each_row("text", ["]", ",", "[1, 2]", '{"a": 1}', '"]"'])
def test_brackets_within_a_lone_string_are_no_structure(text: str) -> None:
    document = JsonDocument(f"  {json.dumps(text)}\n".encode())
    assert shown(document).strip() == document.pretty().strip() == json.dumps(text)


def test_tokens_have_kinds() -> None:
    document = JsonDocument(b'{"a": [1, "x", true, null], "b": -2.5e3}')
    assert document.line(1) == [("  ", "plain"), ('"a"', "key"), (": ", "punctuation"), ("[", "punctuation")]
    kinds = [document.line(index)[1][1] for index in range(2, 6)]
    assert kinds == ["number", "string", "literal", "literal"]
    assert document.line(7)[1:] == [('"b"', "key"), (": ", "punctuation"), ("-2.5e3", "number")]


def test_numbers_keys_and_escapes_stay_as_they_were_sent() -> None:
    sent = '{\n  "a": 1.50,\n  "a": 12345678901234567890.10,\n  "\\u00e9": "\\/"\n}'
    assert shown(JsonDocument(sent.encode())) == sent


@each_row("text", ["", "no json", '{"a":', "[1,]", "NaN b", "[" * 100_000])
def test_text_that_is_no_json_is_plain(text: str) -> None:
    document = JsonDocument(text.encode())
    assert document.plain_line(0) == text[: json_document.LONGEST_LINE]
    assert all(kind == "plain" for _, kind in document.line(0))


def test_plain_text_keeps_its_lines() -> None:
    document = JsonDocument(b"one\r\ntwo\n\nfour\n")
    assert [document.plain_line(index) for index in range(document.line_count)] == ["one", "two", "", "four"]


def test_bytes_that_are_no_text_are_shown_as_escapes() -> None:
    assert JsonDocument(b"a\xffb").plain_line(0) == "a\\xffb"


@each_row("data", ['"\x7f\u202e\U000e0001"'.encode(), b"\x1b[31m\x00", '{"\u2066": 1}'.encode()])
def test_no_line_can_control_the_terminal(data: bytes) -> None:
    document = JsonDocument(data)
    assert is_safe(shown(document))
    assert is_safe(document.pretty())


def test_a_copied_message_is_equivalent_to_the_sent_one() -> None:
    value = {"a\u202e": "x" * 30_000 + "\x7f"}
    data = json.dumps(value, ensure_ascii=False).encode()
    assert json.loads(JsonDocument(data).pretty()) == value


def test_a_long_string_is_cut_and_its_rest_counted() -> None:
    line = JsonDocument(json.dumps({"a": "x" * 50_000}).encode()).plain_line(1)
    assert len(line) < 20_100
    assert line.endswith("… (30,002 more characters)")


def test_a_long_plain_line_is_folded_without_loss() -> None:
    text = "x" * 50_000
    document = JsonDocument(text.encode())
    assert document.line_count == 3
    assert shown(document).replace("\n", "") == text


def test_json_with_too_many_lines_is_not_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_document, "MAX_BREAKS", 5)
    document = JsonDocument(b"[1,2,3,4,5,6,7]")
    assert (document.is_json, document.is_pretty, document.line_count) == (True, False, 1)
    assert document.pretty() == "[1,2,3,4,5,6,7]"


@each_row("data", [b'{"a":{"b":[]},"c":"\xc3\xa9\x7f"}', b"plain\n\x1b\x1b", "漢字\u202e".encode()])
def test_no_line_is_longer_than_its_bound(data: bytes) -> None:
    document = JsonDocument(data)
    for index in range(document.line_count):
        assert len(document.plain_line(index)) <= document.bound(index)


def test_there_is_no_line_beyond_the_last() -> None:
    document = JsonDocument(b"[]")
    for index in (-1, 1):
        with pytest.raises(IndexError, match="no line"):
            document.line(index)


def test_the_bound_of_a_line_is_never_below_what_it_shows() -> None:
    body = '{"a":{"b":[1,2,{"c":"ä 漢字 \\u0007"}],"d":{}},"e": "\x7f"}'
    for data in (body.encode(), b"plain \x1b[31m text\nand more", b""):
        document = JsonDocument(data)
        for line in range(document.line_count):
            assert document.bound(line) >= len(document.plain_line(line))


TREE = JsonDocument(b'{"a": {"b": [1, {"c d": "x\\ny"}], "e": {}}, "f": true}')


def test_the_brackets_of_objects_and_lists_know_each_other() -> None:
    lines = [TREE.plain_line(index).strip() for index in range(TREE.line_count)]
    for index, line in enumerate(lines):
        partner = TREE.partner(index)
        assert TREE.partner(partner) == index
        if line.endswith(("{", "[")):
            assert lines[partner][0] == {"{": "}", "[": "]"}[line[-1]]
        elif line[0] not in "}]":
            assert partner == index


@quick
@given(VALUES)
def test_members_are_counted(value: object) -> None:
    document = JsonDocument(json.dumps(value).encode())
    if document.line_count > 1:
        assert document.members(0) == len(value)  # type: ignore[arg-type]


def test_a_line_knows_its_key_and_its_value() -> None:
    values = {TREE.key(line): TREE.value(line) for line in range(TREE.line_count)}
    assert json.loads(values["b"]) == [1, {"c d": "x\ny"}]
    assert (values["c d"], values["e"], values["f"]) == ('"x\\ny"', "{}", "true")
    assert json.loads(TREE.value(0)) == json.loads(TREE.text)
    assert TREE.value(TREE.line_count - 1) == TREE.value(0)


def test_a_text_with_line_breaks_has_lines() -> None:
    broken = [TREE.broken_text(line) for line in range(TREE.line_count)]
    assert [lines for lines in broken if lines] == [["x", "y"]]
