"""The terminal on a real core that serves a real project, from the first call to the next save."""

from pathlib import Path

from textual import events
from textual.widgets import Input

from server_core.core import Core
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, REVISIONS, Revision
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, settled, toasts
from tests.workbench.tui.working import in_both_eras, terminal_on, working
from workbench.link.local import LocalLink
from workbench.model.history import RunStatus
from workbench.tui.screens.inspector_pane import InspectorPane


async def test_a_call_and_its_answer_are_seen_on_the_wire(project: Path) -> None:
    async with working(project, "inspector") as (pilot, app):
        run = app.workspace.call("greet", {"name": "Ada"})
        await until(lambda: not run.is_running)
        await settled(pilot)
        await until(
            lambda: any("result  tools/call greet" in row and "✓ ok" in row for row in screen_text(app).splitlines())
        )


async def test_a_call_sends_all_that_was_typed_before_its_key_at_any_speed(project: Path) -> None:
    async with working(project, "tools") as (pilot, app):
        await app.open_tool("greet")
        await settled(pilot)
        for key in (*"Ada", "ctrl+j"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(lambda: list(app.workspace.history))
        assert [run.arguments["name"] for run in app.workspace.history] == ["Ada"]


async def test_a_folder_without_tools_is_shown_behind_the_start_screen_and_shows_tools_that_come(
    tmp_path: Path,
) -> None:
    async with terminal_on(Core(project=tmp_path, reload=True, link=False)) as (pilot, app):
        await until(lambda: "Welcome" in screen_text(app))
        await pilot.press("escape")
        await until(lambda: "Welcome" not in screen_text(app) and "Starting the core" not in screen_text(app))
        (tmp_path / "tools.py").write_text(GREET)
        await until(lambda: "greet" in screen_text(app))


async def test_the_start_screen_closes_by_itself_when_tools_come(tmp_path: Path) -> None:
    async with terminal_on(Core(project=tmp_path, reload=True, link=False)) as (_, app):
        await until(lambda: "Welcome" in screen_text(app))
        (tmp_path / "tools.py").write_text(GREET)
        await until(lambda: not app.screen.is_modal)
        await until(lambda: "greet" in screen_text(app))


async def test_new_tools_close_no_prompt_that_the_user_types_into(tmp_path: Path) -> None:
    async with terminal_on(Core(project=tmp_path, reload=True, link=False)) as (pilot, app):
        await until(lambda: "Welcome" in screen_text(app))
        await pilot.press("c")
        await until(lambda: isinstance(app.focused, Input))
        await pilot.press("h", "t")
        (tmp_path / "tools.py").write_text(GREET)
        await until(lambda: app.tools)
        await pilot.pause()
        assert isinstance(app.focused, Input)
        assert app.focused.value == "ht"
        await pilot.press("escape")
        # The start screen is no longer needed.
        await until(lambda: not app.screen.is_modal)
        await until(lambda: "greet" in screen_text(app))


async def test_no_start_screen_opens_once_there_were_tools(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(GREET)
    async with terminal_on(Core(project=tmp_path, reload=True, link=False)) as (pilot, app):
        await until(lambda: app.tools)
        (tmp_path / "tools.py").unlink()
        await until(lambda: not app.tools)
        await settled(pilot)
        assert "Welcome" not in screen_text(app)


async def test_a_core_that_another_user_stops_is_shown_as_stopped_and_is_no_error(project: Path) -> None:
    core = Core(project=project, link=False)
    async with terminal_on(core) as (pilot, app):
        await until(lambda: app.tools)
        await LocalLink(core).request("core/stop")
        await core.stop()
        await until(lambda: "The core was stopped" in screen_text(app))
        assert "with `workbench stop` or from another terminal" in screen_text(app)
        await pilot.press("l")
        await until(lambda: not app.screen.is_modal)
        await pilot.pause()
        assert "core stopped – f5 restarts it" in screen_text(app)
        assert "✗" not in screen_text(app)
        assert toasts(app) == ""
        await pilot.press("q")
        await until(lambda: app._exit)
        assert app.return_value == 0


async def test_a_core_that_a_signal_ends_is_shown_as_ended_in_order(project: Path) -> None:
    core = Core(project=project, link=False)
    async with terminal_on(core) as (_, app):
        await until(lambda: app.tools)
        await core.stop()
        await until(lambda: "The core has ended:" in screen_text(app))
        assert app.state == "stopped"


GREET = "from server_core import tool\n\n\n@tool\ndef greet(name: str) -> str:\n    return name\n"


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
        assert 'accept {"dessert": "fruit"' in text if revision.stateless else "elicitation/create form" in text


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
        await until(lambda: "task requires input" in screen_text(app))
        await until(lambda: app.workspace.questions.waiting)
        app.workspace.questions.waiting[0].decline()
        run = next(iter(app.workspace.history))
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


async def test_the_revision_is_chosen_in_a_dialog_and_calls_continue_in_it(project: Path) -> None:
    async with working(project, "sessions") as (pilot, app):
        await until(lambda: "2026-07-28 stateless" in screen_text(app))
        await pilot.press("f6")
        await until(lambda: app.screen.is_modal)
        assert "2026-07-28 ← now" in screen_text(app)
        await pilot.press("2")
        await until(lambda: "MCP 2025-03-26" in screen_text(app))
        assert "Your calls now use revision 2025-03-26." in toasts(app)
        run = app.workspace.call("greet", {"name": "Ada"})
        await until(lambda: not run.is_running)
        await until(
            lambda: any(entry.revision == "2025-03-26" and entry.name == "greet" for entry in app.workspace.timeline)
        )


async def test_the_revision_stays_while_a_call_runs(project: Path) -> None:
    async with working(project, "requests") as (pilot, app):
        app.workspace.call("choose_dessert", {})
        await until(lambda: app.workspace.questions.waiting)
        await pilot.press("f6")
        assert "A call runs in this session: wait for the result, or cancel it first." in toasts(app)
        app.switch_revision("2025-11-25")
        assert app.workspace.session is not None
        assert app.workspace.session.revision is LATEST_STATELESS


async def test_the_log_level_is_chosen_in_a_dialog(project: Path) -> None:
    async with working(project, "inspector", REVISIONS["2025-06-18"]) as (pilot, app):
        await pilot.press("f7")
        await until(lambda: app.screen.is_modal)
        await pilot.press("5")
        await until(lambda: "Log level: error." in toasts(app))
        assert app.workspace.log_level == "error"
        await until(lambda: any(entry.method == "logging/setLevel" for entry in app.workspace.timeline))


async def test_a_secret_is_set_through_the_screen_and_stays_out_of_every_record(project: Path) -> None:
    async with working(project, "secrets") as (pilot, app):
        await until(lambda: "✗ missing" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: app.screen.is_modal)
        app.screen.query_one(Input).value = "s3cret-value"
        await pilot.press("enter")
        await until(lambda: "✓ set" in screen_text(app))
        assert "s3cret-value" in (project / ".env").read_text()
        app.workspace.poll()
        assert all(b"s3cret-value" not in (entry.data or b"") for entry in app.workspace.timeline)
        assert "s3cret-value" not in screen_text(app)


@in_both_eras
async def test_a_save_changes_the_tools_and_a_mistake_keeps_them(project: Path, revision: Revision) -> None:
    async with working(project, "problems", revision) as (_, app):
        file = project / "tools" / "basics.py"
        source = file.read_text()
        file.write_text(f'{source}\n\n@tool\ndef shout(text: str) -> str:\n    """Shout."""\n    return text.upper()\n')
        await until(lambda: "+ tools added: shout" in screen_text(app))
        file.write_text(f"{source}\ndef broken(:\n")
        await until(lambda: "syntax error" in screen_text(app))
        assert "The previous tools are still served" in screen_text(app)
        assert (app.state, "✗ reload failed" in screen_text(app)) == ("stale", True)
        assert "shout" in {tool["name"] for tool in app.tools}
        file.write_text(source)
        await until(lambda: "- tools removed: shout" in screen_text(app))
        assert "syntax error" not in screen_text(app)
        assert not app.workspace.core.problems
        assert "✓ ready" in screen_text(app)


async def test_a_project_of_which_nothing_loads_is_not_shown_as_ready(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text("from server_core import tool\n\n@tool\ndef broken(:\n")
    async with terminal_on(Core(project=tmp_path, link=False)) as (_, app):
        await until(lambda: "✗ nothing loads" in screen_text(app))


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
