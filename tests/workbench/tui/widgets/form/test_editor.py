"""The form and its JSON are two views of one value."""

import asyncio

import pytest
from textual.widgets import TextArea

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import FormHost, hosted, objects
from workbench.model.forms.form import Form
from workbench.model.forms.typed_texts import carry_over
from workbench.tui import external_editor
from workbench.tui.widgets.form.field_changes import SetText
from workbench.tui.widgets.form.json_area import JsonArea
from workbench.tui.widgets.form.proposal_screen import ProposalScreen
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.form.text import LineEditor

SCHEMA = objects(name={"type": "string", "minLength": 2}, times={"type": "integer"})


def json_area(app: FormHost) -> TextArea:
    return app.query_one("#json > TextArea", TextArea)


async def test_values_of_the_form_are_in_the_json() -> None:
    async with hosted(SCHEMA, {"name": "Ada"}) as (_, app):
        app.editor.toggle_json()
        assert json_area(app).text == '{\n  "name": "Ada"\n}'


async def test_values_written_as_json_are_in_the_form() -> None:
    async with hosted(SCHEMA) as (pilot, app):
        app.editor.toggle_json()
        json_area(app).text = '{"name": "Bo", "times": 3}'
        await until(lambda: app.form.value() == {"name": "Bo", "times": 3})
        app.editor.toggle_json()
        await pilot.pause()
        assert [field.value for field in app.query(LineEditor)] == ["Bo", "3"]


async def test_keys_that_the_schema_does_not_know_survive_the_way_there_and_back() -> None:
    async with hosted(SCHEMA) as (pilot, app):
        app.editor.toggle_json()
        json_area(app).text = '{"name": "Bo", "more": [1]}'
        await pilot.pause()
        app.editor.toggle_json()
        app.editor.toggle_json()
        assert '"more"' in json_area(app).text


async def test_an_error_in_the_json_is_shown_with_its_line_and_keeps_the_json_in_front() -> None:
    async with hosted(SCHEMA) as (pilot, app):
        app.editor.toggle_json()
        json_area(app).text = '{\n  "name": oops\n}'
        app.editor.toggle_json()
        await pilot.pause()
        assert app.editor.is_json
        assert '"name": oops  ✗ 2:11 expecting value' in screen_text(app)
        assert app.form.value() == {}


async def test_enter_in_the_json_keeps_the_indentation() -> None:
    async with hosted(SCHEMA) as (pilot, app):
        app.editor.toggle_json()
        json_area(app).text = "{}"
        json_area(app).move_cursor((0, 1))
        await pilot.press("enter", *'"x":1,', "enter", *'"y":2')
        await until(lambda: json_area(app).text == '{\n  "x":1,\n  "y":2\n}')


async def test_broken_json_is_reset_to_the_last_value_that_could_be_read_and_the_reset_is_undone() -> None:
    async with hosted(SCHEMA, {"name": "Ada"}) as (pilot, app):
        app.editor.toggle_json()
        json_area(app).insert("oops", (0, 0))
        app.editor.toggle_json()
        await pilot.pause()
        assert "Correct it, undo (^z)" in screen_text(app)
        await pilot.click("#reset-json")
        assert json_area(app).text == '{\n  "name": "Ada"\n}'
        assert app.editor.settle() is None
        await pilot.press("ctrl+z")
        assert json_area(app).text.startswith("oops{")
        assert app.editor.settle() is not None


REQUIRED = {**objects(name={"type": "string"}, size={"enum": ["s", "m"]}), "required": ["name", "size"]}


async def test_the_json_begins_with_placeholders_that_are_no_values() -> None:
    async with hosted(REQUIRED) as (pilot, app):
        app.editor.toggle_json()
        assert json_area(app).text == '{\n  "name": "‹text›",\n  "size": "‹s | m›"\n}'
        await pilot.press(*"Ada")
        assert app.editor.settle() is None
        assert app.form.value() == {"name": "Ada"}
        assert app.query_one(JsonArea).marked == frozenset()
        app.editor.focus_problem()
        await pilot.pause()
        assert "✗ line 3 · size: required" in screen_text(app)


