"""A stateless client listens for what changes, until it or the server has enough of that."""

import asyncio
from typing import Any

import pytest

from server_core.catalog.catalog import Catalog
from server_core.protocol.envelope import (
    CLIENT_CAPABILITIES,
    CLIENT_INFO,
    PROTOCOL_VERSION,
    SERVER_INFO,
    SUBSCRIPTION_ID,
    TASKS_EXTENSION,
)
from server_core.protocol.jsonrpc import Request, RequestId, parse
from server_core.protocol.revisions import REVISION_2026_07_28
from server_core.runtime.background import spawn
from server_core.serving.server import Server
from server_core.serving.subscriptions import MAX_NAMES
from server_core.settings import Settings
from server_core.tasks.task import ANY_CLIENT
from tests.server_core.toolkit import (
    INITIALIZED,
    RecordingOutlet,
    Toolkit,
    call,
    generation,
    initialize,
    new_server,
    notification,
)
from tests.waiting import until, within

AT_ONCE = Settings(list_changed_delay=0)
LISTS = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
META = {
    PROTOCOL_VERSION: "2026-07-28",
    CLIENT_CAPABILITIES: {},
    CLIENT_INFO: {"name": "tester", "version": "0"},
}


def listen(request_id: RequestId, notifications: Any = None, **filter: Any) -> bytes:
    """Return the bytes of a request; without a filter it wants to hear of everything there is a word for."""
    return call(request_id, "subscriptions/listen", _meta=META, notifications=filter or notifications)


class Client:
    """A client without a session, over a connection that keeps what is sent to it."""

    def __init__(self, *, loaded: bool = True, settings: Settings = AT_ONCE) -> None:
        self.toolkit = Toolkit()
        self.server = new_server(self.toolkit, loaded=loaded, settings=settings)
        self.outlet = RecordingOutlet()
        self.session = self.server.open_session(self.outlet, "memory")

    def send(self, data: bytes) -> None:
        self.session.receive(data)

    def take(self) -> list[dict[str, Any]]:
        """Return what was sent since the last look."""
        sent, self.outlet.sent = self.outlet.sent, []
        return sent

    def honoured(self, request_id: RequestId, **filter: Any) -> dict[str, Any]:
        """Listen, and return the notifications that the server acknowledges."""
        self.send(listen(request_id, filter))
        (ack,) = self.take()
        assert ack["method"] == "notifications/subscriptions/acknowledged"
        assert ack["params"]["_meta"] == {SUBSCRIPTION_ID: request_id}
        honoured = ack["params"]["notifications"]
        assert isinstance(honoured, dict)
        return honoured

    def lose_a_tool(self) -> None:
        """Serve one tool less."""
        before = self.server.catalog
        tools = dict(before.tools)
        tools.popitem()
        after = Catalog(tools, before.resources, before.templates, before.prompts)
        self.server.swap(generation(after, self.toolkit.app, number=2, before=before))


async def test_the_acknowledgement_lists_the_notifications_that_will_be_sent() -> None:
    client = Client()
    wanted = {**LISTS, "resourceSubscriptions": ["toolkit://motto", "toolkit://notes/7"]}
    assert client.honoured(1, **wanted) == wanted


async def test_missing_resources_are_left_out_of_the_acknowledgement() -> None:
    client = Client()
    honoured = client.honoured(
        1,
        toolsListChanged=False,
        promptsListChanged=True,
        resourceSubscriptions=["toolkit://nothing", "toolkit://motto", "toolkit://motto"],
        weather=True,
    )
    assert honoured == {"promptsListChanged": True, "resourceSubscriptions": ["toolkit://motto"]}


async def test_subscribed_resources_are_checked_once_they_are_loaded() -> None:
    client = Client(loaded=False)
    client.send(listen(1, resourceSubscriptions=["toolkit://motto", "toolkit://nothing"]))
    assert client.take() == []
    client.server.swap(generation(client.toolkit.catalog(), client.toolkit.app))
    await until(lambda: bool(client.outlet.sent))
    (ack,) = client.take()
    assert ack["params"]["notifications"] == {"resourceSubscriptions": ["toolkit://motto"]}


async def test_a_subscription_to_lists_does_not_wait_for_the_load() -> None:
    client = Client(loaded=False)
    assert client.honoured(1, **LISTS) == LISTS


