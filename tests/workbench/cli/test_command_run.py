"""Errors become one sentence and an exit code."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from server_core.errors import (
    ConfigurationError,
    ConnectionFailed,
    ProtocolError,
    RemoteError,
    ToolkitLoadError,
    WorkbenchError,
)
from tests.commands import START, WORKBENCH
from workbench.cli.command_run import guarded, run


def raising(error: BaseException) -> int:
    def command() -> int:
        raise error

    return guarded(command)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ConfigurationError("no such setting"), 2, "error: no such setting\n"),
        (ToolkitLoadError("no such package"), 2, "error: no such package\n"),
        (ConnectionFailed("it is gone"), 3, "error: it is gone\n"),
        (ProtocolError(-32603, "odd"), 1, "error: odd\n"),
        (WorkbenchError("odd"), 1, "error: odd\n"),
        (RemoteError(-32601, "Method not found"), 1, "error: the server answered: error -32601: Method not found"),
        (OSError(24, "Too many open files", "/x"), 2, "error: Too many open files; raise the limit"),
        (PermissionError(13, "Permission denied", "/x"), 2, "error: /x: Permission denied; check the path"),
        (ConfigurationError("\x1b[2Jhidden"), 2, "error: \\x1b[2Jhidden\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_an_error_of_a_command_is_reported_in_a_sentence(
    error: BaseException, code: int, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert raising(error) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(message)
    assert err.count("\n") <= 1


@pytest.mark.parametrize("error", [ValueError("a bug"), OSError(5, "a bug")])
def test_a_bug_is_not_hidden(error: Exception) -> None:
    with pytest.raises(type(error), match="a bug"):
        raising(error)


def test_an_asynchronous_command_gives_its_exit_code() -> None:
    async def command() -> int:
        return 7

    assert run(command()) == 7


def test_a_missing_file_is_reported_with_its_path(capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: len(Path("/no/such/file").read_text())) == 2
    assert "/no/such/file" in capfd.readouterr().err


HANGING = {
    "blocks the event loop": "time.sleep(3600)",
    "refuses to be cancelled": (
        "\n    while True:\n        try: await asyncio.sleep(3600)\n        except BaseException: pass"
    ),
}


def hanging(folder: Path, body: str) -> list[str]:
    """Return the command that calls a tool which reports its start and does not end."""
    (folder / "tools.py").write_text(
        "import asyncio, atexit, threading, time\nfrom server_core import tool\n\n@tool\nasync def hang() -> str:\n"
        f"    'D.'\n    print('hanging', flush=True)\n    {body}\n    return 'done'\n"
    )
    return [*WORKBENCH, "call", "hang", "--project", str(folder)]


@pytest.mark.parametrize("interrupts", [1, 2])
@pytest.mark.parametrize("body", HANGING.values(), ids=HANGING)
def test_an_interrupt_ends_a_call_regardless_of_the_tool(tmp_path: Path, body: str, interrupts: int) -> None:
    with subprocess.Popen(hanging(tmp_path, body), stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"hanging\n"
        for _ in range(interrupts):
            process.send_signal(signal.SIGINT)
        assert process.wait(START) == 130


LEFT_BEHIND = {
    "a thread": "threading.Thread(target=threading.Event().wait, daemon=False).start()",
    "a function of atexit": "atexit.register(threading.Event().wait)",
}


@pytest.mark.parametrize("body", LEFT_BEHIND.values(), ids=LEFT_BEHIND)
def test_an_interrupt_ends_tasks_that_a_tool_left(tmp_path: Path, body: str) -> None:
    with subprocess.Popen(hanging(tmp_path, body), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"done\n"
        # The command may not be done yet when the first one comes.
        deadline = time.monotonic() + START
        while process.poll() is None and time.monotonic() < deadline:
            process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        process.kill()
    assert process.returncode == 130


@pytest.mark.parametrize(
    ("body", "seconds", "code"), [*((body, "2", 1) for body in HANGING.values()), (LEFT_BEHIND["a thread"], "4", 0)]
)
def test_a_timeout_ends_a_call_regardless_of_the_tool(tmp_path: Path, body: str, seconds: str, code: int) -> None:
    ran = subprocess.run(
        [*hanging(tmp_path, body), "--timeout", seconds], capture_output=True, text=True, check=False, timeout=START
    )
    assert ran.returncode == code
    assert ("no response" in ran.stderr) == (code == 1)


@pytest.mark.parametrize(
    "leave",
    ["asyncio.get_running_loop().stop()", "asyncio.get_running_loop().call_soon(sys.exit, 3)"],
)
def test_a_called_tool_that_leaves_the_event_loop_still_gets_its_response(tmp_path: Path, leave: str) -> None:
    (tmp_path / "tools.py").write_text(
        "import asyncio, sys\nfrom server_core import tool\n\n@tool\nasync def act() -> str:\n"
        f"    {leave}\n    await asyncio.sleep(0)\n    return 'done'\n"
    )
    ran = subprocess.run(
        [*WORKBENCH, "call", "act", "--project", str(tmp_path)], capture_output=True, text=True, timeout=START
    )
    assert (ran.returncode, ran.stdout) == (0, "done\n")