async def test_the_lines_with_problems_are_marked() -> None:
    async with hosted(SCHEMA, {"name": "A", "times": 3}) as (pilot, app):
        app.editor.toggle_json()
        await pilot.pause()
        assert app.query_one(JsonArea).marked == {1}
        json_area(app).text = '{\n  "name": "Ada",\n  "times" 3\n}'
        app.editor.settle()
        assert app.query_one(JsonArea).marked == {2}


async def test_a_reset_of_readable_json_begins_again_and_is_undone() -> None:
    async with hosted(REQUIRED, {"name": "Ada"}) as (pilot, app):
        app.editor.toggle_json()
        app.editor.reset_json()
        assert app.form.value() == {}
        await pilot.press("ctrl+z")
        app.editor.settle()
        assert app.form.value() == {"name": "Ada"}


async def test_each_form_keeps_its_view_and_its_broken_json() -> None:
    async with hosted(SCHEMA) as (pilot, app):
        app.editor.toggle_json()
        json_area(app).text = "soup{}"
        other = Form(SCHEMA)
        app.editor.show(other)
        assert not app.editor.is_json
        app.editor.show(app.form)
        await pilot.pause()
        assert app.editor.is_json
        assert json_area(app).text == "soup{}"
        assert "✗ not JSON" in screen_text(app)


async def test_broken_json_survives_a_change_of_the_schema() -> None:
    before = Form(SCHEMA)
    before.load_json("soup{}")
    after = Form(objects(name={"type": "string"}))
    carry_over(before, after)
    assert after.json_draft == "soup{}"


async def test_violations_of_the_schema_are_shown_below_the_json() -> None:
    async with hosted(SCHEMA, {"name": "A"}) as (pilot, app):
        app.editor.toggle_json()
        await pilot.pause()
        assert "✗ line 2 · name: needs at least 2 characters" in screen_text(app)


async def test_the_last_input_is_applied_without_waiting() -> None:
    async with hosted(SCHEMA) as (pilot, app):
        app.editor.toggle_json()
        json_area(app).text = '{"name": "Ada"}'
        await pilot.pause()
        assert app.editor.settle() is None
        assert app.form.value() == {"name": "Ada"}


async def test_the_views_are_changed_by_mouse_too() -> None:
    async with hosted(SCHEMA) as (pilot, app):
        await pilot.click(app.query_one("#views > Segments", Segments), offset=(9, 0))
        await pilot.pause()
        assert app.editor.is_json
        assert json_area(app).has_focus


async def test_a_form_that_was_filled_in_elsewhere_is_shown_in_both_views() -> None:
    async with hosted(SCHEMA) as (pilot, app):
        app.editor.toggle_json()
        app.form.load({"name": "Cy"})
        app.editor.show_values()
        await pilot.pause()
        assert '"Cy"' in json_area(app).text
        assert app.query(LineEditor).first().value == "Cy"


async def test_keys_for_a_field_that_was_just_removed_change_nothing_and_end_nothing() -> None:
    schema = objects(a=objects(b={"type": "string"}), c={"type": "string"})
    async with hosted(schema, {"a": {"b": "x"}}) as (pilot, app):
        removed = app.row("a", "b")
        app.form.load({"a": 5})
        removed.post_message(SetText(removed, "typed"))
        await pilot.pause()
        assert app.form.value() == {"a": 5}


async def test_keys_typed_into_a_form_do_not_go_into_the_next() -> None:
    async with hosted(objects(a={"type": "string"})) as (pilot, app):
        before, row = app.form, app.row("a")
        app.editor.view.post_message(SetText(row, "typed"))
        app.form = type(before)(before.schema)
        app.editor.show(app.form)
        await pilot.pause()
        assert app.form.value() == {}


