"""`workbench watch`: saved calls that are run again at each save."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.commands import START, WORKBENCH, run, send_signal

TOOLS = """
from server_core import tool


@tool
def greet(name: str) -> dict:
    return {"text": f"Hello, {name}!", "length": len(name)}


@tool
def boom() -> str:
    raise ValueError("the pot is empty")
"""
CALLS = """\
calls:
  ada:
    tool: greet
    arguments: {name: "@name.txt"}
  bad:
    tool: boom
  menu:
    resource: demo://menu
"""


def project(folder: Path) -> Path:
    (folder / "tools.py").write_text(TOOLS)
    (folder / "workbench.yaml").write_text(CALLS)
    (folder / "name.txt").write_text("Ada")
    return folder


@asynccontextmanager
async def watching(folder: Path, *names: str) -> AsyncIterator[asyncio.StreamReader]:
    pipe = asyncio.subprocess.PIPE
    command = (*WORKBENCH, "watch", "--json", *names)
    process = await asyncio.create_subprocess_exec(*command, cwd=folder, stdout=pipe, stderr=pipe)
    assert process.stdout is not None
    try:
        yield process.stdout
    finally:
        send_signal(process, signal.SIGINT)
        await asyncio.wait_for(process.communicate(), START)
        assert process.returncode == 130


async def line(out: asyncio.StreamReader) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(await asyncio.wait_for(out.readline(), START))
    return result


async def test_a_save_runs_the_calls_again_and_shows_what_differs(tmp_path: Path) -> None:
    folder = project(tmp_path)
    async with watching(folder, "ada") as out:
        first = await line(out)
        assert (first["name"], first["ok"], first["changes"], first["schema"]) == ("ada", True, [], "")
        (folder / "tools.py").write_text(TOOLS.replace("Hello", "Good morning"))
        second = await line(out)
        assert not second["ok"]
        assert [(change["before"], change["after"]) for change in second["changes"]] == [
            ('"Hello, Ada!"', '"Good morning, Ada!"')
        ]
        (folder / "tools.py").write_text(TOOLS.replace("name: str", "name: str, loud: bool"))
        third = await line(out)
        assert third["schema"] == "breaking for callers"
        assert "loud" in third["error"]
        (folder / "tools.py").write_text(TOOLS)
        assert (await line(out))["ok"]


async def test_calls_that_are_run_once_give_an_exit_code(tmp_path: Path) -> None:
    folder = project(tmp_path)
    code, out, err = await run("watch", "--once", cwd=folder)
    assert code == 1
    assert [each[0] for each in out.splitlines()] == ["✓", "✗"]
    assert "ValueError" in out
    assert "watching 2 calls" in err
    assert (await run("watch", "--once", "ada", cwd=folder))[0] == 0


ASKING = """
from server_core import Context, tool
from server_core.types import ToolAnnotations


@tool
async def ask(context: Context) -> str:
    answer = await context.ui.elicit("Which table?", {"type": "object", "properties": {"table": {"type": "string"}}})
    return answer.action


@tool(annotations=ToolAnnotations(destructiveHint=True, readOnlyHint=False))
def clear() -> str:
    return "cleared"
"""
RULES = "rules:\n  tables: {answer: accept}\n"


async def test_a_question_is_declined_unless_a_rule_answers_and_a_destructive_call_has_to_be_named(
    tmp_path: Path,
) -> None:
    (tmp_path / "tools.py").write_text(ASKING)
    calls = "calls:\n  which:\n    tool: ask\n  empty:\n    tool: clear\n"
    (tmp_path / "workbench.yaml").write_text(calls)
    code, out, _ = await run("watch", "--once", cwd=tmp_path)
    assert code == 0
    asking, clearing = out.splitlines()
    assert asking.startswith("✓ which")
    assert asking.endswith("declined: Which table?")
    assert clearing.startswith("· empty")
    assert "destructiveHint" in clearing
    assert (await run("watch", "--once", "empty", cwd=tmp_path))[1].startswith("✓ empty")
    (tmp_path / "workbench.yaml").write_text(calls + RULES)
    code, out, _ = await run("watch", "--once", "which", cwd=tmp_path)
    assert code == 0
    assert "declined" not in out
    assert "rule `tables` answered" in out


async def test_a_call_that_does_not_exist_is_named_with_a_suggestion(tmp_path: Path) -> None:
    code, out, err = await run("watch", "adda", cwd=project(tmp_path))
    assert (code, out) == (2, "")
    assert "has no call 'adda'; did you mean 'ada'?" in err


async def test_a_project_without_saved_calls_of_tools_has_nothing_to_watch(tmp_path: Path) -> None:
    (project(tmp_path) / "workbench.yaml").write_text("calls:\n  menu:\n    resource: demo://menu\n")
    code, _, err = await run("watch", cwd=tmp_path)
    assert code == 2
    assert "There is no saved call of a tool to watch" in err
