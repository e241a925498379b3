"""Two captures are compared on the Sessions screen: marked, compared, and their messages opened."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.waiting import until
from tests.workbench.replay.conversation import Conversation
from tests.workbench.replay.playing import greeting
from tests.workbench.replay.test_comparison import greets, stored
from tests.workbench.tui.driving import Driven, screen_text, terminal, toasts
from tests.workbench.tui.fakes import CAPTURES, FakeLink
from workbench.tui.screens import comparison_screen
from workbench.tui.screens.comparison_screen import ComparisonScreen
from workbench.tui.screens.inspector_pane import InspectorPane


@asynccontextmanager
async def captures(*talks: Conversation, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Driven]:
    """The Sessions screen with the captures of conversations, which are named first, second and so on."""
    link = FakeLink()
    _, known, _ = CAPTURES
    names = ("first", "second", "third")
    rows = [known | {"path": str(stored(talk)), "name": name} for talk, name in zip(talks, names, strict=False)]
    link.answers["captures/list"] = {"captures": rows}
    async with terminal(link, pane="sessions", size=size) as (pilot, app):
        await until(lambda: "first" in screen_text(app))
        yield pilot, app


@asynccontextmanager
async def compared(*talks: Conversation, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Driven]:
    async with captures(*talks, size=size) as (pilot, app):
        await pilot.press("m")
        await until(lambda: "◆ first" in screen_text(app))
        await pilot.press("j", "c")
        await until(lambda: isinstance(app.screen, ComparisonScreen))
        yield pilot, app


async def test_a_capture_is_marked_and_another_compared_with_it() -> None:
    async with compared(greets("Ada", "Bob"), greets("Ada", "Cleo", text="Hi")) as (pilot, app):
        await until(lambda: "3 calls: 0 same, 1 differs, 1 only in the first, 1 only in the second" in screen_text(app))
        await until(lambda: '+ "Hi, Ada!"' in screen_text(app))
        await until(lambda: '- "Hello, Ada!"' in screen_text(app))
        await pilot.press("G")
        await until(lambda: "The call is only in the second capture." in screen_text(app))
        await pilot.press("escape")
        await until(lambda: not app.screen.is_modal)
        await pilot.press("k", "m")
        await until(lambda: "◆" not in screen_text(app))


async def test_a_comparison_needs_another_capture_that_is_marked() -> None:
    async with captures(greets("Ada"), greets("Ada")) as (pilot, app):
        await pilot.press("c")
        await until(lambda: "Mark another capture first (m): it is compared with this one." in toasts(app))
        await pilot.press("m", "c")
        await pilot.pause()
        assert not app.screen.is_modal


@pytest.mark.parametrize(("key", "name"), [("enter", "first"), ("2", "second")])
async def test_the_message_of_a_call_is_opened_and_esc_leads_back_to_its_row(key: str, name: str) -> None:
    async with compared(greets("Ada", "Bob"), greets("Ada", "Bob", text="Hi")) as (pilot, app):
        await until(lambda: '+ "Hi, Ada!"' in screen_text(app))
        await pilot.press("j")
        await until(lambda: '+ "Hi, Bob!"' in screen_text(app))
        await pilot.press(key)
        await until(lambda: app.place == "inspector")
        pane = app.query_one(InspectorPane)
        await until(lambda: pane.entry is not None and pane.entry.name == "greet" and pane.entry.seq == 6)
        await until(lambda: ("Hello, Bob" if name == "first" else "Hi, Bob") in screen_text(app))
        await until(lambda: pane.detail.has_focus)
        await pilot.press("escape", "escape")
        await until(lambda: isinstance(app.screen, ComparisonScreen) and '+ "Hi, Bob!"' in screen_text(app))


async def test_equal_calls_are_hidden_and_the_requests_of_clients_compared_with_keys() -> None:
    same = Conversation()
    same.handshake()
    same.client_asks(1, "tools/call", name="pour")
    same.server_answers(1, **greeting("coffee"))
    async with compared(same, same) as (pilot, app):
        await until(lambda: "1 call: 1 same" in screen_text(app))
        await until(lambda: "The answers are the same." in screen_text(app))
        await pilot.press("v")
        await until(lambda: "✓ same" not in screen_text(app))
        await pilot.press("v")
        await until(lambda: "✓ same" in screen_text(app))
        await pilot.press("a")
        await until(lambda: "2 requests: 2 same" in screen_text(app))
        await until(lambda: "initialize" in screen_text(app))


async def test_of_very_many_calls_only_those_that_differ_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison_screen, "MAX_ROWS", 1)
    async with compared(greets("Ada", "Bob"), greets("Ada", "Cleo")) as (_, app):
        await until(lambda: "of 3, only those that differ are listed, up to 1" in screen_text(app))
        await until(lambda: "- only first" in screen_text(app) and "✓ same" not in screen_text(app))


async def test_a_capture_that_is_deleted_meanwhile_is_reported() -> None:
    async with captures(greets("Ada"), greets("Ada")) as (pilot, app):
        await pilot.press("m", "j")
        Path(app.workspace.core.captures[0]["path"]).unlink()
        await pilot.press("c")
        await until(lambda: isinstance(app.screen, ComparisonScreen) and "✗" in screen_text(app))