@pytest.mark.parametrize("request_id", [1, "1"])
async def test_changes_carry_the_id_of_the_request_in_its_type(request_id: RequestId) -> None:
    client = Client()
    client.honoured(request_id, toolsListChanged=True, resourceSubscriptions=["toolkit://notes/7"])
    client.lose_a_tool()
    client.server.resource_updated("toolkit://notes/7/title")
    assert client.take() == [
        {
            "jsonrpc": "2.0",
            "method": "notifications/tools/list_changed",
            "params": {"_meta": {SUBSCRIPTION_ID: request_id}},
        },
        {
            "jsonrpc": "2.0",
            "method": "notifications/resources/updated",
            "params": {"uri": "toolkit://notes/7/title", "_meta": {SUBSCRIPTION_ID: request_id}},
        },
    ]
    assert set(client.outlet.related) == {request_id}


async def test_no_notification_is_sent_without_a_subscription() -> None:
    client = Client()
    client.honoured(1, promptsListChanged=True, resourceSubscriptions=[])
    client.lose_a_tool()
    client.server.resource_updated("toolkit://motto")
    assert client.take() == []


async def test_several_requests_listen_at_the_same_time() -> None:
    client = Client()
    client.honoured(1, toolsListChanged=True)
    client.honoured("1", resourceSubscriptions=["toolkit://motto"])
    client.honoured(2, toolsListChanged=True)
    client.lose_a_tool()
    client.server.resource_updated("toolkit://motto")
    assert [item["params"]["_meta"][SUBSCRIPTION_ID] for item in client.take()] == [1, 2, "1"]


async def test_a_session_gets_its_own_notifications_besides() -> None:
    client = Client()
    client.send(initialize())
    client.send(INITIALIZED)
    client.take()
    client.honoured(1, toolsListChanged=True)
    client.lose_a_tool()
    assert [item.get("params", {}).get("_meta") for item in client.take()] == [None, {SUBSCRIPTION_ID: 1}]


async def test_a_client_that_cancels_is_sent_nothing_more() -> None:
    client = Client()
    client.honoured(1, toolsListChanged=True)
    client.send(notification("notifications/cancelled", requestId=1))
    await until(lambda: not len(client.server.listeners))
    client.lose_a_tool()
    assert client.take() == []
    client.honoured(1, toolsListChanged=True)


async def test_a_client_that_closes_its_connection_leaves_nothing_behind() -> None:
    client = Client()
    outlet = RecordingOutlet()
    request = parse(listen(1, LISTS))
    assert isinstance(request, Request)
    ongoing = client.session.serve_stateless(b"", request, outlet)
    assert len(client.server.listeners) == 1
    ongoing.cancel()
    await until(lambda: not len(client.server.listeners))
    client.lose_a_tool()
    assert [message["method"] for message in outlet.sent] == ["notifications/subscriptions/acknowledged"]


async def test_a_server_that_stops_answers_and_cancels_on_a_shared_channel() -> None:
    client = Client()
    client.honoured(1, toolsListChanged=True)
    client.session.close()
    answer, cancelled = client.take()
    assert answer["id"] == 1
    assert answer["result"]["resultType"] == "complete"
    assert answer["result"]["_meta"][SUBSCRIPTION_ID] == 1
    assert answer["result"]["_meta"][SERVER_INFO]["name"] == "toolkit"
    assert cancelled["method"] == "notifications/cancelled"
    assert cancelled["params"]["requestId"] == 1
    assert len(client.server.listeners) == 0


async def test_a_server_that_ends_only_answers_where_the_response_ends_with_that() -> None:
    client = Client()
    outlet = RecordingOutlet()
    request = parse(listen("a", LISTS))
    assert isinstance(request, Request)
    client.session.serve_stateless(b"", request, outlet)
    client.session.close()
    assert [message.get("id") for message in outlet.sent] == [None, "a"]
    assert outlet.answers == [False, True]


async def test_the_end_of_input_waits_for_calls_but_not_for_subscriptions() -> None:
    client = Client()
    client.honoured(1, toolsListChanged=True)
    client.send(call(2, "tools/call", _meta=META, name="wait", arguments={}))
    await within(client.toolkit.entered.wait())
    settling = spawn(client.session.settle(60), "settle")
    await asyncio.sleep(0)
    assert client.take() == []
    client.toolkit.gate.set()
    await within(settling)
    assert [item.get("id") for item in client.take()] == [2, 1, None]


async def test_a_subscription_does_not_count_as_a_running_call() -> None:
    client = Client(settings=Settings(max_calls=1))
    for request_id in (1, 2, 3):
        client.honoured(request_id, toolsListChanged=True)
    assert not client.session.full
    assert client.session.busy
    client.send(call(4, "tools/call", _meta=META, name="add", arguments={"a": 1, "b": 2}))
    await until(lambda: bool(client.outlet.sent))
    assert [item["id"] for item in client.take()] == [4]


