"""A text field names a file by @, and every text can still be typed."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from tests.workbench.tui.hosting import objects
from workbench.model.forms.file_text import file_path, literal_text, literal_value
from workbench.model.forms.form import Form
from workbench.model.forms.shape import ABSENT
from workbench.model.forms.typed_texts import carry_over, restore_texts, typed_texts

TEXT = {"type": "string", "maxLength": 5}


def read(path: str, *, is_binary: bool) -> str:
    """Return the content of a file of a few."""
    if path == "missing":
        raise ValueError("there is no such file")
    return "Zg==" if is_binary else {"short": "tea", "long": "t" * 20}[path]


@given(st.text() | st.text("@a\n", max_size=6))
def test_every_value_has_a_text_that_names_no_file(value: str) -> None:
    assert file_path(literal_text(value)) is None
    assert literal_value(literal_text(value)) == value


@each_row("text", ["@", "@@a", "a@b", "@tool\ndef f(): ...", "@ "])
def test_what_names_no_file(text: str) -> None:
    assert file_path(text) is None


def test_the_content_is_read_only_on_request_and_checked_then() -> None:
    form = Form(objects(a=TEXT, b={"type": "string", "contentEncoding": "base64"}, c=TEXT))
    form.load({"a": "", "b": "", "c": "@x"})
    form.set_text(("a",), "@short")
    form.set_text(("b",), "@short")
    assert not form.problems()
    assert form.value_with_files(read) == {"a": "tea", "b": "Zg==", "c": "@x"}
    assert not form.problems()
    form.set_text(("a",), "@long")
    assert not form.problems()
    assert form.value_with_files(read) == {"a": "t" * 20, "b": "Zg==", "c": "@x"}
    assert form.field(("a",)).problem == "may have at most 5 characters (has 20)"
    form.set_text(("a",), "@missing")
    assert form.value_with_files(read) is ABSENT
    assert form.field(("a",)).problem == "there is no such file"
    form.set_text(("a",), "@@me")
    assert form.value_with_files(read) == {"a": "@me", "b": "Zg==", "c": "@x"}


def test_a_saved_value_has_its_texts_as_they_are_typed() -> None:
    schema = objects(a=TEXT, b={"type": "array", "items": TEXT}, c={"enum": ["@x", "@y"]}, d={"type": "integer"})
    saved = {"a": "@short", "b": ["@@me", "@short", "x"], "c": "@y", "d": "${last.result}"}
    form = Form(schema)
    form.load_typed(saved)
    assert form.typed_value() == saved
    assert form.value_with_files(read) == {"a": "tea", "b": ["@me", "tea", "x"], "c": "@y", "d": "${last.result}"}


def test_items_of_a_list_name_files() -> None:
    form = Form(objects(a={"type": "array", "items": {"type": "string"}}))
    form.set_text(("a",), "x, @short, @@y")
    assert form.value_with_files(read) == {"a": ["x", "tea", "@y"]}


def test_the_json_shows_a_text_for_a_file_and_reads_it_back_as_the_file() -> None:
    form = Form(objects(a=TEXT, xs={"type": "array", "items": {"type": "string"}}, c=TEXT))
    form.set_text(("a",), "@short")
    form.set_text(("xs",), "x, @long")
    form.set_text(("c",), "@@c")
    text, placeholders = form.to_skeleton(lambda path, is_binary: f"‹{path}›")
    assert json.loads(text) == {"a": "‹short›", "xs": ["x", "‹long›"], "c": "@c"}
    assert form.load_json(text.replace('"x"', '"y"'), placeholders) is None
    assert [form.field((name,)).text for name in ("a", "xs", "c")] == ["@short", "y, @long", "@@c"]
    assert form.value_with_files(read) == {"a": "tea", "xs": ["y", "t" * 20], "c": "@c"}


def test_a_file_is_remembered_as_it_was_typed() -> None:
    schema = objects(a=TEXT, b=TEXT)
    form = Form(schema)
    form.set_text(("a",), "@short")
    form.set_text(("b",), "@@b")
    again = Form(schema)
    again.load(form.value())
    restore_texts(again, typed_texts(form))
    changed = Form(objects(a=TEXT, b=TEXT, z=TEXT))
    carry_over(again, changed)
    assert [changed.field((name,)).text for name in ("a", "b")] == ["@short", "@@b"]
    assert changed.value_with_files(read) == {"a": "tea", "b": "@b"}
