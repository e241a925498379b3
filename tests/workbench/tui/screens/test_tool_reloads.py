"""The tools pane while the catalog changes: values, text, cursor and focus stay where they can."""

from typing import Any

import pytest
from textual.widgets import TextArea

from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, toasts
from tests.workbench.tui.fakes import FakeLink, open_fixed_workspace
from tests.workbench.tui.kitchen import BOOK, GREET, KITCHEN, PING, kitchen_link, text_result
from tests.workbench.tui.screens.tools_pane import NUMBER, TEXT, called, choose, fill, reload, tools
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.tools_pane import ToolsPane
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.row import FieldRow
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_tree import OfferTree
from workbench.workspace.open_request import StartChoice
from workbench.workspace.workspace import Workspace


async def test_a_reload_keeps_the_values_where_the_schema_changed() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="Ada")
        schema = GREET["inputSchema"]
        assert isinstance(schema, dict)
        changed = {**schema, "properties": {**schema["properties"], "city": {"type": "string"}}}
        link.answers["catalog/get"] = {**KITCHEN, "tools": [{**GREET, "inputSchema": changed}]}
        await app.workspace.core.refresh("catalog")
        await until(lambda: "city" in screen_text(app))
        form = app.query_one(FormEditor).form
        assert form is not None
        assert form.value() == {"name": "Ada"}


async def test_a_removed_tool_leaves_no_form_to_run() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        link.answers["catalog/get"] = {**KITCHEN, "tools": [], "resources": [], "templates": [], "prompts": []}
        await app.workspace.core.refresh("catalog")
        await until(lambda: "Nothing is offered yet." in screen_text(app))
        assert "Nothing is selected." in screen_text(app)
        assert app.query_one(ToolsPane).why_not("run") == "Choose a tool, a resource or a prompt first."


@pytest.mark.parametrize(
    "properties",
    [
        {"name": TEXT, "city": TEXT},
        {"city": TEXT, "name": TEXT | {"description": "The guest"}},
        {"times": NUMBER, "loud": {"type": "boolean"}, "name": TEXT},
    ],
)
async def test_a_reload_leaves_the_focus_the_cursor_and_the_text_in_the_field(properties: dict[str, Any]) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press(*"Ad", "left")
        field = app.focused
        await reload(link, app, **properties)
        await pilot.press(*"reh2")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "Areh2d"})  # type: ignore[union-attr]
        assert app.focused is field
        await until(lambda: [row.field.name for row in app.query(FieldRow)] == [*properties])
        rows = [row.region.y for row in app.query(FieldRow)]
        assert rows == sorted(rows)


@pytest.mark.parametrize(
    ("kind", "value"), [(NUMBER, 12), (TEXT | {"format": "date"}, "12"), ({}, '"1"2'), ({"type": "boolean"}, '"1"2')]
)
async def test_keys_go_to_the_field_that_replaces_another_on_reload(kind: Any, value: Any) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("1")
        await pilot.pause()
        await reload(link, app, city=TEXT, name=kind)
        await pilot.press("2")
        await pilot.pause()
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": value})  # type: ignore[union-attr]
        assert app.place == "tools"


async def test_a_reload_that_removes_the_field_keeps_its_value_and_runs_no_command() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press(*"Ada")
        await pilot.pause()
        await reload(link, app, city=TEXT)
        await pilot.press(*"2q")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "Ada2q"})  # type: ignore[union-attr]
        assert app.place == "tools"
        assert not app.screen.is_modal


async def test_a_reload_that_removes_the_tool_leaves_the_focus_where_letters_are_ignored() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press(*"Ada")
        link.answers["catalog/get"] = KITCHEN | {"tools": KITCHEN["tools"][1:]}
        await app.workspace.core.refresh("catalog")
        await pilot.press(*"reh2q")
        await pilot.pause()
        assert app.place == "tools"
        assert not app.screen.is_modal
        assert app.focused is not None
        assert app.query_one(FormEditor) in app.focused.ancestors


async def test_a_reload_keeps_texts_and_json_that_cannot_be_read_yet() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await fill(pilot, app, times="1x")
        await reload(link, app, city=TEXT, times=NUMBER)
        await until(lambda: [field.value for field in app.query(LineEditor)] == ["", "1x"])
        await pilot.press("ctrl+t")
        area = app.query_one("#json > TextArea", TextArea)
        area.text = '{"city": "B'
        area.cursor_location = (0, 9)
        await reload(link, app, times=NUMBER, city=TEXT)
        await pilot.press("U")
        await until(lambda: area.text == '{"city": U"B')
        assert area.has_focus


async def offer(link: FakeLink, app: WorkbenchApp, *offered: dict[str, Any], **more: Any) -> None:
    """Change the offers of the server to these tools."""
    link.answers["catalog/get"] = {**KITCHEN, "tools": list(offered), "resources": [], "templates": [], "prompts": []}
    link.answers["catalog/get"] |= more
    await app.workspace.core.refresh("catalog")


@pytest.mark.parametrize("others", [[], [BOOK]])
@pytest.mark.parametrize("width", [120, 80])
async def test_a_tool_that_returns_has_the_focus_in_the_same_field_with_its_text(
    others: list[dict[str, Any]], width: int
) -> None:
    link = kitchen_link()
    async with tools(link, (width, 40)) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("A")
        next(row for row in app.query(FieldRow) if row.field.name == "times").focus_editor()
        await pilot.press("3")
        await pilot.pause()
        await offer(link, app, *others)
        await until(lambda: app.focused is not None and app.focused.region and not isinstance(app.focused, LineEditor))
        await offer(link, app, *others, PING)
        await offer(link, app, *others, PING, GREET)
        await pilot.press(*"2")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "A", "times": 32})  # type: ignore[union-attr]
        assert app.place == "tools"
        assert app.focused is not None
        assert app.focused.region


