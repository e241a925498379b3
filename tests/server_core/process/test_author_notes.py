"""The author of the tools gets more details of a problem than clients: the cause and the location."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from server_core.core import Core
from server_core.errors import RemoteError
from server_core.process.author_notes import log_failures, log_load_errors
from server_core.transports.memory import MemoryChannel
from tests.waiting import within
from workbench.client.session import ClientSession

FAILING = '''\
from server_core import MCPApp
from server_core.errors import FatalToolError, UpstreamRateLimitError

app = MCPApp("failing", toolkit="")


def look_up(key: str) -> str:
    return {}[key]


@app.tool
def crash(key: str) -> str:
    """Crash."""
    return look_up(key)


@app.tool
def give_up() -> str:
    """Give up."""
    raise FatalToolError("No.", developer_message="the stock is empty")


@app.tool
def refuse() -> str:
    """Refuse."""
    raise FatalToolError("No.")


@app.tool(retries=1)
def hurry() -> str:
    """Give a busy service no rest."""
    raise UpstreamRateLimitError("Busy.", retry_after_ms=0, developer_message="the kitchen is full")


@app.tool
def parse() -> float:
    """Crash in code of others."""
    import json

    return json.loads("{")


@app.resource("shop://stock")
def stock() -> str:
    """What is there."""
    return look_up("stock")
'''


class Served:
    """A project that is served, and the notes to its author."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "server.py"
        self.notes: list[str] = []
        self.core = Core(project=folder, capture=False, link=False)
        log_failures(self.core, self.notes.append)
        log_load_errors(self.core, self.notes.append)

    def line_of(self, text: str) -> int:
        return self.file.read_text().splitlines().index(text) + 1

    async def call(self, method: str, **params: Any) -> None:
        session = await ClientSession.open(MemoryChannel(self.core))
        try:
            await session.request_once(method, params)
        finally:
            await session.close()


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    folder = tmp_path / "failing"
    folder.mkdir()
    (folder / "server.py").write_text(FAILING)
    served = Served(folder)
    await served.core.start()
    await within(served.core.wait_loaded())
    yield served
    await within(served.core.stop())


async def test_a_crash_is_reported_with_its_place_in_the_file_of_the_author(served: Served) -> None:
    await served.call("tools/call", name="crash", arguments={"key": "soup"})
    assert served.notes == [
        f"{served.file}:{served.line_of('    return {}[key]')}: error: Tool 'crash': KeyError: 'soup'"
    ]


async def test_a_crash_in_a_library_is_reported_where_the_author_called_it(served: Served) -> None:
    await served.call("tools/call", name="parse", arguments={})
    line = served.line_of('    return json.loads("{")')
    assert served.notes[0].startswith(f"{served.file}:{line}: error: Tool 'parse': JSONDecodeError: ")


async def test_an_error_of_the_author_is_reported_with_what_the_client_does_not_get(served: Served) -> None:
    await served.call("tools/call", name="give_up", arguments={})
    await served.call("tools/call", name="refuse", arguments={})
    await served.call("tools/call", name="crash", arguments={"lock": "soup"})
    (note,) = served.notes
    assert re.fullmatch(rf"{re.escape(str(served.file))}:\d+: error: Tool 'give_up': the stock is empty", note)


async def test_each_failed_attempt_is_reported_as_it_happens(served: Served) -> None:
    await served.call("tools/call", name="hurry", arguments={})
    retried, failed = served.notes
    assert retried == (
        "warning: Tool 'hurry': attempt 1 of 2 failed, the next starts in 0 ms:"
        " [UPSTREAM_RUNTIME_RATE_LIMIT] the kitchen is full"
    )
    assert failed.endswith("error: Tool 'hurry': the kitchen is full")


async def test_a_resource_that_crashes_is_reported(served: Served) -> None:
    with pytest.raises(RemoteError):
        await served.call("resources/read", uri="shop://stock")
    line = served.line_of("    return {}[key]")
    assert served.notes == [f"{served.file}:{line}: error: resources/read: KeyError: 'stock'"]


