"""Problems, and the way from them to the editor."""

import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import pytest
from textual.pilot import Pilot

from server_core.errors import RemoteError
from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, toasts
from tests.workbench.tui.fakes import CATALOG, FakeLink, opener
from workbench.model.lint import lint
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.problems_pane import cost_text, problem_text

FLAWLESS = {
    "name": "greet",
    "description": "Greet a person by name.",
    "inputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
    "secrets": [],
    "source": None,
}


@asynccontextmanager
async def problems(link: FakeLink) -> AsyncIterator[tuple[Pilot[Any], WorkbenchApp]]:
    app = WorkbenchApp(opener(link), place="problems")
    async with app.run_test(size=(180, 40)) as pilot:
        await opened(pilot, "problems")
        yield pilot, app


async def test_a_problem_shows_its_place_its_source_and_advice() -> None:
    async with problems(FakeLink()) as (_, app):
        text = screen_text(app)
        assert "✗  The tool 'book' has a parameter without a type: guests." in text
        assert "/home/ada/demo/tools/booking.py:14" in text
        assert "14 │ def book(name: str, guests) -> str:" in text
        assert "→ Annotate it, for example: guests: list[str]" in text


async def test_the_problem_under_the_cursor_is_explained_and_copied() -> None:
    async with problems(FakeLink()) as (pilot, app):
        await pilot.press("home", "y")
        await until(lambda: "The problem is in the clipboard." in toasts(app))
        assert app.clipboard.startswith("/home/ada/demo/tools/booking.py:14: error: The tool 'book' has a parameter")
        await pilot.press("j")
        await until(lambda: "→ Write a docstring" in screen_text(app))


async def test_findings_about_definitions_come_below_the_problems_with_advice() -> None:
    async with problems(FakeLink()) as (pilot, app):
        await until(lambda: "·  Clients assume that these tools are destructive" in screen_text(app))
        await pilot.press("end")
        await until(lambda: '→ Give each `annotations`, such as `{"readOnlyHint": true}`' in screen_text(app))


async def test_the_same_problem_of_several_tools_is_a_row_that_opens_to_their_places() -> None:
    link = FakeLink()
    source = {"file": "/home/ada/demo/tools.py", "line": 7}
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    tools = [{**FLAWLESS, "name": name, "inputSchema": schema, "source": source} for name in ("greet", "add", "brew")]
    link.answers["catalog/get"] = {**CATALOG, "problems": [], "tools": tools}
    async with problems(link) as (pilot, app):
        await until(lambda: "▸ Parameters without a description · 3: greet, add, brew" in screen_text(app))
        assert "tools.py:7  Tool 'brew' does not describe: text." in screen_text(app)
        await pilot.press("home", "y")
        await until(lambda: app.clipboard.count("does not describe: text.") == 3)
        await pilot.press("e")
        await until(lambda: "Enter opens the group" in toasts(app))
        await pilot.press("enter", "j", "j")
        await until(lambda: "/home/ada/demo/tools.py:7" in screen_text(app))
        assert "▾ Parameters without a description" in screen_text(app)
        await pilot.press("k", "k", "enter")
        await until(lambda: "▸ Parameters without a description" in screen_text(app))


async def test_the_cost_of_the_definitions_and_the_most_expensive_tools_are_shown() -> None:
    async with problems(FakeLink()) as (_, app):
        await until(lambda: "2 tools, about" in screen_text(app))
        assert "tokens in every request to a model" in screen_text(app)
        assert "greet" in cost_text(lint(CATALOG), 2).plain


async def test_advice_is_not_counted_among_the_problems() -> None:
    link = FakeLink()
    link.answers["catalog/get"] = {**CATALOG, "problems": []}
    async with problems(link) as (_, app):
        await until(lambda: "·  Clients assume" in screen_text(app))
        assert "Problems (" not in screen_text(app)


