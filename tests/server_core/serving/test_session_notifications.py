"""Notifications to and from a client with a session: changes, updates, progress and log messages."""

import pytest

from server_core.catalog.catalog import Catalog
from server_core.records.tap import Kind
from server_core.settings import Settings
from tests.server_core.serving.session_client import Client
from tests.server_core.toolkit import RecordingOutlet, call, generation, initialize, notification
from tests.waiting import until, within

AT_ONCE = Settings(list_changed_delay=0)


async def test_only_initialized_clients_are_notified_and_only_of_changes() -> None:
    client = Client(settings=AT_ONCE).ready()
    half_open = RecordingOutlet()
    client.server.open_session(half_open, "memory").receive(initialize())
    half_open.sent.clear()
    before = client.server.catalog
    after = Catalog(tools={"add": before.tools["add"]}, resources=before.resources, prompts=before.prompts)
    after = Catalog(after.tools, after.resources, before.templates, after.prompts)
    client.server.swap(generation(after, client.toolkit.app, number=2, before=before))
    assert [message["method"] for message in client.outlet.sent] == ["notifications/tools/list_changed"]
    assert half_open.sent == []


async def test_the_first_load_changes_no_list_that_was_requested() -> None:
    client = Client(loaded=False).ready()
    client.server.swap(generation(client.toolkit.catalog(), client.toolkit.app))
    assert client.outlet.sent == []


async def test_updates_are_sent_to_subscribers_only() -> None:
    client = Client(settings=AT_ONCE).ready()
    await client.ask("resources/subscribe", uri="toolkit://motto")
    other = RecordingOutlet()
    client.server.open_session(other, "memory")
    client.outlet.sent.clear()
    client.server.resource_updated("toolkit://motto")
    client.server.resource_updated("toolkit://other")
    assert [message["params"] for message in client.outlet.sent] == [{"uri": "toolkit://motto"}]
    assert other.sent == []
    await client.ask("resources/unsubscribe", uri="toolkit://motto")
    client.outlet.sent.clear()
    client.server.resource_updated("toolkit://motto")
    assert client.outlet.sent == []


async def test_parts_of_a_resource_are_updates_of_it() -> None:
    client = Client(settings=AT_ONCE).ready()
    await client.ask("resources/subscribe", uri="toolkit://notes/1")
    client.outlet.sent.clear()
    client.server.resource_updated("toolkit://notes/1/title")
    client.server.resource_updated("toolkit://notes/11")
    assert [message["params"] for message in client.outlet.sent] == [{"uri": "toolkit://notes/1/title"}]


@pytest.mark.parametrize("uri", ["toolkit://nothing", "toolkit://notes/", "", "toolkit://notes/1/2"])
async def test_a_subscription_to_a_missing_resource_is_refused(uri: str) -> None:
    error = (await Client().ready().ask("resources/subscribe", uri=uri))["error"]
    assert (error["code"], error["data"]) == (-32002, {"uri": uri})


@pytest.mark.parametrize("uri", ["toolkit://motto", "toolkit://notes/7"])
async def test_resources_and_uris_of_templates_can_be_subscribed_to(uri: str) -> None:
    client = Client(loaded=False).ready()
    client.send(call("asked", "resources/subscribe", uri=uri))
    assert client.answer() is None
    client.server.swap(generation(client.toolkit.catalog(), client.toolkit.app))
    await until(client.answer)
    assert client.answer() == {"jsonrpc": "2.0", "id": "asked", "result": {}}


async def test_a_disconnected_client_is_sent_nothing() -> None:
    client = Client(settings=AT_ONCE).ready()
    await client.ask("resources/subscribe", uri="toolkit://motto")
    client.session.close()
    client.outlet.sent.clear()
    client.server.resource_updated("toolkit://motto")
    assert client.outlet.sent == []


async def test_progress_is_sent_to_clients_with_a_token_on_the_calls_stream(client: Client) -> None:
    client.send(call(7, "tools/call", name="climb", arguments={}, _meta={"progressToken": "p"}))
    await until(lambda: client.answer(7))
    reports = [message["params"] for message in client.outlet.sent if message.get("method") == "notifications/progress"]
    assert [(item["progressToken"], item["progress"]) for item in reports] == [("p", 1), ("p", 2), ("p", 3)]
    assert set(client.outlet.related) == {7}
    assert client.outlet.answers == [False] * 5 + [True]


async def test_log_messages_below_the_level_are_left_out(client: Client) -> None:
    await client.ask("logging/setLevel", level="warning")
    client.send(call(7, "tools/call", name="climb"))
    await until(lambda: client.answer(7))
    logs = [
        message["params"]["level"] for message in client.outlet.sent if message.get("method") == "notifications/message"
    ]
    assert logs == ["error"]


async def test_a_notification_that_is_wrong_or_unknown_is_recorded_and_does_nothing() -> None:
    for message in (
        notification("notifications/cancelled"),
        notification("notifications/cancelled", requestId=True),
        notification("notifications/cancelled", requestId=[1]),
        notification("notifications/cancelled", requestId="1"),
        notification("notifications/progress", progressToken="of nobody", progress="much"),
        notification("notifications/roots/list_changed", extra={}),
        notification("notifications/tasks/status"),
        notification("no/such/notification", a=1),
        notification(""),
    ):
        client = Client().ready()
        client.send(call(1, "tools/call", name="wait"))
        await within(client.toolkit.entered.wait())
        client.send(message)
        assert client.outlet.sent == []
        assert client.records.of(Kind.NOTIFICATION)[-1].data == message
        client.toolkit.gate.set()
        await until(lambda client=client: client.answer(1))
