"""Create the pictures of the README: every screen of the real application on the demo, as SVG.

The core runs in this process, on a simulated clock, in a folder with a fixed name: as long as the product does not
change, the pictures do not change.
"""

import asyncio
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scaffolds

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from workbench.tui.app import WorkbenchApp

PICTURES = Path(__file__).parents[1] / "docs" / "screenshots"
SIZE = (120, 36)
LIMIT = 20.0
"""The timeout for a text on the screen, in seconds."""

PLACE = Path(tempfile.gettempdir()) / "workbench-pictures"
NOON = 1_893_499_200.0


class Clock:
    """Seconds since the epoch, a few milliseconds later with each call."""

    def __init__(self) -> None:
        self._now = NOON

    def __call__(self) -> float:
        self._now += 0.004
        return self._now


def main() -> None:
    """Create all pictures."""
    shutil.rmtree(PLACE, ignore_errors=True)
    # Before the imports that read them.
    time.time = Clock()
    os.getpid = lambda: 4242
    # Read when the core starts; keeps the user's own settings out of the pictures.
    os.environ.update(
        WORKBENCH_HOME=str(PLACE / "home"), WORKBENCH_RUNTIME=str(PLACE / "run"), TEXTUAL_ANIMATIONS="none"
    )
    os.environ.pop("SUPPLIER_KEY", None)
    os.chdir(scaffolds.create("demo", "cafe", PLACE / "cafe"))
    try:
        asyncio.run(make_pictures())
    finally:
        os.chdir(PLACE.parent)
        shutil.rmtree(PLACE, ignore_errors=True)


async def make_pictures() -> None:
    """Open the terminal on the project and take a picture of every screen."""
    from server_core.core import Core
    from workbench.link.local import LocalLink
    from workbench.tui.app import WorkbenchApp
    from workbench.workspace.open_request import StartChoice
    from workbench.workspace.workspace import Workspace

    core = Core(project=Path.cwd(), reload=True, link=False, id="cafe0001")
    await core.start()

    async def open_workspace(wanted: StartChoice | None = None) -> Workspace:
        workspace = Workspace(LocalLink(core), roots=({"uri": Path.cwd().as_uri(), "name": "cafe"},))
        await workspace.open()
        return workspace

    app = WorkbenchApp(open_workspace)
    async with app.run_test(size=SIZE) as pilot:
        for name, visit in VISITS.items():
            await visit(Visitor(app, pilot))
            PICTURES.mkdir(parents=True, exist_ok=True)
            picture = app.export_screenshot(title="workbench", simplify=True)
            (PICTURES / f"{name}.svg").write_text(picture, encoding="utf-8")
            print(f"made docs/screenshots/{name}.svg")
        await app.workspace.close()
    await core.stop()


class Visitor:
    """The user of the application: presses keys, and waits for the result."""

    def __init__(self, app: "WorkbenchApp", pilot: "Pilot[int]") -> None:
        self.app = app
        self._pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys, in order."""
        for key in keys:
            await self._pilot.press(key)
            await self._pilot.pause(0.1)

    async def see(self, *texts: str) -> None:
        """Wait until all texts are on the screen, and it no longer changes."""
        deadline = time.monotonic() + LIMIT
        while not all(text in self._screen_text() for text in texts):
            if time.monotonic() > deadline:
                raise SystemExit(f"{texts} does not come; the screen:\n{self._screen_text()}")
            await self._pilot.pause(0.05)
        await self._pilot.pause(0.2)

    async def call(self, tool: str, arguments: dict[str, Any]) -> None:
        """Call a tool, and do not wait for the result."""
        self.app.workspace.call(tool, arguments)

    def _screen_text(self) -> str:
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)


BOOKING = {
    "contact": {"name": "Ada Lovelace", "email": "ada@example.org"},
    "day": "2030-05-17",
    "guests": [{"name": "Ada Lovelace"}, {"name": "Grace Hopper", "diet": "nuts"}],
    "hour": 20,
    "seating": "terrace",
}


async def visit_tools(visitor: Visitor) -> None:
    """A call of the tool with the richest form, put into the form again from the history."""
    await visitor.see("greet", "book_table")
    await visitor.call("greet", {"name": "Ada"})
    await visitor.call("order_dish", {"dish": "cheesecake"})
    await visitor.call("book_table", BOOKING)
    await visitor.press("h")
    await visitor.see('book_table {"contact"')
    await visitor.press("e")
    await visitor.see("ada@example.org")
    await visitor.press("ctrl+j")
    await visitor.see("#4", "terrace")


async def visit_inspector(visitor: Visitor) -> None:
    """The wire, with a call under the cursor."""
    await visitor.call("brew", {"cups": 3, "seconds_per_cup": 0.01})
    await visitor.press("escape", "2")
    await visitor.see("tools/call brew", "notifications/progress")
    await visitor.press("equals_sign", "enter")
    await visitor.see("→ in request", "seconds_per_cup")


async def visit_requests(visitor: Visitor) -> None:
    """A question to the user and a question to the model."""
    await visitor.call("choose_dessert", {})
    await visitor.call("name_dish", {"ingredients": ["spinach", "cream"]})
    await visitor.see("(2)")
    await visitor.press("3")
    await visitor.see("Which dessert may we bring?")


async def visit_secrets(visitor: Visitor) -> None:
    """A secret that is not set."""
    await visitor.press("escape", "4")
    await visitor.see("SUPPLIER_KEY")


async def visit_problems(visitor: Visitor) -> None:
    """A file with a mistake, beside the last good code."""
    file = Path("tools/basics.py")
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("return a + b", "return a +"), encoding="utf-8")
    await visitor.see("Problems (1)")
    await visitor.press("5")
    await visitor.see("basics.py")


async def visit_sessions(visitor: Visitor) -> None:
    """The session of the terminal, and the capture that is being written."""
    await visitor.press("6")
    await visitor.see("s1", "capture")


VISITS = {
    "tools": visit_tools,
    "inspector": visit_inspector,
    "requests": visit_requests,
    "secrets": visit_secrets,
    "problems": visit_problems,
    "sessions": visit_sessions,
}

if __name__ == "__main__":
    main()
