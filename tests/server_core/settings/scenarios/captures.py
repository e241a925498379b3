"""How much is kept of what happens, and for how long."""

import json
from typing import Any

from server_core import MCPApp
from server_core.capture.reading import open_capture
from server_core.core import Core
from server_core.tap import Kind
from tests.server_core.settings.scenarios.scene import Scene, scenario

MEGABYTE = str(1024 * 1024)


async def recorded(scene: Scene) -> list[dict[str, Any]]:
    """What a capture says of itself that was given three megabytes of requests at once."""
    core = Core(app=MCPApp("shop"), settings=scene.settings, link=False)
    for _ in range(100):
        core.tap.emit(Kind.REQUEST, b"x" * 30_000)
    assert core.store is not None
    core.store.start()
    core.store.flush()
    core.store.close()
    assert core.store.path is not None
    with open_capture(core.store.path) as capture:
        return [json.loads(one.data) for one in capture.records() if one.kind is Kind.LIFECYCLE]


@scenario("capture_queue_bytes", MEGABYTE, by_default=[], when_set=[("records_dropped", 66)])
async def capture_queue_bytes(scene: Scene) -> Any:
    """How many records were not kept, as the capture says."""
    return [(event["event"], event["count"]) for event in await recorded(scene) if "count" in event]


@scenario("max_capture_bytes", MEGABYTE, by_default=[], when_set=["capture_full"])
async def max_capture_bytes(scene: Scene) -> Any:
    """Whether the capture has an end of its own."""
    return [event["event"] for event in await recorded(scene)]
