"""The entries of the palette, and their actions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.command import CommandList, CommandPalette
from textual.pilot import Pilot
from textual.widgets import Input

from tests.waiting import until
from tests.workbench.tui.driving import Driven, opened, screen_text
from tests.workbench.tui.fakes import CATALOG, FakeLink, opener
from tests.workbench.tui.kitchen import kitchen_link
from workbench.tui.app import WorkbenchApp


async def test_the_palette_finds_panes_actions_and_tools() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot, "inspector")
        for query, entry in (("order", "Tool: order_beans"), ("unset", "Secrets: unset"), ("sessions", "Sessions")):
            await pilot.press("ctrl+p")
            await until(lambda: isinstance(app.screen, CommandPalette))
            app.screen.query_one(Input).value = query
            await until(lambda entry=entry: entry in screen_text(app))
            await pilot.press("escape")
            await until(lambda: not isinstance(app.screen, CommandPalette))


async def test_a_tool_matches_the_name_of_its_function() -> None:
    link = FakeLink()
    tool = {"name": "EchoServer_SayHello", "description": "", "inputSchema": {"type": "object"}, "secrets": []}
    link.answers["catalog/get"] = {**CATALOG, "tools": [tool]}
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot, "inspector")
        await pilot.press("ctrl+p")
        await until(lambda: isinstance(app.screen, CommandPalette))
        app.screen.query_one(Input).value = "say_hello"
        await until(lambda: "Tool: EchoServer_SayHello" in screen_text(app))


async def test_choosing_in_the_palette_does_it() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot, "inspector")
        await pilot.press("ctrl+p")
        await until(lambda: isinstance(app.screen, CommandPalette))
        app.screen.query_one(Input).value = "Problems"
        await until(lambda: "Show the problems of the tools" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: app.place == "problems")


async def test_the_palette_quits() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot, "inspector")
        await pilot.press("ctrl+p")
        await until(lambda: isinstance(app.screen, CommandPalette))
        app.screen.query_one(Input).value = "quit"
        await until(lambda: "Quit the workbench; the core can keep running" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: "Stop the core" in screen_text(app))


async def test_the_names_of_tools_are_no_markup() -> None:
    link = FakeLink()
    name = "evil[@click=app.exit]x[/]\x1b[31m"
    tool = {"name": name, "description": "[bold]see[/bold] [/]", "inputSchema": {"type": "object"}, "secrets": []}
    link.answers["catalog/get"] = {**CATALOG, "tools": [tool]}
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot, "inspector")
        await pilot.press("ctrl+p")
        await until(lambda: isinstance(app.screen, CommandPalette))
        app.screen.query_one(Input).value = "evil"
        await until(lambda: "evil[@click=app.exit]x[/]\\x1b[31m" in screen_text(app))
        assert "[bold]see[/bold] [/]" in screen_text(app)


@asynccontextmanager
async def palette(query: str = "") -> AsyncIterator[Driven]:
    """An open palette over a server with every kind of offer."""
    app = WorkbenchApp(opener(kitchen_link()), place="inspector")
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot, "inspector")
        await open_palette(pilot, app, query)
        yield pilot, app


async def open_palette(pilot: Pilot[Any], app: WorkbenchApp, query: str = "") -> None:
    await pilot.press("ctrl+p")
    await until(lambda: isinstance(app.screen, CommandPalette) and app.screen.query(Input))
    app.screen.query_one(Input).value = query


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("grt", "Tool: greet"),
        ("menu", "Resource: menu"),
        ("demo://dishes", "Template: dish"),
        ("invit", "Prompt: invitation"),
        ("demo-2027-01-14", "Capture: demo-2027-01-14.capture"),
        ("theme nord", "Theme: nord"),
        ("2025-06-18", "Switch to 2025-06-18"),
        ("Screenshot", "Screenshot"),
    ],
)
async def test_the_palette_finds_everything_by_its_name(query: str, row: str) -> None:
    async with palette(query) as (_, app):
        await until(lambda: row in screen_text(app))


async def test_an_entry_is_one_row_with_its_key() -> None:
    async with palette("reload") as (_, app):
        await until(lambda: "Problems: reload" in screen_text(app))
        [row] = [line for line in screen_text(app).splitlines() if "Problems: reload" in line]
        assert row.split()[0] == "R"
        assert "Reload the tools now" in row


async def test_a_resource_is_opened_from_the_palette() -> None:
    async with palette("menu") as (pilot, app):
        await until(lambda: "Resource: menu" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: app.place == "tools" and "What there is today." in screen_text(app))


async def test_without_a_search_the_actions_of_the_pane_in_front_are_before_those_of_everywhere() -> None:
    async with palette() as (_, app):
        await until(lambda: app.screen.query_one(CommandList).option_count > 20)
        commands = app.screen.query_one(CommandList)
        prompts = [str(commands.get_option_at_index(index).prompt) for index in range(commands.option_count)]
        is_of_pane = ["Inspector: " in prompt for prompt in prompts]
        assert is_of_pane == sorted(is_of_pane, reverse=True)
        assert {*is_of_pane} == {True, False}


async def test_what_was_chosen_last_is_first_and_its_text_returns() -> None:
    async with palette("invit") as (pilot, app):
        await until(lambda: "Prompt: invitation" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: app.place == "tools")
        await open_palette(pilot, app)
        commands = app.screen.query_one(CommandList)
        await until(
            lambda: commands.option_count and "Prompt: invitation" in str(commands.get_option_at_index(0).prompt)
        )
        await pilot.press("up")
        await until(lambda: app.screen.query_one(Input).value == "invit")


async def test_a_search_without_matches_shows_what_to_do_and_begins_again_on_enter() -> None:
    async with palette("nothing like it") as (pilot, app):
        await until(lambda: "No match  A few letters of a name in their order are enough." in screen_text(app))
        first = app.screen
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, CommandPalette) and app.screen is not first)
        await until(lambda: app.screen.query(Input))
        assert app.screen.query_one(Input).value == ""
