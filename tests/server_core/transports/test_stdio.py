"""One client over two descriptors: what is read, what is written, and how it ends."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from server_core import Context
from server_core.protocol.envelope import client_meta
from server_core.protocol.revisions import LATEST_STATELESS
from server_core.records.tap import Kind
from server_core.runtime.background import spawn
from server_core.serving.server import Server
from server_core.settings import Settings
from server_core.transports import stdio
from server_core.transports.stdio import HIGH_WATER, FdOutlet, serve_stdio
from tests.server_core.toolkit import INITIALIZED, Records, Toolkit, call, generation, initialize, new_server
from tests.waiting import until, within


class Wire:
    """The client's ends of the pipes to a server."""

    def __init__(self, server: Server, settings: Settings) -> None:
        self.server_in, self.write_fd = os.pipe()
        self.read_fd, self.server_out = os.pipe()
        os.set_blocking(self.read_fd, False)
        self.received = bytearray()
        self.serving = spawn(
            serve_stdio(server, stdin_fd=self.server_in, stdout_fd=self.server_out, settings=settings), "serve stdio"
        )

    def write(self, *messages: bytes) -> None:
        os.write(self.write_fd, b"".join(message + b"\n" for message in messages))

    def read(self) -> bytes:
        try:
            while data := os.read(self.read_fd, 1 << 20):
                self.received += data
        except BlockingIOError:
            pass
        return bytes(self.received)

    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.read().split(b"\n")[:-1]]

    def answer(self, id: Any) -> Callable[[], Any]:
        return lambda: next((item for item in self.messages() if item.get("id") == id), None)

    def end_input(self) -> None:
        if self.write_fd >= 0:
            os.close(self.write_fd)
            self.write_fd = -1

    def end_output(self) -> None:
        if self.read_fd >= 0:
            os.close(self.read_fd)
            self.read_fd = -1

    async def close(self) -> None:
        self.end_input()
        await within(asyncio.wait([self.serving]))
        self.end_output()
        os.close(self.server_in)
        os.close(self.server_out)


@asynccontextmanager
async def connected(server: Server, settings: Settings | None = None) -> AsyncIterator[Wire]:
    wire = Wire(server, settings or Settings(shutdown_grace=1))
    try:
        yield wire
    finally:
        await wire.close()


@pytest.fixture
def toolkit() -> Toolkit:
    return Toolkit()


@pytest.fixture
def server(toolkit: Toolkit) -> Server:
    return new_server(toolkit)


async def test_messages_may_come_in_any_pieces(server: Server) -> None:
    async with connected(server) as wire:
        data = initialize() + b"\r\n\n" + INITIALIZED + b"\n" + call(1, "ping") + b"\n"
        for at in range(0, len(data), 7):
            os.write(wire.write_fd, data[at : at + 7])
            await asyncio.sleep(0)
        await until(wire.answer(1))
        assert [message["id"] for message in wire.messages()] == [0, 1]


async def test_a_last_line_without_a_newline_is_read(server: Server) -> None:
    async with connected(server) as wire:
        os.write(wire.write_fd, initialize())
        wire.end_input()
        await within(wire.serving)
        assert [message["id"] for message in wire.messages()] == [0]


async def test_invalid_json_is_answered_without_an_id(server: Server) -> None:
    records = Records(server.tap)
    async with connected(server) as wire:
        wire.write(b"hello", initialize())
        await until(wire.answer(0))
        assert wire.messages()[0]["error"]["code"] == -32700
        assert "id" not in wire.messages()[0]
        assert [record.data for record in records.of(Kind.MALFORMED)] == [b"hello"]


async def test_a_line_over_the_limit_is_refused_and_the_next_one_is_served(server: Server) -> None:
    records = Records(server.tap)
    async with connected(server, Settings(max_message_bytes=500)) as wire:
        wire.write(b'{"x":"' + b"y" * 20_000 + b'"}', initialize())
        await until(wire.answer(0))
        assert wire.messages()[0]["error"] == {
            "code": -32600,
            "message": "Invalid request: the message is longer than 500 bytes",
        }
        assert records.of(Kind.MALFORMED)[0].data.startswith(b'{"x":"yyy')


async def test_calls_in_flight_at_the_end_of_input_are_still_answered(toolkit: Toolkit, server: Server) -> None:
    async with connected(server) as wire:
        wire.write(initialize(), INITIALIZED, call(1, "tools/call", name="wait"))
        await within(toolkit.entered.wait())
        wire.end_input()
        toolkit.gate.set()
        await within(wire.serving)
        assert wire.messages()[-1]["result"]["content"][0]["text"] == "through"


