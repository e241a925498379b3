"""Answers that cannot be read fail their request, in words, instead of leaving it waiting."""

import sys
from pathlib import Path

import pytest

from server_core.errors import ProtocolError
from server_core.protocol.unreadable_responses import find_request_id
from server_core.transports.child import ChildChannel
from tests.tables import each_row
from tests.waiting import within
from tests.workbench.client.scripted import ScriptedServer
from workbench.client.session import ClientSession

DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ('{"jsonrpc":"2.0","id":ID,"result":null}', "neither a method nor a result"),
        ('{"jsonrpc":"2.0","id":ID,"result":[]}', "neither a method nor a result"),
        ('{"jsonrpc":"2.0","id":ID,"error":{"code":"x","message":"no"}}', '"error" needs a code and a message'),
        ('{"jsonrpc":"2.0","id":ID,"result":{"content":[NaN]}}', "a value is outside of what JSON allows"),
        ('{"result":{"content":[NaN]},"id":ID,"jsonrpc":"2.0"}', "a value is outside of what JSON allows"),
        ('{"jsonrpc":"2.0","id":ID,"result":' + DEEP, "nested too deeply"),
        ('{"id": ID, "jsonrpc": "2.0", "result": {"a": "\\', "Unterminated string"),
        ('{"jsonrpc":"2.0","result":' + DEEP + ', "id": ID}', "nested too deeply"),
        ('{"id":ID,"result":{}}', '"jsonrpc" must be "2.0"'),
    ],
    ids=["null", "list", "code", "NaN", "NaN and the id last", "deep", "cut off", "deep and the id last", "no version"],
)
async def test_a_call_whose_response_cannot_be_read_fails_with_the_reason(answer: str, reason: str) -> None:
    server = ScriptedServer()
    session = await within(ClientSession.open(server))
    call = session.call_tool("add", {})
    server.write_bytes(answer.replace("ID", str(call.id)).encode())
    with pytest.raises(ProtocolError, match="The server sent a response that cannot be read") as caught:
        await within(call.result())
    assert reason in str(caught.value)
    assert session.message_failures == 1
    # A complaint about an answer would be an answer to an answer.
    assert [
        item for item in server.received if "error" in item or item.get("method") == "notifications/cancelled"
    ] == []
    await within(session.close())


@pytest.mark.parametrize("start", ['{"jsonrpc":"2.0","id":1,"result":', '{"jsonrpc":"2.0","result":'])
async def test_a_response_that_is_too_long_fails_its_request_with_the_reason(tmp_path: Path, start: str) -> None:
    program = tmp_path / "server.py"
    program.write_text(f"print({start!r} + 'x' * 200_000)\ninput()\ninput()\n")
    channel = await ChildChannel.spawn([sys.executable, str(program)], limit=100_000)
    with pytest.raises(ProtocolError, match="cannot be read: it is longer than the limit for a message"):
        await within(ClientSession.open(channel))


@each_row(
    "data",
    [
        b"",
        b"Listening on port 3",
        b"[]",
        b'{"jsonrpc":"2.0","id":3,"method":5}',
        b'{"jsonrpc":"2.0","method":"notifications/message","params":{"a":NaN,"id":3}}',
        b'{"jsonrpc":"2.0","method":"notifications/message","params":{"result":NaN},"id":3',
        b'{"jsonrpc":"2.0","result":{"a":NaN,"id":3}}',
        b'{"jsonrpc":"2.0","id":true,"result":null}',
        b'{"jsonrpc":"2.0","id":{"id":3,"result":',
    ],
)
def test_an_unrelated_message_is_not_taken_for_a_response(data: bytes) -> None:
    assert find_request_id(data, [3]) is None


def test_an_id_may_be_text() -> None:
    assert find_request_id(b'{"jsonrpc":"2.0","id":"a","result":NaN}', ["a"]) == "a"
    assert find_request_id(b'{"jsonrpc":"2.0","id":"a","result":' + DEEP.encode(), ["a"]) == "a"
