"""What a user does with the content of a result: save it, open it, follow a link."""

from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from tests.waiting import until
from tests.workbench.tui.driving import Driven, screen_text, toasts
from tests.workbench.tui.kitchen import kitchen_link
from tests.workbench.tui.screens.tools_pane import choose, tools
from workbench.tui import result_requests
from workbench.tui.screens.dialogs import ChoiceScreen, PromptScreen
from workbench.tui.widgets.result import ResultView

PNG = {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="}
LINK = {"type": "resource_link", "uri": "demo://menu", "name": "menu"}


async def show(driven: Driven, item: dict[str, Any]) -> ResultView:
    """Call a tool that returns a content block, and focus its result."""
    pilot, app = driven
    await choose(pilot, app, "ping")
    await pilot.press("ctrl+j")
    view = app.query_one("#view-result", ResultView)
    await until(lambda: view.section is not None and view.section.item == item)
    view.focus()
    await pilot.pause()
    return view


async def test_an_image_is_saved_and_an_existing_file_is_replaced_only_after_a_question(tmp_path: Path) -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = {"content": [PNG]}
    async with tools(link) as (pilot, app):
        await show((pilot, app), PNG)
        file = tmp_path / "picture.png"
        for old, key, new in ((None, "", b"hello"), (b"old", "k", b"old"), (b"old", "r", b"hello")):
            if old is not None:
                file.write_bytes(old)
            await pilot.press("s")
            await until(lambda: isinstance(app.screen, PromptScreen))
            app.screen.query_one(Input).value = str(file)
            await pilot.press("enter")
            if key:
                await until(lambda: isinstance(app.screen, ChoiceScreen))
                await pilot.press(key)
            await until(lambda: not app.screen.is_modal and not app.workers._workers)
            assert file.read_bytes() == new
        for name, reason in (("~nosuch/x", "No such file or directory"), ("x" * 300, "File name too long")):
            await pilot.press("s")
            await until(lambda: isinstance(app.screen, PromptScreen))
            app.screen.query_one(Input).value = name
            await pilot.press("enter")
            await until(lambda reason=reason: f"was not written: {reason}." in toasts(app))  # type: ignore[misc]


async def test_without_a_desktop_the_viewer_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = {"content": [PNG]}
    notices: list[str] = []
    monkeypatch.setattr(result_requests, "_viewer", lambda: None)
    async with tools(link) as (pilot, app):
        await show((pilot, app), PNG)
        monkeypatch.setattr(app, "notify", lambda text, **_: notices.append(text))
        await pilot.press("o")
        await until(lambda: notices)
        assert "no graphical desktop" in notices[0]


async def test_a_resource_link_is_followed_and_escape_goes_back() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = {"content": [LINK]}
    link.server.replies["resources/read"] = {"contents": [{"uri": "demo://menu", "text": "lentil soup"}]}
    async with tools(link) as (pilot, app):
        view = await show((pilot, app), LINK)
        await pilot.press("enter")
        await until(lambda: "lentil soup" in screen_text(app))
        await pilot.press("escape")
        await until(lambda: view.section is not None and view.section.item == LINK)
        assert view.has_focus


async def test_a_link_to_a_web_page_is_opened_only_after_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    link, url = kitchen_link(), "https://tea.example/menu"
    web = {"type": "resource_link", "uri": url, "name": "menu"}
    link.server.replies["tools/call"] = {"content": [web]}
    link.server.replies["resources/read"] = {"contents": [{"uri": url, "text": "lentil soup"}]}
    visited: list[str] = []
    monkeypatch.setattr(result_requests, "open_url", lambda url: visited.append(url) or "")
    async with tools(link) as (pilot, app):
        await show((pilot, app), web)
        for key, is_opened in (("escape", False), ("o", True)):
            await pilot.press("enter")
            await until(lambda: isinstance(app.screen, ChoiceScreen) and url in screen_text(app))
            await pilot.press(key)
            await until(lambda: not app.screen.is_modal and not app.workers._workers)
            assert visited == [url] * is_opened
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ChoiceScreen))
        await pilot.press("r")
        await until(lambda: "lentil soup" in screen_text(app))