async def test_calls_that_take_too_long_after_the_end_of_input_are_cancelled(toolkit: Toolkit, server: Server) -> None:
    async with connected(server, Settings(shutdown_grace=0.01)) as wire:
        wire.write(initialize(), INITIALIZED, call(1, "tools/call", name="wait"))
        await within(toolkit.entered.wait())
        wire.end_input()
        await within(wire.serving)
        await within(toolkit.cancelled.wait())


def listening(id: int) -> bytes:
    meta = client_meta(LATEST_STATELESS, {}, {"name": "tester", "version": "0"})
    return call(id, "subscriptions/listen", _meta=meta, notifications={"toolsListChanged": True})


async def test_the_end_of_input_does_not_wait_for_listeners(server: Server) -> None:
    async with connected(server, Settings(shutdown_grace=60)) as wire:
        wire.write(listening(1))
        await until(wire.messages)
        wire.end_input()
        await within(wire.serving)
        assert [message.get("id") for message in wire.messages()] == [None, 1, None]


async def test_listeners_are_notified_when_the_server_is_terminated(server: Server) -> None:
    async with connected(server) as wire:
        wire.write(listening(1))
        await until(wire.messages)
        wire.serving.cancel()
        await within(asyncio.wait([wire.serving]))
        ack, answer, cancelled = wire.messages()
        assert ack["method"] == "notifications/subscriptions/acknowledged"
        assert (answer["id"], answer["result"]["resultType"]) == (1, "complete")
        assert (cancelled["method"], cancelled["params"]["requestId"]) == ("notifications/cancelled", 1)


async def test_a_client_that_does_not_read_does_not_block_a_tool_that_reports(toolkit: Toolkit, server: Server) -> None:
    steps = HIGH_WATER // 50

    async def report(context: Context) -> str:
        """Report more than there is room for."""
        for step in range(steps):
            await context.progress.report(step)
        toolkit.entered.set()
        return "done"

    toolkit.app.tools.add(report)
    server.swap(generation(toolkit.catalog(), toolkit.app))
    async with connected(server) as wire:
        wire.write(initialize(), INITIALIZED, call(1, "tools/call", name="report", _meta={"progressToken": "p"}))
        await within(toolkit.entered.wait())
        await until(wire.answer(1))
        _, *reports, answer = [item for item in wire.messages() if "list_changed" not in item.get("method", "")]
        progress = [item["params"]["progress"] for item in reports]
        assert len(progress) < steps
        assert progress == sorted(set(progress))
        assert progress[-1] == steps - 1
        assert answer["id"] == 1


async def test_a_tool_that_requests_input_gets_an_error_when_the_client_can_no_longer_answer(server: Server) -> None:
    async with connected(server) as wire:
        wire.write(initialize(elicitation={}), INITIALIZED, call(1, "tools/call", name="ask_name"))
        await until(lambda: len(wire.messages()) == 2)
        wire.end_input()
        await within(wire.serving)
        assert wire.messages()[-1]["result"]["isError"] is True


