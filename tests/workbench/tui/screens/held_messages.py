"""Steps that the tests of held messages share: an inspector of a core that holds some."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot

from server_core.records.tap import Direction, Kind
from tests.waiting import until
from tests.workbench.tui.fakes import NOON, FakeLink, conversation, record
from tests.workbench.tui.screens.inspector_pane import inspecting
from workbench.tui.screens.held_screen import HeldScreen
from workbench.tui.screens.inspector_pane import InspectorPane

REQUEST = {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "greet", "arguments": {}}}
MESSAGE = {
    "id": 17,
    "session": "s2",
    "direction": "in",
    "kind": "request",
    "method": "tools/call",
    "name": "greet",
    "request_id": 4,
    "size": 90,
    "since": NOON,
    "state": "held",
    "release_at": None,
    "seconds_left": 42.0,
    "progress_sent": 0,
    "cancelled": False,
    "answerable": True,
    "held_by": "workbench hold, process 4711",
}


def hold(*messages: dict[str, Any], text: str | None = "tool:greet") -> dict[str, Any]:
    return {"seq": 18, "filter": text, "held_by": MESSAGE["held_by"], "client_timeout": 60.0, "held": list(messages)}


def event(seq: int, name: str) -> Any:
    return record(seq, Kind.LIFECYCLE, Direction.NONE, {"event": name, "message": 17})


@asynccontextmanager
async def holding(
    *messages: dict[str, Any], size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[Pilot[Any], InspectorPane, FakeLink]]:
    """Open the inspector of a core that holds these messages."""
    link = FakeLink(conversation())
    async with inspecting(link, size) as (pilot, pane):
        for verb in ("release", "edit", "drop", "duplicate", "delay", "answer"):
            link.answers[f"hold/{verb}"] = {"state": "done", "passed": []}
        link.answers["hold/set"] = link.answers["hold/list"] = hold(*messages)
        link.answers["hold/clear"] = hold(text=None)
        arrived = record(17, Kind.REQUEST, Direction.IN, REQUEST, session="s2")
        link.stored[17] = arrived
        if messages:
            link.arrive([arrived, event(18, "message_held")])
            await until(lambda: pane.workspace.held.messages)
        yield pilot, pane, link


@asynccontextmanager
async def listing(*messages: dict[str, Any]) -> AsyncIterator[tuple[Pilot[Any], InspectorPane, FakeLink]]:
    """Open the list of these held messages."""
    async with holding(*messages) as (pilot, pane, link):
        await pilot.press("I")
        await until(lambda: isinstance(pane.app.screen, HeldScreen))
        yield pilot, pane, link
