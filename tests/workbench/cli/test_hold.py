"""`workbench hold`: one command holds messages, and others act on them meanwhile."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.commands import START, WORKBENCH, run, send_signal
from tests.server_core.process.core_process import INITIALIZE, Process, core_process
from tests.small_project import small_project
from workbench.link.cores import find_core
from workbench.link.remote import RemoteLink


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Process]:
    async with core_process(small_project(tmp_path / "small"), "--stdio") as core:
        core.send("initialize", INITIALIZE, id=0)
        await core.answer()
        core.send("notifications/initialized", {})
        await core.descriptor()
        yield core


class Holding:
    """A `workbench hold` that runs, and the lines that it prints."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line: dict[str, Any] = json.loads(await asyncio.wait_for(self.process.stdout.readline(), START))
        return line


@asynccontextmanager
async def holding(*words: str) -> AsyncIterator[Holding]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*WORKBENCH, "hold", *words, stdout=pipe, stderr=pipe)
    assert process.stderr is not None
    try:
        assert b"Holding messages" in await asyncio.wait_for(process.stderr.readline(), START)
        yield Holding(process)
    finally:
        send_signal(process, signal.SIGKILL)
        await asyncio.wait_for(process.communicate(), START)


def shout(core: Process, id: int) -> None:
    core.send("tools/call", {"name": "shout", "arguments": {"text": "Ada"}}, id=id)


def text_of(answer: dict[str, Any]) -> str:
    return str(answer["result"]["content"][0]["text"])


async def test_messages_are_printed_and_other_commands_act_on_them(core: Process) -> None:
    async with holding("tool:shout dir:in", "--client-timeout", "30") as hold:
        shout(core, 1)
        held = await hold.line()
        assert (held["event"], held["method"], held["name"]) == ("held", "tools/call", "shout")
        assert held["message"]["params"]["arguments"] == {"text": "Ada"}
        assert 0 < held["seconds_left"] <= 30
        code, out, _ = await run("hold", "list")
        assert code == 0
        assert "shout" in out
        held["message"]["params"]["arguments"]["text"] = "Grace"
        code, _, err = await run("hold", "edit", str(held["id"]), stdin=json.dumps(held["message"]).encode())
        assert (code, "is edited as message" in err) == (0, True)
        edited = await hold.line()
        assert (edited["event"], edited["id"], len(edited["passed"])) == ("edited", held["id"], 1)
        assert text_of(await core.answer()) == "GRACE"

        shout(core, 2)
        id = str((await hold.line())["id"])
        assert (await run("hold", "answer", id, "--error", "by hand", "--code", "7"))[0] == 0
        assert (await core.answer())["error"] == {"code": 7, "message": "by hand"}
        code, _, err = await run("hold", "release", id)
        assert (code, "no longer waits: it was answered" in err) == (1, True)


async def test_an_interrupt_ends_the_hold_and_releases_the_messages(core: Process) -> None:
    async with holding("tool:shout") as hold:
        shout(core, 1)
        await hold.line()
        send_signal(hold.process, signal.SIGINT)
        assert await asyncio.wait_for(hold.process.wait(), START) == 130
    assert text_of(await core.answer()) == "ADA"
    assert "No filter is set" in (await run("hold", "list"))[2]


async def test_an_interrupt_releases_the_messages_also_while_a_terminal_is_open(core: Process) -> None:
    link = await RemoteLink.connect(find_core(), "operator")
    async with holding("tool:shout") as hold:
        shout(core, 1)
        await hold.line()
        assert "workbench hold, process" in (await run("hold", "list"))[1]
        send_signal(hold.process, signal.SIGINT)
        assert await asyncio.wait_for(hold.process.wait(), START) == 130
    assert text_of(await core.answer()) == "ADA"
    await link.close()


async def test_messages_are_released_when_the_command_that_holds_them_is_killed(core: Process) -> None:
    async with holding("tool:shout") as hold:
        shout(core, 1)
        await hold.line()
    assert text_of(await core.answer()) == "ADA"


async def test_clear_releases_everything_and_ends_the_hold(core: Process) -> None:
    async with holding("tool:shout dir:in") as hold:
        shout(core, 1)
        await hold.line()
        code, _, err = await run("hold", "clear")
        assert (code, "released 1 message" in err) == (0, True)
        assert text_of(await core.answer()) == "ADA"
        assert await asyncio.wait_for(hold.process.wait(), START) == 0


async def test_a_project_names_its_core(core: Process, tmp_path: Path) -> None:
    async with holding("--project", str(tmp_path / "small"), "tool:shout dir:in") as hold:
        shout(core, 1)
        id = str((await hold.line())["id"])
        code, _, err = await run("hold", "release", id, "--project", "small", cwd=tmp_path)
        assert (code, "is released" in err) == (0, True)
        assert text_of(await core.answer()) == "ADA"


async def test_a_core_that_ends_ends_the_hold_with_the_code_of_a_lost_connection(core: Process) -> None:
    async with holding("") as hold:
        await run("stop", "c1")
        assert await asyncio.wait_for(hold.process.wait(), START) == 3


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["(tool:x"], "this bracket is not closed"),
        (["nonsense:x"], "no field nonsense:"),
        (["tol:x dir:in"], "did you mean tool:"),
        (["", "--project", "/nowhere"], "No core serves /nowhere"),
        (["", "--project", "/nowhere", "--core", "c1"], "choose one core"),
        (["answer", "1"], "give either --result or --error"),
        (["answer", "1", "--result", "[]"], "must be a JSON object"),
        (["answer", "1", "--result", "{"], "is not JSON"),
        (["release", "x"], "a valid integer"),
        (["delay", "1", "-5"], "-5"),
        (["x", "--core", "nothing"], "No core has the id"),
    ],
    ids=lambda item: " ".join(item) if isinstance(item, list) else "",
)
async def test_invalid_words_are_usage_errors(core: Process, words: list[str], text: str) -> None:
    code, _, err = await run("hold", *words)
    assert code == 2
    assert text in err
