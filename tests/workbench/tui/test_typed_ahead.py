"""Keys typed before the pane in front can use them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path, PurePath
from typing import Any, ClassVar

import pytest
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input

import workbench.tui
from server_core.errors import ConnectionFailed
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, terminal, toasts
from tests.workbench.tui.fakes import CATALOG, FakeLink, open_fixed_workspace
from tests.workbench.tui.kitchen import kitchen_link
from workbench.model.terminal_memory import TerminalMemory
from workbench.tui import typed_ahead
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.inspector_pane import InspectorPane
from workbench.tui.screens.tools_pane import ToolsPane
from workbench.tui.typed_ahead import TypedAheadApp
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.offer_form import OfferForm
from workbench.workspace.memory_file import save_memory
from workbench.workspace.open_request import StartChoice
from workbench.workspace.workspace import Workspace

NOTHING: dict[str, Any] = {"generation": 0, "tools": [], "resources": [], "templates": [], "prompts": []}


class Gated(WorkbenchApp):
    """A terminal whose workspace opens when the gate does."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [Path(workbench.tui.__path__[0], "workbench.tcss")]

    def __init__(self, link: FakeLink, **options: Any) -> None:
        self.gate = asyncio.Event()
        self.link = link
        self.loaded = link.answers["catalog/get"]

        async def open_workspace(wanted: StartChoice | None = None) -> Workspace:
            await self.gate.wait()
            return await open_fixed_workspace(link)

        super().__init__(open_workspace, **options)

    def type(self, *keys: str) -> None:
        """Type keys, all at once."""
        for key in keys:
            self.post_message(events.Key(key, key if len(key) == 1 else None))

    async def load(self) -> None:
        """Let the core load its tools."""
        self.link.answers["catalog/get"] = self.loaded
        await self.workspace.core.refresh("catalog")

    @property
    def form(self) -> OfferForm:
        return self.query_one(OfferForm)

    @property
    def tool(self) -> str:
        return "" if not self.query(OfferForm) or self.form.offer is None else self.form.offer.name

    @property
    def value(self) -> Any:
        return None if self.form.editor.form is None else self.form.editor.form.value()


def remember(**state: Any) -> None:
    """Store what an earlier terminal has remembered."""
    save_memory("demo", TerminalMemory(**state).to_json())


@asynccontextmanager
async def connecting(**options: Any) -> AsyncIterator[tuple[Pilot[Any], Gated]]:
    """A terminal that waits for its workspace."""
    app = Gated(kitchen_link(), **options)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert app.pane is None
        yield pilot, app


@asynccontextmanager
async def loading(**options: Any) -> AsyncIterator[tuple[Pilot[Any], Gated]]:
    """A terminal whose core has not loaded the tools yet."""
    async with connecting(**options) as (pilot, app):
        app.link.answers["catalog/get"] = NOTHING
        app.gate.set()
        await until(lambda: "The tools are loading." in screen_text(app))
        await pilot.pause()
        yield pilot, app


async def ada_is_typed(app: Gated) -> None:
    """Wait until a tool was searched for, opened and filled in, step by step."""
    await until(lambda: app.is_pane_ready)
    await until(lambda: app.query_one("#search Input", Input).value == "greet")
    await until(lambda: app.tool == "greet")
    await until(lambda: isinstance(app.focused, LineEditor))
    await until(lambda: app.value == {"name": "Ada"})


ADA = ("slash", *"greet", "enter", "enter", *"Ada")


async def test_keys_typed_while_the_terminal_connects_act_once_the_tools_are_shown() -> None:
    remember(tool="order_beans")
    async with connecting() as (_, app):
        app.type(*ADA)
        app.gate.set()
        await ada_is_typed(app)


async def test_a_line_feed_typed_before_the_terminal_was_in_raw_mode_is_enter_and_runs_nothing() -> None:
    async with connecting() as (_, app):
        app.type(*(key.replace("enter", "ctrl+j") for key in ADA))
        app.gate.set()
        await ada_is_typed(app)
        assert not app.workspace.history


async def test_keys_typed_while_the_tools_load_act_once_they_are_shown() -> None:
    remember(tool="order_beans")
    async with loading() as (_, app):
        app.type(*ADA)
        await until(lambda: app.has_typed_ahead)
        await app.load()
        await ada_is_typed(app)


@pytest.mark.parametrize("when", ["opened", "loaded"])
async def test_keys_typed_around_the_moment_of_the_first_tools_keep_their_order(when: str) -> None:
    remember(tool="order_beans")
    async with connecting() as (_, app):
        if when == "loaded":
            app.link.answers["catalog/get"] = NOTHING
        app.gate.set()
        if when == "loaded":
            await until(lambda: isinstance(app.pane, ToolsPane) and app.pane.is_mounted)
        app.type(*ADA[:4])
        if when == "loaded":
            await app.load()
        app.type(*ADA[4:8])
        await asyncio.sleep(0)
        app.type(*ADA[8:])
        await ada_is_typed(app)


async def test_a_paste_waits_like_keys() -> None:
    async with loading() as (_, app):
        app.type("slash")
        app.post_message(events.Paste("greet"))
        await until(lambda: app.has_typed_ahead)
        await app.load()
        await until(lambda: app.query_one("#search Input", Input).value == "greet")


