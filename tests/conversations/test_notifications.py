"""Notifications of a server in every revision: changes, the progress of a call, and the end of the server."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from server_core.catalog.catalog import Catalog
from server_core.protocol.envelope import SUBSCRIPTION_ID, client_meta, with_envelope
from server_core.protocol.jsonrpc import request
from server_core.protocol.revisions import Revision
from server_core.runtime.background import spawn
from server_core.transports.channel import Channel
from tests.conversations.conftest import USUAL, World, over
from tests.server_core.toolkit import INITIALIZED, call, generation, initialize, notification
from tests.waiting import until, within

ALL = (*USUAL, "websocket")
SINGLE_STREAM = ("memory", "stdio", "websocket")
"""The transports that send all messages to a client on a single stream."""


def has_sessions(revision: Revision) -> bool:
    return not revision.stateless


def is_stateless(revision: Revision) -> bool:
    return revision.stateless


def has_batches(revision: Revision) -> bool:
    return revision.batches


def lose_tools(world: World) -> None:
    """Serve no tools any more."""
    before = world.server.catalog
    after = Catalog({}, before.resources, before.templates, before.prompts)
    world.server.swap(generation(after, world.toolkit.app, number=2, before=before))


def message(world: World, request_id: Any, method: str, **params: Any) -> bytes:
    """Return the bytes of a request as the revision of this run has it."""
    if not world.revision.stateless:
        return request(request_id, method, params)
    meta = client_meta(world.revision, {}, {"name": "raw", "version": "0"})
    return request(request_id, method, with_envelope(params, meta))


@asynccontextmanager
async def raw_channel(world: World) -> AsyncIterator[Channel]:
    """A channel, behind the handshake where the revision has that."""
    channel = await world.dial(ours=False)
    try:
        if not world.revision.stateless:
            await within(channel.send(initialize(world.revision.date)))
            await within(channel.receive())
            await within(channel.send(INITIALIZED))
        yield channel
    finally:
        await within(channel.close())


async def received(channel: Channel) -> Any:
    data = await within(channel.receive())
    assert data is not None
    return json.loads(data)


# Changes.


@over(transports=ALL)
async def test_a_change_of_a_list_is_notified_once_and_for_no_other_list(world: World) -> None:
    client = await world.open(listen=True)
    if world.revision.stateless:
        await until(lambda: len(world.server.listeners))
    lose_tools(world)
    lose_tools(world)
    await until(lambda: world.witness.params_of("notifications/tools/list_changed"))
    await within(client.ping())
    assert len(world.witness.params_of("notifications/tools/list_changed")) == 1
    assert world.witness.params_of("notifications/prompts/list_changed") == []
    assert await within(client.list_tools()) == []


@over(transports=ALL)
async def test_subscribers_of_a_resource_and_of_its_parent_are_notified_of_an_update(world: World) -> None:
    client = await world.open()
    await within(client.subscribe("toolkit://notes/7"))
    for uri in ("toolkit://notes/7", "toolkit://notes/7/title", "toolkit://notes/8", "toolkit://notes/7"):
        world.server.resource_updated(uri)
    await until(lambda: len(world.witness.params_of("notifications/resources/updated")) == 2)
    await within(client.ping())
    uris = [params["uri"] for params in world.witness.params_of("notifications/resources/updated")]
    assert uris == ["toolkit://notes/7", "toolkit://notes/7/title"]


@over(is_stateless, ALL)
async def test_several_subscriptions_on_a_connection_end_independently(world: World) -> None:
    async with raw_channel(world) as channel:
        for request_id in (1, "1"):
            listen = message(world, request_id, "subscriptions/listen", notifications={"toolsListChanged": True})
            spawn(channel.send(listen), "listen")
            ack = await received(channel)
            assert ack["method"] == "notifications/subscriptions/acknowledged"
            assert ack["params"]["_meta"] == {SUBSCRIPTION_ID: request_id}
        await within(channel.send(notification("notifications/cancelled", requestId=1)))
        await until(lambda: len(world.server.listeners) == 1)
        lose_tools(world)
        changed = await received(channel)
        assert changed["method"] == "notifications/tools/list_changed"
        assert changed["params"]["_meta"] == {SUBSCRIPTION_ID: "1"}
    await until(lambda: not len(world.server.listeners))


@over(is_stateless, ALL)
async def test_a_server_that_ends_notifies_its_listeners(world: World) -> None:
    async with raw_channel(world) as channel:
        spawn(channel.send(message(world, 7, "subscriptions/listen", notifications={})), "listen")
        await received(channel)
        for session in list(world.server.sessions.values()):
            session.close()
        answer = await received(channel)
        assert (answer["id"], answer["result"]["resultType"]) == (7, "complete")
        assert answer["result"]["_meta"][SUBSCRIPTION_ID] == 7
        if world.transport != "http":
            # No end of a stream shows it there.
            cancelled = await received(channel)
            assert (cancelled["method"], cancelled["params"]["requestId"]) == ("notifications/cancelled", 7)


# Progress.


@over(transports=ALL)
async def test_the_last_progress_reaches_a_client_that_does_not_read_before_the_answer(world: World) -> None:
    drops = 12_000
    async with raw_channel(world) as channel:
        params = {"name": "pour", "arguments": {"drops": drops}, "_meta": {"progressToken": "p"}}
        spawn(channel.send(message(world, 7, "tools/call", **params)), "call")
        # The tool ends, though no message has been received yet.
        await within(world.toolkit.entered.wait())
        progress: list[int] = []
        while "result" not in (report := await received(channel)):
            assert report["params"]["progressToken"] == "p"
            progress.append(report["params"]["progress"])
        assert report["id"] == 7
        assert progress[-1] == drops
        assert progress == sorted(set(progress))


# Visits.


@over(lambda revision: revision.elicitation_ids)
async def test_the_end_of_a_url_elicitation_is_notified_and_the_visit_required(world: World) -> None:
    client = await world.open()
    with pytest.raises(Exception, match="Please pay"):
        await within(client.request_once("tools/call", {"name": "bill", "arguments": {}}))
    assert world.witness.params_of("notifications/elicitation/complete") == [{"elicitationId": "visit-1"}]


# Batches.


@over(has_batches, SINGLE_STREAM)
async def test_a_batch_has_a_single_response(world: World) -> None:
    async with raw_channel(world) as channel:
        adding = call(1, "tools/call", name="add", arguments={"a": 1, "b": 2})
        batch = b"[%b,%b,%b,7]" % (adding, call("2", "ping"), notification("notifications/nothing"))
        await within(channel.send(batch))
        answers = await received(channel)
        assert {answer.get("id") for answer in answers} == {1, "2", None}
        by_id = {answer.get("id"): answer for answer in answers}
        assert by_id[1]["result"]["content"][0]["text"] == "3"
        assert by_id["2"]["result"] == {}
        assert by_id[None]["error"]["code"] == -32600


@over(lambda revision: not revision.batches, SINGLE_STREAM)
async def test_a_batch_is_refused_where_the_revision_has_none(world: World) -> None:
    async with raw_channel(world) as channel:
        await within(channel.send(b"[%b]" % message(world, 1, "tools/list")))
        answer = await received(channel)
        assert answer["error"]["code"] == -32600
