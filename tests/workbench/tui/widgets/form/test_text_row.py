"""Fields whose value is typed: text, numbers, raw JSON; omitted and null."""

from typing import Any

import pytest
from textual import events
from textual.widgets import Input
from textual.widgets.input import Selection

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import hosted, objects
from workbench.tui.widgets.form.editor_keys import type_newline
from workbench.tui.widgets.form.field_actions import null_field, omit_field
from workbench.tui.widgets.form.text import AreaEditor, LineEditor

NAME = {"type": "string", "minLength": 2, "description": "Who to greet", "examples": ["Ada"]}


async def test_a_field_in_focus_shows_its_name_type_description_limits_and_examples() -> None:
    async with hosted({**objects(name=NAME), "required": ["name"]}) as (_, app):
        app.row("name").focus_editor()
        await until(lambda: "Who to greet" in screen_text(app))
        text = screen_text(app)
        assert "name *" in text
        assert "string" in text
        assert 'string · at least 2 characters · such as "Ada" · Who to greet' in text


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [("string", "Ada", "Ada"), ("integer", "12", 12), ("number", "1.5", 1.5)],
)
async def test_typing_sets_the_value(kind: str, typed: str, value: Any) -> None:
    async with hosted(objects(a={"type": kind})) as (pilot, app):
        app.query_one(LineEditor).value = typed
        await pilot.pause()
        assert app.form.value() == {"a": value}


async def test_a_problem_is_shown_below_the_field_while_typing_and_removed_when_corrected() -> None:
    async with hosted(objects(a={"type": "integer", "maximum": 20})) as (pilot, app):
        field = app.query_one(LineEditor)
        field.value = "21"
        await pilot.pause()
        assert "✗" in screen_text(app)
        field.value = "20"
        await pilot.pause()
        assert "✗" not in screen_text(app)


async def test_a_required_field_shows_no_problem_before_problems_are_requested() -> None:
    async with hosted({**objects(name=NAME), "required": ["name"]}) as (pilot, app):
        assert "✗" not in screen_text(app)
        app.editor.focus_problem()
        await pilot.pause()
        assert "✗ required" in screen_text(app)
        assert app.query_one(LineEditor).has_focus


async def test_omitted_null_and_empty_are_distinguished() -> None:
    schema = {"type": ["string", "null"]}
    async with hosted(objects(a=schema, b=schema, c=schema), {"b": None, "c": ""}) as (_, app):
        assert [field.placeholder for field in app.query(LineEditor)] == ["omitted · string or null", "null", '""']
        assert app.form.value() == {"b": None, "c": ""}


async def test_keys_switch_between_omitted_null_and_set() -> None:
    async with hosted(objects(a={"type": ["string", "null"]})) as (pilot, app):
        app.editor.focus_first()
        await pilot.pause()
        view = app.editor.view
        assert null_field(view)
        assert app.form.value() == {"a": None}
        omit_field(view)
        assert app.form.value() == {}
        omit_field(view)
        assert app.form.value() == {"a": ""}
        await pilot.pause()
        assert app.query_one(LineEditor).placeholder == '""'


async def test_emptying_a_text_sets_it_to_the_empty_text() -> None:
    async with hosted(objects(a={"type": "string"}), {"a": "x"}) as (pilot, app):
        app.query_one(LineEditor).value = ""
        await pilot.pause()
        assert app.form.value() == {"a": ""}


async def test_a_text_that_gets_long_moves_to_more_rows_with_the_cursor_at_its_end() -> None:
    async with hosted(objects(a={"type": "string"})) as (pilot, app):
        app.editor.focus_first()
        app.query_one(LineEditor).value = "word " * 30
        await until(lambda: app.query(AreaEditor))
        await pilot.pause()
        area = app.query_one(AreaEditor)
        assert area.has_focus
        assert not app.query(LineEditor)
        await pilot.press("enter")
        assert app.form.value() == {"a": "word " * 30 + "\n"}


BYTES = {"type": "string", "format": "base64", "contentEncoding": "base64"}


@pytest.mark.parametrize(
    ("schema", "end"),
    [
        ({"type": "string"}, "\n"),
        ({"type": "string"}, "\r"),
        ({"type": "string"}, "\r\n"),
        (BYTES, "\r"),
        ({"type": ["string", "null"]}, "\r\n"),
        ({}, "\n"),
    ],
)
async def test_a_pasted_text_of_several_lines_keeps_all_of_them(schema: Any, end: str) -> None:
    lines = ["{", '  "b": [1,', "", "    2]", "}"]
    async with hosted(objects(a=schema, z={"type": "string"})) as (pilot, app):
        app.editor.focus_first()
        await pilot.press("left")
        app.post_message(events.Paste(end.join(lines)))
        await pilot.press(" ")
        text = "\n".join([*lines[:-1], "} "])
        await until(lambda: app.form.value() == {"a": text if schema else {"b": [1, 2]}})
        await until(lambda: app.row("a").query(AreaEditor) and not app.row("a").query(LineEditor))
        assert app.focused is app.row("a").query_one(AreaEditor)


async def test_a_paste_goes_to_the_cursor_and_replaces_the_selection() -> None:
    async with hosted(objects(a={"type": "string"}), {"a": "[old]"}) as (pilot, app):
        app.editor.focus_first()
        await pilot.pause()
        line = app.query_one(LineEditor)
        line.selection = Selection(1, 4)
        app.post_message(events.Paste("x\ry"))
        await pilot.press("!")
        await until(lambda: app.form.value() == {"a": "[x\ny!]"})


