"""Captures in the terminal, on a real core: opened in the inspector, and replayed."""

from pathlib import Path

from server_core.core import Core
from server_core.records.capture.labels import change_labels
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, settled, toasts
from tests.workbench.tui.working import terminal_on
from workbench.tui.screens.inspector_pane import InspectorPane
from workbench.tui.screens.replay_screen import ReplayScreen
from workbench.workspace.capture_files import captured_bodies

_GREET = 'from server_core import tool\n\n\n@tool\ndef greet(name: str) -> str:\n    return f"Hello, {name}!"\n'


async def test_a_capture_is_opened_filtered_replayed_against_changed_tools_and_closed(tmp_path: Path) -> None:
    tools = tmp_path / "tools.py"
    tools.write_text(_GREET)
    async with terminal_on(Core(project=tmp_path, reload=True, link=False), "sessions") as (pilot, app):
        await until(lambda: app.tools)
        run = app.workspace.call("greet", {"name": "Ada"})
        await until(lambda: not run.is_running)
        await app.workspace.core.refresh("sessions")
        await until(lambda: app.workspace.core.captures[0]["records"] > 5)
        await settled(pilot)

        await pilot.press("enter")
        await until(lambda: app.screen.is_modal)
        await pilot.press("o")
        await until(lambda: isinstance(app.pane, InspectorPane) and "Calls of" in screen_text(app))
        await until(lambda: 'greet {"name": "Ada"}' in screen_text(app))
        pane = app.pane
        assert isinstance(pane, InspectorPane)
        # New messages are not shown, and the actions on the core state why they are not available.
        count = len(pane.traffic.view)
        assert "capture · " in screen_text(app)
        await app.workspace.session.ping()
        await pilot.press("C")
        await until(lambda: "Not in a capture: esc in the list closes it" in toasts(app))
        assert len(pane.traffic.view) == count
        await pilot.press("slash", *"tool:greet", "enter")
        await until(lambda: len(pane.traffic.view) == 1)
        await until(lambda: "Calls a tool" in screen_text(app))
        # Esc empties the filter, then closes the capture.
        await pilot.press("escape")
        await until(lambda: len(pane.traffic.view) == count)
        await pilot.press("escape")
        await until(lambda: app.place == "sessions")
        await app.show("inspector")
        await until(lambda: "Calls of" not in screen_text(app) and len(pane.traffic.view) > count)
        await until(lambda: "capture · " not in screen_text(app))

        generation = app.workspace.core.catalog["generation"]
        tools.write_text(_GREET.replace("Hello", "Good morning"))
        await until(lambda: app.workspace.core.catalog["generation"] > generation)
        await app.show("sessions")
        await settled(pilot)
        await pilot.press("enter")
        await until(lambda: app.screen.is_modal)
        await pilot.press("R")
        await until(lambda: isinstance(app.screen, ReplayScreen) and "1 differs" in screen_text(app))
        await pilot.press("v")
        await until(lambda: '+ "Good morning, Ada!"' in screen_text(app))
        await pilot.press("enter")
        await until(lambda: "Calls of" in screen_text(app) and pane.traffic.entry is not None)
        await until(lambda: pane.traffic.entry is not None and pane.traffic.entry.name == "greet")
        # The message is in view, and Esc leads back to the results of the replay.
        await until(lambda: pane.detail.has_focus)
        await pilot.press("escape", "escape")
        await until(lambda: isinstance(app.screen, ReplayScreen) and '+ "Good morning, Ada!"' in screen_text(app))
        assert "1 differs" in screen_text(app)
        await pilot.press("escape")
        await until(lambda: not app.screen.is_modal)
        assert app.place == "sessions"


async def test_the_note_beside_the_filter_names_the_capture_in_a_narrow_terminal(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(_GREET)
    async with terminal_on(Core(project=tmp_path, reload=False, link=False), "inspector") as (pilot, app):
        await pilot.resize_terminal(80, 24)
        await until(lambda: app.tools)
        await app.workspace.core.refresh("sessions")
        path = Path(app.workspace.core.captures[0]["path"])
        change_labels(path, name="the first run")
        await app.open_capture(str(path))
        await until(lambda: "capture the first run · " in screen_text(app))


async def test_a_file_that_is_no_capture_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(_GREET)
    broken = tmp_path / "broken.capture"
    broken.write_text("no capture")
    async with terminal_on(Core(project=tmp_path, reload=False, link=False), "inspector") as (_, app):
        await until(lambda: app.tools)
        await app.open_capture(str(broken))
        await until(lambda: "is not a capture" in toasts(app))


async def test_a_message_of_a_capture_is_sent_again_to_the_server_that_runs(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(_GREET)
    async with terminal_on(Core(project=tmp_path, reload=False, link=False), "inspector") as (pilot, app):
        await until(lambda: app.tools)
        run = app.workspace.call("greet", {"name": "Ada"})
        await until(lambda: not run.is_running)
        await app.workspace.core.refresh("sessions")
        pane = app.pane
        assert isinstance(pane, InspectorPane)
        await settled(pilot)
        calls = [entry.seq for entry in app.workspace.timeline if entry.method == "tools/call" and entry.is_to_server]
        path, last = str(app.workspace.core.captures[0]["path"]), app.workspace.timeline.last_seq
        await until(lambda: captured_bodies(path, range(last, last + 1), 1))
        await app.open_capture(path, calls[0])
        await until(lambda: pane.detail.has_focus and "Calls of" in screen_text(app))
        await pilot.press("r")
        await until(lambda: "Calls of" not in screen_text(app))
        await until(lambda: pane.traffic.entry is not None and pane.traffic.entry.seq > calls[0])
        await until(lambda: pane.traffic.entry is not None and pane.traffic.entry.pair)
        assert pane.traffic.entry is not None
        assert (pane.traffic.entry.name, pane.traffic.entry.status) == ("greet", "ok")