async def test_text_of_a_client_neither_ends_the_line_nor_reaches_the_terminal(served: Served) -> None:
    await served.call("tools/call", name="crash", arguments={"key": "\x1b[2J\nfine"})
    (line,) = served.notes
    assert line.isprintable()


async def test_a_load_problem_is_reported_once_and_again_when_it_returns(served: Served) -> None:
    broken = served.file.parent / "broken.py"
    for text in ("from server_core import tool\ndef (\n", "", "from server_core import tool\ndef (\n"):
        broken.write_text(text)
        await within(served.core.reload_now())
        await within(served.core.reload_now())
    assert [line.split(": ")[:2] for line in served.notes] == [[f"{broken}:2", "error"]] * 2
    assert served.notes[0].endswith("Correct the line and save.")


async def test_a_load_problem_does_not_show_the_secret_that_is_in_it(served: Served) -> None:
    (served.file.parent / ".env").write_text("API_KEY=very-secret-value\n")
    (served.file.parent / "broken.py").write_text(
        "from server_core import tool\n\nNAMES = ['API_KEY']\n\n\n@tool(requires_secrets=NAMES)\n"
        "def f() -> str:\n    'Do it.'\n    return ''\n\n\nraise ValueError('no client takes very-secret-value')\n"
    )
    served.core.tap.masker.set({"API_KEY": "very-secret-value"})
    await within(served.core.reload_now())
    (line,) = served.notes
    assert "no client takes <secret API_KEY>" in line
    assert served.core.generation is not None
    assert "very-secret-value" not in str(served.core.generation.problems)


async def test_warnings_are_not_reported(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "tools.py").write_text("from server_core import tool\n\n\n@tool\ndef f() -> str:\n    return ''\n")
    served = Served(folder)
    await served.core.start()
    await within(served.core.wait_loaded())
    await asyncio.sleep(0)
    assert served.core.generation is not None
    assert served.core.generation.problems
    assert served.notes == []
    await within(served.core.stop())


GUARDED = '''
from server_core import MCPApp
from server_core.middleware import Middleware


class Guard(Middleware):
    async def on_notification(self, context, call_next):
        raise KeyError("soup")


async def opened(app):
    yield {}
    raise KeyError("bread")


app = MCPApp("guarded", middleware=[Guard()], lifespan=opened)


@app.tool
def serve() -> str:
    """Serve."""
    return "served"
'''


async def test_a_failure_without_a_client_is_reported_to_the_author(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(GUARDED)
    served = Served(tmp_path)
    await served.core.start()
    await within(served.core.wait_loaded())
    await served.call("ping")
    await within(served.core.stop())
    in_middleware = served.line_of('        raise KeyError("soup")')
    in_lifespan = served.line_of('    raise KeyError("bread")')
    assert served.notes[0] == (
        f"{served.file}:{in_middleware}: error: Middleware, notifications/initialized: KeyError: 'soup'"
    )
    assert served.notes[-1] == f"{served.file}:{in_lifespan}: error: The lifespan of 'guarded': KeyError: 'bread'"


@pytest.mark.parametrize("value", ["true", "null", "message", "event", "tool", "KeyError", "developer_message"])
async def test_any_values_of_secrets_leave_a_report_for_the_author_and_a_response_for_the_client(
    tmp_path: Path, value: str
) -> None:
    (tmp_path / "server.py").write_text(FAILING)
    (tmp_path / ".env").write_text(f"USE_TOKEN_AUTH={value}\n")
    served = Served(tmp_path)
    await served.core.start()
    try:
        await within(served.core.wait_loaded())
        await within(served.call("tools/call", name="crash", arguments={"key": "soup"}))
    finally:
        await within(served.core.stop())
    (note,) = served.notes
    assert "Tool 'crash': " in note
