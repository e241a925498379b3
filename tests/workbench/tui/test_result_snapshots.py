"""Snapshots of the outcome of a call, in every view and with every kind of content, at every size.

After an intended change, check the report, then run pytest with `--snapshot-update`.
"""

import base64
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageDraw
from textual.pilot import Pilot

from server_core.records.tap import Direction, Kind, Record
from tests.waiting import until
from tests.workbench.model.records import IN, OUT, Wire
from tests.workbench.tui.driving import screen_text, settled
from tests.workbench.tui.fakes import FakeLink
from tests.workbench.tui.kitchen import kitchen_link, text_result
from tests.workbench.tui.screens.test_outcome_tabs import at_noon
from tests.workbench.tui.screens.tools_pane import choose, tools
from tests.workbench.tui.snapshots import SnapSizes
from workbench.tui.app import WorkbenchApp
from workbench.tui.widgets.outcome import Outcome


def picture() -> dict[str, Any]:
    image = Image.new("RGB", (60, 36), "#10141f")
    draw = ImageDraw.Draw(image)
    for at, colour in enumerate(("#e0a458", "#5ba3d0", "#7fb069", "#d1495b", "#9b7ede", "#3bb8a5")):
        draw.rectangle((5 + at * 9, 30 - at * 4, 10 + at * 9, 33), fill=colour)
    # A format without compression, so that its size is the same on every machine.
    image.save(stream := BytesIO(), "BMP")
    return {"type": "image", "mimeType": "image/bmp", "data": base64.b64encode(stream.getvalue()).decode()}


ORDER = {
    "id": "o-417",
    "guest": {"name": "Ada", "table": 4},
    "dishes": [{"name": "Lentil soup", "options": ["bread", "no salt"], "note": None}],
    "total": 12.5,
    "paid": False,
    "remark": "A table by the window, if there is one; otherwise anywhere but beside the door to the kitchen.",
}
DISHES = [
    {"dish": "Lentil soup", "price": 6.5, "vegan": True, "note": "with bread"},
    {"dish": "Apple cake", "price": 4, "vegan": False, "note": ""},
    {"dish": "Espresso", "price": 2.2, "vegan": True, "note": "single origin, from Ethiopia"},
    {"dish": "Shakshuka", "price": 9.8, "vegan": False, "note": "two eggs, feta, coriander"},
]
GUIDE = """\
# How to order

Call **order** with a *count*; the kitchen answers at once.

- soup until three o'clock
- cake all day

| dish | price |
|---|---|
| soup | 6.50 |
| cake | 4.00 |

```python
order(count=2)
```
"""
FAILURE = {
    "isError": True,
    "content": [
        {
            "type": "text",
            "text": "[UPSTREAM_RUNTIME_RATE_LIMIT] UpstreamRateLimitError during execution of tool 'ping': The "
            "supplier accepts ten orders a minute.",
        }
    ],
}
PARTS = {
    "content": [
        {"type": "text", "text": "The menu, and how it sounds."},
        {"type": "resource_link", "uri": "demo://menu", "name": "menu", "mimeType": "text/plain"},
        {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"},
        {"type": "resource", "resource": {"uri": "demo://dishes/soup", "mimeType": "text/plain", "text": "Lentils"}},
        {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="},
    ]
}
RESULTS: dict[str, tuple[dict[str, Any], str]] = {
    "json": ({"content": [], "structuredContent": ORDER}, '"o-417"'),
    "table": ({"content": [], "structuredContent": {"result": DISHES}}, "Shakshuka"),
    "markdown": ({"content": [{"type": "text", "text": GUIDE}]}, "order(count=2)"),
    "picture": ({"content": [picture()]}, "▀▀▀"),
    "parts": (PARTS, "The menu"),
    "error": (FAILURE, "UPSTREAM"),
}
"""Results by their names, each with a text that is on the screen when it is shown."""


async def show_result(pilot: Pilot[Any], app: WorkbenchApp, link: FakeLink, result: dict[str, Any], mark: str) -> None:
    """Call the tool in view, and wait for a text of its result."""
    link.server.replies["tools/call"] = result
    number = len(app.workspace.history) + 1
    await pilot.press("ctrl+j")
    await until(lambda: f"#{number}" in screen_text(app))
    app.query_one(Outcome).front.focus()
    await until(lambda: mark in screen_text(app))
    await until(lambda: not any(worker.group == "pictures" for worker in app.workers))


def conversation_of(app: WorkbenchApp) -> list[Record]:
    """Return the records of the newest call of `ping`, with everything that a log can have."""
    wire, id = Wire(), list(app.workspace.history)[-1].request_id
    assert id is not None
    place = {"direction": Direction.NONE, "call": str(id)}
    fetched = {"method": "GET", "url": "https://supplier.example/beans?kind=<hidden>", "ms": 84.2}
    return at_noon(
        wire.call(id, "ping", "t1"),
        wire.raw(Kind.STDOUT, b"looking for beans\n", **place),
        wire.lifecycle("http_request_ended", "s1", id=id, **fetched, status=200, ok=True, bytes=5321),
        wire.lifecycle("http_request_ended", "s1", id=id, **fetched, status=429, ok=False, bytes=None),
        wire.notification("notifications/progress", {"progressToken": "t1", "progress": 2, "total": 3}),
        wire.notification("notifications/message", {"level": "warning", "data": "only two bags left"}, call=str(id)),
        wire.request("q1", "elicitation/create", {"message": "Take both?"}, direction=OUT, call=str(id)),
        wire.result("q1", {"action": "accept", "content": {"both": True}}, direction=IN),
        wire.raw(Kind.STDERR, b"careful with the grinder\n", **place),
        wire.lifecycle("tool_ended", "s1", id=id, tool="ping", ran_ms=612.5, waited_ms=100),
        wire.result(id, text_result("pong")),
    )


@pytest.mark.parametrize("names", [("json", "table", "markdown"), ("picture", "parts", "error")], ids=" ".join)
async def test_results(snap_sizes: SnapSizes, names: tuple[str, ...]) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        for name in names:
            await show_result(pilot, app, link, *RESULTS[name])
            await snap_sizes(pilot, name)


async def test_the_log_and_the_messages_of_a_call(snap_sizes: SnapSizes) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await show_result(pilot, app, link, text_result("pong"), "pong")
        link.arrive(conversation_of(app))
        await settled(pilot)
        for name, mark in (("log", "careful"), ("raw", "request #1")):
            app.query_one(Outcome).show_tab(name)
            app.query_one(Outcome).front.focus()
            await until(lambda mark=mark: mark in screen_text(app))  # type: ignore[misc]
            await snap_sizes(pilot, name)


async def test_the_difference_of_two_calls(snap_sizes: SnapSizes) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        for order in (ORDER, ORDER | {"paid": True, "total": 14, "tip": 2}):
            await show_result(pilot, app, link, {"content": [], "structuredContent": order}, "o-417")
        app.query_one(Outcome).show_tab("diff")
        app.query_one(Outcome).front.focus()
        await until(lambda: "Against #1" in screen_text(app))
        await snap_sizes(pilot)
