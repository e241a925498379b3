"""Our client commands against a server that was written with the official Python SDK."""

import json
import sys
from pathlib import Path

from tests.commands import run

SERVER = ["--", sys.executable, str(Path(__file__).with_name("official_server.py"))]


async def test_call_prints_what_a_foreign_server_answers() -> None:
    code, out, err = await run("call", "echo", "message=hi", *SERVER)
    assert (code, out.strip()) == (0, "hi"), err


async def test_call_converts_values_to_the_types_of_a_foreign_schema() -> None:
    code, out, err = await run("call", "divide", "a=9", "b=2", "--json", *SERVER)
    assert code == 0, err
    assert json.loads(out)["structuredContent"] == {"result": 4.5}


async def test_call_ends_with_exit_code_1_when_the_foreign_tool_fails() -> None:
    code, _, _ = await run("call", "divide", "a=9", "b=0", *SERVER)
    assert code == 1


async def test_list_names_the_tools_of_a_foreign_server() -> None:
    code, out, err = await run("list", *SERVER)
    assert code == 0, err
    assert "echo" in out
    assert "Divide a number by another." in out


async def test_a_command_that_does_not_exist_ends_with_exit_code_3() -> None:
    code, out, err = await run("list", "--", "/no/such/command")
    assert (code, out) == (3, "")
    assert "/no/such/command" in err
