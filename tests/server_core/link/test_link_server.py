"""The link's socket: who may connect, what bad input gets, and that a viewer that does not read affects no other."""

import json
import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect, unix_connect
from websockets.exceptions import InvalidStatus

from server_core.core import Core
from server_core.link.descriptor import Descriptor, descriptor_path
from server_core.link.link_server import LinkServer
from server_core.link.roles import Role, sign_token
from server_core.records.tap import Kind
from server_core.settings import Settings
from tests.small_project import small_project
from tests.waiting import until, within


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    core = Core(project=small_project(tmp_path / "small"), id="c1")
    await core.start()
    yield core
    await within(core.stop())


@asynccontextmanager
async def connected(path: str = "/control", role: Role = Role.ADMIN, **headers: str) -> AsyncIterator[ClientConnection]:
    async with connecting(path, role, **headers) as connection:
        yield connection


def connecting(path: str = "/control", role: Role = Role.ADMIN, **headers: str) -> connect:
    descriptor = Descriptor.read(descriptor_path("c1"))
    shown = {"Authorization": f"Bearer {sign_token(descriptor.key, role)}"} | headers
    return unix_connect(descriptor.socket, f"ws://localhost{path}", additional_headers=shown, max_size=None)


async def ask(connection: ClientConnection, text: str | bytes) -> Any:
    await connection.send(text)
    return json.loads(await within(connection.recv()))


async def test_socket_and_descriptor_are_for_their_owner_alone(core: Core) -> None:
    descriptor = Descriptor.read(descriptor_path("c1"))
    assert descriptor.pid == os.getpid()
    assert stat.S_IMODE(Path(descriptor.socket).parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(descriptor_path("c1").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/control", {"Authorization": ""}, 401),
        ("/control", {"Authorization": "Bearer nonsense"}, 401),
        ("/control", {"Authorization": f"Bearer {sign_token('other key', Role.ADMIN)}"}, 401),
        ("/control", {"Authorization": f"Basic {sign_token('other key', Role.ADMIN)}"}, 401),
        ("/", {}, 404),
        ("/control/x", {}, 404),
    ],
    ids=["no token", "noise", "other key", "other scheme", "root", "unknown path"],
)
async def test_a_connection_without_a_token_of_this_core_is_refused(
    core: Core, path: str, headers: dict[str, str], status: int
) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        async with connected(path, **headers):
            pass
    assert refusal.value.response.status_code == status


async def test_an_expired_token_is_refused(core: Core) -> None:
    key = Descriptor.read(descriptor_path("c1")).key
    with pytest.raises(InvalidStatus) as refusal:
        async with connected(Authorization=f"Bearer {sign_token(key, Role.ADMIN, -10)}"):
            pass
    assert refusal.value.response.status_code == 401


async def test_a_viewer_gets_no_session(core: Core) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        async with connected("/mcp", Role.VIEWER):
            pass
    assert refusal.value.response.status_code == 403


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", -32700),
        ("[]", -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": "fly"}', -32601),
        (b"\xff\xfe", -32700),
    ],
    ids=["cut off", "batch", "no method", "unknown", "binary"],
)
async def test_an_invalid_frame_is_answered_with_an_error_and_the_link_continues(
    core: Core, text: str | bytes, code: int
) -> None:
    async with connected() as connection:
        assert (await ask(connection, text))["error"]["code"] == code
        await connection.send('{"jsonrpc": "2.0", "method": "an unknown notification"}')
        await connection.send('{"jsonrpc": "2.0", "id": 7, "result": {}}')
        answer = await ask(connection, '{"jsonrpc": "2.0", "id": "a", "method": "core/info"}')
        assert (answer["id"], answer["result"]["id"]) == ("a", "c1")


async def test_an_internal_error_is_answered_and_logged_and_the_link_continues(
    core: Core, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Core, "sessions", property(lambda self: 1 / 0))
    async with connected() as connection:
        answer = await ask(connection, '{"jsonrpc": "2.0", "id": 1, "method": "sessions/list"}')
        assert answer["error"] == {"code": -32603, "message": "Internal error: ZeroDivisionError"}
        assert "sessions/list of the link failed" in caplog.text
        assert "result" in await ask(connection, '{"jsonrpc": "2.0", "id": 2, "method": "core/info"}')
    monkeypatch.undo()


async def test_a_frame_that_is_too_long_ends_only_its_own_connection(core: Core) -> None:
    async with connected() as other:
        connection = await connecting()
        await connection.send("x" * (core.settings.max_message_bytes + 1))
        await within(connection.wait_closed())
        assert connection.close_code == 1009
        assert "result" in await ask(other, '{"jsonrpc": "2.0", "id": 2, "method": "core/info"}')


async def test_the_settings_limit_the_length_of_a_frame(tmp_path: Path) -> None:
    settings = Settings(max_message_bytes=2000)
    core = Core(project=small_project(tmp_path / "small"), id="c1", settings=settings, capture=False)
    await core.start()
    try:
        async with connected() as connection:
            await connection.send("x" * 2001)
            await within(connection.wait_closed())
            assert connection.close_code == 1009
    finally:
        await within(core.stop())


async def test_a_viewer_that_does_not_read_blocks_neither_the_core_nor_other_viewers(core: Core) -> None:
    subscribe = '{"jsonrpc": "2.0", "id": 1, "method": "records/subscribe"}'
    async with connected() as stuck, connected() as quick:
        await stuck.send(subscribe)
        await quick.send(subscribe)
        last = 0
        for _ in range(20):
            for _ in range(100):
                last = core.tap.emit(Kind.STDOUT, b"x" * 20_000).seq
            assert await seqs_until(quick, last)
        # Forty megabytes have gone by; what the other did not take it can still have.
        assert await seqs_until(stuck, last) == list(range(1, last + 1))


async def seqs_until(connection: ClientConnection, last: int) -> list[int]:
    seqs: list[int] = []
    while not seqs or seqs[-1] < last:
        message = json.loads(await within(connection.recv()))
        if message.get("method") == "records":
            assert message["params"]["dropped"] == 0
            seqs += [record["seq"] for record in message["params"]["records"]]
    return seqs


async def test_a_second_subscription_replaces_the_first(core: Core) -> None:
    core.tap.emit(Kind.STDOUT, b"x")
    async with connected() as connection:
        for request_id in (1, 2):
            await connection.send(f'{{"jsonrpc": "2.0", "id": {request_id}, "method": "records/subscribe"}}')
            assert (await seqs_until(connection, core.tap.last_seq))[0] == 1


async def test_a_killed_terminal_leaves_no_task_and_no_connection(core: Core) -> None:
    async with connected() as connection, connected("/mcp") as session:
        await connection.send('{"jsonrpc": "2.0", "id": 1, "method": "records/subscribe"}')
        await within(connection.recv())
        await session.send(
            '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": '
            '{"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}'
        )
        await within(session.recv())
        connection.transport.abort()
        session.transport.abort()
    await until(lambda: all(item.describe()["closed"] for item in core.sessions))


async def test_a_connection_without_a_request_is_not_logged(core: Core, caplog: pytest.LogCaptureFixture) -> None:
    from server_core.link.descriptor import is_listening

    assert is_listening(Path(Descriptor.read(descriptor_path("c1")).socket))
    async with connected() as connection:
        await ask(connection, '{"jsonrpc": "2.0", "id": 2, "method": "core/info"}')
    assert caplog.records == []


async def test_a_link_that_was_never_opened_can_be_closed(tmp_path: Path) -> None:
    core = Core(project=small_project(tmp_path / "small"), link=False, capture=False)
    link = LinkServer(core)
    link.publish()
    await link.stop()
