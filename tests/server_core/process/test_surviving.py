"""The server survives what a tool does to its process, and still ends when its client disconnects."""

from pathlib import Path

import pytest

from tests.commands import run
from tests.server_core.process.core_process import INITIALIZE, core_process
from tests.waiting import within

LEAVES_THE_LOOP = {
    "sys.exit in a task": "background = loop.create_task(leave())\n    await asyncio.sleep(0)",
    "sys.exit in a task of a group": (
        "try:\n        async with asyncio.TaskGroup() as group:\n            group.create_task(leave())\n"
        "    except SystemExit:\n        pass"
    ),
    "sys.exit in a callback": "loop.call_soon(sys.exit)\n    await asyncio.sleep(0)",
    "KeyboardInterrupt in a callback": "loop.call_soon(interrupt)\n    await asyncio.sleep(0)",
    "loop.stop": "loop.stop()\n    await asyncio.sleep(0)",
}
CHANGES_THE_PROCESS = {
    "a handler of exceptions that exits": (
        "loop.set_exception_handler(lambda *_: sys.exit(3))\n    loop.call_soon(lambda: 1 / 0)\n"
        "    await asyncio.sleep(0)"
    ),
    "a callback that fails where standard error fails as well": (
        "sys.stderr = Broken()\n    for _ in range(1500): loop.call_soon(lambda: 1 / 0)\n    await asyncio.sleep(0)"
    ),
    "no finders of imports any more": "sys.meta_path.clear()",
}
HOLDING_UP = {
    "a thread": "threading.Thread(target=threading.Event().wait, daemon=False).start()",
    "a function of atexit": "atexit.register(threading.Event().wait)",
}
BEFORE = """import asyncio, atexit, os, signal, sys, threading
from server_core import tool


async def leave() -> None:
    sys.exit(3)


def interrupt() -> None:
    raise KeyboardInterrupt


def late(number, frame) -> None:
    raise TimeoutError("too late")


class Broken:
    def write(self, text: str) -> None:
        raise ValueError("broken")

    flush = write


@tool
def add(a: int, b: int) -> int:
    return a + b


"""


def tools_that(folder: Path, *bodies: str, kind: str = "async def") -> Path:
    """Write a file with a tool for each body: `act_0`, `act_1` and so on."""
    loop = "    loop = asyncio.get_running_loop()\n" if kind == "async def" else ""
    acts = [
        f"@tool\n{kind} act_{number}() -> str:\n{loop}    {body}\n    return 'done'\n"
        for number, body in enumerate(bodies)
    ]
    tools = folder / "tools.py"
    tools.write_text(BEFORE + "\n\n".join(acts))
    return tools


