"""Independent clients without a session: identical in everything, even the ids of their requests."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from server_core import Context, MCPApp
from server_core.errors import ConnectionFailed
from server_core.process.stdio_guard import StdioGuard
from server_core.protocol.codes import INVALID_REQUEST
from server_core.protocol.envelope import TASKS_EXTENSION, client_meta, with_envelope
from server_core.protocol.jsonrpc import request
from server_core.protocol.revisions import LATEST_STATELESS
from server_core.records.tap import Kind
from server_core.runtime.background import spawn
from server_core.transports.channel import Channel
from tests.conversations.conftest import World, over
from tests.conversations.test_notifications import ALL, message, raw_channel, received
from tests.server_core.toolkit import Records, generation, notification
from tests.waiting import until, within
from workbench.model.traffic.entry import CANCELLED, ERROR, OK, Entry
from workbench.model.traffic.timeline import Timeline
from workbench.replay.recording import Sent
from workbench.replay.recording_reader import recording_of

NAMES = ("ada", "bob")
ID = 7
FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
stateless = over(lambda revision: revision.stateless, ALL)


class Twins:
    """Two indistinguishable clients, and the tools that they call, each of which waits for its own gate."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.records = Records(world.server.tap)
        self.gates = {name: asyncio.Event() for name in NAMES}
        self.entered: list[str] = []
        self.cancelled: list[str] = []
        self.channels: dict[str, Channel] = {}
        app = MCPApp("twins", "1.0", toolkit="")

        @app.tool
        async def work(context: Context, who: str) -> str:
            """Leave traces of every kind, wait, and leave some more."""
            try:
                await self._leave_traces(context, who, 1)
                print(f"{who} was", end=" ")
                self.entered.append(who)
                await self.gates[who].wait()
                print("here")
                await self._leave_traces(context, who, 2)
            except asyncio.CancelledError:
                self.cancelled.append(who)
                raise
            return who

        @app.tool
        async def ask(context: Context, who: str) -> str:
            """Ask, and print what was answered."""
            answer = await context.ui.elicit(f"Are you {who}?", FORM)
            print(who, "asked")
            return f"{who}: {(answer.content or {})['name']}"

        @app.tool
        async def stay(context: Context, who: str) -> str:
            """Run as a task."""
            assert await context.become_task()
            await self.gates[who].wait()
            print(who, "stayed")
            return who

        catalog, problems = app.build()
        assert not problems
        world.server.swap(generation(catalog, app, number=2))

    async def _leave_traces(self, context: Context, who: str, step: int) -> None:
        print(who, "prints")
        await context.log.info(f"{who} logs")
        await context.progress.report(step, message=f"{who} reports")

    async def send(self, who: str, tool: str, **params: Any) -> None:
        """Call a tool on the connection of a client."""
        self.channels[who] = self.channels.get(who) or await self.world.dial(ours=False)
        capabilities = {"elicitation": {}, "extensions": {TASKS_EXTENSION: {}}}
        meta = client_meta(LATEST_STATELESS, capabilities, {"name": "twin", "version": "0"}, "info")
        call = {"name": tool, "arguments": {"who": who}, "_meta": {"progressToken": "p"}, **params}
        data = request(ID, "tools/call", with_envelope(call, meta))
        # Over HTTP it returns with the answer, or fails when that is not wanted any more.
        spawn(_sent(self.channels[who], data), f"send for {who}")

    async def start(self, who: str) -> None:
        """Call the tool that leaves traces, and return when it waits."""
        await self.send(who, "work")
        await until(lambda: who in self.entered)

    async def printed(self, text: str) -> None:
        """Wait until a line was printed."""
        await until(lambda: any(record.data.decode() == text for record in self.records.of(Kind.STDOUT)))

    async def ended(self, who: str) -> None:
        """Wait until the Inspector shows that the call of a client has succeeded."""
        await until(lambda: calls(self.timeline(), who)[0].status == OK)

    async def received(self, who: str) -> dict[str, Any]:
        """Return the response to a client; what it receives before has to belong to it."""
        while True:
            data = await within(self.channels[who].receive())
            assert data is not None
            message: dict[str, Any] = json.loads(data)
            if "method" not in message:
                assert message["id"] == ID
                return dict(message["result"])
            params = message["params"]
            assert who in (params.get("message") or params.get("data"))

    def timeline(self) -> Timeline:
        timeline = Timeline()
        timeline.extend(self.records.all)
        return timeline

    def traces(self, who: str) -> list[tuple[str, str]]:
        """Return what the Inspector shows as caused by the calls of a client, in order."""
        timeline = self.timeline()
        return [
            (entry.kind.value, (entry.data or b"").decode() if entry.kind is Kind.STDOUT else entry.method)
            for call in calls(timeline, who)
            if not call.parent
            for entry in timeline.since(0)
            if entry.parent == call.seq
        ]