async def test_the_editor_opens_at_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    run: list[list[str]] = []
    monkeypatch.setenv("VISUAL", "nano")

    def run_editor(command: list[str], check: bool) -> subprocess.CompletedProcess[bytes]:
        run.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run_editor)
    async with problems(FakeLink()) as (pilot, app):
        monkeypatch.setattr(app, "suspend", nullcontext)
        await pilot.press("e")
        assert run == [["nano", "+14", "/home/ada/demo/tools/booking.py"]]


async def test_a_missing_editor_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "/no/such/editor")
    async with problems(FakeLink()) as (pilot, app):
        monkeypatch.setattr(app, "suspend", nullcontext)
        await pilot.press("e")
        await until(lambda: "Set $EDITOR" in toasts(app))


async def test_reloading_shows_in_the_header_until_it_is_done() -> None:
    link = FakeLink()
    async with problems(link) as (pilot, app):
        states: list[str] = []
        request = link.request

        async def slow(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
            if method == "core/reload":
                await pilot.pause()
                states.append(screen_text(app).splitlines()[0])
            return await request(method, params)

        link.request = slow  # type: ignore[method-assign]
        await pilot.press("R")
        await until(lambda: states)
        assert "… reloading" in states[0]
        await until(lambda: app.state == "ready")


async def test_a_refused_reload_is_reported() -> None:
    link = FakeLink()
    link.answers["core/reload"] = RemoteError(-32004, "an app cannot be loaded again")
    async with problems(link) as (pilot, app):
        await pilot.press("R")
        await until(lambda: "an app cannot be loaded again" in toasts(app))


async def test_a_reload_on_save_appears_by_itself() -> None:
    link = FakeLink()
    async with problems(link) as (_, app):
        link.answers["catalog/get"] = {**CATALOG, "generation": 3, "problems": [], "tools": [FLAWLESS]}
        await app.workspace.core.refresh("catalog")
        await until(lambda: "✓ No problems." in screen_text(app))
        assert "✓ Reload 2 in 42 ms" in screen_text(app)
        assert "(2)" not in screen_text(app).splitlines()[1]


async def test_there_is_nothing_to_edit_without_a_problem() -> None:
    link = FakeLink()
    link.answers["catalog/get"] = {**CATALOG, "problems": [], "tools": [FLAWLESS]}
    async with problems(link) as (pilot, app):
        await pilot.press("e")
        await until(lambda: "no problem to edit" in toasts(app))


def test_the_text_of_a_problem_is_shown_as_it_is_and_never_as_markup() -> None:
    problem = {**CATALOG["problems"][0], "message": "[bold]no[/bold] \x1b[31m"}
    assert problem_text(problem).plain.splitlines()[0] == "[bold]no[/bold] \\x1b[31m"


def test_a_problem_of_no_file_has_no_place() -> None:
    problem = {**CATALOG["problems"][0], "file": "", "line": 0, "source_line": ""}
    assert ":0" not in problem_text(problem).plain


async def test_of_very_many_tools_the_first_are_checked_and_the_screen_shows_that() -> None:
    link = FakeLink()
    many = [{"name": f"tool_{number}", "inputSchema": {"type": "object"}} for number in range(2500)]
    link.answers["catalog/get"] = CATALOG | {"tools": many}
    app = WorkbenchApp(opener(link), place="problems")
    async with app.run_test(size=(180, 40)) as pilot:
        await opened(pilot, "problems")
        await until(lambda: "Only the first 2,000 of 2,500 tools are checked here" in screen_text(app))


async def test_about_another_server_nothing_is_advised_that_needs_its_files() -> None:
    link = FakeLink()
    link.info["mode"] = "relay"
    link.answers["catalog/get"] = {**CATALOG, "problems": []}
    echo = {"name": "echo", "description": "Return the text.", "inputSchema": {"properties": {"text": {}}}}
    link.server.replies["tools/list"] = {"tools": [echo]}
    async with problems(link) as (pilot, app):
        await until(lambda: "·  Clients assume that these tools are destructive" in screen_text(app))
        await pilot.press("end")
        await until(lambda: "→ Give each `annotations`" in screen_text(app))
        hints = screen_text(app).splitlines()[-1]
        assert "edit" not in hints
        assert "reload" not in hints