async def test_a_form_may_be_replaced_at_any_moment_while_its_rows_are_mounted() -> None:
    schema = objects(a=objects(b={"type": "string"}), c={"oneOf": [{"type": "string"}, {"type": "boolean"}]}, d={})
    async with hosted(objects()) as (pilot, app):
        for turns in range(12):
            app.editor.show(Form(schema))
            assert app.editor.form is not None
            for value in ({"a": {"b": "x"}, "c": "y"}, {"a": 5, "c": True, "d": [1]}):
                app.editor.form.load(value)
                app.editor.show_values()
                for _ in range(turns):
                    await asyncio.sleep(0)
            app.editor.show(app.form)
            await pilot.pause()
            assert "Nothing to fill in." in screen_text(app), turns


def write_outside(monkeypatch: pytest.MonkeyPatch, edited: str) -> list[str]:
    """Let the user's editor write a text; return the texts that it was opened with."""
    opened: list[str] = []

    def edit_text(app: object, text: str, suffix: str) -> str:
        opened.append(text)
        return edited

    monkeypatch.setattr(external_editor, "edit_text", edit_text)
    return opened


async def test_a_text_is_edited_in_the_users_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = write_outside(monkeypatch, "two\nlines")
    async with hosted(SCHEMA, {"name": "Ada"}) as (_, app):
        app.editor.focus_first()
        app.editor.edit_outside()
        await until(lambda: app.form.value() == {"name": "two\nlines"})
        assert opened == ["Ada"]


async def test_the_whole_value_is_edited_as_json_where_no_text_has_the_focus(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = write_outside(monkeypatch, '{"name": "Bo", "times": 3}')
    async with hosted(SCHEMA, {"name": "Ada"}) as (pilot, app):
        app.set_focus(None)
        app.editor.edit_outside()
        await pilot.pause()
        assert opened == ['{\n  "name": "Ada"\n}']
        assert [field.value for field in app.query(LineEditor)] == ["Bo", "3"]


async def test_broken_json_from_the_users_editor_is_shown_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    write_outside(monkeypatch, "{oops")
    async with hosted(SCHEMA, {"name": "Ada"}) as (pilot, app):
        app.set_focus(None)
        app.editor.edit_outside()
        await pilot.pause()
        assert app.editor.is_json
        assert json_area(app).text == "{oops"
        assert app.form.value() == {"name": "Ada"}


async def test_values_of_earlier_calls_are_proposed_for_a_text() -> None:
    async with hosted(SCHEMA) as (pilot, app):
        app.editor.earlier_values = lambda: [{"name": "Ada"}, {"name": "Bo"}]
        app.editor.focus_first()
        app.run_worker(app.editor.propose())
        await until(lambda: isinstance(app.screen, ProposalScreen))
        await pilot.press("b", "enter")
        await until(lambda: app.form.value() == {"name": "Bo"})


async def test_keys_and_choices_are_proposed_in_the_json() -> None:
    async with hosted(objects(size={"enum": ["small", "medium"]})) as (pilot, app):
        app.editor.toggle_json()
        json_area(app).move_cursor((0, 1))
        app.run_worker(app.editor.propose())
        await until(lambda: isinstance(app.screen, ProposalScreen))
        await pilot.press("enter")
        await until(lambda: json_area(app).text == '{"size": }')
        app.run_worker(app.editor.propose())
        await until(lambda: isinstance(app.screen, ProposalScreen))
        await pilot.press("down", "enter")
        await until(lambda: app.form.value() == {"size": "medium"})


async def test_leaving_the_proposals_changes_nothing() -> None:
    async with hosted(SCHEMA, {"name": "Cy"}) as (pilot, app):
        app.editor.earlier_values = lambda: [{"name": "Ada"}]
        app.editor.focus_first()
        app.run_worker(app.editor.propose())
        await until(lambda: isinstance(app.screen, ProposalScreen))
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, ProposalScreen))
        assert app.form.value() == {"name": "Cy"}
