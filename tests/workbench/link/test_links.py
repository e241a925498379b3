"""A link is the same whether its core runs in this process or in another: one body over both."""

import asyncio
import gc
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from server_core.core import Core
from server_core.errors import ConnectionFailed, RemoteError
from server_core.link.control import FORBIDDEN, METHODS, REFUSED
from server_core.link.roles import Role
from server_core.protocol.jsonrpc import request
from server_core.records.tap import Kind, Record
from server_core.runtime.background import spawn
from tests.small_project import small_project
from tests.waiting import until, within
from workbench.link.cores import find_core
from workbench.link.link import Link
from workbench.link.local import LocalLink
from workbench.link.remote import RemoteLink

SECRET = "a-value-nobody-may-see"
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    core = Core(project=small_project(tmp_path / "small"))
    await core.start()
    yield core
    await core.stop()


class Links:
    """Opens links to one core, and closes them."""

    def __init__(self, core: Core, where: str) -> None:
        self.core = core
        self.opened: list[Link] = []
        self._where = where

    async def open(self, role: str = "admin") -> Link:
        link: Link
        if self._where == "local":
            link = LocalLink(self.core, role)
        else:
            link = await within(RemoteLink.connect(find_core(self.core.id), role))
        self.opened.append(link)
        return link


@pytest.fixture(params=["local", "remote"])
async def links(core: Core, request: pytest.FixtureRequest) -> AsyncIterator[Links]:
    links = Links(core, request.param)
    yield links
    for link in links.opened:
        await within(link.close())


async def records_of(link: Link, last: int) -> list[Record]:
    """Drain a link until the record with this number has come."""
    arrived = asyncio.Event()
    link.on_records = arrived.set
    records: list[Record] = []
    while not records or records[-1].seq < last:
        if more := link.drain(100):
            records += more
        else:
            arrived.clear()
            await within(arrived.wait())
    return records


async def loaded(core: Core) -> None:
    await asyncio.wait_for(core.wait_loaded(), 20)


async def test_a_link_knows_its_core(links: Links) -> None:
    link = await links.open()
    assert link.info["id"] == links.core.id
    assert link.info["project"] == links.core.title
    assert link.info["role"] == "admin"
    await loaded(links.core)
    assert (await link.request("core/info"))["loaded"] is True


async def test_records_come_from_the_first_on_once_each_and_in_order(links: Links) -> None:
    core = links.core
    await loaded(core)
    link = await links.open()
    await link.subscribe()
    core.tap.emit(Kind.STDOUT, b"\xff no text")
    last = core.tap.emit(Kind.STDOUT, b"last")
    records = await records_of(link, last.seq)
    assert [record.seq for record in records] == list(range(1, last.seq + 1))
    assert records[0].data.startswith(b'{"event": "core_started"')
    assert records[-2].data == b"\xff no text"
    assert records[-1] == last
    assert link.dropped == 0


async def test_a_terminal_that_reconnects_gets_only_records_that_it_has_not_seen(links: Links) -> None:
    core = links.core
    await loaded(core)
    link = await links.open()
    seen = core.tap.last_seq
    await link.subscribe(seen)
    last = core.tap.emit(Kind.STDOUT, b"new")
    assert await records_of(link, last.seq) == [last]


async def test_more_records_than_memory_holds_come_from_the_capture(links: Links) -> None:
    core = links.core
    await loaded(core)
    core.backlog._most_records = 100
    for _ in range(1500):
        core.tap.emit(Kind.STDOUT, b"x")
    link = await links.open()
    await link.subscribe()
    last = core.tap.emit(Kind.STDOUT, b"last")
    records = await records_of(link, last.seq)
    assert [record.seq for record in records] == list(range(1, last.seq + 1))


async def test_single_records_can_be_fetched_again(links: Links) -> None:
    link = await links.open()
    record = links.core.tap.emit(Kind.STDOUT, b"fetch me")
    answer = await link.request("records/get", {"seqs": [record.seq, 9999]})
    assert [Record.from_wire(item) for item in answer["records"]] == [record]