async def test_no_pane_of_an_earlier_terminal_is_shown_over_keys_that_wait() -> None:
    remember(place="inspector", filter="tool:brew")
    async with connecting() as (_, app):
        app.type("slash", "g")
        await until(lambda: app.has_typed_ahead)
        app.gate.set()
        await until(lambda: app.query("#search Input") and app.query_one("#search Input", Input).value == "g")
        assert app.place == "tools"


async def test_the_pane_that_the_user_chose_while_connecting_stays() -> None:
    remember(place="inspector")
    async with connecting() as (_, app):
        app.type("1")
        await until(lambda: app._body.is_chosen)
        app.gate.set()
        await until(lambda: app.is_pane_ready)
        assert isinstance(app.pane, ToolsPane)


async def test_keys_that_show_a_pane_act_while_connecting_and_the_tool_is_still_restored() -> None:
    remember(place="inspector", tool="order_beans")
    async with connecting() as (_, app):
        app.type("2")
        await until(lambda: app.place == "inspector")
        app.gate.set()
        await until(lambda: app.is_pane_ready)
        assert isinstance(app.pane, InspectorPane)
        app.type("1")
        await until(lambda: app.tool == "order_beans")


async def test_escape_drops_the_keys_that_wait_and_a_notice_explains_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typed_ahead, "_PATIENCE_S", 0.01)
    async with loading() as (_, app):
        app.type("slash", "g")
        await until(lambda: "Your keys wait" in toasts(app))
        app.type("escape", "5")
        await until(lambda: app.place == "problems" and app.is_pane_ready)
        assert toasts(app) == ""


async def test_a_dialog_that_opens_by_itself_gets_no_key_that_waits() -> None:
    async def open_workspace(wanted: StartChoice | None = None) -> Workspace:
        await gate.wait()
        raise ConnectionFailed("The core did not start.")

    gate = asyncio.Event()
    app = WorkbenchApp(open_workspace)
    async with app.run_test(size=(120, 40)):
        for key in ("slash", "r"):
            app.post_message(events.Key(key, None))
        await until(lambda: app.has_typed_ahead)
        gate.set()
        await until(lambda: len(app.screen_stack) > 1)
        assert not app._waiting
        assert app.state == "lost"


async def test_a_click_while_the_tools_load_keeps_the_terminal_from_reopening_a_tool() -> None:
    remember(tool="order_beans")
    async with loading() as (pilot, app):
        click: dict[str, Any] = {"button": 1, "shift": False, "meta": False, "ctrl": False}
        app.post_message(events.MouseDown(None, 100, 20, 0, 0, **click))
        await pilot.pause()
        await app.load()
        await until(lambda: app.tool)
        assert app.tool != "order_beans"


async def test_keys_typed_at_once_go_to_the_search_that_they_open() -> None:
    async with connecting() as (_, app):
        app.gate.set()
        await until(lambda: app.is_pane_ready)
        app.type("slash", *"gjkG")
        await until(lambda: app.query_one("#search Input", Input).value == "gjkG")


class Holder(Widget, can_focus=True):
    """Has the focus until another widget is made."""

    is_moving_focus = True


class Queue(TypedAheadApp):
    """A text and a command that acts at once."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+@", "read", priority=True)]
    text_read = ""

    def compose(self) -> ComposeResult:
        yield Holder()
        yield Input()

    def action_read(self) -> None:
        self.text_read = self.query_one(Input).value


async def test_letters_and_a_command_wait_in_their_order_for_a_widget_that_is_being_made() -> None:
    app = Queue()
    async with app.run_test():
        holder = app.query_one(Holder)
        app.set_focus(holder)
        for key in ("A", "d", "ctrl+@"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(lambda: len(app._waiting) == 3)
        holder.is_moving_focus = False
        app.set_focus(app.query_one(Input))
        await until(lambda: app.text_read)
        assert app.text_read == "Ad"


async def test_the_catalog_of_a_project_without_tools_lets_keys_through() -> None:
    async with loading() as (_, app):
        app.link.answers["catalog/get"] = {**CATALOG, **NOTHING, "generation": 1}
        await app.workspace.core.refresh("catalog")
        app.type("slash")
        await until(lambda: isinstance(app.focused, Input))


@pytest.mark.parametrize(("place", "selector"), [("inspector", "#filter"), ("sessions", "#capture-table")])
async def test_a_core_that_is_connected_again_takes_no_focus(place: str, selector: str) -> None:
    async with terminal(FakeLink(), FakeLink(), pane=place) as (pilot, app):
        app.screen.set_focus(app.query_one(selector))
        before, focused = app.workspace, app.focused
        app.connect()
        await until(lambda: app.workspace is not before and app.state == "ready")
        await app.show(place)
        await pilot.pause()
        assert app.focused is focused


async def test_keys_that_wait_for_another_are_delivered_after_a_moment_in_any_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(typed_ahead, "_HANDLING_S", 0.05)
    monkeypatch.setattr(typed_ahead, "after_messages", lambda widget, top, action: None)
    async with terminal(FakeLink(), pane="problems") as (_, app):
        for key in ("down", "alt+4"):
            app.post_message(events.Key(key, None))
        await until(lambda: app.place == "secrets" and app.is_pane_ready)
