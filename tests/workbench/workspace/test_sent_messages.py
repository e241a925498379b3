"""Messages that the user sends from the inspector, and their records."""

import json
from pathlib import Path

import pytest

from server_core.errors import ConnectionFailed, WorkbenchError
from tests.waiting import until
from tests.workbench.tui.fakes import FakeLink, open_fixed_workspace
from tests.workbench.workspace.test_resolving import SECRET, serving
from workbench.model.traffic.entry import Entry
from workbench.workspace.workspace import Workspace


def read(workspace: Workspace) -> bool:
    """Read the records, and return True."""
    workspace.poll()
    return True


def calls(workspace: Workspace) -> list[Entry]:
    return [entry for entry in workspace.timeline if entry.method == "tools/call"]


async def recorded(workspace: Workspace) -> Entry:
    """Return the entry of the message that was sent last, once it is among the records."""
    arrived: list[int] = []

    def has_arrived() -> bool:
        read(workspace)
        arrived.extend(workspace.sent_messages.arrived())
        return bool(arrived)

    await until(has_arrived)
    entry = workspace.timeline.by_seq(arrived[0])
    assert entry is not None
    return entry


async def test_the_record_of_a_message_has_exactly_the_bytes_that_were_sent(tmp_path: Path) -> None:
    async with serving(tmp_path / "small") as (_, workspace):
        for text in ('{"jsonrpc": "2.0",\n "id": 1e2, "id": "ü"}', "{ broken", "\x00", '["a", 1.50]'):
            await workspace.sent_messages.send(text)
            entry = await recorded(workspace)
            assert (entry.data or b"").decode() == text.replace("\n ", "")


async def test_a_request_is_sent_again_with_another_id_and_is_answered(tmp_path: Path) -> None:
    async with serving(tmp_path / "small") as (_, workspace):
        run = workspace.call("shout", {"text": "me"})
        await until(lambda: not run.is_running)
        await until(lambda: read(workspace) and any(entry.status == "ok" for entry in calls(workspace)))
        first = calls(workspace)[0]
        assert first.data is not None
        await workspace.sent_messages.send_again(first.data, first.seq)
        again = await recorded(workspace)
        await until(lambda: read(workspace) and again.status == "ok")
        assert again.id != first.id
        assert workspace.sent_messages.original_of(again) == first
        # The session has ignored the response, and goes on.
        assert workspace.session is not None
        assert workspace.session.message_failures == 0
        await workspace.session.list_tools()


async def test_a_secret_in_a_message_is_sent_and_is_in_no_record(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / ".env").write_text(f"MY_WORD={SECRET}\n")
    async with serving(tmp_path / "small") as (_, workspace):
        assert workspace.session is not None
        params = {"name": "shout", "arguments": {"text": "${secret:MY_WORD}!"}}
        await workspace.sent_messages.send(json.dumps(workspace.session.draft("tools/call", params)))
        entry = await recorded(workspace)
        await until(lambda: read(workspace) and entry.status == "ok")
        assert "<secret MY_WORD>!" in str(entry.data)
        assert SECRET not in str([entry.data for entry in workspace.timeline])


async def test_nothing_is_sent_without_a_session_or_with_a_reference_that_has_no_value() -> None:
    workspace = await open_fixed_workspace(FakeLink())
    with pytest.raises(WorkbenchError, match="this secret is not set"):
        await workspace.sent_messages.send('{"a": "${secret:NO_SUCH}"}')
    await workspace.close()
    with pytest.raises(ConnectionFailed, match="Nothing was sent"):
        await workspace.sent_messages.send("{}")
