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
from workbench.cli.running import guarded, run


def raising(error: BaseException) -> int:
    def command() -> int:
        raise error

    return guarded(command)


@pytest.mark.parametrize(
    ("error", "code", "says"),
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
def test_what_a_command_meets_is_told_in_a_sentence(
    error: BaseException, code: int, says: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert raising(error) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(says)
    assert err.count("\n") <= 1


@pytest.mark.parametrize("error", [ValueError("a bug"), OSError(5, "a bug")])
def test_a_bug_is_not_hidden(error: Exception) -> None:
    with pytest.raises(type(error), match="a bug"):
        raising(error)


def test_an_asynchronous_command_gives_its_exit_code() -> None:
    async def command() -> int:
        return 7

    assert run(command()) == 7


def test_a_command_that_reads_what_is_not_there_ends_with_the_path(capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: len(Path("/no/such/file").read_text())) == 2
    assert "/no/such/file" in capfd.readouterr().err


@pytest.mark.parametrize(
    "body",
    [
        "time.sleep(3600)",
        "\n    while True:\n        try: await asyncio.sleep(3600)\n        except BaseException: pass",
    ],
    ids=["holds up the event loop", "refuses to be cancelled"],
)
def test_interrupts_end_a_call_whatever_the_tool_does(tmp_path: Path, body: str) -> None:
    (tmp_path / "tools.py").write_text(
        "import asyncio, time\nfrom server_core import tool\n\n@tool\nasync def hang() -> str:\n"
        f"    'D.'\n    print('hanging', flush=True)\n    {body}\n"
    )
    process = subprocess.Popen([*WORKBENCH, "call", "hang", "--project", str(tmp_path)], stderr=subprocess.PIPE)
    assert process.stderr is not None
    with process, process.stderr:
        assert process.stderr.readline() == b"hanging\n"
        deadline = time.monotonic() + START
        while process.poll() is None and time.monotonic() < deadline:
            process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        process.kill()
    assert process.returncode == 130


@pytest.mark.parametrize(
    "leave",
    ["asyncio.get_running_loop().stop()", "asyncio.get_running_loop().call_soon(sys.exit, 3)"],
)
def test_a_called_tool_that_leaves_the_event_loop_is_answered_all_the_same(tmp_path: Path, leave: str) -> None:
    (tmp_path / "tools.py").write_text(
        "import asyncio, sys\nfrom server_core import tool\n\n@tool\nasync def act() -> str:\n"
        f"    {leave}\n    await asyncio.sleep(0)\n    return 'done'\n"
    )
    ran = subprocess.run(
        [*WORKBENCH, "call", "act", "--project", str(tmp_path)], capture_output=True, text=True, timeout=START
    )
    assert (ran.returncode, ran.stdout) == (0, "done\n")
