"""Wrong input of every kind breaks no form, and nothing that was typed is lost."""

from typing import Any

import pytest
from textual import events

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import FormHost, hosted, objects
from workbench.model.forms.form import Form
from workbench.model.forms.typed_texts import carry_over
from workbench.tui.widgets.form.field_search_screen import FieldSearch
from workbench.tui.widgets.form.list_row import ListEditor
from workbench.tui.widgets.form.text import AreaEditor, LineEditor
from workbench.tui.workers import start_worker

TEXT = {"type": "string"}
CYCLE: dict[str, Any] = {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
SELF: dict[str, Any] = {"$ref": "#/$defs/N", "$defs": {"N": objects(a={"$ref": "#/$defs/N"}, xs={"items": TEXT})}}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = TEXT
    for _ in range(levels):
        schema = objects(a=schema)
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        CYCLE,
        SELF,
        deep(200),
        {"type": "array", "items": {"$ref": "#/items"}},
        {"type": "array", "items": {"type": "string", "enum": [1, None, {}]}},
        {"properties": {"a": {"type": "array", "items": {"type": ["string", "null"], "pattern": "("}}}},
        {"properties": {"a": {"type": "string", "format": 7, "contentEncoding": []}}},
        {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"const": 1}]}, "minItems": "x"},
    ],
    ids=str,
)
async def test_a_hostile_schema_has_a_form_that_is_searched(schema: dict[str, Any]) -> None:
    app = FormHost(Form(schema))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.editor.focus_first()
        start_worker(app, app.editor.find_field, "proposals")
        await until(lambda: isinstance(app.screen, FieldSearch) and app.screen.focused)
        await pilot.press("a", "enter", "escape")
        await until(lambda: not isinstance(app.screen, FieldSearch))


async def test_a_megabyte_that_is_pasted_into_a_list_is_kept() -> None:
    async with hosted(objects(a={"type": "array", "items": TEXT})) as (_, app):
        app.row("a").focus_editor()
        app.query_one(ListEditor).post_message(events.Paste("x" * 1_000_000))
        await until(lambda: app.form.value() == {"a": ["x" * 1_000_000]})


async def test_marks_that_change_the_direction_of_writing_are_escaped() -> None:
    evil = "a‮b⁦c"
    async with hosted(objects(a={"type": "array", "items": TEXT}, b=TEXT), {"a": [evil], "b": evil}) as (_, app):
        assert "‮" not in screen_text(app)
        assert app.form.value() == {"a": [evil], "b": evil}


@pytest.mark.parametrize("changed", [TEXT, {"type": "integer"}, {"type": "array", "items": {"type": "integer"}}, {}])
async def test_a_list_on_a_line_survives_a_changed_type(changed: dict[str, Any]) -> None:
    async with hosted(objects(a={"type": "array", "items": TEXT})) as (pilot, app):
        app.row("a").focus_editor()
        await pilot.press(*"tea, x")
        await until(lambda: app.form.value() == {"a": ["tea", "x"]})
        form = Form(objects(a=changed))
        carry_over(app.form, form)
        app.editor.update_form(form)
        await until(lambda: app.query(LineEditor) or app.query(AreaEditor))
        await pilot.pause()
        assert form.value() == {"a": ["tea", "x"]}
        assert "tea" in screen_text(app)