async def acts_and_adds(tools: Path, acts: int = 1) -> tuple[int, str]:
    """Call each tool and then another one, let the client leave, and return how the process ended."""
    async with core_process(tools, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        await core.answer()
        for number in range(acts):
            core.send("tools/call", {"name": f"act_{number}", "arguments": {}}, 2)
            acted = await core.answer()
            assert (acted["id"], acted["result"]["content"][0]["text"]) == (2, "done"), f"act_{number}"
            core.send("tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}}, 3)
            added = await core.answer()
            assert (added["id"], added["result"]["content"][0]["text"]) == (3, "3"), f"after act_{number}"
        return await core.ended()


async def test_tools_that_leave_the_event_loop_end_no_other_call(tmp_path: Path) -> None:
    code, _ = await acts_and_adds(tools_that(tmp_path, *LEAVES_THE_LOOP.values()), len(LEAVES_THE_LOOP))
    assert code == 0


@pytest.mark.parametrize("body", CHANGES_THE_PROCESS.values(), ids=CHANGES_THE_PROCESS)
async def test_a_tool_that_changes_what_serving_needs_ends_no_other_call(tmp_path: Path, body: str) -> None:
    code, _ = await acts_and_adds(tools_that(tmp_path, body))
    assert code == 0


async def test_an_exit_in_a_task_is_reported_to_the_author(tmp_path: Path) -> None:
    _, stderr = await acts_and_adds(tools_that(tmp_path, LEAVES_THE_LOOP["sys.exit in a callback"]))
    assert stderr == "workbench: a task or a callback of a tool raised SystemExit; serving continues.\n"


async def test_an_alarm_that_raises_after_its_call_ends_nothing_and_is_reported(tmp_path: Path) -> None:
    tools = tools_that(tmp_path, "signal.signal(signal.SIGALRM, late)\n    signal.setitimer(signal.ITIMER_REAL, 0.2)")
    async with core_process(tools, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        await core.answer()
        core.send("tools/call", {"name": "act_0", "arguments": {}}, 2)
        assert (await core.answer())["id"] == 2
        assert core.process.stderr is not None
        stderr = await within(core.process.stderr.readline())
        assert (
            stderr == b"workbench: a task or a callback of a tool raised TimeoutError: too late; serving continues.\n"
        )
        core.send("tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}}, 3)
        assert (await core.answer())["id"] == 3
        assert await core.ended() == (0, "")


async def test_an_event_loop_that_does_nothing_but_raise_ends_the_server(tmp_path: Path) -> None:
    async with core_process(tools_that(tmp_path, "loop._selector = None"), "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        await core.answer()
        core.send("tools/call", {"name": "act_0", "arguments": {}}, 2)
        assert (await core.answer())["id"] == 2
        code, stderr = await core.ended()
        assert code == 1
        assert stderr.count("serving continues") == 1


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize(
    "then", ["", "\n    if os.getpid() != here:\n        raise SystemExit"], ids=["returns", "raises"]
)
async def test_a_forked_process_answers_no_request_and_has_no_connection(tmp_path: Path, kind: str, then: str) -> None:
    # That the end of the wire is seen at once shows that no other process holds it.
    code, _ = await acts_and_adds(tools_that(tmp_path, f"here = os.getpid()\n    os.fork(){then}", kind=kind))
    assert code == 0


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize("body", HOLDING_UP.values(), ids=HOLDING_UP)
async def test_threads_and_tasks_of_a_tool_do_not_keep_the_process_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, kind: str
) -> None:
    monkeypatch.setenv("WORKBENCH_SHUTDOWN_GRACE", "0.1")
    code, stderr = await acts_and_adds(tools_that(tmp_path, body, kind=kind))
    assert (code, stderr) == (0, "workbench: a tool is still running; the process exits without waiting for it.\n")


FORKING = {
    "a tool that returns": "@tool\ndef act() -> str:\n    os.fork()\n    return 'done'\n",
    "an async tool that returns": "@tool\nasync def act() -> str:\n    os.fork()\n    return 'done'\n",
    "an async tool that waits": (
        "@tool\nasync def act() -> str:\n    os.fork()\n    await asyncio.sleep(0)\n    return 'done'\n"
    ),
    "a tool that raises": "@tool\ndef act() -> str:\n    if not os.fork(): raise SystemExit\n    return 'done'\n",
    "a tool that logs": (
        "@tool\ndef act(context: Context) -> str:\n    os.fork()\n    context.blocking.log.info('both')\n"
        "    return 'done'\n"
    ),
    "a file": "os.fork()\n\n@tool\ndef act() -> str:\n    return 'done'\n",
}


@pytest.mark.parametrize(
    ("code", "command"),
    [(code, "call act --project") for code in FORKING.values()]
    + [(FORKING["a file"], command) for command in ("list --project", "lint", "files")],
    ids=[*FORKING, "a file that is listed", "a file that is checked", "a file that is looked at"],
)
async def test_a_process_that_is_forked_does_not_outlive_the_command(tmp_path: Path, code: str, command: str) -> None:
    (tmp_path / "tools.py").write_text(f"import asyncio, os\nfrom server_core import Context, tool\n\n{code}")
    # The end of standard output and error shows that no process has them open any more.
    _, out, err = await run(*command.split(), str(tmp_path))
    assert "call" not in command or out == "done\n"
    assert "Traceback" not in err


async def test_a_process_that_a_tool_forks_is_ended_by_a_signal(tmp_path: Path) -> None:
    ended = (
        "ready, done = os.pipe()\n    child = os.fork()\n    if child == 0:\n        os.write(done, b'.')\n"
        "        threading.Event().wait()\n    os.read(ready, 1)\n    os.kill(child, 15)\n"
        "    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == 15"
    )
    code, _ = await acts_and_adds(tools_that(tmp_path, ended, kind="def"))
    assert code == 0


ENDLESS = {
    "its text": "class Endless_0(Exception):\n    def __str__(self): threading.Event().wait()\n",
    "the text of its cause": (
        "class Silent(Exception):\n    def __str__(self): threading.Event().wait()\n\n\n"
        "def Endless_1(text):\n    error = ValueError()\n    error.__cause__ = Silent()\n    return error\n"
    ),
    "its message": (
        "class Endless_2(ToolExecutionError):\n    @property\n    def message(self): threading.Event().wait()\n"
        "    @message.setter\n    def message(self, value): pass\n"
    ),
}


@pytest.mark.parametrize("kind", ["tool", "tool(retries=2)", "tool(timeout=0.05)"])
async def test_an_exception_on_a_thread_that_is_never_read_to_its_end_blocks_no_other_call(
    tmp_path: Path, kind: str
) -> None:
    tools = tmp_path / "tools.py"
    acts = (f"@{kind}\ndef act_{number}() -> str:\n    raise Endless_{number}('')\n" for number in range(len(ENDLESS)))
    tools.write_text(
        f"{BEFORE}from server_core import ToolExecutionError\n\n\n" + "\n\n".join((*ENDLESS.values(), *acts))
    )
    async with core_process(tools, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        await core.answer()
        for number, what in enumerate(ENDLESS):
            core.send("tools/call", {"name": f"act_{number}", "arguments": {}}, 10 + number)
            if "timeout" in kind:
                assert "did not finish within" in (await core.answer())["result"]["content"][0]["text"], what
            core.send("tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}}, 3)
            assert (await core.answer())["id"] == 3, what
