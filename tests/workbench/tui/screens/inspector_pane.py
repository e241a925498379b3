"""Steps that the tests of the inspector share."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot

from tests.workbench.tui.driving import opened, screen_text, settled
from tests.workbench.tui.fakes import FakeLink, conversation, opener
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.inspector_pane import InspectorPane


@asynccontextmanager
async def inspecting(
    link: FakeLink | None = None, size: tuple[int, int] = (120, 40), *, by_call: bool = False
) -> AsyncIterator[tuple[Pilot[Any], InspectorPane]]:
    """Open the inspector on the fixed conversation, with a row for each message or for each call."""
    app = WorkbenchApp(opener(link or FakeLink(conversation())), place="inspector")
    async with app.run_test(size=size) as pilot:
        await opened(pilot, "inspector")
        await settled(pilot)
        pane = app.pane
        assert isinstance(pane, InspectorPane)
        if not by_call:
            await pilot.press("m")
        yield pilot, pane


def shown(pane: InspectorPane) -> list[int]:
    """The numbers of the messages in the list."""
    return [entry.seq for entry in (pane.traffic.view[row] for row in range(len(pane.traffic.view)))]


def text(pane: InspectorPane) -> str:
    app = pane.workbench
    return screen_text(app)
