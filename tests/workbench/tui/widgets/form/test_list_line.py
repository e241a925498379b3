"""A list of scalars is written on one line, and has a row for each item on request."""

import json
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import FormHost, hosted, objects
from tests.workbench.tui.widgets.form.group_schemas import TEXTS
from tests.workbench.tui.widgets.form.test_proposed_choices import propose
from workbench.model.forms.form import Form
from workbench.model.forms.typed_texts import carry_over
from workbench.tui.widgets.form.field_actions import move_item, omit_field, remove_item, toggle_items
from workbench.tui.widgets.form.list_row import ListEditor, ListLineRow
from workbench.tui.widgets.form.proposal_screen import ProposalScreen

NUMBERS = {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 9}, "maxItems": 4}


async def typed(pilot: Pilot[Any], app: FormHost, text: str) -> None:
    app.row("a").focus_editor()
    await pilot.press(*text)


@pytest.mark.parametrize(
    ("items", "text", "value"),
    [
        ({"type": "string"}, 'tea, "milk, warm", 2', ["tea", "milk, warm", "2"]),
        ({"type": "integer"}, "1, 2,3,", [1, 2, 3]),
        ({"type": "number"}, "1.5, 2", [1.5, 2]),
        ({"type": "boolean"}, "true, no", [True, False]),
        ({"type": ["integer", "null"]}, "1, null", [1, None]),
        ({"enum": [f"c{number}" for number in range(99)]}, "c7, c98", ["c7", "c98"]),
        ({"type": "string"}, '["a", "b"]', ["a", "b"]),
    ],
)
async def test_the_items_are_typed_with_commas_between_them(items: Any, text: str, value: Any) -> None:
    async with hosted(objects(a={"type": "array", "items": items})) as (pilot, app):
        await typed(pilot, app, text)
        await until(lambda: app.form.value() == {"a": value})
        assert app.query_one(ListEditor).value == text
        assert not app.form.problems()


async def test_a_loaded_list_is_on_one_line_and_its_text_means_the_same() -> None:
    value = {"a": ["x", "a, b", "", " ", "null", '"'], "b": [], "c": [1, 2]}
    async with hosted(objects(a=TEXTS, b=TEXTS, c=NUMBERS), value) as (_, app):
        assert [line.value for line in app.query(ListEditor)] == [r'x, "a, b", "", " ", null, "\""', "", "1, 2"]
        assert "[]" in screen_text(app)
        assert app.form.value() == value


async def test_the_problem_of_an_item_is_shown_at_the_list_with_its_number_and_selected() -> None:
    async with hosted(objects(z={"type": "string"}, a=NUMBERS)) as (pilot, app):
        await typed(pilot, app, "1, x, 12")
        await until(lambda: "✗ item 2: type a whole number" in screen_text(app))
        await until(lambda: "✗ item 3: must be at most 9" in screen_text(app))
        app.row("z").focus_editor()
        app.editor.focus_problem()
        await until(lambda: app.query_one(ListEditor).selected_text == "x" and app.query_one(ListEditor).has_focus)


async def test_the_limits_of_a_list_and_of_its_items_are_in_the_help() -> None:
    items = {"enum": [f"c{number}" for number in range(99)]}
    unique = {"type": "array", "items": items, "minItems": 2, "uniqueItems": True}
    async with hosted(objects(a=NUMBERS, b=unique)) as (_, app):
        app.row("a").focus_editor()
        await until(lambda: "list of integers · at most 4 items · each 1 to 9" in screen_text(app))
        app.row("b").focus_editor()
        await until(lambda: "at least 2 items · no duplicate items" in screen_text(app))
        await until(lambda: "each one of c0, c1, c2, c3, c4, … 94 more" in " ".join(screen_text(app).split()))


async def test_a_quotation_mark_that_is_not_closed_is_a_problem() -> None:
    async with hosted(objects(a=TEXTS)) as (pilot, app):
        await typed(pilot, app, '"a, b')
        await until(lambda: "✗ a quotation mark is not closed" in screen_text(app))
        await pilot.press('"')
        await until(lambda: app.form.value() == {"a": ["a, b"]})
        assert not app.form.problems()


async def test_the_lines_of_a_paste_become_items() -> None:
    async with hosted(objects(a=NUMBERS)) as (_, app):
        app.row("a").focus_editor()
        app.query_one(ListEditor).post_message(events.Paste("1\r\n2\r\n3\r\n"))
        await until(lambda: app.form.value() == {"a": [1, 2, 3]})


