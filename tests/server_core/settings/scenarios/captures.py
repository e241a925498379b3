"""How much is recorded, and for how long captures are stored."""

import json
import os
from typing import Any

from server_core import MCPApp
from server_core.core import Core
from server_core.records.capture.capture_store import CaptureStore
from server_core.records.capture.reader import open_capture
from server_core.records.tap import Kind, Tap
from server_core.runtime.paths import captures_folder
from tests.server_core.settings.scenarios.scene import Scene, scenario
from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, Records, call, initialize
from tests.waiting import until

MEGABYTE = str(1024 * 1024)


async def lifecycle_events(scene: Scene) -> list[dict[str, Any]]:
    """Return the events of the core in a capture that got three megabytes of requests at once."""
    core = Core(app=MCPApp("shop"), settings=scene.settings, link=False)
    for _ in range(100):
        core.tap.emit(Kind.REQUEST, b"x" * 30_000)
    assert core.store is not None
    core.store.start()
    core.store.flush()
    core.store.close()
    assert core.store.path is not None
    with open_capture(core.store.path) as capture:
        return [json.loads(record.data) for record in capture.records() if record.kind is Kind.LIFECYCLE]


@scenario("capture_queue_bytes", MEGABYTE, by_default=[], when_set=[("records_dropped", 66)])
async def capture_queue_bytes(scene: Scene) -> Any:
    """Return how many records were dropped, as the capture counts."""
    return [(event["event"], event["count"]) for event in await lifecycle_events(scene) if "count" in event]


@scenario("max_capture_bytes", MEGABYTE, by_default=[], when_set=["capture_full"])
async def max_capture_bytes(scene: Scene) -> Any:
    """Return whether the capture reports that it is full."""
    return [event["event"] for event in await lifecycle_events(scene)]


async def captures_left(scene: Scene) -> int:
    """Return how many of two old captures are left after a core has deleted some."""
    for number in range(2):
        tap = Tap()
        store = CaptureStore(tap, core_id=f"c{number}", project="old", server="1.0", started=float(number))
        tap.emit(Kind.STDOUT, b"x" * 600_000)
        store.start()
        store.close()
        assert store.path is not None
        os.utime(store.path, (number, number))
    core = Core(app=MCPApp("shop"), settings=scene.settings, link=False)
    await core.start()
    await core.prune_captures()
    await core.stop()
    return len(list(captures_folder().glob("old-*")))


@scenario("max_captures", "1", by_default=2, when_set=0)
async def max_captures(scene: Scene) -> Any:
    return await captures_left(scene)


@scenario("max_captures_bytes", MEGABYTE, by_default=2, when_set=1)
async def max_captures_bytes(scene: Scene) -> Any:
    return await captures_left(scene)


@scenario("max_capture_days", "1", by_default=2, when_set=0)
async def max_capture_days(scene: Scene) -> Any:
    return await captures_left(scene)


@scenario("record_details", "true", by_default=[], when_set=["tool_ended"])
async def record_details(scene: Scene) -> Any:
    """Return the events of a call of a tool while no terminal is attached."""
    app = MCPApp("shop", toolkit="")

    @app.tool
    def greet() -> str:
        """Greet."""
        return "Hello"

    core = Core(app=app, settings=scene.settings, link=False, capture=False)
    records = Records(core.tap)
    await core.start()
    await core.wait_loaded()
    session = core.open_session(RecordingOutlet(), "memory")
    session.receive(initialize())
    session.receive(INITIALIZED)
    session.receive(call(1, "tools/call", name="greet"))
    await until(lambda: any(b"Hello" in record.data for record in records.of(Kind.RESPONSE)))
    await core.stop()
    return [event["event"] for event in records.events() if event["event"] == "tool_ended"]
