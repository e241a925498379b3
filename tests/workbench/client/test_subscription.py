"""Listening to a server without sessions: subscriptions that are opened, heard, and opened again."""

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
TELLS = {"tools": {"listChanged": True}, "prompts": {"listChanged": True}, "resources": {"listChanged": True}}


class Telling:
    """A session that listens, the server behind it, and what the session has heard."""

    def __init__(self, server: ScriptedServer, session: ClientSession, heard: list[Notification]) -> None:
        self.server = server
        self.session = session
        self.heard = heard

    async def listen(self, number: int = 0) -> dict[str, Any]:
        """Return the request of one subscription, as soon as it is there."""
        await until(lambda: len(self.listens) > number)
        return self.listens[number]

    @property
    def listens(self) -> list[dict[str, Any]]:
        return [one for one in self.server.heard if one.get("method") == "subscriptions/listen"]

    def acknowledge(self, request: dict[str, Any], **notifications: Any) -> None:
        self.tell(request, "notifications/subscriptions/acknowledged", notifications=notifications)

    def tell(self, request: dict[str, Any], method: str, **params: Any) -> None:
        meta = {"io.modelcontextprotocol/subscriptionId": request["id"]}
        self.server.tell(method, **params, _meta=meta)

    def end(self, request: dict[str, Any]) -> None:
        self.server.answer(request, {"resultType": "complete"})

    async def settle(self) -> None:
        """Return when all that the server has said was heard."""
        self.server.replies["completion/complete"] = {}
        await within(self.session.complete({}, {}))

    @property
    def told(self) -> list[str]:
        return [one.method for one in self.heard]


@pytest.fixture
async def telling(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Telling]:
    monkeypatch.setattr(subscription, "FIRST_PAUSE", 0.0)
    heard: list[Notification] = []
    server = ScriptedServer(**{"server/discover": DISCOVERED | {"capabilities": TELLS}})
    session = await within(
        ClientSession.open(server, revision=LATEST_STATELESS, listen=True, on_notification=heard.append)
    )
    yield Telling(server, session, heard)
    await within(session.close())


async def test_what_the_server_can_tell_is_asked_for_and_heard(telling: Telling) -> None:
    request = await telling.listen()
    assert request["params"]["notifications"] == ALL
    assert request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    telling.acknowledge(request, **ALL)
    telling.tell(request, "notifications/tools/list_changed")
    await telling.settle()
    assert telling.told == ["notifications/tools/list_changed"]


async def test_what_was_kept_is_dropped_when_it_is_told_as_changed(telling: Telling) -> None:
    telling.server.replies["tools/list"] = {"tools": [], "ttlMs": 60_000}
    request = await telling.listen()
    telling.acknowledge(request, **ALL)
    await within(telling.session.list_tools())
    telling.tell(request, "notifications/tools/list_changed")
    await telling.settle()
    await within(telling.session.list_tools())
    assert [one["method"] for one in telling.server.heard].count("tools/list") == 2


@pytest.mark.parametrize("how", ["ended", "broke", "failed"])
async def test_a_subscription_that_is_over_is_opened_again_and_all_is_told_as_changed(
    telling: Telling, how: str
) -> None:
    first = await telling.listen()
    telling.acknowledge(first, **ALL)
    if how == "ended":
        telling.end(first)
    elif how == "failed":
        # So a relay says that the connection behind it broke.
        telling.server.say({"jsonrpc": "2.0", "id": first["id"], "error": {"code": -32603, "message": "broke off"}})
    else:
        telling.session._dialogue.connection._settle(first["id"], ConnectionFailed("broke off"))
    second = await telling.listen(1)
    assert second["id"] != first["id"]
    assert telling.told == []
    telling.acknowledge(second, toolsListChanged=True)
    await telling.settle()
    assert telling.told == ["notifications/tools/list_changed"]


async def test_a_server_that_refuses_is_not_asked_again(telling: Telling) -> None:
    first = await telling.listen()
    telling.server.say({"jsonrpc": "2.0", "id": first["id"], "error": {"code": -32601, "message": "no"}})
    await telling.settle()
    assert len(telling.listens) == 1


async def test_closing_ends_the_subscription(telling: Telling) -> None:
    request = await telling.listen()
    await within(telling.session.close())
    cancelled = await telling.server.hear("notifications/cancelled")
    assert cancelled["params"]["requestId"] == request["id"]


async def test_what_belongs_to_a_subscription_of_nobody_is_heard_all_the_same(telling: Telling) -> None:
    request = await telling.listen()
    telling.tell({"id": str(request["id"])}, "notifications/prompts/list_changed")
    await telling.settle()
    assert telling.told == ["notifications/prompts/list_changed"]


async def test_a_resource_is_watched_until_it_is_no_longer_wanted(telling: Telling) -> None:
    watching = spawn(telling.session.subscribe("file:///x"), "subscribe")
    request = await telling.listen(1)
    assert request["params"]["notifications"] == {"resourceSubscriptions": ["file:///x"]}
    telling.acknowledge(request, resourceSubscriptions=["file:///x"])
    await within(watching)
    telling.tell(request, "notifications/resources/updated", uri="file:///x/part")
    await telling.settle()
    assert telling.heard[0].params["uri"] == "file:///x/part"
    await within(telling.session.unsubscribe("file:///x"))
    cancelled = await telling.server.hear("notifications/cancelled")
    assert cancelled["params"]["requestId"] == request["id"]


@pytest.mark.parametrize("agreed", [{}, {"resourceSubscriptions": "file:///x"}, {"resourceSubscriptions": ["y:"]}])
async def test_a_resource_that_the_server_does_not_tell_of_is_refused(telling: Telling, agreed: dict[str, Any]) -> None:
    async def subscribe() -> str:
        with pytest.raises(ProtocolError) as caught:
            await telling.session.subscribe("file:///x")
        return str(caught.value)

    watching = spawn(subscribe(), "subscribe")
    telling.acknowledge(await telling.listen(1), **agreed)
    assert "does not support updates of file:///x" in await within(watching)


async def test_nobody_listens_to_a_server_that_tells_nothing() -> None:
    server = ScriptedServer(**{"server/discover": DISCOVERED, "completion/complete": {}})
    session = await within(ClientSession.open(server, revision=LATEST_STATELESS, listen=True))
    await within(session.complete({}, {}))
    assert "subscriptions/listen" not in [one["method"] for one in server.heard]
    await within(session.close())


async def test_in_a_session_with_a_handshake_a_resource_is_subscribed_to_by_a_request() -> None:
    server = ScriptedServer(resources__subscribe={}, resources__unsubscribe={})
    session = await within(ClientSession.open(server, listen=True))
    await within(session.subscribe("file:///x"))
    await within(session.unsubscribe("file:///x"))
    assert [one["method"] for one in server.heard[2:]] == ["resources/subscribe", "resources/unsubscribe"]
    await within(session.close())


async def test_a_server_that_ends_each_subscription_at_once_is_asked_ever_more_rarely(telling: Telling) -> None:
    (kept, _), *_ = telling.session._dialogue.listenings._open.values()
    kept._pause = 0.001
    for number in range(4):
        request = await telling.listen(number)
        telling.acknowledge(request, **ALL)
        telling.end(request)
    await telling.listen(4)
    assert kept._pause == 0.016