@pytest.mark.parametrize("text", ["tea\r", "\rtea", "tea\r\n"])
async def test_a_pasted_line_stays_on_a_single_row(text: str) -> None:
    async with hosted(objects(a={"type": "string"})) as (_, app):
        app.editor.focus_first()
        app.post_message(events.Paste(text))
        await until(lambda: app.form.value() == {"a": "tea"})
        assert app.query(LineEditor)


async def test_nothing_of_a_paste_is_lost_in_a_single_line_field() -> None:
    async with hosted(objects(a={"type": "integer"})) as (_, app):
        app.editor.focus_first()
        app.post_message(events.Paste("12\r"))
        await until(lambda: app.form.value() == {"a": 12})
        app.post_message(events.Paste("3\r4"))
        await until(lambda: app.form.value() == {"a": "123 4"})
        await until(lambda: "✗" in screen_text(app))


async def test_a_new_line_is_typed_at_the_cursor_and_typing_continues_after_it() -> None:
    async with hosted(objects(a={"type": "string"})) as (pilot, app):
        app.editor.focus_first()
        await pilot.press(*"one")
        assert type_newline(app.focused)
        await pilot.press(*"two")
        await until(lambda: app.form.value() == {"a": "one\ntwo"})
        assert type_newline(app.focused)
        await pilot.press("x")
        await until(lambda: app.form.value() == {"a": "one\ntwo\nx"})


async def test_a_single_line_field_has_no_line_breaks() -> None:
    async with hosted(objects(a={"type": "integer"})) as (_, app):
        app.editor.focus_first()
        assert not type_newline(app.focused)


async def test_any_json_is_written_as_text() -> None:
    async with hosted(objects(a={})) as (pilot, app):
        area = app.query_one(AreaEditor)
        area.text = '{"b": [1'
        await pilot.pause()
        assert "✗" in screen_text(app)
        area.text = '{"b": [1]}'
        await pilot.pause()
        assert app.form.value() == {"a": {"b": [1]}}


async def test_foreign_text_is_shown_as_it_is() -> None:
    evil = "[b]x[/b]\x1b[31m"
    schema = objects(**{evil: {"type": "string", "title": evil, "description": evil, "enum": [evil, "y" * 50]}})
    async with hosted(schema) as (_, app):
        text = screen_text(app)
        assert "\x1b" not in text
        assert "[b]x[/b]\\x1b[31m" in text


async def test_proposals_are_shown_while_the_user_types_and_the_field_has_the_focus() -> None:
    asked: list[tuple[str, str]] = []

    async def suggest(name: str, typed: str) -> list[str]:
        asked.append((name, typed))
        return [word for word in ("birthday", "wedding") if word.startswith(typed)]

    async with hosted(objects(a={"type": "string"}, b={"type": "string"}), suggest=suggest) as (pilot, app):
        app.editor.focus_first()
        await until(lambda: "→ birthday · wedding" in screen_text(app))
        await pilot.press("w")
        await until(lambda: "→ wedding" in screen_text(app))
        assert asked[:2] == [("a", ""), ("a", "w")]
        await until(lambda: "wedding" in app.query(Input).first()._suggestion)
        await pilot.press("right")
        assert app.form.value() == {"a": "wedding"}
        await pilot.press("tab")
        await until(lambda: "→ birthday · wedding" in screen_text(app))


async def test_a_placeholder_that_does_not_fit_is_cut_with_a_sign_also_after_a_resize() -> None:
    async with hosted(objects(a={"type": ["string", "null"]})) as (_, app):
        line = app.query_one(LineEditor)
        line.styles.width = 16
        await until(lambda: "omitted · str…\n" in screen_text(app))  # type: ignore[arg-type]
        app.editor.show_values()
        assert line.placeholder == "omitted · str…"
        line.styles.width = 40
        await until(lambda: "omitted · string or null" in screen_text(app))  # type: ignore[arg-type]


async def test_the_fields_of_a_form_do_not_become_as_wide_as_a_wide_screen() -> None:
    async with hosted(objects(a={"type": "string"})) as (pilot, app):
        await pilot.resize_terminal(240, 40)
        await until(lambda: app.editor.view.size.width > 230)
        assert app.query_one(LineEditor).region.right == 110


async def test_a_long_text_shows_its_beginning_after_the_focus_has_left_it() -> None:
    text = "It was a dark and stormy night at sea, as usual."
    async with hosted(objects(**{"a" * 60: {"type": "string"}, "b": {"type": "string"}}), {"a" * 60: text}) as (
        pilot,
        app,
    ):
        editor = app.query(LineEditor).first()
        editor.focus()
        await pilot.press("end")
        await until(lambda: editor.scroll_offset.x > 0)
        await pilot.press("tab")
        await until(lambda: not editor.has_focus and editor.scroll_offset.x == 0)


async def test_a_long_name_has_more_than_half_of_a_narrow_form() -> None:
    name = "untitledMultipleSelectEnum"
    async with hosted(objects(**{name: {"type": "string"}})) as (pilot, app):
        await pilot.resize_terminal(47, 20)
        await until(lambda: name in screen_text(app))
