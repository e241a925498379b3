"""The client commands against a server that someone else wrote, a process of its own."""

import asyncio
import json
import os
import pty
import signal
import sys
from pathlib import Path

import pytest

from tests.commands import START, WORKBENCH, send_signal
from tests.workbench.cli.conftest import Run

SERVER = [sys.executable, str(Path(__file__).with_name("foreign_server.py"))]


def test_call_prints_the_result_and_narrates_the_rest_on_stderr(run: Run) -> None:
    code, out, err = run("call", "echo", "message=hi", "times=2", "--", *SERVER)
    assert (code, out) == (0, "hihi\n")
    assert "a warm welcome" in err


def test_call_prints_the_whole_result_as_json(run: Run) -> None:
    code, out, _ = run("call", "echo", "message=hi", "--json", "--", *SERVER)
    assert code == 0
    assert json.loads(out) == {"content": [{"type": "text", "text": "hi"}]}


def test_arguments_come_from_a_json_text_a_file_or_stdin(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "args.json"
    path.write_text('{"message": "file", "times": 2}')
    assert (run("call", "echo", "--args", '{"message": "text"}', "--", *SERVER))[1] == "text\n"
    assert (run("call", "echo", "--args", f"@{path}", "times=1", "--", *SERVER))[1] == "file\n"
    assert (run("call", "echo", "--args", "-", "--", *SERVER, stdin=b'{"message": "in"}'))[1] == "in\n"


def test_list_shows_names_and_first_paragraphs(run: Run) -> None:
    code, out, _ = run("list", "--", *SERVER)
    assert code == 0
    assert out.splitlines()[:2] == ["tools", "  echo     Does echo."]


def test_list_prints_the_catalog_as_json(run: Run) -> None:
    _, out, _ = run("list", "--json", "--", *SERVER)
    catalog = json.loads(out)
    assert catalog["tools"][0]["name"] == "echo"
    assert catalog["prompts"] == []


def test_a_failed_tool_is_reported_with_kind_and_hint_and_exits_with_1(run: Run) -> None:
    code, out, err = run("call", "fail", "--", *SERVER)
    assert (code, out) == (1, "")
    assert "It failed." in err
    assert "TOOL_RUNTIME_RETRY" in err
    assert "Say please" in err


def test_a_hint_that_the_message_contains_is_written_once_and_escaped(run: Run) -> None:
    _, _, err = run("call", "repeat", "--", *SERVER)
    assert err.count("Say \\x1b[31mplease") == 1
    assert "\x1b" not in err


def test_a_failed_tool_is_json_as_well(run: Run) -> None:
    code, out, _ = run("call", "fail", "--json", "--", *SERVER)
    assert code == 1
    assert json.loads(out)["isError"] is True


def test_a_json_rpc_error_is_reported_and_is_json_as_well(run: Run) -> None:
    code, out, err = run("call", "break", "--json", "--", *SERVER)
    assert code == 1
    assert json.loads(out) == {"error": {"code": -32603, "message": "Broken", "data": {"part": "axle"}}}
    assert "Broken" in err


def test_progress_and_log_messages_are_narrated(run: Run) -> None:
    code, out, err = run("call", "slow", "--", *SERVER)
    assert (code, out) == (0, "done\n")
    assert "progress 1/2 half" in err
    assert "info kitchen: warm" in err


def test_a_call_times_out_without_progress(run: Run) -> None:
    # The same limit holds for the handshake with a process that has to start first.
    for seconds in ("1", "4", "16"):
        code, out, err = run("call", "hang", "--timeout", seconds, "--", *SERVER)
        if code != 3:
            break
    assert (code, out) == (1, "")
    assert f"no response and no progress within {seconds} seconds" in err


def test_a_server_that_does_not_answer_the_handshake_in_time_is_abandoned(run: Run) -> None:
    code, out, err = run("call", "hang", "--timeout", "0.05", "--", sys.executable, "-c", "input(); input(); input()")
    assert (code, out) == (3, "")
    assert "did not answer initialize within 0.05 seconds" in err


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_a_server_of_today_is_reached_in_its_era(run: Run, era: str) -> None:
    assert run("call", "echo", "message=hi", "--era", era, "--", *SERVER)[:2] == (0, "hi\n")


def test_an_unsupported_era_is_reported(run: Run) -> None:
    code, out, err = run("list", "--era", "modern", "--", *SERVER)
    assert (code, out) == (3, "")
    assert "does not support 2026-07-28" in err
    assert "Use another era than 'modern'" in err


def test_a_picture_is_named_and_never_printed(run: Run) -> None:
    _, out, _ = run("call", "picture", "--", *SERVER)
    assert out == "image/png image, 300 B\n"


def test_structured_content_is_printed_beside_a_different_text(run: Run) -> None:
    _, out, _ = run("call", "evil", "--", *SERVER)
    assert out == '\x1b[31mred\n{\n  "tall": 1\n}\n'


@pytest.mark.parametrize(
    ("tool", "options", "message"),
    [
        ("ask", [], {"action": "decline"}),
        ("ask", ["--accept"], {"action": "accept", "content": {"day": "Monday"}}),
        ("ask", ["--accept", 'required:=["guests"]'], {"action": "decline"}),
        ("ask", ["--answer", '{"day": "Friday"}'], {"action": "accept", "content": {"day": "Friday"}}),
        ("ask", ["--answer", '{"guests": 2}'], {"action": "accept", "content": {"day": "Monday", "guests": 2}}),
        ("visit", [], {"action": "decline"}),
        ("visit", ["--accept"], {"action": "accept"}),
        ("think", [], {"code": -1, "message": "The user rejected the request."}),
    ],
)
def test_questions_are_answered_by_the_options_or_turned_away(
    run: Run, tool: str, options: list[str], message: dict[str, object]
) -> None:
    code, out, err = run("call", tool, *options, "--", *SERVER)
    assert code == 0
    assert json.loads(out) == message
    assert "The tool asks" in err


def test_sampling_is_answered_from_the_option(run: Run) -> None:
    _, out, _ = run("call", "think", "--sample", "Cod", "--", *SERVER)
    assert json.loads(out)["content"] == {"type": "text", "text": "Cod"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["call", "ehco", "--", *SERVER], 2, "did you mean 'echo'?"),
        (["call", "ECHO", "--", *SERVER], 2, "did you mean 'echo'?"),
        (["call", "echo", "hi", "--", *SERVER], 2, "write key=value"),
        (["call", "echo", "times=two", "--", *SERVER], 2, "'times' must be integer"),
        (["call", "echo", "--args", "[]", "--", *SERVER], 2, "--args must be a JSON object"),
        (["call", "echo", "--args", "@/no/such/file", "--", *SERVER], 2, "cannot read /no/such/file: No such"),
        (["call", "ask", "--answer", "{", "--", *SERVER], 2, "--answer is not JSON"),
        (["call", "echo", "--nope"], 2, "No such option"),
        (["call"], 2, "workbench call --help"),
        (["call", "crash", "--", *SERVER], 3, "The server ended with exit code"),
        (["list", "--", "no-such-command-anywhere"], 3, "no-such-command-anywhere"),
        (["list", "--url", "http://127.0.0.1:1/mcp"], 3, "http://127.0.0.1:1/mcp"),
        (["list", "--url", "localhost"], 2, "http://"),
        (["list", "--era", "stone", "--", *SERVER], 2, "'--era': 'stone' is not one of 'legacy', 'modern', 'auto'"),
        (["call", "echo", "--timeout", "0", "--", *SERVER], 2, "--timeout"),
        (["list", "--url", "http://x", "--", "y"], 2, "choose one server"),
        (["list", "--project", "/no/such/folder"], 2, "/no/such/folder"),
        (["ps", "--", "x"], 2, "accepts no command"),
        (["lst"], 2, "did you mean the command 'list'?"),
        (["attach", "nobody"], 2, "No core is running"),
        (["serve"], 2, "--stdio or --http"),
        (["serve", "--stdio", "--http"], 2, "--stdio or --http"),
        (["serve", "--http", "--port", "99999"], 2, "65535"),
        (["replay", "/no/such.capture"], 2, "/no/such.capture"),
        (["new", "No-Name"], 2, "No-Name"),
        (["new", "fine", "--template", "none"], 2, "none"),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, list) else None,
)
def test_bad_input_is_a_clear_message_and_an_exit_code(
    run: Run, arguments: list[str], code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    got, out, err = run(*arguments)
    assert (got, out) == (code, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("words", [["list", "--json", "--", *SERVER], ["--help"]], ids=["data", "help"])
async def test_a_pipe_without_a_reader_is_no_error(words: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    process = await asyncio.create_subprocess_exec(*WORKBENCH, *words, stdout=write, stderr=asyncio.subprocess.PIPE)
    os.close(write)
    _, err = await asyncio.wait_for(process.communicate(), START)
    assert process.returncode == 2
    assert b"Traceback" not in err
    assert b"BrokenPipe" not in err


async def test_ctrl_c_cancels_the_call_and_exits_with_130() -> None:
    command = [*WORKBENCH, "call", "ask", "--", *SERVER]
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *command, stdin=slave, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(START):
            while b"ccept" not in await process.stderr.readuntil(b"?"):
                pass
            send_signal(process, signal.SIGINT)
            _, err = await process.communicate()
    finally:
        os.close(master)
        os.close(slave)
    assert process.returncode == 130
    assert b"Traceback" not in err


@pytest.mark.parametrize(
    ("end", "how"),
    [("os._exit(7)", "exit code 7"), ("os.kill(os.getpid(), 9)", "killed by SIGKILL")],
    ids=["exit code", "signal"],
)
def test_a_server_that_ends_during_a_call_is_reported_with_how_it_ended(run: Run, end: str, how: str) -> None:
    dying = f"""
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "tools/call":
        print("out of beans", file=sys.stderr, flush=True)
        {end}
    elif message["method"] == "initialize":
        result = {{"protocolVersion": "2025-11-25", "capabilities": {{"tools": {{}}}}, "serverInfo": {{"name": "x"}}}}
        print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": result}}), flush=True)
    elif message["method"] == "tools/list":
        result = {{"tools": [{{"name": "brew", "inputSchema": {{"type": "object"}}}}]}}
        print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": result}}), flush=True)
"""
    code, out, err = run("call", "brew", "--era", "legacy", "--", sys.executable, "-c", dying)
    assert (code, out) == (3, "")
    assert how in err
    assert "out of beans" in err


@pytest.mark.parametrize("command", [["list"], ["call", "echo"]], ids=["list", "call"])
def test_a_command_that_cannot_be_started_is_named(run: Run, command: list[str]) -> None:
    code, out, err = run(*command, "--", "no-such-command")
    assert (code, out) == (3, "")
    assert "Cannot start 'no-such-command'" in err