async def test_calls_do_not_block_subscriptions() -> None:
    client = Client(settings=Settings(max_calls=1))
    client.send(call(1, "tools/call", _meta=META, name="wait", arguments={}))
    await within(client.toolkit.entered.wait())
    client.honoured(2, toolsListChanged=True)
    client.toolkit.gate.set()


async def test_a_limited_number_of_subscriptions_is_accepted() -> None:
    client = Client(settings=Settings(max_listeners=1))
    client.honoured(1, toolsListChanged=True)
    client.send(listen(2, LISTS))
    (refusal,) = client.take()
    assert (refusal["id"], refusal["error"]["code"]) == (2, 429)
    client.send(notification("notifications/cancelled", requestId=1))
    await until(lambda: not len(client.server.listeners))
    client.honoured(3, toolsListChanged=True)


async def test_a_filter_of_the_wrong_form_is_refused() -> None:
    for notifications in (
        None,
        [],
        "all",
        {"toolsListChanged": 1},
        {"promptsListChanged": None},
        {"resourcesListChanged": "true"},
        {"resourceSubscriptions": "toolkit://motto"},
        {"resourceSubscriptions": {}},
        {"resourceSubscriptions": [1]},
        {"resourceSubscriptions": None},
        {"taskIds": [None]},
        {"resourceSubscriptions": [str(number) for number in range(MAX_NAMES + 1)]},
    ):
        client = Client()
        client.send(call(1, "subscriptions/listen", _meta=META, notifications=notifications))
        (refusal,) = client.take()
        assert (refusal["id"], refusal["error"]["code"]) == (1, -32602)
        assert "notifications" in refusal["error"]["message"]
        assert len(client.server.listeners) == 0


async def test_sessions_cannot_listen() -> None:
    client = Client()
    client.send(initialize())
    client.take()
    client.send(call(1, "subscriptions/listen", notifications=LISTS))
    assert client.take()[0]["error"]["code"] == -32601


async def test_an_empty_filter_is_acknowledged_and_stays_open() -> None:
    client = Client()
    client.send(call(1, "subscriptions/listen", _meta=META, notifications={}))
    assert client.take()[0]["params"]["notifications"] == {}
    assert len(client.server.listeners) == 1


def task_meta() -> dict[str, Any]:
    return {**META, CLIENT_CAPABILITIES: {"extensions": {TASKS_EXTENSION: {}}}}


def listen_to_tasks(request_id: RequestId, *tasks: str) -> bytes:
    return call(request_id, "subscriptions/listen", _meta=task_meta(), notifications={"taskIds": list(tasks)})


async def test_the_state_of_a_task_is_sent_at_first_and_on_every_change() -> None:
    client = Client()
    running = await client.server.tasks.create(ANY_CLIENT, "dig", REVISION_2026_07_28, None, lambda task: None)
    request_id = running.task.id
    client.send(listen_to_tasks(1, request_id))
    ack, now = client.take()
    assert ack["params"]["notifications"] == {"taskIds": [request_id]}
    assert now["method"] == "notifications/tasks"
    assert (now["params"]["taskId"], now["params"]["status"]) == (request_id, "working")
    running.conclude({"content": [], "isError": False})
    (end,) = client.take()
    assert (end["params"]["status"], end["params"]["result"]["isError"]) == ("completed", False)
    assert end["params"]["_meta"] == {SUBSCRIPTION_ID: 1}
    await within(running.saved())


async def test_tasks_of_others_are_left_out_of_the_acknowledgement() -> None:
    client = Client()
    running = await client.server.tasks.create("principal:eve", "dig", REVISION_2026_07_28, None, lambda task: None)
    client.send(listen_to_tasks(1, running.task.id, "no-such-task"))
    await until(lambda: bool(client.outlet.sent))
    running.cancel()
    await within(running.saved())
    (ack,) = client.take()
    assert ack["params"]["notifications"] == {"taskIds": []}


async def test_a_client_that_declares_no_tasks_cannot_listen_to_any() -> None:
    client = Client()
    client.send(listen(1, taskIds=["t"]))
    (refusal,) = client.take()
    assert refusal["error"]["code"] == -32021
    assert refusal["error"]["data"] == {"requiredCapabilities": {"extensions": {TASKS_EXTENSION: {}}}}


def test_a_server_has_no_subscriptions_at_first() -> None:
    server: Server = new_server(Toolkit())
    assert len(server.listeners) == 0
