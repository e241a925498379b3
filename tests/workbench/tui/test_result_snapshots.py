"""Snapshots of the outcome of a call, in every view and with every kind of content, from narrow to very wide terminals.

After an intended change, check the report, then run pytest with `--snapshot-update`.
"""

import base64
from collections.abc import Awaitable, Callable
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageDraw
from textual.pilot import Pilot

from server_core.records.tap import Direction, Kind, Record
from tests.waiting import until
from tests.workbench.model.records import IN, OUT, Wire
from tests.workbench.tui.driving import opened, screen_text, settled
from tests.workbench.tui.kitchen import kitchen_app, kitchen_link, text_result
from tests.workbench.tui.screens.test_outcome_tabs import at_noon
from tests.workbench.tui.screens.tools_pane import choose
from workbench.tui.app import WorkbenchApp
from workbench.tui.widgets.outcome import Outcome

Compare = Callable[..., bool]
Steps = Callable[[Pilot[Any]], Awaitable[None]]

at_every_width = pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 30), (170, 30), (240, 40)], ids=str)


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


def showing(result: dict[str, Any], mark: str, then: Callable[[Pilot[Any], WorkbenchApp], Awaitable[None]]) -> Any:
    """Return an app and the steps that call a tool, wait for a text of its result, and do more."""
    link = kitchen_link()
    link.server.replies["tools/call"] = result

    async def run(pilot: Pilot[Any]) -> None:
        app = await opened(pilot)
        await run(pilot, app, "ping", "#1")
        app.query_one(Outcome).front.focus()
        link.arrive(conversation_of(app))
        await settled(pilot)
        await then(pilot, app)
        await until(lambda: mark in screen_text(app))
        await until(lambda: not any(worker.group == "pictures" for worker in app.workers))
        await pilot.pause()

    return kitchen_app(link), run


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


async def nothing(pilot: Pilot[Any], app: WorkbenchApp) -> None:
    pass


def tab(name: str) -> Callable[[Pilot[Any], WorkbenchApp], Awaitable[None]]:
    async def show(pilot: Pilot[Any], app: WorkbenchApp) -> None:
        app.query_one(Outcome).show_tab(name)

    return show


@at_every_width
@pytest.mark.parametrize("name", RESULTS)
def test_a_result(snap_compare: Compare, name: str, size: tuple[int, int]) -> None:
    app, run = showing(*RESULTS[name], nothing)
    assert snap_compare(app, terminal_size=size, run_before=run)


@at_every_width
@pytest.mark.parametrize(("name", "mark"), [("log", "careful"), ("raw", "request #1")])
def test_the_log_and_the_messages_of_a_call(snap_compare: Compare, name: str, mark: str, size: tuple[int, int]) -> None:
    app, run = showing(text_result("pong"), mark, tab(name))
    assert snap_compare(app, terminal_size=size, run_before=run)


@at_every_width
def test_the_difference_of_two_calls(snap_compare: Compare, size: tuple[int, int]) -> None:
    link = kitchen_link()
    replies = iter([ORDER, ORDER | {"paid": True, "total": 14, "tip": 2}])
    link.server.replies["tools/call"] = lambda params: {"content": [], "structuredContent": next(replies)}

    async def run(pilot: Pilot[Any]) -> None:
        app = await opened(pilot)
        await choose(pilot, app, "ping")
        for number in (1, 2):
            await pilot.press("ctrl+j")
            await until(lambda number=number: f"#{number}" in screen_text(app))  # type: ignore[misc]
        app.query_one(Outcome).show_tab("diff")
        app.query_one(Outcome).front.focus()
        await until(lambda: "Against #1" in screen_text(app))
        await pilot.pause()

    assert snap_compare(kitchen_app(link), terminal_size=size, run_before=run)
