"""Subscriptions to resources in the Tools pane."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from server_core.protocol.revisions import Revision
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.fakes import FakeLink
from tests.workbench.tui.kitchen import kitchen_link
from tests.workbench.tui.screens.tools_pane import called, tools
from tests.workbench.tui.working import in_both_eras, working
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens import resource_actions
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_tree import OfferTree

MENU = "demo://menu"


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read updated resources again at once."""
    monkeypatch.setattr(resource_actions, "_REFRESH_S", 0.01)


@pytest.fixture
def link() -> FakeLink:
    """A server with the menu, each time with another text, and with updates of it."""
    link = kitchen_link()
    initialized = link.server.replies["initialize"]
    assert isinstance(initialized, dict)
    capabilities = initialized["capabilities"] | {"resources": {"subscribe": True}}
    link.server.replies["initialize"] = initialized | {"capabilities": capabilities}
    link.server.replies |= {"resources/subscribe": {"": ""}, "resources/unsubscribe": {"": ""}}
    reads: list[dict[str, Any]] = []

    def read(params: dict[str, Any]) -> dict[str, Any]:
        reads.append(params)
        return {"contents": [{"uri": params["uri"], "text": f"soup number {len(reads)}"}]}

    link.server.replies["resources/read"] = read
    return link


async def highlight(app: WorkbenchApp, name: str) -> None:
    """Put the cursor of the list on an offer; the list keeps the focus."""
    tree, form = app.query_one(OfferTree), app.query_one(OfferForm)
    tree.focus()
    tree.move_to(next(at for at in range(tree.line_count) if (offer := tree.offer_at(at)) and offer.name == name))
    await until(lambda: tree.has_focus and form.offer is not None and form.offer.name == name)


@asynccontextmanager
async def menu(link: FakeLink) -> AsyncIterator[tuple[Pilot[Any], WorkbenchApp]]:
    """The form of the menu, to which the user has subscribed."""
    async with tools(link) as (pilot, app):
        await highlight(app, MENU)
        await pilot.press("w")
        await until(lambda: MENU in app.workspace.resources.subscriptions)
        yield pilot, app


async def test_a_subscribed_resource_is_marked_and_the_key_also_unsubscribes(link: FakeLink) -> None:
    async with menu(link) as (pilot, app):
        assert called(link, "resources/subscribe") == [{"uri": MENU}]
        await until(lambda: "◇" in screen_text(app))
        assert f"Subscribed to {MENU}." in toasts(app)
        await pilot.press("w")
        await until(lambda: not app.workspace.resources.subscriptions)
        assert called(link, "resources/unsubscribe") == [{"uri": MENU}]
        await until(lambda: "◇" not in screen_text(app))


async def test_an_update_marks_a_resource_that_is_not_shown(link: FakeLink) -> None:
    async with menu(link) as (_, app):
        link.server.notify("notifications/resources/updated", uri=MENU)
        await until(lambda: "◆" in screen_text(app))
        assert not called(link, "resources/read")


async def test_an_update_refreshes_the_shown_content_with_the_time(link: FakeLink) -> None:
    async with menu(link) as (pilot, app):
        await pilot.press("ctrl+j")
        await until(lambda: "soup number 1" in screen_text(app))
        await until(lambda: "subscribed; no update yet" in screen_text(app))
        link.server.notify("notifications/resources/updated", uri=MENU)
        await until(lambda: "soup number 2" in screen_text(app))
        assert "updated 12:00:00 · 1 update" in screen_text(app)
        assert "◆" not in screen_text(app)


async def test_updates_while_a_read_runs_lead_to_one_more_read(link: FakeLink) -> None:
    async with menu(link) as (pilot, app):
        await pilot.press("ctrl+j")
        await until(lambda: "soup number 1" in screen_text(app))
        answer = link.server.replies.pop("resources/read")
        link.server.notify("notifications/resources/updated", uri=MENU)
        await until(lambda: len(called(link, "resources/read")) == 2)
        for _ in range(50):
            link.server.notify("notifications/resources/updated", uri=MENU)
        await until(lambda: app.workspace.resources.subscriptions[MENU].count == 51)
        link.server.replies["resources/read"] = answer
        waiting = next(message for message in link.server.received[::-1] if message["method"] == "resources/read")
        link.server.answer(waiting, {"contents": [{"uri": MENU, "text": "soup at last"}]})
        await until(lambda: "soup number 2" in screen_text(app))
        assert len(called(link, "resources/read")) == 3


async def test_a_server_without_the_capability_is_named_as_the_reason() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await highlight(app, MENU)
        await pilot.press("w")
        await until(lambda: "does not offer updates of resources" in toasts(app))


async def test_a_prompt_can_neither_be_watched_nor_subscribed_to(link: FakeLink) -> None:
    async with tools(link) as (pilot, app):
        await highlight(app, "invitation")
        await pilot.press("w")
        await until(lambda: "Choose a tool or a resource first" in toasts(app))


async def test_a_refusal_of_the_server_is_shown_and_nothing_is_marked(link: FakeLink) -> None:
    link.server.replies["resources/subscribe"] = {"error": {"code": -32602, "message": "The menu never changes."}}
    async with tools(link) as (pilot, app):
        await highlight(app, MENU)
        await pilot.press("w")
        await until(lambda: "The menu never changes." in toasts(app))
        assert not app.workspace.resources.subscriptions


TOOLS = """
from server_core import resource, tool


@resource("tea://pot", watch=["pot.txt"])
def pot() -> str:
    \"\"\"What is in the pot.\"\"\"
    from pathlib import Path
    return (Path(__file__).parent / "pot.txt").read_text()


@tool
def pour() -> str:
    \"\"\"Pour.\"\"\"
    return "tea"
"""


@in_both_eras
async def test_updates_of_a_real_server_arrive_in_both_eras(tmp_path: Path, revision: Revision) -> None:
    folder = tmp_path / "tea"
    folder.mkdir()
    (folder / "tools.py").write_text(TOOLS)
    (folder / "pot.txt").write_text("green tea")
    async with working(folder, "tools", revision) as (pilot, app):
        await highlight(app, "tea://pot")
        await pilot.press("w")
        await until(lambda: app.workspace.resources.subscriptions)
        await pilot.press("ctrl+j")
        await until(lambda: "green tea" in screen_text(app))
        (folder / "pot.txt").write_text("black tea")
        await until(lambda: "black tea" in screen_text(app))
        assert "· 1 update" in screen_text(app)
