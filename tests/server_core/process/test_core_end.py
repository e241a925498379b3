"""A core ends in time, whatever its tools do when it is asked to end."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from server_core.protocol.jsonrpc import request
from tests.commands import START, send_signal
from tests.server_core.process.core_process import INITIALIZE, Process, core_process, events
from workbench.link.remote import RemoteLink


async def started(core: Process) -> None:
    """Wait until the tool of a core has printed that it hangs."""
    assert core.process.stderr is not None
    assert await asyncio.wait_for(core.process.stderr.readline(), START) == b"hanging\n"


@asynccontextmanager
async def hanging_call(core: Process) -> AsyncIterator[None]:
    """Call the tool `hang` from a terminal."""
    link = await RemoteLink.connect(await core.descriptor())
    channel = await link.open_session()
    await channel.send(request(1, "initialize", INITIALIZE))
    await channel.send(request(2, "tools/call", {"name": "hang", "arguments": {}}))
    await started(core)
    yield
    await channel.close()
    await link.close()


async def test_a_tool_that_never_returns_does_not_keep_it_from_ending(tmp_path: Path) -> None:
    tools = tmp_path / "tools.py"
    tools.write_text(
        "import threading\nfrom server_core import tool\n\n@tool\ndef hang() -> str:\n"
        "    print('hanging', flush=True)\n    threading.Event().wait()\n    return ''\n"
    )
    async with core_process(tools) as core, hanging_call(core):
        send_signal(core.process, signal.SIGTERM)
        assert (await core.ended())[0] == 0


@pytest.mark.parametrize("end", ["eof", "SIGTERM", "SIGINT", "SIGTERM twice", "SIGINT twice"])
@pytest.mark.parametrize(
    "body",
    [
        "time.sleep(3600)",
        "\n    while True:\n        try: await asyncio.sleep(3600)\n        except BaseException: pass",
    ],
    ids=["holds up the event loop", "refuses to be cancelled"],
)
async def test_an_async_tool_that_does_not_end_does_not_keep_it_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, end: str
) -> None:
    monkeypatch.setenv("WORKBENCH_SHUTDOWN_GRACE", "60" if "twice" in end else "0.1")
    tools = tmp_path / "tools.py"
    tools.write_text(
        "import asyncio, time\nfrom server_core import tool\n\n@tool\nasync def hang() -> str:\n"
        f"    print('hanging', flush=True)\n    {body}\n"
    )
    async with core_process(tools, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        await core.answer()
        core.send("tools/call", {"name": "hang", "arguments": {}}, 2)
        await started(core)
        if end.startswith("SIG"):
            send_signal(core.process, signal.Signals[end.split()[0]])
        if "twice" in end:
            # Two that come at once may be taken for one.
            while core.process.returncode is None:
                send_signal(core.process, signal.Signals[end.split()[0]])
                await asyncio.sleep(0.01)
        code, err = await core.ended()
    assert code == (130 if "SIGINT" in end else 0)
    assert ("a tool is still running" in err) == ("twice" not in end)
    if "twice" not in end:
        assert events()[-1] == "core_stopped"


async def test_without_new_threads_a_tool_does_not_keep_it_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without memory for its first step, a new thread never reports that it has started.
    monkeypatch.setenv("WORKBENCH_SHUTDOWN_GRACE", "0.1")
    tools = tmp_path / "tools.py"
    tools.write_text(
        "import threading, time\nfrom server_core import tool\n\n@tool\nasync def hang() -> str:\n"
        "    threading.Thread.start = lambda self: threading.Event().wait()\n"
        "    print('hanging', flush=True)\n    time.sleep(3600)\n"
    )
    async with core_process(tools, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        await core.answer()
        core.send("tools/call", {"name": "hang", "arguments": {}}, 2)
        await started(core)
        send_signal(core.process, signal.SIGTERM)
        assert (await core.ended())[0] == 0


async def test_a_hangup_that_was_ignored_from_the_start_ends_nothing(folder: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        async with core_process(folder, "--stdio") as core:
            core.send("initialize", INITIALIZE, 1)
            await core.answer()
            # Signals are handled from before the second answer on, and some answers may precede the end.
            core.send("ping", {}, 2)
            await core.answer()
            send_signal(core.process, signal.SIGHUP)
            for id in range(3, 20):
                core.send("ping", {}, id)
                assert (await core.answer())["id"] == id
            assert await core.ended() == (0, "")
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_call_on_stdio_that_runs_when_a_signal_comes_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setenv("WORKBENCH_SHUTDOWN_GRACE", "3600")
    tools = tmp_path / "tools.py"
    tools.write_text(
        "import asyncio, signal\nfrom server_core import tool\n\n@tool\nasync def last() -> str:\n"
        f"    ours, came = signal.getsignal({number:d}), asyncio.Event()\n"
        "    def take(*given):\n        ours(*given)\n        loop.call_soon_threadsafe(came.set)\n"
        f"    loop = asyncio.get_running_loop()\n    signal.signal({number:d}, take)\n"
        "    print('running', flush=True)\n    await came.wait()\n"
        "    for _ in range(100): await asyncio.sleep(0)\n    return 'answered'\n"
    )
    async with core_process(tools, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        await core.answer()
        core.send("tools/call", {"name": "last", "arguments": {}}, 2)
        assert core.process.stderr is not None
        assert await asyncio.wait_for(core.process.stderr.readline(), START) == b"running\n"
        send_signal(core.process, number)
        assert (await core.answer())["result"]["content"][0]["text"] == "answered"
        code, _ = await core.ended()
    assert code == (130 if number is signal.SIGINT else 0)


async def test_a_tool_that_refuses_to_be_cancelled_costs_no_second_grace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_SHUTDOWN_GRACE", "3600")
    tools = tmp_path / "tools.py"
    tools.write_text(
        "import asyncio\nfrom server_core import tool\n\n@tool\nasync def hang() -> str:\n"
        "    print('hanging', flush=True)\n    while True:\n"
        "        try: await asyncio.sleep(3600)\n        except BaseException: pass\n"
    )
    async with core_process(tools) as core, hanging_call(core):
        # A terminal's calls get no grace, so what is left is the tool alone.
        send_signal(core.process, signal.SIGTERM)
        code, err = await core.ended()
    assert code == 0
    assert "a tool is still running" in err


async def test_tools_that_never_finish_loading_do_not_keep_it_from_ending(tmp_path: Path) -> None:
    tools = tmp_path / "tools.py"
    tools.write_text("from server_core import tool\nprint('loading', flush=True)\nwhile True:\n    pass\n")
    async with core_process(tools) as core:
        assert core.process.stderr is not None
        assert await asyncio.wait_for(core.process.stderr.readline(), START) == b"loading\n"
        send_signal(core.process, signal.SIGTERM)
        assert (await core.ended())[0] == 0
