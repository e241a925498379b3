"""What the server tells of its own accord: when, how much, and to how many."""

import asyncio
from typing import Any

from server_core.settings import Settings
from tests.server_core.serving.test_subscriptions import LISTS, listen
from tests.server_core.serving.test_subscriptions import Client as Listener
from tests.server_core.settings.scenarios.scene import Scene, scenario
from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, Records, Toolkit, call, initialize, new_server


class Told(RecordingOutlet):
    """An outlet that keeps when each notification came."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[float] = []

    def send(self, message: bytes, related: Any, *, answer: bool = False) -> None:
        super().send(message, related, answer=answer)
        if not answer:
            self.times.append(asyncio.get_running_loop().time())


def subscriber(settings: Settings, *uris: str) -> tuple[Any, Told]:
    """A server, and a client that wants to hear of changes."""
    server, told = new_server(Toolkit(), settings=settings), Told()
    session = server.open_session(told, "memory")
    for message in (initialize(), INITIALIZED):
        session.receive(message)
    for id, uri in enumerate(uris, 1):
        session.receive(call(id, "resources/subscribe", uri=uri))
    return server, told


@scenario("list_changed_delay", "2.5", by_default=0.1, when_set=2.5, jumps=True)
async def list_changed_delay(scene: Scene) -> Any:
    """After how many seconds a change is told."""
    server, told = subscriber(scene.settings, "toolkit://motto")
    began = asyncio.get_running_loop().time()
    server.resource_updated("toolkit://motto")
    while not told.times:
        await asyncio.sleep(0.05)
    return round(told.times[0] - began, 3)


@scenario("changes_per_minute", "2", by_default=10, when_set=2, jumps=True, list_changed_delay="0")
async def changes_per_minute(scene: Scene) -> Any:
    """Of how many of ten changes a client is told at once."""
    server, told = subscriber(scene.settings, *(f"toolkit://notes/{number}" for number in range(10)))
    for number in range(10):
        server.resource_updated(f"toolkit://notes/{number}")
    return len(told.times)


@scenario(
    "max_queued_changes", "3", by_default=0, when_set=6, jumps=True, list_changed_delay="0", changes_per_minute="1"
)
async def max_queued_changes(scene: Scene) -> Any:
    """How many of nine changes that wait are given up."""
    server, _ = subscriber(scene.settings, *(f"toolkit://notes/{number}" for number in range(10)))
    records = Records(server.tap)
    for number in range(10):
        server.resource_updated(f"toolkit://notes/{number}")
    return sum(event["count"] for event in records.events() if event["event"] == "changes_dropped")


@scenario("max_listeners", "1", by_default=None, when_set=429)
async def max_listeners(scene: Scene) -> Any:
    """With what a second request to listen is refused."""
    client = Listener(settings=scene.settings)
    client.honoured(1, toolsListChanged=True)
    client.send(listen(2, LISTS))
    answer = client.take()[-1]
    client.session.close()
    return answer.get("error", {}).get("code")