async def test_the_catalog_has_what_clients_see_and_its_sources(links: Links) -> None:
    link = await links.open()
    await loaded(links.core)
    catalog = await link.request("catalog/get")
    assert catalog["ok"] is True
    assert catalog["generation"] == 1
    assert catalog["problems"] == []
    tools = {tool["name"]: tool for tool in catalog["tools"]}
    assert sorted(tools) == ["add", "shout", "show_secret"]
    assert tools["add"]["inputSchema"]["required"] == ["a", "b"]
    assert tools["add"]["source"] == {"file": str(Path(links.core.title) / "tools.py"), "line": 5}
    assert tools["show_secret"]["secrets"] == ["API_KEY"]


async def call(channel: Any, id: int, method: str, params: dict[str, Any]) -> bytes:
    await within(channel.send(request(id, method, params)))
    answer = await within(channel.receive())
    assert isinstance(answer, bytes)
    return answer


async def test_a_session_calls_tools_and_its_wire_is_recorded(links: Links) -> None:
    await loaded(links.core)
    link = await links.open("operator")
    await link.subscribe()
    channel = await within(link.open_session())
    assert b'"protocolVersion":"2025-11-25"' in await call(channel, 1, "initialize", INITIALIZE)
    answer = await call(channel, 2, "tools/call", {"name": "add", "arguments": {"a": 2, "b": 3}})
    assert b'"structuredContent":{"result":5}' in answer
    records = await records_of(link, links.core.tap.last_seq)
    assert records[-1].data == answer
    (session,) = (await link.request("sessions/list"))["sessions"]
    assert session["client"] == {"name": "test", "version": "1"}
    await channel.close()


async def test_a_secret_can_be_set_and_used_and_is_never_seen(links: Links) -> None:
    core = links.core
    await loaded(core)
    link = await links.open()
    await link.subscribe()
    channel = await within(link.open_session())
    await call(channel, 1, "initialize", INITIALIZE)
    (before,) = (await link.request("secrets/list"))["secrets"]
    assert (before["key"], before["tools"], before["is_set"]) == ("API_KEY", ["show_secret"], False)
    await link.request("secrets/set", {"key": "API_KEY", "value": SECRET})
    answer = await link.request("secrets/list")
    assert answer["secrets"][0]["is_set"] is True
    assert SECRET not in str(answer)
    # The tool gives the secret away; neither the terminal that asked nor any record shows it.
    assert b"<secret API_KEY>" in await call(channel, 2, "tools/call", {"name": "show_secret", "arguments": {}})
    records = await records_of(link, core.tap.last_seq)
    assert b'"secrets_changed", "key": "API_KEY"' in b"".join(record.data for record in records)
    assert SECRET.encode() not in b"".join(record.data for record in records)
    await link.request("secrets/unset", {"key": "API_KEY"})
    assert (await link.request("secrets/list"))["secrets"][0]["is_set"] is False
    await channel.close()


async def test_storing_a_secret_blocks_no_other_request(links: Links, monkeypatch: pytest.MonkeyPatch) -> None:
    await loaded(links.core)
    link = await links.open()
    asked, go_on = threading.Event(), threading.Event()

    def keep(key: str, value: str, place: str) -> None:
        asked.set()
        assert go_on.wait(5)

    monkeypatch.setattr(links.core, "set_secret", keep)
    setting = spawn(link.request("secrets/set", {"key": "API_KEY", "value": SECRET}), "set a secret")
    await until(asked.is_set)
    assert (await within(link.request("core/info")))["loaded"] is True
    go_on.set()
    await within(setting)


async def test_the_tools_can_be_reloaded(links: Links) -> None:
    await loaded(links.core)
    link = await links.open()
    folder = Path(links.core.title)
    (folder / "tools.py").write_text("from server_core import tool\n\n@tool\ndef fresh() -> str:\n    return 'new'\n")
    catalog = await link.request("core/reload")
    assert [tool["name"] for tool in catalog["tools"]] == ["fresh"]
    assert catalog["generation"] == 2


async def test_http_can_be_opened_and_is_opened_once(links: Links) -> None:
    link = await links.open()
    url = (await link.request("core/http"))["url"]
    assert url.startswith("http://127.0.0.1:")
    assert (await link.request("core/http"))["url"] == url
    assert (await link.request("core/info"))["http_url"] == url
    assert find_core(links.core.id).http == url


