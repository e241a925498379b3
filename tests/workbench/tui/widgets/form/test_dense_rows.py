"""The room that fields take: a line each, with help for the field in focus only."""

from typing import Any

import pytest

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import FormHost, hosted, objects
from workbench.model.forms.form import Form
from workbench.tui.widgets.form.field_help import FieldHelp
from workbench.tui.widgets.form.groups import GroupHead
from workbench.tui.widgets.form.row import FieldRow
from workbench.tui.widgets.form.text import LineEditor

LONG = "A description that is longer than a line. " * 40


async def test_twenty_four_of_forty_parameters_are_in_sight_on_forty_lines() -> None:
    kinds: list[dict[str, Any]] = [{"type": "string", "description": LONG}, {"type": "integer"}, {"type": "boolean"}]
    properties = {f"parameter_{number}": kinds[number % 3] for number in range(40)}
    app = FormHost(Form({**objects(**properties), "required": list(properties)}))
    async with app.run_test(size=(46, 34)) as pilot:
        await until(lambda: len(app.paths()) == 40)
        app.editor.focus_first()
        await pilot.pause()
        text = screen_text(app)
        assert sum(f"parameter_{number} " in text for number in range(40)) >= 24


async def test_the_help_below_the_form_is_that_of_the_field_in_focus_and_is_cut() -> None:
    schema = objects(a={"type": "string", "description": LONG}, b={"type": "integer", "maximum": 9})
    async with hosted(schema) as (pilot, app):
        assert app.query_one(FieldHelp).styles.background.a == 0
        app.row("a").focus_editor()
        await until(lambda: "longer than a line" in screen_text(app))
        assert app.query_one(FieldHelp).size.height == 4
        assert "…" in screen_text(app)
        assert "at most 9" not in screen_text(app)
        app.row("b").focus_editor()
        await until(lambda: "at most 9" in screen_text(app))
        await pilot.pause()
        assert "longer than a line" not in screen_text(app)


@pytest.mark.parametrize("height", [8, 24, 50])
async def test_no_row_moves_when_the_focus_goes_from_field_to_field(height: int) -> None:
    properties = {name: {"type": "string", "description": name * 300} for name in "abc"}
    app = FormHost(Form(objects(**properties)))
    async with app.run_test(size=(60, height)) as pilot:
        await until(lambda: len(app.paths()) == 3)
        await pilot.pause()
        before = [row.virtual_region for row in app.query(FieldRow)]
        app.editor.focus_first()
        for name in "abc":
            await until(lambda name=name: f"{name}{name}{name}" in screen_text(app))
            assert [row.virtual_region for row in app.query(FieldRow)] == before
            await pilot.press("tab")


async def test_proposals_of_the_server_are_in_the_help_and_move_no_row() -> None:
    async def suggest(name: str, typed: str) -> list[str]:
        return ["birthday", "wedding"]

    async with hosted(objects(a={"type": "string"}, b={"type": "string"}), suggest=suggest) as (_, app):
        before = app.row("b").virtual_region
        app.row("a").focus_editor()
        await until(lambda: "birthday · wedding" in screen_text(app))
        assert app.row("b").virtual_region == before


async def test_a_problem_stays_at_its_field_when_the_focus_leaves_it() -> None:
    async with hosted(objects(a={"type": "integer"}, b={"type": "string"}), {"a": "x"}) as (pilot, app):
        app.row("b").focus_editor()
        await pilot.pause()
        assert "✗" in screen_text(app)


async def test_an_empty_editor_shows_whether_a_value_is_required_and_which_default_is_used() -> None:
    properties = {"a": {"type": "string"}, "b": {"type": "integer", "default": 3}, "c": {"type": "string"}}
    schema = {**objects(**properties, d={"type": ["string", "null"], "default": None}), "required": ["a"]}
    async with hosted(schema) as (_, app):
        shown = [editor.placeholder for editor in app.query(LineEditor)]
        assert shown == ["required · string", "default 3 · integer", "omitted · string", "omitted · string or null"]
        app.row("d").focus_editor()
        await until(lambda: "string or null" in screen_text(app))
        assert "default null" not in screen_text(app)


async def test_labels_are_above_the_editors_in_a_narrow_form() -> None:
    app = FormHost(Form(objects(name={"type": "string"})))
    async with app.run_test(size=(30, 20)):
        await until(lambda: app.query(FieldRow) and app.query_one(LineEditor).region)
        label = app.row("name").label
        assert label.region.y + 1 == app.query_one(LineEditor).region.y


async def test_the_head_of_a_group_keeps_its_name_in_focus() -> None:
    group = {"anyOf": [objects(b={"type": "string"}), {"type": "null"}], "default": None}
    app = FormHost(Form(objects(postal_address=group)))
    async with app.run_test(size=(40, 20)):
        await until(lambda: app.query(GroupHead))
        app.query_one(GroupHead).focus()
        await until(lambda: "enter opens" in screen_text(app))
        assert "postal_address" in screen_text(app)