async def test_a_key_shows_a_row_for_each_item_and_the_line_again() -> None:
    async with hosted(objects(a=TEXTS), {"a": ["x", "y"]}) as (pilot, app):
        app.row("a").focus_editor()
        await pilot.pause()
        assert toggle_items(app.editor.view)
        await until(lambda: ("a", 1) in app.paths() and app.row("a", 0).has_pseudo_class("focus-within"))
        app.row("a", 1).focus_editor()
        await pilot.press("end", "z")
        await until(lambda: app.form.value() == {"a": ["x", "yz"]})
        assert toggle_items(app.editor.view)
        await until(lambda: app.query(ListEditor) and app.query_one(ListEditor).has_focus)
        assert app.query_one(ListEditor).value == "x, yz"
        await until(lambda: app.paths() == [("a",)])


@pytest.mark.parametrize("item", ["a long text " * 20, "two\nlines", "\x1b[31m", 5])
async def test_an_item_that_does_not_suit_a_line_has_a_row(item: Any) -> None:
    async with hosted(objects(a=TEXTS), {"a": ["x", item]}) as (_, app):
        await until(lambda: ("a", 1) in app.paths())
        assert app.form.value() == {"a": ["x", item]}


async def test_the_item_at_the_cursor_is_removed_and_moved() -> None:
    async with hosted(objects(a=NUMBERS), {"a": [1, 2, 3]}) as (pilot, app):
        app.row("a").focus_editor()
        await pilot.press("home")
        view = app.editor.view
        assert move_item(view, 1)
        await until(lambda: app.form.value() == {"a": [2, 1, 3]})
        assert remove_item(view)
        await until(lambda: app.form.value() == {"a": [2, 3]})


async def test_values_are_proposed_for_the_item_at_the_cursor() -> None:
    items = {"enum": [f"c{number}" for number in range(99)]}
    async with hosted(objects(a={"type": "array", "items": items})) as (pilot, app):
        await typed(pilot, app, "c1, x, c2")
        await pilot.press("left", "left", "left", "left")
        await propose(app)
        await pilot.press(*"77", "enter")
        await until(lambda: not isinstance(app.screen, ProposalScreen))
        await until(lambda: app.form.value() == {"a": ["c1", "c77", "c2"]})


async def test_lists_of_lists_have_a_line_for_each_inner_list() -> None:
    grid = {"type": "array", "items": NUMBERS}
    async with hosted(objects(grid=grid), {"grid": [[1, 2], [3]]}) as (_, app):
        assert [line.value for line in app.query(ListEditor)] == ["1, 2", "3"]


async def test_a_list_that_is_emptied_is_omitted_and_included_empty_by_its_key() -> None:
    async with hosted(objects(a=NUMBERS), {"a": [1]}) as (pilot, app):
        app.row("a").focus_editor()
        await pilot.press("end", "backspace")
        await until(lambda: app.form.value() == {})
        omit_field(app.editor.view)
        await until(lambda: app.form.value() == {"a": []})


async def test_what_is_typed_survives_a_changed_schema_and_the_json() -> None:
    async with hosted(objects(a=NUMBERS, b=TEXTS)) as (pilot, app):
        await typed(pilot, app, "1, x, ")
        await until(lambda: app.form.field(("a",)).text == "1, x, ")
        changed = Form(objects(a=NUMBERS, c=TEXTS))
        carry_over(app.form, changed)
        app.editor.update_form(changed)
        await pilot.pause()
        assert app.query(ListEditor).first().value == "1, x, "
        assert app.query(ListEditor).first().has_focus
        app.editor.toggle_json()
        app.editor.toggle_json()
        await until(lambda: changed.value() == {"a": [1, "x"]})


async def test_a_list_of_very_many_items_becomes_json_and_loses_none() -> None:
    async with hosted(objects(a=NUMBERS)) as (_, app):
        app.row("a").focus_editor()
        text = "\n".join("7" for _ in range(3000))
        app.query_one(ListEditor).post_message(events.Paste(text))
        await until(lambda: app.form.value() == {"a": [7] * 3000})
        await until(lambda: not app.query(ListLineRow))
        assert json.loads(app.form.field(("a",)).text) == [7] * 3000
