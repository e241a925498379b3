"""Marks and comments in the inspector: on a fixed conversation, and in the capture of a real core."""

from pathlib import Path

from textual.widgets import Input

from server_core.core import Core
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, settled
from tests.workbench.tui.screens.inspector_pane import inspecting, shown, text
from tests.workbench.tui.working import terminal_on
from workbench.model.traffic.annotations import Annotation
from workbench.tui.screens.inspector_pane import InspectorPane

_GREET = 'from server_core import tool\n\n\n@tool\ndef greet(name: str) -> str:\n    return f"Hello, {name}!"\n'


async def test_a_message_is_marked_by_a_sign_commented_and_selected_by_both() -> None:
    async with inspecting(size=(170, 48)) as (pilot, pane):
        timeline = pane.workspace.timeline
        pane.traffic.is_following = False
        pane.traffic.move_to(4)
        await pilot.press("b")
        await until(lambda: pane.app.screen.is_modal)
        await pilot.press("r")
        await until(lambda: "●    5 " in text(pane))
        await pilot.press("B")
        await until(lambda: pane.app.screen.is_modal)
        pane.app.screen.query_one(Input).value = "why so  slow?"
        await pilot.press("enter")
        await until(lambda: "[why so slow?] tools/call greet" in text(pane))
        await until(lambda: "● red: why so slow?" in pane.detail.text)
        assert timeline[4].annotation == Annotation("red", "why so slow?")
        pane.query_one("#filter", Input).value = "mark:*"
        await until(lambda: shown(pane) == [5])
        # A mark that is removed no longer matches.
        pane.traffic.focus()
        await pilot.press("b")
        await until(lambda: pane.app.screen.is_modal)
        await pilot.press("x")
        await until(lambda: shown(pane) == [])
        pane.query_one("#filter", Input).value = ""
        await until(lambda: "✎    5 " in text(pane))


async def test_a_mark_on_a_running_core_is_there_in_its_capture(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(_GREET)
    async with terminal_on(Core(project=tmp_path, reload=False, link=False), "inspector") as (pilot, app):
        await until(lambda: app.tools)
        run = app.workspace.call("greet", {"name": "Ada"})
        await until(lambda: not run.is_running)
        pane = app.pane
        assert isinstance(pane, InspectorPane)
        await settled(pilot)
        await until(lambda: 'greet {"name": "Ada"}' in screen_text(app))
        await until(lambda: app.workspace.timeline.newest_core.capture)
        marked = next(entry for entry in app.workspace.timeline if entry.name == "greet")
        pane.traffic.focus()
        pane.traffic.is_following = False
        await until(lambda: pane.traffic.rows.row_of(marked.seq) is not None)
        pane.traffic.move_to(pane.traffic.rows.row_of(marked.seq) or 0)
        await pilot.press("b")
        await until(lambda: app.screen.is_modal)
        await pilot.press("g")
        await until(lambda: f"◆{marked.seq:>5}" in screen_text(app))
        await app.workspace.core.refresh("sessions")
        await app.open_capture(str(app.workspace.core.captures[0]["path"]))
        await until(lambda: "Calls of" in screen_text(app) and f"◆{marked.seq:>5}" in screen_text(app))
