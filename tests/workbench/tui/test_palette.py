"""The entries of the palette, and their actions."""

from textual.command import CommandPalette
from textual.widgets import Input

from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text
from tests.workbench.tui.fakes import CATALOG, FakeLink, opener
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
