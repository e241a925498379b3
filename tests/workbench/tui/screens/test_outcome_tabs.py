"""The tabs of an outcome: the result, the log and the messages of one call."""

import threading
from typing import Any

from server_core.records.tap import Direction, Kind, Record
from tests.waiting import until
from tests.workbench.model.records import Wire
from tests.workbench.tui.driving import screen_text, settled, toasts
from tests.workbench.tui.fakes import NOON, FakeLink
from tests.workbench.tui.kitchen import kitchen_link, text_result
from tests.workbench.tui.screens.held_messages import hold
from tests.workbench.tui.screens.tools_pane import choose, run, tools
from tests.workbench.workspace.test_earlier_sessions import captured
from workbench.model.history import CallRun
from workbench.tui.app import WorkbenchApp
from workbench.tui.widgets.log_view import LogView
from workbench.tui.widgets.outcome import Outcome
from workbench.tui.widgets.outcome_tabs import OutcomeTabs
from workbench.workspace.earlier_sessions import read_runs


def at_noon(*records: Record) -> list[Record]:
    """Return the records at the time of the fixed clock, a tenth of a second apart."""
    return [record._replace(time=NOON + number / 10) for number, record in enumerate(records)]


def records_of(app: WorkbenchApp, *more: Any) -> list[Record]:
    """Return the records of the only call of `ping`: its request, a print for each text, and its response."""
    wire = Wire()
    id = next(iter(app.workspace.history)).request_id
    call = wire.call(id, "ping")
    prints = [wire.raw(Kind.STDOUT, f"{text}\n".encode(), direction=Direction.NONE, call=str(id)) for text in more]
    return at_noon(call, *prints, wire.result(id, text_result("pong")))


async def run_ping(pilot: Any, app: WorkbenchApp, link: FakeLink, *prints: str) -> None:
    link.server.replies["tools/call"] = text_result("pong")
    await run(pilot, app, "ping", "pong")
    link.arrive(records_of(app, *prints))
    await settled(pilot)


async def test_the_log_of_a_call_is_counted_and_shown_on_a_key() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await run_ping(pilot, app, link, "first", "second")
        assert "Log 2" in screen_text(app)
        app.query_one(Outcome).front.focus()
        await pilot.press("]")
        await until(lambda: "print    second" in screen_text(app))
        assert "100 ms print    first" in screen_text(app)
        assert "pong" not in screen_text(app)
        assert app.screen.focused is app.query_one(LogView)
        await pilot.press("left_square_bracket")
        await until(lambda: "pong" in screen_text(app))


async def test_the_heading_has_the_time_on_the_wire_the_size_and_the_tokens() -> None:
    link = kitchen_link()
    async with tools(link, (170, 40)) as (pilot, app):
        await run_ping(pilot, app, link)
        await until(lambda: "ping · ✓ ok  wire 100 ms · 86 B · ~1 token  #1" in screen_text(app))
        await pilot.resize_terminal(110, 40)
        await until(lambda: "ping · ✓ ok  wire 100 ms · 86 B  #1" in screen_text(app))


async def test_a_click_on_a_tab_brings_it_to_the_front() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await run_ping(pilot, app, link, "first")
        await pilot.click(OutcomeTabs, offset=(11, 0))
        await until(lambda: "print    first" in screen_text(app))


async def test_lines_appear_while_the_call_runs_and_the_end_is_followed() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        await until(lambda: len(app.workspace.history))
        app.query_one(Outcome).show_tab("log")
        await until(lambda: "No output yet." in screen_text(app))
        *records, _ = records_of(app, *map(str, range(100)))
        link.arrive(records[:2])
        await settled(pilot)
        await until(lambda: "print    0" in screen_text(app))
        link.arrive(records[2:])
        await settled(pilot)
        await until(lambda: "print    99" in screen_text(app))
        app.query_one(LogView).focus()
        await pilot.press("home")
        await until(lambda: "print    0" in screen_text(app))


async def test_the_messages_of_a_call_are_shown_raw() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await run_ping(pilot, app, link, "first")
        app.query_one(Outcome).show_tab("raw")
        await until(lambda: '"tools/call"' in screen_text(app))
        parts = ("→ in request #1", "← out result #3", '"pong"')
        await until(lambda: all(part in screen_text(app) for part in parts))


async def test_the_inspector_shows_the_messages_of_a_call_and_leads_back_to_its_run() -> None:
    link = kitchen_link()
    async with tools(link, (160, 40)) as (pilot, app):
        await run_ping(pilot, app, link, "first")
        await choose(pilot, app, "greet")
        await choose(pilot, app, "ping")
        app.query_one(Outcome).front.focus()
        await pilot.press("=")
        await until(lambda: app.place == "inspector")
        await until(lambda: "Run #1: # shows it in Tools." in screen_text(app))
        await until(lambda: "call:1" in screen_text(app))
        await pilot.press("#")
        await until(lambda: app.place == "tools")
        await until(lambda: "ping · ✓ ok" in screen_text(app))


