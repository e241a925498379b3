"""The history of calls: what its lines contain, its search, and that it outlives a core."""

import time

from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, toasts
from tests.workbench.tui.fakes import open_fixed_workspace
from tests.workbench.tui.kitchen import kitchen_link, text_result
from tests.workbench.tui.screens.tools_pane import run, tools
from workbench.model.catalog import OfferKind
from workbench.model.history import CallRun
from workbench.tui.app import WorkbenchApp
from workbench.tui.widgets.call_history import CallHistory, HistoryPanel, HistorySearch
from workbench.tui.widgets.outcome import Outcome
from workbench.workspace.open_request import StartChoice
from workbench.workspace.workspace import Workspace


async def test_an_empty_history_does_not_take_the_focus() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        tree = app.query_one("OfferTree")
        tree.focus()
        await pilot.press("h")
        await until(lambda: "There are no calls yet." in toasts(app))
        assert app.screen.focused is tree
        assert not app.query_one(HistoryPanel).display


async def test_a_line_has_the_number_the_duration_and_the_arguments_and_a_search_shows_some_lines() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello!")
    async with tools(link, (170, 40)) as (pilot, app):
        for name in ("Ada", "Bo"):
            app.workspace.call("greet", {"name": name})
        await until(lambda: not app.workspace.running)
        app.query_one(Outcome).front.focus()
        await pilot.press("h")
        await until(lambda: '0.0 ms  greet    name="Ada"' in screen_text(app))
        assert "✓ #1" in screen_text(app)
        await pilot.press("slash", *"ada")
        await until(lambda: '"Bo"' not in screen_text(app))
        assert '"Ada"' in screen_text(app)
        await until(lambda: "greet · ✓ ok" in screen_text(app) and "  #1" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: app.screen.focused is app.query_one(CallHistory))
        await pilot.press("slash", *"?")
        await until(lambda: "No call matches." in screen_text(app))
        await pilot.press("escape")
        await until(lambda: '"Bo"' in screen_text(app) and not app.query_one(HistorySearch).display)


async def test_the_history_is_in_sight_in_a_low_terminal_before_and_after_a_call_is_opened() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello!")
    async with tools(link, (60, 15)) as (pilot, app):
        for number in range(12):
            app.workspace.call("greet", {"name": f"Ada {number}"})
        await until(lambda: not app.workspace.running)
        await pilot.press("h")
        await until(lambda: '"Ada 11"' in screen_text(app))
        await pilot.press("end", "enter")
        await until(lambda: "#1 " in screen_text(app) and "Hello!" in screen_text(app))
        await pilot.press("h", "h")
        await until(lambda: app.screen.focused is app.query_one(CallHistory))
        await until(lambda: '"Ada 0"' in screen_text(app))


async def test_a_narrow_history_has_room_for_names_before_arguments() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello!")
    async with tools(link) as (pilot, app):
        app.workspace.call("order_beans", {"kilos": 3})
        await until(lambda: not app.workspace.running)
        app.query_one(Outcome).front.focus()
        await pilot.press(*["alt+right"] * 3, "h")
        await until(lambda: " ✓ #1 " in screen_text(app))
        shown = next(row for row in screen_text(app).splitlines() if " ✓ #1 " in row)
        assert "order_beans" in shown.partition(" ✓ #1 ")[2]


async def test_a_narrow_history_shows_the_arguments_of_earlier_calls_rather_than_their_date_and_duration() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await until(lambda: not app.workspace.running)
        started = time.mktime((2026, 3, 4, 9, 30, 0, 0, 0, -1))
        calls = [
            CallRun(-1, "order_beans", {"dish": f"soup {day}"}, started + day * 86_400, started + day * 86_400)
            for day in range(2)
        ]
        app.workspace.history.add_earlier(calls)
        app._workspace_changed("history")
        app.query_one(Outcome).front.focus()
        await pilot.press("h")
        await until(lambda: '04 Mar order_beans dish="soup 0"' in screen_text(app))
        assert '05 Mar order_beans dish="soup 1"' in screen_text(app)


async def test_resources_and_prompts_are_in_the_history_and_can_be_repeated() -> None:
    link = kitchen_link()
    link.server.replies["resources/read"] = {"contents": [{"uri": "demo://menu", "text": "soup"}]}
    async with tools(link) as (pilot, app):
        await run(pilot, app, "demo://menu", "soup")
        (reading,) = app.workspace.history
        assert (reading.number, reading.kind, reading.tool) == (1, OfferKind.RESOURCE, "demo://menu")
        app.query_one(Outcome).front.focus()
        await pilot.press("r")
        await until(lambda: len(app.workspace.history) == 2)
        await until(lambda: "demo://menu · ✓ ok" in screen_text(app) and "  #2" in screen_text(app))


async def test_the_runs_stay_when_the_core_is_restarted_and_their_numbers_continue() -> None:
    async def open_workspace(wanted: StartChoice | None = None) -> Workspace:
        link = kitchen_link()
        link.server.replies["tools/call"] = text_result("pong")
        return await open_fixed_workspace(link)

    app = WorkbenchApp(open_workspace)
    async with app.run_test() as pilot:
        await opened(pilot)
        before = app.workspace
        before.call("ping", {})
        await until(lambda: not before.running)
        app.connect()
        await until(lambda: app.workspace is not before)
        assert [run.number for run in app.workspace.history] == [1]
        assert app.workspace.call("ping", {}).number == 2
        await until(lambda: not app.workspace.running)