async def test_a_client_that_closes_its_end_ends_the_session_quietly(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    async with connected(server) as wire:
        wire.end_output()
        wire.write(initialize())
        await within(wire.serving)
    assert not caplog.records


async def test_a_client_that_does_not_read_is_not_read_from(server: Server) -> None:
    async with connected(server) as wire:
        wire.write(initialize(), INITIALIZED)
        await until(wire.answer(0))
        os.set_blocking(wire.write_fd, False)
        asked = 0
        while await _can_write(wire, call(f"list {asked}", "tools/list") + b"\n"):
            asked += 1
            assert asked < 50_000, "the server continues to read although its responses are not read"
        os.set_blocking(wire.write_fd, True)
        await until(lambda: wire.read().count(b"\n") == asked + 1)


async def test_a_client_that_requests_much_at_once_is_slowed_down_and_loses_nothing(
    server: Server, toolkit: Toolkit
) -> None:
    async with connected(server, Settings(shutdown_grace=1)) as wire:
        wire.write(initialize(), INITIALIZED)
        await until(wire.answer(0))
        asked = range(1, 10_001)
        data = b"".join(call(id, "tools/call", name="wait") + b"\n" for id in asked)
        writing = spawn(asyncio.to_thread(_write_all, wire.write_fd, data), "write")
        session = server.sessions["s1"]
        await until(lambda: session.full)
        assert not writing.done()
        toolkit.gate.set()
        await within(writing)
        await until(lambda: wire.read().count(b"\n") == len(asked) + 1)
        assert sorted(message["id"] for message in wire.messages() if "result" in message) == [0, *asked]


async def test_a_client_that_disconnects_while_it_is_blocked_ends_the_session(toolkit: Toolkit) -> None:
    server = new_server(toolkit, settings=Settings(max_calls=1))
    async with connected(server) as wire:
        wire.write(initialize(), INITIALIZED)
        await until(wire.answer(0))
        wire.write(*(call(id, "tools/call", name="wait") for id in (1, 2)))
        await until(lambda: server.sessions["s1"].full)
        wire.end_output()
        server.sessions["s1"].notify("notifications/message", {"level": "info", "data": "x"})
        await within(wire.serving)
        await within(toolkit.cancelled.wait())


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


async def _can_write(wire: Wire, data: bytes) -> bool:
    """Write, and let the server read when there is no room; False when that does not help."""
    for _ in range(20):
        try:
            os.write(wire.write_fd, data)
        except BlockingIOError:
            await asyncio.sleep(0)
        else:
            return True
    return False


async def test_responses_to_a_single_read_are_sent_in_a_single_write(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[bytes] = []
    real = os.write

    async with connected(server) as wire:
        wire.write(initialize())
        await until(wire.answer(0))

        def watched(fd: int, data: bytes) -> int:
            if fd == wire.server_out:
                writes.append(bytes(data))
            return real(fd, data)

        monkeypatch.setattr(os, "write", watched)
        wire.write(*(call(id, "ping") for id in range(1, 11)))
        await until(wire.answer(10))
    assert len(writes) == 1


async def test_a_call_that_runs_when_the_server_has_to_end_is_answered(toolkit: Toolkit, server: Server) -> None:
    async with connected(server, Settings(shutdown_grace=20)) as wire:
        wire.write(initialize(), INITIALIZED, call(1, "tools/call", name="wait", arguments={}))
        await within(toolkit.entered.wait())
        wire.serving.cancel()
        toolkit.gate.set()
        with pytest.raises(asyncio.CancelledError):
            await within(wire.serving)
        assert wire.answer(1)()["result"]["content"][0]["text"] == "through"


async def test_a_second_signal_ends_it_at_once(toolkit: Toolkit, server: Server) -> None:
    async with connected(server, Settings(shutdown_grace=20)) as wire:
        wire.write(initialize(), INITIALIZED, call(1, "tools/call", name="wait", arguments={}))
        await within(toolkit.entered.wait())
        wire.serving.cancel()
        await asyncio.sleep(0)
        wire.serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await within(wire.serving)
        await within(toolkit.cancelled.wait())
        assert wire.answer(1)() is None


async def test_files_can_be_used_instead_of_pipes(server: Server, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(initialize() + b"\n" + call(1, "ping") + b"\n")
    with open(tmp_path / "in", "rb") as source, open(tmp_path / "out", "wb") as target:
        await within(
            serve_stdio(
                server, stdin_fd=source.fileno(), stdout_fd=target.fileno(), settings=Settings(shutdown_grace=1)
            )
        )
    lines = (tmp_path / "out").read_bytes().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [0, 1]


class Pipe:
    """A pipe whose write end an outlet has."""

    def __init__(self) -> None:
        self.read_fd, self.write_fd = os.pipe()
        self.outlet = FdOutlet(self.write_fd)

    def close(self) -> None:
        self.outlet.close()
        os.close(self.write_fd)
        os.close(self.read_fd)


@pytest.fixture
async def pipe() -> AsyncIterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()


async def test_a_message_larger_than_the_pipe_is_written_in_pieces(pipe: Pipe) -> None:
    message = b"x" * 1_000_000
    pipe.outlet.send(message, None)
    received = b""
    while len(received) <= len(message):
        received += await asyncio.to_thread(os.read, pipe.read_fd, 65536)
    assert received == message + b"\n"
    await within(pipe.outlet.wait_until_flushed())


async def test_a_sender_waits_while_the_client_does_not_read(pipe: Pipe) -> None:
    pipe.outlet.send(b"x" * 2 * HIGH_WATER, None)
    draining = spawn(pipe.outlet.drain(), "drain")
    for _ in range(5):
        await asyncio.sleep(0)
    assert not draining.done()
    taken = 0
    while taken < 2 * HIGH_WATER:
        taken += len(await asyncio.to_thread(os.read, pipe.read_fd, 65536))
    await within(draining)


async def test_a_client_that_never_reads_counts_as_disconnected(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "MAX_UNREAD", 1_000_000)
    broken = asyncio.Event()
    pipe.outlet.on_broken = broken.set
    for _ in range(12):
        pipe.outlet.send(b"x" * 100_000, None)
    assert broken.is_set()
    await within(pipe.outlet.drain())
    await within(pipe.outlet.wait_until_flushed())


async def test_the_flags_of_the_descriptor_are_restored() -> None:
    pipe = Pipe()
    assert not os.get_blocking(pipe.write_fd)
    pipe.outlet.close()
    assert os.get_blocking(pipe.write_fd)
    pipe.close()
