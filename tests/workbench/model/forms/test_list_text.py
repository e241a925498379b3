"""A list of scalars is written on one line, and read back as it was."""

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from workbench.model.forms.form import Form
from workbench.model.forms.list_text import (
    has_open_quote,
    item_text,
    join_items,
    read_items,
    with_item_moved,
    without_item,
)
from workbench.model.forms.typed_texts import restore_texts, typed_texts


@each_row(
    ("text", "items"),
    [
        ("", []),
        ("   ", []),
        ("1, 2,3", ["1", "2", "3"]),
        ("1, 2, ", ["1", "2"]),
        ("a,,b", ["a", "", "b"]),
        ('"a, b", c', ["a, b", "c"]),
        ('"", x', ["", "x"]),
        (r'"say \"hi\"\n", \n', ['say "hi"\n', r"\n"]),
        ('"open, x', ['"open', "x"]),
        ('"a"b, c', ['"a"b', "c"]),
        ('5", 6"', ['5"', '6"']),
        ('"\\x", 1', ['"\\x"', "1"]),
    ],
)
def test_items_are_read_from_a_line(text: str, items: list[str]) -> None:
    assert [item.text for item in read_items(text)] == items


@given(st.lists(st.text()))
def test_a_written_list_is_read_as_it_was(texts: list[str]) -> None:
    line = join_items(item_text(text, is_first=index == 0) for index, text in enumerate(texts))
    assert [item.text for item in read_items(line)] == texts
    assert not has_open_quote(line)


@given(st.text())
def test_every_text_is_read_and_each_item_is_at_its_place(text: str) -> None:
    for item in read_items(text):
        assert item.is_quoted or text[item.start : item.end] == item.text


def test_null_and_the_text_null_differ() -> None:
    assert item_text("null", may_be_null=True) == '"null"'
    assert item_text("", is_null=True, may_be_null=True) == "null"


def test_a_list_of_which_the_first_text_begins_with_a_bracket_is_not_read_as_json() -> None:
    assert item_text("[1]", is_first=True) == '"[1]"'


@each_row(("text", "is_open"), [('"a, b', True), ('x, "', True), ('"a"', False), ('5"', False)])
def test_an_open_quotation_mark_is_noticed(text: str, is_open: bool) -> None:
    assert has_open_quote(text) is is_open


def test_the_item_at_the_cursor_is_removed() -> None:
    assert without_item('1, "2, 2", 3', 5) == ("1, 3", 3)
    assert without_item("1, 2", 4) == ("1", 1)
    assert without_item("", 0) is None


def test_the_item_at_the_cursor_moves_with_the_cursor() -> None:
    assert with_item_moved('1, "2, 2", 3', 5, -1) == ('"2, 2", 1, 3', 2)
    assert with_item_moved("1, 2, 3", 0, 1) == ("2, 1, 3", 3)
    assert with_item_moved("1, 2", 0, -1) is None


def test_the_text_of_a_list_is_remembered_as_it_was_typed() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}
    for text in ("1, x", "1,2, ", '"1'):
        form = Form(schema)
        form.set_text(("a",), text)
        again = Form(schema)
        again.load(form.value())
        restore_texts(again, typed_texts(form))
        assert (again.field(("a",)).text, again.value()) == (text, form.value())
