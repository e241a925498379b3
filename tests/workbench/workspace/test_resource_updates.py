"""The subscriptions to resources over several sessions, and while the server is asked."""

from collections.abc import Callable
from typing import cast

from server_core.errors import ConnectionFailed, RemoteError
from workbench.client.session import ClientSession
from workbench.workspace.resource_updates import ResourceUpdates


class Session:
    """Accepts subscriptions; `on_subscribe` is called first, and may raise."""

    def __init__(self, on_subscribe: Callable[[str], None] = lambda uri: None) -> None:
        self._on_subscribe = on_subscribe

    async def subscribe(self, uri: str) -> None:
        self._on_subscribe(uri)


async def subscribed(session: Session) -> ResourceUpdates:
    updates = ResourceUpdates(lambda: cast("ClientSession", session), lambda: None, lambda: 1.0)
    for uri in ("demo://a", "demo://b"):
        await updates.toggle(uri)
    return updates


async def test_a_resource_may_be_unsubscribed_while_it_is_subscribed_again() -> None:
    session = Session()
    updates = await subscribed(session)
    session._on_subscribe = lambda uri: updates.subscriptions.clear()
    await updates.renew()
    assert updates.subscriptions == {}


async def test_a_resource_that_the_server_refuses_is_no_longer_subscribed() -> None:
    session = Session()
    updates = await subscribed(session)

    def refuse(uri: str) -> None:
        if uri == "demo://a":
            raise RemoteError(-32002, "unknown")

    session._on_subscribe = refuse
    await updates.renew()
    assert list(updates.subscriptions) == ["demo://b"]
    assert updates.subscriptions["demo://b"].is_new, "it may have changed meanwhile"


async def test_the_subscriptions_outlive_a_session_that_ends_while_they_are_made() -> None:
    session = Session()
    updates = await subscribed(session)

    def end(uri: str) -> None:
        raise ConnectionFailed("lost")

    session._on_subscribe = end
    await updates.renew()
    assert list(updates.subscriptions) == ["demo://a", "demo://b"]