async def test_http_that_was_opened_can_be_closed_and_opened_again(links: Links) -> None:
    link = await links.open()
    await link.request("core/stop_http")
    for _ in range(2):
        url = (await link.request("core/http"))["url"]
        await within(link.request("core/stop_http"))
        assert (await link.request("core/info"))["http_url"] is None
        assert find_core(links.core.id).http is None
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", int(url.split(":")[2].split("/")[0]))


async def test_http_on_a_port_in_use_is_refused_with_what_to_do(links: Links) -> None:
    link = await links.open()
    other = asyncio.get_running_loop().create_server(asyncio.Protocol, "127.0.0.1", 0)
    async with await other as taken:
        port = taken.sockets[0].getsockname()[1]
        with pytest.raises(RemoteError, match=f"Port {port} on 127.0.0.1 is in use") as refusal:
            await link.request("core/http", {"port": port})
    assert refusal.value.code == REFUSED
    assert (await link.request("core/info"))["http_url"] is None


async def test_a_stopping_core_sends_its_last_record_and_ends_the_link(links: Links) -> None:
    link = await links.open()
    await link.subscribe()
    assert await link.request("core/stop") == {}
    await within(links.core.stop_requested.wait())
    await within(links.core.stop())
    await within(link.closed.wait())
    records = link.drain(1000)
    assert b'"core_stopped"' in records[-1].data
    assert any(b'"stop_ordered"' in record.data for record in records)
    with pytest.raises(ConnectionFailed):
        await link.request("core/info")
    with pytest.raises(ConnectionFailed):
        await link.open_session()


@pytest.mark.parametrize("method", [method for method, (role, _) in METHODS.items() if role is Role.ADMIN])
async def test_a_viewer_sees_and_changes_nothing(links: Links, method: str) -> None:
    link = await links.open("viewer")
    with pytest.raises(RemoteError, match=f"{method} needs the role admin; yours is viewer") as refusal:
        await link.request(method)
    assert refusal.value.code == FORBIDDEN
    with pytest.raises(ConnectionFailed):
        await link.open_session()


@pytest.mark.parametrize(
    ("method", "params", "complaint"),
    [
        ("core/fly", {}, "Method not found: core/fly"),
        ("records/subscribe", {"after": "x"}, '"after" must be an integer'),
        ("records/subscribe", {"after": 99999}, "the newest record of this core is"),
        ("records/subscribe", {"after": -1}, "the newest record of this core is"),
        ("records/get", {}, '"seqs" must be a list'),
        ("records/get", {"seqs": ["1"]}, '"seqs" must be a list'),
        ("records/get", {"seqs": [1] * 600}, "at most 512"),
        ("secrets/set", {"key": "A"}, '"value" must be a string'),
        ("secrets/set", {"key": 7, "value": "x"}, '"key" must be a string'),
        (
            "secrets/set",
            {"key": "A", "value": "x", "place": "attic"},
            '"place" must be one of env-file, keyring, vault',
        ),
        ("core/http", {"port": "80"}, '"port" must be an integer'),
    ],
)
async def test_an_invalid_request_is_refused_with_the_reason(
    links: Links, method: str, params: dict[str, Any], complaint: str
) -> None:
    link = await links.open()
    with pytest.raises(RemoteError, match=complaint):
        await link.request(method, params)


async def test_leaving_twice_is_harmless_and_the_core_continues(links: Links) -> None:
    link = await links.open()
    await link.subscribe()
    await within(link.close())
    await within(link.close())
    assert link.closed.is_set()
    other = await links.open()
    assert (await other.request("core/info"))["id"] == links.core.id


async def test_an_unknown_role_is_refused(links: Links) -> None:
    with pytest.raises(ValueError, match="use viewer, operator or admin"):
        await links.open("emperor")


async def test_a_connection_that_ends_while_a_request_is_sent_leaves_no_unawaited_error(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = await within(RemoteLink.connect(find_core(core.id)))
    send = link._connection.send

    async def send_too_late(*arguments: Any, **options: Any) -> None:
        await core.stop()
        await link.closed.wait()
        await send(*arguments, **options)

    monkeypatch.setattr(link._connection, "send", send_too_late)
    with pytest.raises(ConnectionFailed):
        await within(link.request("core/info"))
    gc.collect()  # The test fails if this finds an exception that was never retrieved.
    await link.close()
