"""Listening to a server without sessions: subscriptions that are opened, read, and opened again."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from server_core.errors import ConnectionFailed, ProtocolError
from server_core.protocol.jsonrpc import Notification
from server_core.protocol.revisions import LATEST_STATELESS
from server_core.runtime.background import spawn
from tests.waiting import until, within
from tests.workbench.client.scripted import ScriptedServer
from tests.workbench.client.test_stateless import DISCOVERED
from workbench.client import subscription
from workbench.client.session import ClientSession

ALL = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
CAPABILITIES = {"tools": {"listChanged": True}, "prompts": {"listChanged": True}, "resources": {"listChanged": True}}


class Listening:
    """A session that listens, its server, and the notifications that the session has received."""

    def __init__(self, server: ScriptedServer, session: ClientSession, notifications: list[Notification]) -> None:
        self.server = server
        self.session = session
        self.notifications = notifications

    async def listen(self, number: int = 0) -> dict[str, Any]:
        """Return the request of one subscription, as soon as it is there."""
        await until(lambda: len(self.listens) > number)
        return self.listens[number]

    @property
    def listens(self) -> list[dict[str, Any]]:
        return [item for item in self.server.received if item.get("method") == "subscriptions/listen"]

    def acknowledge(self, request: dict[str, Any], **notifications: Any) -> None:
        self.notify(request, "notifications/subscriptions/acknowledged", notifications=notifications)

    def notify(self, request: dict[str, Any], method: str, **params: Any) -> None:
        meta = {"io.modelcontextprotocol/subscriptionId": request["id"]}
        self.server.notify(method, **params, _meta=meta)

    def end(self, request: dict[str, Any]) -> None:
        self.server.answer(request, {"resultType": "complete"})

    async def settle(self) -> None:
        """Return when all messages of the server were received."""
        self.server.replies["completion/complete"] = {}
        await within(self.session.complete({}, {}))

    @property
    def methods(self) -> list[str]:
        return [item.method for item in self.notifications]


@pytest.fixture
async def listening(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Listening]:
    monkeypatch.setattr(subscription, "FIRST_PAUSE", 0.0)
    notifications: list[Notification] = []
    server = ScriptedServer(**{"server/discover": DISCOVERED | {"capabilities": CAPABILITIES}})
    session = await within(
        ClientSession.open(server, revision=LATEST_STATELESS, listen=True, on_notification=notifications.append)
    )
    yield Listening(server, session, notifications)
    await within(session.close())


async def test_all_supported_notifications_are_subscribed_to_and_received(listening: Listening) -> None:
    request = await listening.listen()
    assert request["params"]["notifications"] == ALL
    assert request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    listening.acknowledge(request, **ALL)
    listening.notify(request, "notifications/tools/list_changed")
    await listening.settle()
    assert listening.methods == ["notifications/tools/list_changed"]


async def test_a_cached_list_is_dropped_when_its_change_is_notified(listening: Listening) -> None:
    listening.server.replies["tools/list"] = {"tools": [], "ttlMs": 60_000}
    request = await listening.listen()
    listening.acknowledge(request, **ALL)
    await within(listening.session.list_tools())
    listening.notify(request, "notifications/tools/list_changed")
    await listening.settle()
    await within(listening.session.list_tools())
    assert [item["method"] for item in listening.server.received].count("tools/list") == 2


@pytest.mark.parametrize("how", ["ended", "broke", "failed"])
async def test_a_subscription_that_has_ended_is_opened_again_and_everything_counts_as_changed(
    listening: Listening, how: str
) -> None:
    first = await listening.listen()
    listening.acknowledge(first, **ALL)
    if how == "ended":
        listening.end(first)
    elif how == "failed":
        # So a relay reports that its own connection broke.
        listening.server.write({"jsonrpc": "2.0", "id": first["id"], "error": {"code": -32603, "message": "broke off"}})
    else:
        listening.session._dialogue.connection._settle(first["id"], ConnectionFailed("broke off"))
    second = await listening.listen(1)
    assert second["id"] != first["id"]
    assert listening.methods == []
    listening.acknowledge(second, toolsListChanged=True)
    await listening.settle()
    assert listening.methods == ["notifications/tools/list_changed"]


async def test_a_server_that_refuses_is_not_asked_again(listening: Listening) -> None:
    first = await listening.listen()
    listening.server.write({"jsonrpc": "2.0", "id": first["id"], "error": {"code": -32601, "message": "no"}})
    await listening.settle()
    assert len(listening.listens) == 1


async def test_closing_ends_the_subscription(listening: Listening) -> None:
    request = await listening.listen()
    await within(listening.session.close())
    cancelled = await listening.server.message("notifications/cancelled")
    assert cancelled["params"]["requestId"] == request["id"]


async def test_a_notification_of_an_unknown_subscription_is_received(listening: Listening) -> None:
    request = await listening.listen()
    listening.notify({"id": str(request["id"])}, "notifications/prompts/list_changed")
    await listening.settle()
    assert listening.methods == ["notifications/prompts/list_changed"]


async def test_a_resource_is_watched_until_it_is_no_longer_wanted(listening: Listening) -> None:
    watching = spawn(listening.session.subscribe("file:///x"), "subscribe")
    request = await listening.listen(1)
    assert request["params"]["notifications"] == {"resourceSubscriptions": ["file:///x"]}
    listening.acknowledge(request, resourceSubscriptions=["file:///x"])
    await within(watching)
    listening.notify(request, "notifications/resources/updated", uri="file:///x/part")
    await listening.settle()
    assert listening.notifications[0].params["uri"] == "file:///x/part"
    await within(listening.session.unsubscribe("file:///x"))
    cancelled = await listening.server.message("notifications/cancelled")
    assert cancelled["params"]["requestId"] == request["id"]


@pytest.mark.parametrize("agreed", [{}, {"resourceSubscriptions": "file:///x"}, {"resourceSubscriptions": ["y:"]}])
async def test_a_resource_without_notifications_is_refused(listening: Listening, agreed: dict[str, Any]) -> None:
    async def subscribe() -> str:
        with pytest.raises(ProtocolError) as caught:
            await listening.session.subscribe("file:///x")
        return str(caught.value)

    watching = spawn(subscribe(), "subscribe")
    listening.acknowledge(await listening.listen(1), **agreed)
    assert "does not support updates of file:///x" in await within(watching)


async def test_a_server_without_notifications_is_not_subscribed_to() -> None:
    server = ScriptedServer(**{"server/discover": DISCOVERED, "completion/complete": {}})
    session = await within(ClientSession.open(server, revision=LATEST_STATELESS, listen=True))
    await within(session.complete({}, {}))
    assert "subscriptions/listen" not in [item["method"] for item in server.received]
    await within(session.close())


async def test_in_a_session_with_a_handshake_a_resource_is_subscribed_to_by_a_request() -> None:
    server = ScriptedServer(resources__subscribe={}, resources__unsubscribe={})
    session = await within(ClientSession.open(server, listen=True))
    await within(session.subscribe("file:///x"))
    await within(session.unsubscribe("file:///x"))
    assert [item["method"] for item in server.received[2:]] == ["resources/subscribe", "resources/unsubscribe"]
    await within(session.close())


async def test_a_server_that_ends_each_subscription_at_once_is_asked_at_growing_intervals(listening: Listening) -> None:
    (kept, _), *_ = listening.session._dialogue.subscriptions._open.values()
    kept._pause = 0.001
    for number in range(4):
        request = await listening.listen(number)
        listening.acknowledge(request, **ALL)
        listening.end(request)
    await listening.listen(4)
    assert kept._pause == 0.016
