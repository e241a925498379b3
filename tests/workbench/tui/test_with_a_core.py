"""The terminal on a real core that serves a real project: what a person sees from the first call to the next save."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

import scaffolds
from server_core.core import Core
from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, settled
from workbench.desk import Desk, Wanted
from workbench.link.local import LocalLink
from workbench.tui.app import WorkbenchApp


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the demo that a test may change."""
    folder = tmp_path / "demo"
    shutil.copytree(scaffolds.demo_folder(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@asynccontextmanager
async def working(project: Path, place: str) -> AsyncIterator[tuple[Pilot[Any], WorkbenchApp]]:
    """Open the terminal on a core in this process."""
    core = Core(project=project, reload=True, link=False)
    await core.start()

    async def open_desk(wanted: Wanted | None = None) -> Desk:
        desk = Desk(LocalLink(core))
        await desk.open()
        return desk

    app = WorkbenchApp(open_desk, place=place)
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            await opened(pilot, place)
            await until(lambda: app.state == "ready" and app.tools)
            yield pilot, app
            await app.desk.close()
    finally:
        await core.stop()


async def test_a_call_and_its_answer_are_seen_on_the_wire(project: Path) -> None:
    async with working(project, "inspector") as (pilot, app):
        run = app.desk.call("greet", {"name": "Ada"})
        await until(lambda: not run.is_running)
        await until(lambda: "tools/call greet" in screen_text(app))
        await settled(pilot)
        assert "✓ ok" in next(row for row in screen_text(app).splitlines() if "result  tools/call greet" in row)


async def test_a_secret_is_set_through_the_screen_and_stays_out_of_every_record(project: Path) -> None:
    async with working(project, "secrets") as (pilot, app):
        await until(lambda: "✗ missing" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: app.screen.is_modal)
        app.screen.query_one(Input).value = "s3cret-value"
        await pilot.press("enter")
        await until(lambda: "✓ set" in screen_text(app))
        assert "s3cret-value" in (project / ".env").read_text()
        app.desk.poll()
        assert all(b"s3cret-value" not in (entry.data or b"") for entry in app.desk.timeline)
        assert "s3cret-value" not in screen_text(app)


async def test_a_save_changes_the_tools_and_a_mistake_keeps_them(project: Path) -> None:
    async with working(project, "problems") as (_, app):
        file = project / "tools" / "basics.py"
        source = file.read_text()
        file.write_text(f'{source}\n\n@tool\ndef shout(text: str) -> str:\n    """Shout."""\n    return text.upper()\n')
        await until(lambda: "+ tools added: shout" in screen_text(app))
        file.write_text(f"{source}\ndef broken(:\n")
        await until(lambda: "syntax error" in screen_text(app))
        assert "The tools that were loaded before are still served" in screen_text(app)
        assert "shout" in {tool["name"] for tool in app.tools}
        file.write_text(source)
        await until(lambda: "- tools removed: shout" in screen_text(app))
        assert "✓ No problems." in screen_text(app)
