"""Numbers of messages and runs lead to them, with the mouse and with the keyboard."""

import pytest
from rich.cells import cell_len

from tests.waiting import until
from tests.workbench.tui.driving import Driven, screen_text
from tests.workbench.tui.kitchen import kitchen_link, text_result
from tests.workbench.tui.screens.test_outcome_tabs import run_ping
from tests.workbench.tui.screens.tools_pane import tools
from workbench.tui.screens.inspector_pane import InspectorPane
from workbench.tui.widgets.outcome import Outcome


async def click(driven: Driven, text: str, number: str) -> None:
    """Click on a number in the first line that contains a text."""
    pilot, app = driven
    await until(lambda: text in screen_text(app))
    await pilot.pause()
    y, line = next((y, line) for y, line in enumerate(screen_text(app).split("\n")) if text in line)
    start = max(line.index(text) - 20, 0)
    x = line.index(number, start)
    await pilot.click(offset=(cell_len(line[:x]) + 1, y))


async def shows_message(driven: Driven, seq: int) -> None:
    """Wait until the Inspector has the cursor on a message."""
    _, app = driven
    await until(lambda: app.place == "inspector")
    pane = app.query_one(InspectorPane)
    await until(lambda: pane.traffic.entry is not None and pane.traffic.entry.seq == seq)


async def test_the_number_of_a_run_leads_to_its_messages() -> None:
    link = kitchen_link()
    async with tools(link, (160, 40)) as driven:
        await run_ping(*driven, link, "first")
        await click(driven, "✓ ok", "#1")
        await shows_message(driven, 1)


@pytest.mark.parametrize(
    ("tab", "text", "seq", "row"), [("raw", "← out result #3", 3, 1), ("log", "print    first", 2, 2)]
)
async def test_the_number_of_a_message_leads_to_its_row(tab: str, text: str, seq: int, row: int) -> None:
    link = kitchen_link()
    async with tools(link, (220, 40)) as driven:
        await run_ping(*driven, link, "first")
        driven[1].query_one(Outcome).show_tab(tab)
        await click(driven, text, f"#{seq}")
        await shows_message(driven, row)


async def test_the_message_under_the_cursor_of_the_raw_view_is_shown_on_a_key() -> None:
    link = kitchen_link()
    async with tools(link, (160, 40)) as (pilot, app):
        await run_ping(pilot, app, link, "first")
        outcome = app.query_one(Outcome)
        outcome.show_tab("raw")
        outcome.front.focus()
        await until(lambda: "← out result #3" in screen_text(app))
        await pilot.press("G", "=")
        await shows_message((pilot, app), 1)


async def test_the_numbers_in_the_detail_of_a_message_lead_to_the_message_and_to_the_run() -> None:
    link = kitchen_link()
    async with tools(link, (160, 40)) as driven:
        pilot, app = driven
        await run_ping(pilot, app, link, "first")
        app.query_one(Outcome).front.focus()
        await pilot.press("=")
        await shows_message(driven, 1)
        await pilot.press("m")
        await click(driven, "← out result #3", "#3")
        await shows_message(driven, 3)
        await click(driven, "Run #1: ", "#1")
        await until(lambda: app.place == "tools")
        await until(lambda: "ping · ✓ ok" in screen_text(app))


async def test_the_number_of_the_run_in_a_difference_shows_it() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("pong")
    async with tools(link, (160, 40)) as driven:
        _, app = driven
        for _ in range(2):
            app.workspace.call("ping", {})
        await until(lambda: not app.workspace.running)
        first, second = app.workspace.history
        outcome = app.query_one(Outcome)
        outcome.show(second.kind, second)
        outcome.show_tab("diff")
        await click(driven, "Against #1", "#1")
        await until(lambda: outcome.run is first)


async def test_numbers_in_texts_of_servers_are_no_links() -> None:
    link = kitchen_link()
    async with tools(link, (160, 40)) as driven:
        _, app = driven
        link.server.replies["tools/call"] = text_result("see #3")
        run = app.workspace.call("ping", {})
        await until(lambda: not run.is_running)
        app.query_one(Outcome).show(run.kind, run)
        await click(driven, "see #3", "#3")
        await driven[0].pause()
        assert app.place == "tools"
