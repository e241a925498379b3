"""`workbench call` and `workbench list`, as a user types them, on the server of the session."""

import asyncio
import json
import sys

from checking import Checks, expect
from client import AUTO, HANDSHAKE, STATELESS, Client, Json, started

ERAS = {HANDSHAKE: "legacy", STATELESS: "modern", AUTO: "auto"}
"""What `--era` calls them."""


def add_commands(checks: Checks[Client], call: list[str], structured: Json, ask: list[str], answered: str) -> None:
    """Try the commands as well.

    Args:
        checks: get them.
        call: a tool with arguments, as words of the command line.
        structured: its structured content.
        ask: a tool that asks for a name, and what answers it.
        answered: the output then.
    """

    @checks("workbench call")
    async def command_call(client: Client) -> None:
        """Call a tool from the command line, and another that asks something."""
        code, out, err = await _workbench("call", *call, "--json")
        assert code == 0, err
        expect(json.loads(out)["structuredContent"], structured)
        code, out, err = await _workbench("call", *ask)
        assert (code, answered in out) == (0, True), out + err

    @checks("workbench list")
    async def command_list(client: Client) -> None:
        """List what the server has from the command line."""
        code, out, err = await _workbench("list", "--json")
        assert code == 0, err
        assert call[0] in [tool["name"] for tool in json.loads(out)["tools"]], out


async def _workbench(*words: str) -> tuple[int, str, str]:
    """Run `workbench` on the same server in the same era; return its exit code, and what it printed."""
    how = started()
    target = ["--url", how.url] if how.url else ["--", *how.command]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "workbench", *words, "--era", ERAS[how.era], *target),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()
