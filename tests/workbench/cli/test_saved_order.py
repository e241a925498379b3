"""Saved calls on the command line."""

import json
import sys
from pathlib import Path

import pytest

from tests.small_project import small_project
from tests.workbench.cli.conftest import Run

SECRET = "quite-secret-42"
TEXT = """\
calls:
  sum:
    tool: add
    arguments: {a: 2, b: 3}
  word:
    tool: shout
    arguments: {text: "${secret:MY_WORD}"}
  more:
    tool: add
    arguments: {a: "${last.result}", b: 1}
  menu:
    resource: demo://menu
  plan:
    prompt: plan
    arguments: {day: Monday}
  bad: 5
"""
OFFERS = """
from server_core import prompt, resource


@resource("demo://menu")
def menu() -> str:
    return "soup"


@prompt
def plan(day: str) -> str:
    return f"A plan for {day}"
"""

FAILING_SERVER = """
import json, sys

ANSWERS = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "x", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "shout", "inputSchema": {"type": "object"}}]},
}
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "tools/call":
        sys.exit("got " + message["params"]["arguments"]["text"])
    if message["method"] in ANSWERS:
        result = ANSWERS[message["method"]]
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
    elif "id" in message:
        error = {"code": -32601, "message": "unknown"}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}), flush=True)
"""


@pytest.fixture
def project(tmp_path: Path) -> str:
    folder = small_project(tmp_path / "small")
    (folder / "more.py").write_text(OFFERS)
    (folder / "workbench.yaml").write_text(TEXT)
    (folder / ".env").write_text(f"MY_WORD={SECRET}\n")
    return str(folder)


def test_a_saved_call_is_made_and_words_override_its_arguments(run: Run, project: str) -> None:
    code, out, err = run("call", "--saved", "sum", "--project", project)
    assert (code, out) == (0, "5\n")
    assert "workbench.yaml: line 16: bad: write `tool: NAME` below it" in err
    assert run("call", "--saved", "sum", "b=4", "--project", project)[:2] == (0, "6\n")
    assert run("call", "--saved", "sum", "--args", '{"a": 10}', "--project", project)[:2] == (0, "13\n")


def test_a_secret_is_sent_and_masked_everywhere(run: Run, project: str, tmp_path: Path) -> None:
    code, out, err = run("call", "--saved", "word", "--project", project)
    assert code == 0
    captures = b"".join(path.read_bytes() for path in tmp_path.rglob("*.capture*"))
    assert b"<secret MY_WORD>" in captures
    # The tool has changed it, so that it is another word.
    assert (out, SECRET in err, SECRET.encode() in captures) == (f"{SECRET.upper()}\n", False, False)


def test_a_secret_is_masked_in_how_another_server_ended(
    run: Run, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    Path("server.py").write_text(FAILING_SERVER)
    code, out, err = run("call", "--saved", "word", "--", sys.executable, "server.py")
    assert code == 3
    assert "got <secret MY_WORD>" in err
    assert SECRET not in out + err


def test_texts_of_a_saved_call_name_files_as_in_a_form(run: Run, project: str, tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    calls = {
        name: {"tool": "shout", "arguments": {"text": text}} for name, text in {"file": f"@{path}", "at": "@@a"}.items()
    }
    (Path(project) / "workbench.yaml").write_text(json.dumps({"calls": calls}))
    code, _, err = run("call", "--saved", "file", "--project", project)
    assert (code, f"there is no file {path}" in err) == (2, True)
    path.write_text("${secret:MY_WORD}")
    assert run("call", "--saved", "file", "--project", project)[:2] == (0, "${SECRET:MY_WORD}\n")
    assert run("call", "--saved", "at", "--project", project)[:2] == (0, "@A\n")
    assert run("call", "--saved", "file", "text=@b", "--project", project)[:2] == (0, "@B\n")


def test_the_last_result_is_that_of_the_captures(run: Run, project: str) -> None:
    code, _, err = run("call", "--saved", "more", "--project", project)
    assert (code, "there is no earlier result yet" in err) == (2, True)
    run("call", "--saved", "sum", "--project", project)
    assert run("call", "--saved", "more", "--project", project)[:2] == (0, "6\n")


def test_resources_and_prompts_can_be_saved_calls(run: Run, project: str) -> None:
    assert run("call", "--saved", "menu", "--project", project)[:2] == (0, "soup\n")
    assert run("call", "--saved", "plan", "--project", project)[:2] == (0, "A plan for Monday\n")


def test_the_saved_calls_are_listed(run: Run, project: str) -> None:
    code, out, _ = run("list", "--saved", "--project", project)
    assert (code, out.splitlines()[1].split()) == (0, ["sum", "tool", "add", '{"a":', "2,", '"b":', "3}"])
    code, out, _ = run("list", "--saved", "--json", "--project", project)
    assert json.loads(out)[3:] == [
        {"name": "menu", "resource": "demo://menu"},
        {"name": "plan", "prompt": "plan", "arguments": {"day": "Monday"}},
    ]
    Path(project, "workbench.yaml").unlink()
    assert "There are no saved calls in" in run("list", "--saved", "--project", project)[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--saved", "sun"], "has no call 'sun'; did you mean 'sum'?"),
        (["add", "--saved", "sum"], "choose one: the tool 'add', or --saved 'sum'"),
        ([], "name a TOOL, or a saved call with --saved NAME"),
    ],
)
def test_a_wrong_choice_is_explained(run: Run, project: str, words: list[str], message: str) -> None:
    code, _, err = run("call", *words, "--project", project)
    assert (code, message in err) == (2, True)
