"""Create the pictures of the documentation: every screen of the real application on the demo, as SVG.

Each picture has a core, a project and a terminal of its own, so that it depends on no other. The core runs in this
process, on a simulated clock, in a folder with a fixed name: the pictures change only with the product.
`python scripts/screenshots.py tools log` makes only these two.
"""

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import scaffolds

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from workbench.tui.app import WorkbenchApp

PICTURES = Path(__file__).parents[1] / "docs" / "screenshots"
SIZE = (120, 36)
LIMIT = 60.0
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


def main(names: list[str]) -> int:
    """Create the pictures with these names, or all; return 1 if one of them could not be made."""
    # Before the imports that read them.
    time.time = Clock()
    os.getpid = lambda: 4242
    # Read when the core starts; keeps the user's own settings out of the pictures.
    os.environ.update(
        WORKBENCH_HOME=str(PLACE / "home"),
        WORKBENCH_RUNTIME=str(PLACE / "run"),
        TEXTUAL_ANIMATIONS="none",
        TERM="xterm-256color",
        COLORTERM="truecolor",
    )
    for name in ("SUPPLIER_KEY", "NO_COLOR", "TEXTUAL_THEME"):
        os.environ.pop(name, None)
    PICTURES.mkdir(parents=True, exist_ok=True)
    failed = [name for name in names or VISITS if not make_picture(name)]
    if failed:
        print(f"not made: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def make_picture(name: str) -> bool:
    """Create one picture in a new project; return whether that succeeded."""
    shutil.rmtree(PLACE, ignore_errors=True)
    visit = VISITS[name]
    PLACE.mkdir(mode=0o700)
    project = PLACE / "cafe"
    if visit.is_empty:
        project.mkdir()
    else:
        project = scaffolds.create("demo", "cafe", project)
    os.chdir(project)
    try:
        asyncio.run(take_picture(name, visit))
    except TimeoutError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return False
    finally:
        os.chdir(PLACE.parent)
        shutil.rmtree(PLACE, ignore_errors=True)
    print(f"made docs/screenshots/{name}.svg")
    return True


async def take_picture(name: str, visit: "Visit") -> None:
    """Open the terminal on the project of the current folder, visit a state of it, and take its picture."""
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
    try:
        async with app.run_test(size=visit.size) as pilot:
            visitor = Visitor(app, pilot)
            await visitor.wait(lambda: app.pane is not None, "the first screen")
            await visit.steps(visitor)
            await visitor.settle()
            picture = app.export_screenshot(title="workbench", simplify=True)
            (PICTURES / f"{name}.svg").write_text(picture, encoding="utf-8")
            await app.workspace.close()
    finally:
        await core.stop()


class Visitor:
    """The user of the application: opens tools, presses keys, and waits for the result."""

    def __init__(self, app: "WorkbenchApp", pilot: "Pilot[int]") -> None:
        self.app = app
        self._pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys, in order."""
        for key in keys:
            await self._pilot.press(key)
            await self._pilot.pause(0.1)

    async def wait(self, is_reached: Callable[[], object], name: str) -> None:
        """Wait until a state is reached; TimeoutError, with its name and the screen, when it is not."""
        deadline = time.monotonic() + LIMIT
        while not is_reached():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{name} does not come; the screen:\n{self._screen_text()}")
            await self._pilot.pause(0.05)

    async def see(self, *texts: str) -> None:
        """Wait until all texts are on the screen."""
        await self.wait(lambda: all(text in self._screen_text() for text in texts), str(texts))

    async def settle(self) -> None:
        """Wait until the screen no longer changes, and the keys are in the footer."""
        for topic in ("reload", ""):
            self.app.withdraw(topic)
        while (notice := self.app.notices.current) is not None and not notice.is_brief(time.time()):
            await self._pilot.pause(0.05)
        before = ""
        while (text := self._screen_text()) != before:
            before = text
            await self._pilot.pause(0.4)

    async def open(self, tool: str, value: dict[str, Any] | None = None) -> None:
        """Open a tool, and fill in its form."""
        from workbench.tui.screens.tools_pane import ToolsPane
        from workbench.tui.widgets.offer_form import OfferForm

        await self.see("greet", "book_table")
        await self.app.show("tools")
        pane = self.app.pane
        assert isinstance(pane, ToolsPane)
        form = pane.query_one(OfferForm)
        pane.show_offer(("tool", tool))
        await self.wait(lambda: form.offer is not None and form.offer.name == tool, tool)
        if value is not None and form.offer is not None:
            form.load(form.offer, value)
        await self.settle()

    async def run(self, tool: str, value: dict[str, Any]) -> None:
        """Open a tool, fill in its form, call it, and wait for its end."""
        calls = len(self.app.workspace.history)
        await self.open(tool, value)
        await self.press("ctrl+j")
        await self.wait(lambda: len(self.app.workspace.history) > calls, "the call")
        await self.wait(lambda: not self.app.workspace.running, "the end of the call")

    async def call(self, tool: str, arguments: dict[str, Any]) -> None:
        """Call a tool, and do not wait for the result."""
        await self.see("greet")
        self.app.workspace.call(tool, arguments)

    async def show_tab(self, tab: str) -> None:
        """Show a tab of the last call: "result", "log", "raw" or "diff"."""
        from workbench.tui.widgets.outcome import Outcome

        outcome = self.app.query_one(Outcome)
        outcome.update_records()
        outcome.show_tab(tab)
        await self.wait(lambda: outcome.front.display, tab)
        self.app.screen.set_focus(outcome.front)

    def _screen_text(self) -> str:
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)


Steps: TypeAlias = Callable[[Visitor], Awaitable[None]]


@dataclass(frozen=True)
class Visit:
    """The way to the state of a picture."""

    steps: Steps
    size: tuple[int, int] = SIZE
    is_empty: bool = False
    """Whether the folder of the project has no tools."""


BOOKING = {
    "contact": {"name": "Ada Lovelace", "email": "ada@example.org"},
    "day": "2030-05-17",
    "guests": [{"name": "Ada Lovelace"}, {"name": "Grace Hopper", "diet": "nuts"}],
    "hour": 20,
    "seating": "terrace",
}


async def visit_start(visitor: Visitor) -> None:
    """The start screen in an empty folder."""
    await visitor.wait(lambda: visitor.app.screen.is_modal, "the start screen")
    await visitor.see("Create a project")


async def visit_tools(visitor: Visitor) -> None:
    """A call of the tool with the richest form."""
    await visitor.run("book_table", BOOKING)
    await visitor.see("terrace", "#1")


async def visit_question(visitor: Visitor) -> None:
    """The form of a tool that asks the user, with the question over it."""
    await visitor.open("choose_dessert")
    await visitor.press("ctrl+j")
    await visitor.wait(lambda: visitor.app.workspace.questions.waiting, "the question")
    await visitor.press("ctrl+g")
    await visitor.see("Which dessert may we bring?")


async def visit_log(visitor: Visitor) -> None:
    """What happened during a call."""
    await visitor.run("brew", {"cups": 4, "seconds_per_cup": 0.05})
    await visitor.show_tab("log")
    await visitor.see("progress")


async def visit_diff(visitor: Visitor) -> None:
    """The difference of two calls of one tool."""
    text = "Two cups of tea, please. And two spoons."
    await visitor.run("count_words", {"text": text})
    await visitor.run("count_words", {"text": f"{text} No, three cups of tea."})
    await visitor.show_tab("diff")
    await visitor.see("#1", "#2")


async def visit_definition(visitor: Visitor) -> None:
    """The definition of a tool after a change of its parameters."""
    await visitor.open("greet")
    file = Path("tools/basics.py")
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('Literal["plain", "warm", "formal"]', 'Literal["plain", "warm"]'), encoding="utf-8")
    await visitor.wait(lambda: visitor.app.workspace.core.definitions.changes, "the changes")
    await visitor.press("alt+i")
    await visitor.see("Changed by the last reload", "input schema")


async def visit_inspector(visitor: Visitor) -> None:
    """The wire, with an unfolded call under the cursor."""
    from workbench.tui.screens.inspector_pane import InspectorPane

    await visitor.call("greet", {"name": "Ada"})
    await visitor.call("order_dish", {"dish": "pizza"})
    await visitor.call("book_table", BOOKING)
    await visitor.call("brew", {"cups": 3, "seconds_per_cup": 0.01})
    await visitor.wait(lambda: not visitor.app.workspace.running, "the end of the calls")
    await visitor.press("escape", "alt+2")
    await visitor.see("brew", "+3")
    await visitor.settle()
    pane = visitor.app.pane
    assert isinstance(pane, InspectorPane)
    while (entry := pane.traffic.entry) is None or entry.kind != "request":
        await visitor.press("k")
    await visitor.press("space")
    await visitor.see("└ brew")
    await visitor.press("enter")
    await visitor.see("in request")


async def visit_requests(visitor: Visitor) -> None:
    """A question to the user and a question to the model."""
    await visitor.call("choose_dessert", {})
    await visitor.call("name_dish", {"ingredients": ["spinach", "cream"]})
    await visitor.wait(lambda: len(visitor.app.workspace.questions.waiting) == 2, "both questions")
    await visitor.press("alt+3")
    await visitor.see("Which dessert may we bring?")


async def visit_secrets(visitor: Visitor) -> None:
    """A secret that is not set."""
    await visitor.see("greet")
    await visitor.press("alt+4")
    await visitor.see("SUPPLIER_KEY")


async def visit_problems(visitor: Visitor) -> None:
    """A file with a mistake, beside the last good code."""
    await visitor.see("greet")
    file = Path("tools/basics.py")
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("return a + b", "return a +"), encoding="utf-8")
    await visitor.wait(lambda: visitor.app.workspace.core.problems, "the problem")
    await visitor.press("alt+5")
    await visitor.see("basics.py")


async def visit_sessions(visitor: Visitor) -> None:
    """The session of the terminal, and the capture that is being written."""
    await visitor.call("greet", {"name": "Ada"})
    await visitor.press("alt+6")
    await visitor.see("s1", "capture")


async def visit_palette(visitor: Visitor) -> None:
    """The palette, with a search."""
    await visitor.see("greet")
    await visitor.press("ctrl+p", *"menu")
    await visitor.see("Resource: menu")


async def visit_config(visitor: Visitor) -> None:
    """The themes, in the palette."""
    await visitor.see("greet")
    await visitor.press("ctrl+p", *"theme")
    await visitor.see("Theme")
    await visitor.press("enter")
    await visitor.see("nord", "gruvbox")


async def visit_wide(visitor: Visitor) -> None:
    """The Tools screen of a wide terminal, with the messages of the call beside its result."""
    await visitor.call("greet", {"name": "Ada"})
    await visitor.run("book_table", BOOKING)
    await visitor.see("terrace")


VISITS = {
    "start": Visit(visit_start, is_empty=True),
    "tools": Visit(visit_tools),
    "question": Visit(visit_question),
    "log": Visit(visit_log),
    "diff": Visit(visit_diff),
    "definition": Visit(visit_definition),
    "inspector": Visit(visit_inspector),
    "requests": Visit(visit_requests),
    "secrets": Visit(visit_secrets),
    "problems": Visit(visit_problems),
    "sessions": Visit(visit_sessions),
    "palette": Visit(visit_palette),
    "config": Visit(visit_config),
    "wide": Visit(visit_wide, size=(200, 50)),
}

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
