"""Notifications of the server: when, how many, and to how many clients."""

import asyncio
from typing import Any

from server_core.settings import Settings
from tests.server_core.serving.test_subscriptions import LISTS, listen
from tests.server_core.serving.test_subscriptions import Client as Listener
from tests.server_core.settings.scenarios.scene import Scene, scenario
from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, Records, Toolkit, call, initialize, new_server


class TimedOutlet(RecordingOutlet):
    """An outlet that records the time of each notification."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[float] = []

    def send(self, message: bytes, related: Any, *, is_response: bool = False) -> None:
        super().send(message, related, is_response=is_response)
        if not is_response:
            self.times.append(asyncio.get_running_loop().time())


def subscriber(settings: Settings, *uris: str) -> tuple[Any, TimedOutlet]:
    """Return a server, and the outlet of a client that subscribes to these resources."""
    server, outlet = new_server(Toolkit(), settings=settings), TimedOutlet()
    session = server.open_session(outlet, "memory")
    for message in (initialize(), INITIALIZED):
        session.receive(message)
    for id, uri in enumerate(uris, 1):
        session.receive(call(id, "resources/subscribe", uri=uri))
    return server, outlet


@scenario("list_changed_delay", "2.5", by_default=0.1, when_set=2.5, skips_waits=True)
async def list_changed_delay(scene: Scene) -> Any:
    """Return after how many seconds a client is notified of a change."""
    server, outlet = subscriber(scene.settings, "toolkit://motto")
    began = asyncio.get_running_loop().time()
    server.resource_updated("toolkit://motto")
    while not outlet.times:
        await asyncio.sleep(0.05)
    return round(outlet.times[0] - began, 3)


@scenario("changes_per_minute", "2", by_default=10, when_set=2, skips_waits=True, list_changed_delay="0")
async def changes_per_minute(scene: Scene) -> Any:
    """Return of how many of ten changes a client is notified at once."""
    server, outlet = subscriber(scene.settings, *(f"toolkit://notes/{number}" for number in range(10)))
    for number in range(10):
        server.resource_updated(f"toolkit://notes/{number}")
    return len(outlet.times)


@scenario(
    "max_queued_changes",
    "3",
    by_default=0,
    when_set=6,
    skips_waits=True,
    list_changed_delay="0",
    changes_per_minute="1",
)
async def max_queued_changes(scene: Scene) -> Any:
    """Return how many of nine queued changes are dropped."""
    server, _ = subscriber(scene.settings, *(f"toolkit://notes/{number}" for number in range(10)))
    records = Records(server.tap)
    for number in range(10):
        server.resource_updated(f"toolkit://notes/{number}")
    return sum(event["count"] for event in records.events() if event["event"] == "changes_dropped")


@scenario("max_listeners", "1", by_default=None, when_set=429)
async def max_listeners(scene: Scene) -> Any:
    """Return the error code for a second request to listen."""
    client = Listener(settings=scene.settings)
    client.honoured(1, toolsListChanged=True)
    client.send(listen(2, LISTS))
    answer = client.take()[-1]
    client.session.close()
    return answer.get("error", {}).get("code")