async def test_the_difference_from_the_previous_call_is_shown() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = lambda params: text_result(f"Hello, {params['arguments']['name']}!")
    async with tools(link) as (_pilot, app):
        for name in ("Ada", "Bo", "Bo", f"{'Bo and ' * 10}all others"):
            app.workspace.call("greet", {"name": name})
        await until(lambda: not app.workspace.running)
        first, second, third, long = app.workspace.history
        outcome = app.query_one(Outcome)
        outcome.show(second.kind, second)
        outcome.show_tab("diff")
        await until(lambda: '~ name  "Ada" → "Bo"' in screen_text(app))
        # In a narrow column the values are below the path, so that both are seen.
        assert "~ content[0].text " in screen_text(app)
        assert '    "Hello, Ada!" → "Hello, Bo!"' in screen_text(app)
        outcome.show(third.kind, third)
        await until(lambda: "Result  the same as #2" in screen_text(app))
        outcome.show(long.kind, long)
        await until(lambda: 'all others"' in screen_text(app))
        outcome.show(first.kind, first)
        await until(lambda: "There is no earlier call to compare with." in screen_text(app))


async def test_a_view_that_is_shown_once_more_has_its_note_again_and_in_full() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await run_ping(pilot, app, link)
        app.query_one(Outcome).front.focus()
        await pilot.press(*["alt+right"] * 4)
        for end in ("nothing.", "jsonrpc", "with.", "pong") * 2:
            await pilot.press("]")
            await until(lambda end=end: end in screen_text(app))


async def test_without_records_the_reason_is_shown() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        app.query_one(Outcome).front.focus()
        await pilot.press("=")
        await until(lambda: "There are no messages of a call to show." in toasts(app))
        link.server.replies["tools/call"] = text_result("pong")
        await pilot.press("ctrl+j")
        await until(lambda: "pong" in screen_text(app))
        app.query_one(Outcome).show_tab("log")
        await until(lambda: "The records of this call" in screen_text(app))


async def test_the_records_of_a_run_of_an_earlier_session_are_read_from_its_capture() -> None:
    link = kitchen_link()
    async with tools(link, (160, 40)) as (pilot, app):
        (run,) = read_runs([captured(100, 7)], "/demo", 9000, threading.Event())
        outcome = app.query_one(Outcome)
        outcome.show(run.kind, run)
        outcome.show_tab("raw")
        await until(lambda: '"n": 7' in screen_text(app))
        assert "wire 1.00 s" in screen_text(app)
        outcome.front.focus()
        await pilot.press("=")
        await until(lambda: "There are no messages of a call to show." in toasts(app))


async def test_a_run_whose_capture_is_gone_names_it() -> None:
    link = kitchen_link()
    async with tools(link, (160, 40)) as (_, app):
        run = CallRun(-1, "ping", {}, 100, ended=101, capture="/tmp/gone.capture")
        outcome = app.query_one(Outcome)
        outcome.show(run.kind, run)
        outcome.show_tab("log")
        await until(lambda: "gone.capture" in screen_text(app))


async def test_a_new_call_is_shown_in_the_view_that_was_chosen_for_its_tool() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("pong")
    async with tools(link) as (pilot, app):
        outcome = app.query_one(Outcome)
        outcome.show_next_tab(1)
        for tool, key, shown in (("ping", "", "view-result"), ("ping", "]", "view-log"), ("thirty", "", "view-result")):
            await choose(pilot, app, tool)
            await pilot.press("ctrl+j")
            await until(lambda tool=tool: outcome.run is not None and outcome.run.tool == tool)  # type: ignore[misc]
            if key:
                outcome.front.focus()
                await pilot.press(key)
            await until(lambda shown=shown: outcome.front.id == shown)  # type: ignore[misc]
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        await until(lambda: outcome.front.id == "view-log")


async def test_an_empty_log_in_front_shows_the_result_of_the_call_below_it() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("no such kitchen") | {"isError": True}
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        outcome = app.query_one(Outcome)
        outcome.show_tab("log")
        await pilot.press("ctrl+j")
        await until(lambda: "tool error" in screen_text(app))
        outcome.show_tab("log")
        await until(lambda: "The records of this call" in screen_text(app) and "no such kitchen" in screen_text(app))
        assert outcome.front is app.query_one(LogView)
        outcome.show_tab("raw")
        await until(lambda: "no such kitchen" not in screen_text(app))
        outcome.show_tab("log")
        link.arrive(records_of(app, "late"))
        await settled(pilot)
        await until(lambda: "print    late" in screen_text(app) and "no such kitchen" not in screen_text(app))


async def test_a_run_states_which_of_its_messages_is_held_and_leads_there() -> None:
    link = kitchen_link()
    link.answers["hold/list"] = hold(text=None)
    async with tools(link, (160, 40)) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        await until(lambda: len(app.workspace.history))
        wire = Wire()
        call = wire.call(next(iter(app.workspace.history)).request_id, "ping")
        held, released = (wire.lifecycle(f"message_{state}", "s1", message=1) for state in ("held", "released"))
        call, held, released = at_noon(call, held, released)
        link.arrive([call, held])
        await settled(pilot)
        await until(lambda: "‖ held for 0.0 ms, #1 · = then I decide" in screen_text(app))
        app.query_one(Outcome).front.focus()
        await pilot.press("=")
        await until(lambda: app.place == "inspector" and "call:1" in screen_text(app))
        await pilot.press("1")
        link.arrive([released])
        await settled(pilot)
        await until(lambda: "running" in screen_text(app) and "held for" not in screen_text(app))
