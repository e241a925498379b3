"""Every pane is opened in narrow and very wide terminals on a real core, with traffic of both eras in its rows."""

from pathlib import Path

from server_core.protocol.revisions import Revision
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, settled
from tests.workbench.tui.working import in_both_eras, working
from workbench.tui.app import WorkbenchApp

TEXTS = {
    "tools": "print_receipt",
    "inspector": "order_dish",
    "requests": "accept",
    "secrets": "SUPPLIER_KEY",
    "problems": "syntax error",
    "sessions": ".capture",
}
"""A text that each pane shows at any width; the snapshots have all their states, on a fake link."""


@in_both_eras
async def test_every_pane_is_shown_in_narrow_and_very_wide_terminals(project: Path, revision: Revision) -> None:
    (project / "tools" / "broken.py").write_text("from server_core import tool\n\n\n@tool\ndef broken(:\n")
    async with working(project, "tools", revision) as (pilot, app):
        await make_traffic(app)
        for width in (60, 260):
            await pilot.resize_terminal(width, 40)
            for place, text in TEXTS.items():
                await app.show(place)
                await settled(pilot)
                await until(lambda text=text: text in screen_text(app))  # type: ignore[misc]
        await app.show("inspector")
        await settled(pilot)
        # Only the widest list has a column for it.
        assert f"{revision.date} " in screen_text(app).partition("revision")[2]


async def make_traffic(app: WorkbenchApp) -> None:
    """Make calls that succeed, fail and print, and two that wait for an answer."""
    workspace = app.workspace
    runs = [
        workspace.call("greet", {"name": "Ada"}),
        workspace.call("order_dish", {"dish": "cheesecake"}),
        workspace.call("add", {"a": "two"}),
        workspace.call("print_receipt", {"items": ["soup"], "price": 6.9}),
    ]
    await until(lambda: not any(run.is_running for run in runs))
    workspace.call("choose_dessert", {})
    workspace.call("name_dish", {"ingredients": ["leek"]})
    await until(lambda: len(workspace.questions.waiting) == 2)
