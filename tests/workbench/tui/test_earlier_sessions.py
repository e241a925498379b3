"""The calls of earlier sessions are in the history of the next one."""

from pathlib import Path

from server_core.core import Core
from server_core.transports.memory import MemoryChannel
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, settled, toasts
from tests.workbench.tui.working import terminal_on, working
from workbench.client.session import ClientSession
from workbench.model.history import RunStatus
from workbench.tui.screens.inspector_pane import InspectorPane
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.outcome import Outcome


async def test_the_next_session_shows_and_repeats_the_calls_of_the_last(project: Path) -> None:
    async with working(project, "tools") as (_, app):
        run = app.workspace.call("greet", {"name": "Ada"})
        await until(lambda: not run.is_running)
    async with working(project, "tools") as (pilot, app):
        history = app.workspace.history
        await until(lambda: len(history) == 1)
        (earlier,) = history
        assert (earlier.tool, earlier.arguments, earlier.status) == ("greet", {"name": "Ada"}, RunStatus.OK)
        app.query_one(Outcome).front.focus()
        await pilot.press("h")
        await until(lambda: f"✓  {earlier.title[-5:]} " in screen_text(app))
        await pilot.press("enter")
        await until(lambda: f"of {earlier.title}" in screen_text(app))
        await until(lambda: "Hello, Ada" in screen_text(app))
        await pilot.press("r")
        await until(lambda: [run.number for run in history] == [-1, 1])
        again = history.find(1)
        assert again is not None
        await until(lambda: not again.is_running)
        assert (again.arguments, again.result) == (earlier.arguments, earlier.result)


async def test_a_terminal_that_attaches_shows_the_calls_of_the_terminal_before(project: Path) -> None:
    core = Core(project=project, reload=True, link=False)
    async with terminal_on(core) as (_, app):
        await until(lambda: app.tools)
        run = app.workspace.call("greet", {"name": "Ada"})
        await until(lambda: not run.is_running)
        first = app.workspace
        assert core.store is not None
        app.connect()
        await until(lambda: app.workspace is not first)
        # The history of the terminal continues, so these calls are not read a second time.
        assert [run.number for run in app.workspace.history] == [1]


async def test_a_call_of_another_client_is_loaded_into_the_form(project: Path) -> None:
    core = Core(project=project, reload=True, link=False)
    async with terminal_on(core, "inspector") as (pilot, app):
        await until(lambda: app.tools)
        other = await ClientSession.open(MemoryChannel(core, peer_name="claude"))
        await other.call_tool("greet", {"name": "Grace"}).result()
        await other.close()
        await until(lambda: any(entry.method == "tools/call" and entry.pair for entry in app.workspace.timeline))
        await settled(pilot)
        pane = app.pane
        assert isinstance(pane, InspectorPane)
        request = next(entry for entry in app.workspace.timeline if entry.method == "tools/call")
        await pane.follow_message(request.pair)
        await pilot.press("e")
        await until(lambda: app.place == "tools" and app.query(OfferForm))
        form = app.query_one(OfferForm)
        await until(lambda: form.offer is not None and form.offer.name == "greet")
        await until(lambda: form.editor.form is not None and form.editor.form.value() == {"name": "Grace"})


async def test_a_message_that_calls_nothing_is_not_loaded(project: Path) -> None:
    async with working(project, "inspector") as (pilot, app):
        await settled(pilot)
        pane = app.pane
        assert isinstance(pane, InspectorPane)
        await pane.follow_message(1)
        await pilot.press("e")
        await until(lambda: "belongs to no call of a tool, resource or prompt." in toasts(app))
