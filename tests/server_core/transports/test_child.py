"""A server in a child process: messages, shutdown, and standard error."""

import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from server_core.errors import ConnectionFailed
from server_core.records.masking import Masker
from server_core.transports.child import HIGH_WATER, STDERR_LINE_LIMIT, ChildChannel
from tests.waiting import until, within

Spawn = Callable[..., Awaitable[ChildChannel]]

DEAF_TO_TERM = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True);"
FOR_EVER = "import threading; threading.Event().wait()"


@pytest.fixture
async def spawn() -> AsyncIterator[Spawn]:
    """Starts a Python script as a child, and sees to its end."""
    channels: list[ChildChannel] = []

    async def start(script: str, **options: Any) -> ChildChannel:
        channels.append(await ChildChannel.spawn([sys.executable, "-c", script], **{"step_timeout": 5, **options}))
        return channels[-1]

    yield start
    for channel in channels:
        await channel.close()


async def test_messages_are_sent_and_received() -> None:
    channel = await ChildChannel.spawn(["cat"])
    await channel.send(b'{"a":1}')
    await channel.send(b'{"b":\n2}')
    assert await within(channel.receive()) == b'{"a":1}'
    assert await within(channel.receive()) == b'{"b": 2}'
    await channel.close()
    assert channel.exit_code == 0


async def test_a_line_that_is_no_message_is_received_unchanged(spawn: Spawn) -> None:
    channel = await spawn("print('Welcome!'); print('{}')")
    assert await within(channel.receive()) == b"Welcome!"
    assert await within(channel.receive()) == b"{}"
    assert await within(channel.receive()) is None


async def test_more_data_than_the_buffers_hold_is_received_completely(spawn: Spawn) -> None:
    size = 2 * HIGH_WATER
    channel = await spawn(f"import sys; [print('x' * 99_999) for _ in range({size} // 100_000)]")
    received = 0
    while (line := await within(channel.receive())) is not None:
        received += len(line) + 1
    assert received == size // 100_000 * 100_000


async def test_a_line_over_the_limit_is_cut(spawn: Spawn) -> None:
    channel = await spawn("print('x' * 100_000); print('{}')", limit=1000)
    cut = await within(channel.receive())
    assert cut is not None
    assert set(cut) == {ord("x")}
    assert len(cut) < 10_000
    assert await within(channel.receive()) == b"{}"


async def test_a_child_gets_its_environment_and_folder(spawn: Spawn, tmp_path: Path) -> None:
    script = "import os; print(os.getcwd(), os.environ['COLOUR'])"
    channel = await spawn(script, cwd=tmp_path, env={**os.environ, "COLOUR": "teal"})
    assert await within(channel.receive()) == f"{tmp_path} teal".encode()


async def test_lines_of_stderr_reach_the_listener_and_the_last_lines_are_stored(spawn: Spawn) -> None:
    lines: list[bytes] = []
    channel = await spawn(
        "import sys; print('one\\ntwo', file=sys.stderr); print('x' * 100_000, end='', file=sys.stderr)",
        on_stderr=lines.append,
    )
    assert await within(channel.receive()) is None
    await until(lambda: len(lines) == 3)
    assert lines[:2] == [b"one", b"two"]
    assert len(lines[2]) <= STDERR_LINE_LIMIT
    assert list(channel.stderr_tail) == lines


@pytest.mark.parametrize("start", ["x", '{"message": "'])
async def test_a_long_line_of_stderr_is_not_cut_within_a_secret(spawn: Spawn, start: str) -> None:
    masker = Masker({"KEY": "hunter2-hunter2"})
    for before in range(4080, 4098, 3):
        line = start.ljust(before, "x") + "hunter2-hunter2"
        script = f"import sys; print({line!r} + 'y' * 100_000, file=sys.stderr)"
        channel = await spawn(script, masker=masker)
        assert await within(channel.receive()) is None
        await until(lambda channel=channel: channel.stderr_tail)
        masked = masker.mask(channel.stderr_tail[0])
        assert masked.startswith(start.encode() + b"x")
        assert b"hun" not in masked


async def test_a_late_listener_gets_the_earlier_lines(spawn: Spawn) -> None:
    channel = await spawn("import sys; print('early', file=sys.stderr)")
    await until(lambda: channel.stderr_tail)
    lines: list[bytes] = []
    channel.set_stderr_listener(lines.append)
    assert lines == [b"early"]


@pytest.mark.parametrize(
    ("command", "words"),
    [(["no-such-command", "x"], "'no-such-command': there is no such command"), ([str(Path.cwd())], "not executable")],
)
async def test_a_command_that_cannot_be_started_is_named(command: list[str], words: str) -> None:
    with pytest.raises(ConnectionFailed, match=words):
        await ChildChannel.spawn(command)


async def test_a_folder_that_does_not_exist_is_named() -> None:
    with pytest.raises(ConnectionFailed, match="no folder '/no/such/folder'"):
        await ChildChannel.spawn(["cat"], cwd="/no/such/folder")


async def test_a_child_that_exits_closes_the_channel_and_its_last_lines_are_shown(spawn: Spawn) -> None:
    channel = await spawn("import sys; sys.exit('out of coffee')")
    assert await within(channel.receive()) is None
    await until(lambda: channel.exit_code is not None and channel.stderr_tail)
    with pytest.raises(ConnectionFailed, match=r"exit code 1\. Its last output: out of coffee"):
        await channel.send(b"{}")


async def test_a_child_that_ends_with_its_input_is_left_to_end_by_itself(spawn: Spawn) -> None:
    channel = await spawn("import sys; sys.stdin.read(); sys.exit(7)")
    await channel.close()
    assert channel.exit_code == 7


async def test_a_child_that_does_not_exit_gets_a_signal(spawn: Spawn) -> None:
    channel = await spawn("print('ready', flush=True);" + FOR_EVER, step_timeout=0.05)
    await within(channel.receive())
    await channel.close()
    assert channel.exit_code == -signal.SIGTERM


async def test_a_child_that_ignores_signals_is_killed(spawn: Spawn) -> None:
    channel = await spawn(DEAF_TO_TERM + FOR_EVER, step_timeout=0.05)
    await within(channel.receive())
    await channel.close()
    assert channel.exit_code == -signal.SIGKILL


async def test_children_of_the_child_end_with_it(spawn: Spawn) -> None:
    script = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {FOR_EVER!r}])
print(child.pid, flush=True)
{FOR_EVER}
"""
    channel = await spawn(script, step_timeout=0.05)
    line = await within(channel.receive())
    assert line is not None
    await channel.close()
    await until(lambda: _is_gone(int(line)))


async def test_children_that_a_child_has_left_behind_end_with_the_channel(spawn: Spawn) -> None:
    script = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {DEAF_TO_TERM + FOR_EVER!r}], stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
"""
    channel = await spawn(script, step_timeout=0.2)
    line = await within(channel.receive())
    assert line is not None
    await channel.close()
    assert channel.exit_code == 0
    await until(lambda: _is_gone(int(line)))


async def test_closing_wakes_waiting_receivers(spawn: Spawn) -> None:
    from server_core.runtime.background import spawn as start

    channel = await spawn("import sys; sys.stdin.read()")
    receiving = start(channel.receive(), "receive")
    await channel.close()
    await channel.close()
    assert await within(receiving) is None


def _is_gone(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().split()[2] == "Z"
    except FileNotFoundError:
        return True
