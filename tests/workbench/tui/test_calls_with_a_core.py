"""Calls of the terminal on a real core: requests of tools, tasks, cancellation and failures."""

from pathlib import Path

from textual import events
from textual.widgets import Input

from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, settled, toasts
from tests.workbench.tui.working import in_both_eras, working
from workbench.model.history import RunStatus
from workbench.tui.screens.composer import Composer
from workbench.tui.screens.inspector_pane import InspectorPane
from workbench.tui.widgets.form.json_area import JsonArea
from workbench.tui.widgets.form.proposal_screen import ProposalScreen


async def test_a_call_and_its_answer_are_seen_on_the_wire(project: Path) -> None:
    async with working(project, "inspector") as (pilot, app):
        run = app.workspace.call("greet", {"name": "Ada"})
        await until(lambda: not run.is_running)
        await settled(pilot)
        await until(
            lambda: any('greet {"name": "Ada"} →' in row and "✓ ok" in row for row in screen_text(app).splitlines())
        )


async def test_a_call_sends_all_that_was_typed_before_its_key_at_any_speed(project: Path) -> None:
    async with working(project, "tools") as (pilot, app):
        await app.open_tool("greet")
        await settled(pilot)
        for key in (*"Ada", "ctrl+j"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(lambda: list(app.workspace.history))
        assert [run.arguments["name"] for run in app.workspace.history] == ["Ada"]


@in_both_eras
async def test_a_request_is_shown_and_its_response_continues_the_call_in_both_eras(
    project: Path, revision: Revision
) -> None:
    async with working(project, "requests", revision) as (pilot, app):
        run = app.workspace.call("choose_dessert", {})
        await until(lambda: "asked by choose_dessert #1" in screen_text(app))
        await pilot.pause()
        assert f"MCP {revision.date}" in screen_text(app)
        app.workspace.questions.waiting[0].accept({"dessert": "fruit", "spoons": 2})
        await until(lambda: not run.is_running)
        assert run.result is not None
        assert run.result["content"][0]["text"] == "One fruit with 2 spoon(s)."
        await app.show("inspector")
        await settled(pilot)
        asked = next(entry for entry in app.workspace.timeline if entry.name == "choose_dessert")
        assert (asked.status, asked.revision) == ("ok", revision.date)
        await pilot.press("f")
        pane = app.pane
        assert isinstance(pane, InspectorPane)
        pane.traffic.move_to(len(pane.traffic.view) - 1)
        await pilot.press("c")
        await settled(pilot)
        assert pane.query_one("#filter", Input).value == f"call:{asked.seq}"
        text = screen_text(app)
        assert 'accept {"dessert": "fruit"' in text if revision.stateless else "form: Which dessert" in text


@in_both_eras
async def test_a_call_that_waits_for_an_answer_is_cancelled_in_both_eras(project: Path, revision: Revision) -> None:
    async with working(project, "requests", revision) as (_, app):
        run = app.workspace.call("choose_dessert", {})
        await until(lambda: app.workspace.questions.waiting)
        app.workspace.cancel(run)
        await until(lambda: run.status is RunStatus.CANCELLED)
        await until(lambda: not app.workspace.questions.waiting)


SLOW = """
from server_core import Context, tool


@tool(execution={"taskSupport": "optional"})
async def simmer(context: Context) -> str:
    \"\"\"Simmer until somebody tastes it.\"\"\"
    answer = await context.ui.elicit("Is it done?", {"type": "object", "properties": {}})
    return answer.action
"""


@in_both_eras
async def test_a_task_shows_its_status_requests_input_and_can_be_cancelled_in_both_eras(
    project: Path, revision: Revision
) -> None:
    (project / "tools" / "slow.py").write_text(SLOW)
    async with working(project, "tools", revision) as (pilot, app):
        await until(lambda: any(tool["name"] == "simmer" for tool in app.tools))
        await app.open_tool("simmer")
        # Up to 2025-11-25 the client asks for a task; from then on the server decides.
        await pilot.press("ctrl+j" if revision.stateless else "f8")
        await until(lambda: app.workspace.questions.waiting)
        run = next(iter(app.workspace.history))
        await until(lambda: run.task == "requires input")
        app.workspace.questions.waiting[0].decline()
        await until(lambda: run.status is RunStatus.OK)
        again = app.workspace.call("simmer", {}, as_task=True)
        await until(lambda: again.task == "requires input")
        app.workspace.cancel(again)
        await until(lambda: again.status is RunStatus.CANCELLED)
        await until(
            lambda: [entry.status for entry in app.workspace.timeline if entry.method == "tools/call"].count(
                "cancelled"
            )
        )


async def test_a_tool_that_cannot_run_as_a_task_shows_why(project: Path) -> None:
    async with working(project, "tools", LATEST_STATELESS) as (pilot, app):
        await app.open_tool("greet")
        await pilot.press("f8")
        await until(lambda: "the server decides what becomes a task" in toasts(app))
        await app.workspace.switch_revision(LATEST)
        await pilot.press("f8")
        await until(lambda: "greet does not run as a task." in toasts(app))


CRASHING = """
from server_core import tool


@tool
def spill(cup: str) -> str:
    \"\"\"Spill a cup.\"\"\"
    return {}[cup]
"""


@in_both_eras
async def test_a_crash_is_shown_with_its_place_and_traceback_in_both_eras(project: Path, revision: Revision) -> None:
    (project / "tools" / "crashing.py").write_text(CRASHING)
    async with working(project, "tools", revision) as (_, app):
        await until(lambda: any(tool["name"] == "spill" for tool in app.tools))
        await app.open_tool("spill")
        run = app.workspace.call("spill", {"cup": "mocha"})
        await until(lambda: not run.is_running)
        await until(lambda: run.failure_details is not None)
        assert run.failure_details is not None
        assert run.failure_details.developer_message == "KeyError: 'mocha'"
        assert run.failure_details.place.endswith("crashing.py:8")
        assert "in spill" in run.failure_details.traceback
        assert "mocha" not in str(run.result)


async def test_the_inspector_sends_a_request_again_then_changed_and_then_another(project: Path) -> None:
    async with working(project, "inspector") as (pilot, app):
        run = app.workspace.call("greet", {"name": "Ada"})
        await until(lambda: not run.is_running)
        await until(lambda: 'greet {"name": "Ada"} →' in screen_text(app))
        await settled(pilot)
        pane = app.pane
        assert isinstance(pane, InspectorPane)
        first = pane.traffic.entry
        assert first is not None

        await pilot.press("r")
        await until(lambda: f"Against the answer to #{first.seq}: the same" in screen_text(app))

        await pilot.press("E")
        await until(lambda: isinstance(app.screen, Composer))
        area = app.screen.query_one(JsonArea)
        area.load_text(area.text.replace("Ada", "Bo"))
        await pilot.press("ctrl+j")
        await until(lambda: '"Hello, Ada!" → "Hello, Bo!"' in screen_text(app))

        await pilot.press("Y")
        await until(lambda: "a test for pytest" in screen_text(app))
        await pilot.press("t")
        await until(lambda: "a test for pytest is in the clipboard" in toasts(app))
        assert "mcp_client.call_tool('greet', {'name': 'Bo'})" in app.clipboard
        await pilot.press("T")
        await until(lambda: "test_greet is in" in toasts(app))
        assert "'Hello, Bo!'" in (project / "tests" / "test_recorded_calls.py").read_text()

        await pilot.press("C")
        await until(lambda: isinstance(app.screen, Composer))
        app.screen.query_one(JsonArea).load_text("{ oops")
        await pilot.press("ctrl+j")
        await until(lambda: "Press ^j again to send it all the same." in screen_text(app))
        await pilot.press("ctrl+j")
        await until(lambda: pane.traffic.entry is not None and pane.traffic.entry.data == b"{ oops")

        # A text that was not sent is there again, until another message is chosen.
        await pilot.press("C")
        await until(lambda: isinstance(app.screen, Composer))
        app.screen.query_one(JsonArea).load_text("[]")
        await pilot.press("escape", "C")
        await until(lambda: isinstance(app.screen, Composer) and app.screen.query_one(JsonArea).text == "[]")
        await pilot.press("ctrl+@")
        await until(lambda: isinstance(app.screen, ProposalScreen))
        await pilot.press(*"calgreet", "enter")
        await until(lambda: isinstance(app.screen, Composer) and "‹text›" in app.screen.query_one(JsonArea).text)
        await pilot.press(*"Cy", "ctrl+j")
        await until(lambda: 'greet {"name": "Cy"} →' in screen_text(app))