async def test_a_renamed_tool_keeps_its_values_its_run_and_the_focus() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello Ada")
    async with tools(link) as (pilot, app):
        await offer(link, app, GREET, PING)
        await choose(pilot, app, "greet")
        await pilot.press(*"Ada", "ctrl+j")
        await until(lambda: "Hello Ada" in screen_text(app))
        await offer(link, app, GREET | {"name": "welcome"}, PING)
        await until(lambda: "greet is welcome now, with the values of its form." in toasts(app))
        await pilot.press(*" L")
        form = app.query_one(OfferForm)
        await until(lambda: form.editor.form.value() == {"name": "Ada L"})  # type: ignore[union-attr]
        assert form.offer.name == "welcome"  # type: ignore[union-attr]
        assert "Hello Ada" in screen_text(app)
        await pilot.press("ctrl+j")
        await until(lambda: len(called(link)) == 2)
        assert called(link)[1] == {**called(link)[1], "name": "welcome", "arguments": {"name": "Ada L"}}


async def test_a_notice_states_where_the_values_of_a_tool_are_that_is_gone() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press(*"Ada")
        await offer(link, app, BOOK, PING)
        await until(lambda: "greet is gone. Its form keeps its values until it returns." in toasts(app))


async def test_a_user_who_moved_after_a_tool_was_removed_stays_there_when_it_returns() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("A")
        await offer(link, app, BOOK, PING)
        await choose(pilot, app, "ping")
        await offer(link, app, BOOK, PING, GREET)
        await pilot.pause()
        assert app.query_one(OfferForm).offer.name == "ping"  # type: ignore[union-attr]


async def test_the_list_has_the_focus_where_nothing_is_offered() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("A")
        await offer(link, app)
        await until(lambda: app.focused is app.query_one(OfferTree))


async def test_a_core_that_was_started_again_leaves_the_focus_in_the_field_that_has_it() -> None:
    links = [kitchen_link(), kitchen_link()]
    links[1].answers["catalog/get"] = {"generation": 0, "tools": [], "problems": []}
    waiting = iter(links)

    async def open_workspace(wanted: StartChoice | None = None) -> Workspace:
        return await open_fixed_workspace(next(waiting))

    app = WorkbenchApp(open_workspace)
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        await choose(pilot, app, "greet")
        await pilot.press("A")
        links[0].closed.set()
        await until(lambda: app.screen.is_modal)
        await pilot.press("r")
        await until(lambda: app.state == "loading" and not app.screen.is_modal)
        await pilot.press(*"e2")
        links[1].answers["catalog/get"] = KITCHEN
        await app.workspace.core.refresh("catalog")
        await pilot.press("r")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "Ae2r"})  # type: ignore[union-attr]
        assert app.place == "tools"


@pytest.mark.parametrize("kind", [TEXT, TEXT | {"format": "date"}])
async def test_a_reload_that_removes_the_parameter_keeps_its_text_editable_with_a_note(
    kind: dict[str, Any],
) -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Who?")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await reload(link, app, name=kind)
        await pilot.press(*"EveQ")
        await pilot.pause()
        assert "not in the schema" not in screen_text(app)
        # Either may be what the parameter is called now.
        await reload(link, app, who=kind, whom=kind)
        await pilot.press(*"YZ")
        await until(lambda: [field.value for field in app.query(LineEditor)] == ["", "", "EveQYZ"])
        await until(lambda: "! not in the schema" in screen_text(app))
        assert '"EveQ' not in screen_text(app)
        await pilot.press("ctrl+j")
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        assert called(link)[0]["arguments"] == {"name": "EveQYZ"}
        await reload(link, app, name=kind)
        await until(lambda: "not in the schema" not in screen_text(app))
        await pilot.press("!")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "EveQYZ!"})  # type: ignore[union-attr]


async def test_a_parameter_that_is_renamed_keeps_its_value_and_the_focus() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Who?")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await reload(link, app, name=TEXT | {"title": "Name"}, loud={"type": "boolean"})
        await until(lambda: [row.field.name for row in app.query(FieldRow)] == ["name", "loud"])
        app.query_one(LineEditor).focus()
        await pilot.press(*"Ev")
        await reload(link, app, loud={"type": "boolean"}, who=TEXT | {"title": "Who"})
        await pilot.press("e")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"who": "Eve"})  # type: ignore[union-attr]
        await until(lambda: "name is who now, with its value." in toasts(app))
        await until(lambda: "not in the schema" not in screen_text(app))


async def test_the_tool_under_the_cursor_is_there_again_when_it_returns() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        tree, form = app.query_one(OfferTree), app.query_one(OfferForm)
        await pilot.press("escape")
        await until(lambda: app.focused is tree)
        for others in ((GREET, BOOK), (GREET,), ()):
            await offer(link, app, *others)
            await until(lambda: form.offer is None or form.offer.name != "ping")
            await pilot.pause()
        await offer(link, app, GREET, BOOK, PING)
        await until(lambda: form.offer is not None and form.offer.name == "ping")
        await until(lambda: tree.offer is not None and tree.offer.name == "ping")
        assert app.focused is tree