def calls(timeline: Timeline, who: str) -> list[Entry]:
    """Return the requests of a client."""
    own = json.dumps({"who": who}).replace(" ", "")
    return [entry for entry in timeline if entry.kind is Kind.REQUEST and own.encode() in (entry.data or b"")]


async def _sent(channel: Channel, data: bytes) -> None:
    with contextlib.suppress(ConnectionFailed):
        await channel.send(data)


@contextlib.asynccontextmanager
async def twins(world: World) -> AsyncIterator[Twins]:
    pair = Twins(world)
    stdio_guard = StdioGuard(world.server.tap)
    try:
        yield pair
    finally:
        stdio_guard.close()
        for gate in pair.gates.values():
            gate.set()
        for channel in pair.channels.values():
            await within(channel.close())


TRACES = [
    ("stdout", "{} prints"),
    ("notification", "notifications/message"),
    ("notification", "notifications/progress"),
]


@stateless
async def test_messages_of_two_calls_with_the_same_id_are_distinguished(world: World) -> None:
    async with twins(world) as pair:
        for who in NAMES:
            await pair.start(who)
        for who in reversed(NAMES):
            pair.gates[who].set()
            assert (await pair.received(who))["content"][0]["text"] == who
        for who in NAMES:
            [call] = calls(timeline := pair.timeline(), who)
            expected = [*TRACES, ("stdout", "{} was here"), *TRACES, ("response", "tools/call")]
            assert pair.traces(who) == [(kind, text.format(who)) for kind, text in expected]
            answer = timeline.pair_of(call)
            assert answer is not None
            assert who.encode() in (answer.data or b"")
            assert (call.status, call.latency) == (OK, answer.time - call.time)
        replayed = [
            step.exchange for step in recording_of(Path("x.capture"), pair.records.all).steps if isinstance(step, Sent)
        ]
        assert [response.body["result"]["content"][0]["text"] for response in replayed] == list(NAMES)


@stateless
async def test_a_client_cancels_its_own_call_and_none_of_the_same_id(world: World) -> None:
    async with twins(world) as pair:
        for who in NAMES:
            await pair.start(who)
        await within(pair.channels["bob"].send(notification("notifications/cancelled", requestId=ID)))
        await until(lambda: pair.cancelled)
        pair.gates["ada"].set()
        assert (await pair.received("ada"))["content"][0]["text"] == "ada"
        assert pair.cancelled == ["bob"]
        [completed], [stopped] = (calls(pair.timeline(), who) for who in NAMES)
        assert (completed.status, stopped.status) == (OK, CANCELLED)
        assert ("stdout", "bob was ") in pair.traces("bob")


@stateless
async def test_questions_to_two_clients_reach_the_right_client(world: World) -> None:
    async with twins(world) as pair:
        asked = {}
        for who in NAMES:
            await pair.send(who, "ask")
            asked[who] = await pair.received(who)
        for who in NAMES:
            [(key, question)] = asked[who]["inputRequests"].items()
            assert question["params"]["message"] == f"Are you {who}?"
            answers = {key: {"action": "accept", "content": {"name": who.upper()}}}
            await pair.send(who, "ask", inputResponses=answers, requestState=asked[who]["requestState"])
        for who in reversed(NAMES):
            assert (await pair.received(who))["content"][0]["text"] == f"{who}: {who.upper()}"
            first, second = calls(pair.timeline(), who)
            assert (first.status, second.parent) == (OK, first.seq)
            assert ("stdout", f"{who} asked") in pair.traces(who)


@stateless
async def test_tasks_of_two_calls_are_distinguished(world: World) -> None:
    async with twins(world) as pair:
        for who in NAMES:
            await pair.send(who, "stay")
            assert (await pair.received(who))["resultType"] == "task"
        for who in reversed(NAMES):
            pair.gates[who].set()
            await pair.printed(f"{who} stayed")
            assert ("stdout", f"{who} stayed") in pair.traces(who)
            await pair.ended(who)


@over(lambda revision: True, ALL)
async def test_a_client_that_uses_an_id_twice_is_refused_and_its_first_request_continues(world: World) -> None:
    if world.revision.stateless and world.transport == "http":
        pytest.skip("each request is another client")
    records = Records(world.server.tap)
    async with raw_channel(world) as channel:
        data = message(world, ID, "tools/call", name="wait", arguments={})
        spawn(_sent(channel, data), "the first")
        await within(world.toolkit.entered.wait())
        spawn(_sent(channel, data), "the second")
        assert (await received(channel))["error"]["code"] == INVALID_REQUEST
        world.toolkit.gate.set()
        assert (await received(channel))["result"]["content"][0]["text"] == "through"
        timeline = Timeline()
        timeline.extend(records.all)
        assert [entry.status for entry in timeline if entry.method == "tools/call" and entry.kind is Kind.REQUEST] == [
            OK,
            ERROR,
        ]
