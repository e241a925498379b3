"""Holding messages over the link: the verbs, their errors, and what happens when operators leave."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from server_core.core import Core
from server_core.errors import RemoteError
from server_core.link.control import FORBIDDEN, REFUSED
from server_core.protocol.codes import INVALID_PARAMS
from server_core.runtime.background import spawn
from tests.small_project import small_project
from tests.waiting import LIMIT, until, within
from workbench.client.session import ClientSession
from workbench.link.cores import find_core
from workbench.link.link import Link
from workbench.link.local import LocalLink
from workbench.link.remote import RemoteLink


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    core = Core(project=small_project(tmp_path / "small"))
    await core.start()
    await core.wait_loaded()
    yield core
    await core.stop()


@pytest.fixture(params=["local", "remote"])
async def link(core: Core, request: pytest.FixtureRequest) -> AsyncIterator[Link]:
    link = await open_link(core, request.param)
    yield link
    await within(link.close())


async def open_link(core: Core, where: str, role: str = "admin") -> Link:
    if where == "local":
        return LocalLink(core, role)
    return await within(RemoteLink.connect(find_core(core.id), role))


async def held_by(link: Link) -> list[dict[str, Any]]:
    """Wait until messages are held, and return them."""
    async with asyncio.timeout(LIMIT):
        while not (held := (await link.request("hold/list"))["held"]):
            await asyncio.sleep(0.005)
    return list(held)


async def test_a_call_of_the_terminals_own_session_waits_and_is_answered_by_hand(link: Link) -> None:
    await link.request("hold/set", {"filter": "method:tools/call"})
    session = await within(ClientSession.open(await link.open_session()))
    call = session.call_tool("shout", {"text": "Ada"})
    [message] = await held_by(link)
    assert (message["method"], message["name"], message["direction"], message["seconds_left"]) == (
        "tools/call",
        "shout",
        "in",
        None,
    )
    result = {"content": [{"type": "text", "text": "by hand"}]}
    answered = await link.request("hold/answer", {"id": message["id"], "result": result})
    assert answered == {"state": "answered", "passed": []}
    assert (await within(call.result()))["content"][0]["text"] == "by hand"
    await within(session.close())


async def test_an_edited_call_names_the_record_that_was_passed_on(link: Link) -> None:
    await link.request("hold/set", {"filter": "method:tools/call dir:in"})
    session = await within(ClientSession.open(await link.open_session()))
    call = session.call_tool("shout", {"text": "Ada"})
    [message] = await held_by(link)
    [record] = (await link.request("records/get", {"seqs": [message["id"]]}))["records"]
    edited = record["data"].replace("Ada", "Grace")
    passed = (await link.request("hold/edit", {"id": message["id"], "text": edited}))["passed"]
    assert "GRACE" in (await within(call.result()))["content"][0]["text"]
    [record] = (await link.request("records/get", {"seqs": passed}))["records"]
    assert record["data"] == edited
    await within(session.close())


async def test_messages_pass_once_the_operator_that_holds_them_has_left(core: Core) -> None:
    operator, viewer = await open_link(core, "remote"), await open_link(core, "remote", "viewer")
    await operator.request("hold/set", {"filter": ""})
    channel = LocalLink(core)
    session = spawn(ClientSession.open(await channel.open_session()), "open")
    await held_by(operator)
    await within(channel.request("hold/list"))
    await within(operator.close())
    await until(lambda: core.holds.filter is None)
    # Although the link of the session is an operator as well.
    await within((await within(session)).close())
    await within(channel.close())
    assert core.tap.interceptor is None
    await within(viewer.close())


async def test_a_viewer_can_neither_hold_nor_release(core: Core) -> None:
    viewer = await open_link(core, "local", "viewer")
    for method in ("hold/set", "hold/list", "hold/release", "hold/clear"):
        with pytest.raises(RemoteError) as refusal:
            await viewer.request(method, {"filter": ""})
        assert refusal.value.code == FORBIDDEN
    await viewer.close()


@pytest.mark.parametrize(
    ("method", "params", "code", "text"),
    [
        ("hold/set", {"filter": "(a"}, REFUSED, "this bracket is not closed"),
        ("hold/set", {"filter": 5}, INVALID_PARAMS, '"filter" must be a string'),
        ("hold/set", {"filter": "", "client_timeout": 0}, INVALID_PARAMS, "at least 0.1"),
        ("hold/set", {"filter": "", "client_timeout": True}, INVALID_PARAMS, "a number"),
        ("hold/release", {"id": "1"}, INVALID_PARAMS, "the number of a held message"),
        ("hold/release", {"id": 99999}, REFUSED, "No message with the number 99999 is held"),
        ("hold/edit", {"id": 1}, INVALID_PARAMS, '"text" must be a string'),
        ("hold/delay", {"id": 1, "ms": -1}, INVALID_PARAMS, '"ms" must be a number'),
        ("hold/duplicate", {"id": 1, "copies": "2"}, INVALID_PARAMS, '"copies" must be an integer'),
        ("hold/answer", {"id": 1}, INVALID_PARAMS, 'either "result" or "error"'),
        ("hold/answer", {"id": 1, "result": {}, "error": {}}, INVALID_PARAMS, 'either "result" or "error"'),
        ("hold/answer", {"id": 1, "result": []}, INVALID_PARAMS, "must be an object"),
        ("hold/answer", {"id": 1, "error": {"code": 1}}, INVALID_PARAMS, "with a message"),
    ],
)
async def test_invalid_params_are_refused_with_the_reason(
    link: Link, method: str, params: dict[str, Any], code: int, text: str
) -> None:
    with pytest.raises(RemoteError) as refusal:
        await link.request(method, params)
    assert refusal.value.code == code
    assert text in refusal.value.message
