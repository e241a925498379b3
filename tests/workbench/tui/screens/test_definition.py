"""The definition of an offer beside its form: what a model sees, and what the last reload changed."""

from typing import Any

import pytest
from textual.widgets import TextArea

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.fakes import FakeLink
from tests.workbench.tui.kitchen import GREET, KITCHEN
from tests.workbench.tui.screens.tools_pane import NUMBER, TEXT, choose, tools
from workbench.model.definitions.change import DefinitionChange, Verdict
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens import tools_pane
from workbench.tui.widgets.definition_texts import changes_content
from workbench.tui.widgets.definition_view import DefinitionView
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.offer_head import OfferHead

LONG = "**Brew** a pot.\n\n" + "\n\n".join(f"Paragraph {number} of the manual." for number in range(12))


def link_with(**members: Any) -> FakeLink:
    link = FakeLink()
    link.answers["catalog/get"] = KITCHEN | {"tools": [GREET | members, *KITCHEN["tools"][1:]]}
    return link


async def shown(app: WorkbenchApp, text: str) -> None:
    await until(lambda: text in screen_text(app))


def front(app: WorkbenchApp) -> str:
    return app.query_one(FormEditor).front


async def test_the_keys_of_the_views_go_round_form_json_and_definition() -> None:
    async with tools(link_with()) as (pilot, app):
        await choose(pilot, app, "greet")
        views = []
        for _ in range(3):
            await pilot.press("ctrl+t")
            views.append(front(app))
        assert views == ["json", "definition", "rows"]
        await pilot.press("alt+i")
        assert front(app) == "definition"
        await until(lambda: isinstance(app.focused, DefinitionView))
        await pilot.press("right_square_bracket")
        assert front(app) == "rows"
        await pilot.press("alt+i")
        await until(lambda: isinstance(app.focused, DefinitionView))
        await pilot.press("left_square_bracket")
        assert front(app) == "json"


async def test_brackets_are_text_in_a_form() -> None:
    async with tools(link_with()) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("left_square_bracket")
        assert front(app) == "rows"


async def test_a_definition_has_the_description_the_parameters_the_schemas_and_the_cost() -> None:
    parameter = {"type": "integer", "minimum": 1, "maximum": 20, "default": 5, "description": "How many."}
    link = link_with(
        description="Greet **politely**.",
        inputSchema={"type": "object", "properties": {"times": parameter, "name": TEXT}, "required": ["name"]},
        annotations={"readOnlyHint": True},
        source={"file": "/demo/greeting.py", "line": 7},
    )
    async with tools(link, (170, 60)) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("alt+i")
        await shown(app, "input schema")
        await shown(app, "finding")
        await until(lambda: "Greet politely." in screen_text(app))
        text = screen_text(app)
        assert "times  integer  optional · 1 to 20 · default 5" in text
        assert "name  string  required" in text
        assert "How many." in text
        assert "/demo/greeting.py:7  E opens it in your editor" in text
        assert "tokens in every request to a model" in text
        assert "annotations" in text
        assert "does not describe: name" in text


async def test_e_opens_the_file_of_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    edited: list[tuple[str, int]] = []
    monkeypatch.setattr(tools_pane, "edit", lambda app, file, line: edited.append((file, line)))
    async with tools(link_with(source={"file": "/demo/greeting.py", "line": 7})) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("alt+i")
        await until(lambda: isinstance(app.focused, DefinitionView))
        await pilot.press("E")
        await until(lambda: edited == [("/demo/greeting.py", 7)])


async def test_a_long_description_has_four_rows_above_the_form_and_all_in_the_definition() -> None:
    async with tools(link_with(description=LONG)) as (pilot, app):
        await choose(pilot, app, "greet")
        await shown(app, "… alt+i")
        assert "Paragraph 3" not in screen_text(app)
        await pilot.press("alt+i")
        await shown(app, "Paragraph 3 of the manual.")
        view = app.query_one(DefinitionView)
        await until(lambda: view.max_scroll_y > 0 and app.focused is view)
        await pilot.press("G")
        await shown(app, '"readOnlyHint": true')


async def test_after_a_reload_the_definition_shows_the_changes_with_a_verdict() -> None:
    link = link_with(inputSchema={"type": "object", "properties": {"times": TEXT}})
    async with tools(link, (200, 60)) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("alt+i")
        await shown(app, "input schema")
        greet = GREET | {"inputSchema": {"type": "object", "properties": {"times": NUMBER}}}
        later = {"tools": [greet, *KITCHEN["tools"][1:]], "generation": KITCHEN["generation"] + 1}
        link.answers["catalog/get"] = KITCHEN | later
        await app.workspace.core.refresh("catalog")
        # Shorter than a line of the narrowest form.
        await shown(app, "Changed by the last reload: breaking")
        await until(lambda: "✗ `times` is integer now, not string." in screen_text(app))
        assert front(app) == "definition"


def test_each_change_has_a_verdict_of_its_own_only_where_they_differ() -> None:
    calls = DefinitionChange(("inputSchema",), "`name` is required now.", Verdict.CALLERS)
    results = DefinitionChange(("outputSchema",), "`size` is gone.", Verdict.READERS)
    harmless = DefinitionChange(("description",), "It has another description.")
    assert changes_content([calls, harmless]).plain.count("breaking for callers") == 1
    both = changes_content([calls, results]).plain
    assert "`name` is required now. (breaking for callers)" in both
    assert "`size` is gone. (breaking for readers of results)" in both


async def test_json_that_cannot_be_read_stays_while_the_definition_is_shown() -> None:
    async with tools(link_with()) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("ctrl+t")
        area = app.query_one("#json TextArea", TextArea)
        area.text = "{ broken"
        await pilot.press("ctrl+t")
        assert front(app) == "definition"
        await pilot.press("ctrl+t")
        assert front(app) == "json"
        assert area.text == "{ broken"


@pytest.mark.parametrize("description", ["[red]x[/red] \x1b[31m \u202e", "# " * 5000, "x" * 1_000_000])
async def test_a_hostile_description_is_shown_as_text(description: str) -> None:
    async with tools(link_with(description=description)) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("alt+i")
        await shown(app, "Definition")
        await until(lambda: isinstance(app.focused, DefinitionView))
        assert "\x1b" not in screen_text(app)


async def test_above_the_form_a_description_has_no_signs_of_markdown_and_it_is_shown_once_only() -> None:
    async with tools(link_with(description="**Brew** a pot with `keep_warm()`.")) as (pilot, app):
        await choose(pilot, app, "greet")
        head = app.query_one(OfferHead)
        assert "Brew a pot with keep_warm()." in str(head.content)
        await pilot.press("alt+i")
        await until(lambda: "Brew" not in str(head.content))
        await shown(app, "Brew a pot with keep_warm().")
        await pilot.press("alt+i")
        await until(lambda: "Brew" in str(head.content))


async def test_a_tool_with_a_warning_of_the_checks_has_the_sign_of_problems_in_the_list() -> None:
    async with tools(link_with(description="")) as (_, app):
        await until(lambda: any("greet" in line[:29] and "○!" in line[:29] for line in screen_text(app).splitlines()))
