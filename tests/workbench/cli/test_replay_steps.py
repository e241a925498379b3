"""`workbench replay` with a part of the requests, and step by step."""

import json
import os
import pty
from pathlib import Path

import pytest

from server_core.transports.channel import Channel
from tests.commands import run
from tests.waiting import within
from tests.workbench.client.scripted import ScriptedServer
from tests.workbench.replay.conversation import Conversation
from tests.workbench.replay.playing import greeting
from workbench.cli.line_prompts import Asker
from workbench.cli.replay_steps import ReplaySteps
from workbench.replay.player import play

TOOLS = 'from server_core import tool\n\n\n@tool\ndef greet(name: str) -> str:\n    return f"Hello, {name}!"\n'


def talk() -> Conversation:
    talk = Conversation()
    talk.handshake()
    for number, name in enumerate(("Ada", "Bo", "Cy"), start=1):
        talk.client_asks(number, "tools/call", name="greet", arguments={"name": name})
        talk.server_answers(number, **greeting("Hello"))
    return talk


@pytest.mark.parametrize(
    ("lines", "sent"),
    [
        (["s", "s", "s", "s"], ["Ada", "Bo", "Cy"]),
        (["s", "x", "s", "s"], ["Bo", "Cy"]),
        (["s", "r"], ["Ada", "Bo", "Cy"]),
        (["s", "R"], ["Ada", "Bo", "Cy"]),
        (["s", "s", "q"], ["Ada"]),
        (["s", "e", '{"name": "greet", "arguments": {"name": "Di"}}', "s", "q"], ["Di"]),
        (["s", "e", "no JSON", "?", "s", "q"], ["Ada"]),
        (["s", "\x04"], []),
    ],
)
async def test_each_request_is_sent_changed_or_skipped_as_the_user_answers(lines: list[str], sent: list[str]) -> None:
    hand, fd = pty.openpty()
    for line in lines:
        os.write(hand, (line if line == "\x04" else f"{line}\n").encode())
    server = ScriptedServer(tools__call=greeting("Hello"))

    async def connect() -> Channel:
        return server

    steps = ReplaySteps(Asker(fd))
    try:
        report = await within(
            play(talk().recording(), connect, "scripted", 5.0, on_outcome=steps.show, steer=steps.steer)
        )
    finally:
        os.close(hand)
        os.close(fd)
    calls = [message for message in server.received if message.get("method") == "tools/call"]
    assert [message["params"]["arguments"]["name"] for message in calls] == sent
    assert len(report.outcomes) == 4


async def test_the_options_name_the_requests_that_are_replayed(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(TOOLS)
    assert (await run("call", "greet", "name=Ada", cwd=tmp_path))[0] == 0
    (capture,) = [item["path"] for item in json.loads((await run("captures", "--json"))[1])]
    code, out, _ = await run("replay", capture, "--only", "method:tools/call", "--json", cwd=tmp_path)
    assert code == 0
    outcomes = {each["method"]: each["status"] for each in json.loads(out)["outcomes"]}
    assert outcomes["tools/call"] == "same"
    assert outcomes["tools/list"] == "skipped"
    code, out, _ = await run("replay", capture, "--only", "method:tools/call", cwd=tmp_path)
    assert code == 0
    assert len(out.splitlines()) == 1
    for options, words in (
        (("--only", "city:Paris"), "The filter has no field city"),
        (("--only", "tool:("), "The filter is invalid"),
        (("--from", "1000"), "No request of the capture is left"),
        (("--step",), "standard input is no terminal"),
    ):
        code, out, err = await run("replay", capture, *options, cwd=tmp_path)
        assert (code, out) == (2, "")
        assert words in err
