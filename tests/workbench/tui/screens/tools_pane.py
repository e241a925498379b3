"""Steps that the tests of the tools pane share."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot

from tests.waiting import until
from tests.workbench.tui.driving import Driven, opened, screen_text
from tests.workbench.tui.fakes import FakeLink
from tests.workbench.tui.kitchen import GREET, KITCHEN, kitchen_app
from workbench.tui.app import WorkbenchApp
from workbench.tui.read_keys import RunParser
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_tree import OfferTree


@asynccontextmanager
async def tools(link: FakeLink, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Driven]:
    app = kitchen_app(link)
    async with app.run_test(size=size) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        yield pilot, app


async def choose(pilot: Pilot[Any], app: WorkbenchApp, name: str) -> None:
    """Go to the form of an offer."""
    tree = app.query_one(OfferTree)
    index = next(at for at in range(tree.line_count) if (offer := tree.offer_at(at)) and offer.name == name)
    tree.focus()
    tree.move_to(index)
    tree.action_select()
    form = app.query_one(OfferForm)
    await until(lambda: form.offer is not None and form.offer.name == name)
    await pilot.pause()


async def run(pilot: Pilot[Any], app: WorkbenchApp, name: str, result: str) -> None:
    """Run an offer that needs no input, and wait for its result."""
    await choose(pilot, app, name)
    await pilot.press("ctrl+j")
    await until(lambda: result in screen_text(app))


async def fill(pilot: Pilot[Any], app: WorkbenchApp, **texts: str) -> None:
    """Type into text fields of the first level."""
    for name, text in texts.items():
        await until(lambda name=name: any(row.field.name == name for row in app.query("TextRow").results()))  # type: ignore[attr-defined]
        row = next(row for row in app.query("TextRow").results() if row.field.name == name)  # type: ignore[attr-defined]
        row.query_one(LineEditor).value = text
    await pilot.pause()


_CHARACTERS = {"ctrl+j": "\n", "enter": "\r"}


def type_at_once(app: WorkbenchApp, *keys: str) -> None:
    """Send keys at once, as from a program, or from a terminal without bracketed paste."""
    for event in RunParser().feed("".join(_CHARACTERS.get(key, key) for key in keys)):
        app.post_message(event)


def called(link: FakeLink, method: str = "tools/call") -> list[dict[str, Any]]:
    return [message["params"] for message in link.server.received if message.get("method") == method]


async def reload(link: FakeLink, app: WorkbenchApp, **properties: Any) -> None:
    """Change the parameters of the tool `greet`."""
    greet = GREET | {"inputSchema": {"type": "object", "properties": properties}}
    link.answers["catalog/get"] = KITCHEN | {"tools": [greet, *KITCHEN["tools"][1:]]}
    await app.workspace.core.refresh("catalog")


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
