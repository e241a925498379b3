"""Rules of `workbench.yaml` that answer the requests of tools during `workbench call`."""

import sys
from pathlib import Path

import pytest

from tests.small_project import small_project
from tests.workbench.cli.conftest import Run

TOOLS = """
from server_core import Context, tool
from pydantic import BaseModel


class Order(BaseModel):
    cups: int
    oat: bool = False


@tool
async def order(context: Context) -> str:
    answer = await context.ui.elicit("How many cups?", Order)
    return f"{answer.action} {answer.value}" if answer.accepted else answer.action


@tool
async def name_dish(context: Context) -> str:
    return (await context.sampling.create_message("Name a soup.")).text


@tool
async def nag(context: Context) -> str:
    for _ in range(100):
        answer = await context.ui.elicit("Sure?", Order)
        if not answer.accepted:
            return "enough"
    return "endless"


@tool
async def folders(context: Context) -> list[str]:
    return [str(root.uri) for root in await context.roots.list()]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    small_project(tmp_path)
    (tmp_path / "asking.py").write_text(TOOLS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(project: Path, *rules: str) -> None:
    (project / "workbench.yaml").write_text("rules:\n" + "".join(f"  {rule}\n" for rule in rules))


def test_a_rule_answers_a_form_and_is_named(project: Path, run: Run) -> None:
    write(project, 'two: {match: "tool:order cups", content: {cups: 2}}')
    code, out, err = run("call", "order", "--era", "legacy")
    assert (code, out) == (0, "accept cups=2 oat=False\n")
    assert "The tool asks: How many cups? Rule `two` answered." in err
    assert run("call", "order")[1] == "accept cups=2 oat=False\n"


def test_an_option_comes_before_the_rules_and_they_can_be_left_out(project: Path, run: Run) -> None:
    write(project, "no: {answer: decline}")
    assert run("call", "order")[1] == "decline\n"
    assert run("call", "order", "--answer", '{"cups": 1}')[1] == "accept cups=1 oat=False\n"
    code, out, err = run("call", "order", "--no-rules")
    assert (code, out) == (0, "decline\n")
    assert "Rule" not in err


def test_a_rule_answers_for_the_model_and_replaces_the_roots(project: Path, run: Run) -> None:
    write(
        project,
        'dish: {text: "Not ${request.messages[0].content.text}"}',
        "folders: {roots: ['file:///work']}",
    )
    assert run("call", "name_dish")[1] == "Not Name a soup.\n"
    assert "file:///work" in run("call", "folders")[1]


def test_a_rule_that_cannot_answer_explains_why_and_the_question_is_passed_on(project: Path, run: Run) -> None:
    write(project, "yes: {answer: accept}", 'tea: {match: method:sampling, text: "${request.gone}"}')
    code, out, err = run("call", "order")
    assert (code, out) == (0, "decline\n")
    assert "warning: The tool asks: How many cups? Rule `yes` cannot answer: it has no value for cups." in err
    assert "Declined. Give --answer JSON" in err
    code, _, err = run("call", "name_dish")
    assert code == 1
    assert "${request.gone}: the request has no value there; it has" in err


def test_a_tool_that_asks_without_end_is_answered_a_limited_number_of_times(project: Path, run: Run) -> None:
    write(project, "three: {content: {cups: 3}, limit: 4}")
    code, out, err = run("call", "nag")
    assert (code, out) == (0, "enough\n")
    assert err.count("Rule `three` answered.") == 4
    assert "Rule `three` answers only 4 requests of one call; the tool asks again." in err
    # Another call begins again.
    assert run("call", "nag", "--era", "legacy")[1] == "enough\n"


def test_a_malformed_rule_is_named_with_its_line_and_the_others_are_used(project: Path, run: Run) -> None:
    write(project, "bad: {answer: perhaps}", "two: {content: {cups: 2}, delay: 0.01}")
    code, out, err = run("call", "order")
    assert (code, out) == (0, "accept cups=2 oat=False\n")
    assert "workbench.yaml: line 2: bad: answer is one of accept" in err


COMMAND = """
import json, sys
request = json.load(sys.stdin)
assert request["method"] == "elicitation/create" and request["tool"], request
print(json.dumps({"cups": len(request["params"]["message"])}))
"""


def test_a_command_answers(project: Path, run: Run) -> None:
    (project / "answer.py.txt").write_text(COMMAND)
    write(project, f"script: {{command: ['{sys.executable}', answer.py.txt]}}")
    assert run("call", "order")[1] == "accept cups=14 oat=False\n"


@pytest.mark.parametrize(
    ("script", "options", "reason"),
    [
        ("import sys; sys.exit('no milk')", "", "ended with code 1: no milk"),
        ("print('rubbish')", "", "it wrote 'rubbish', which is not a JSON object with the fields of the form"),
        ("pass", "", "it wrote nothing"),
        ("import time; time.sleep(60)", ", timeout: 0.2", "did not end within 0.2 seconds"),
        ("print('x' * 2_000_000)", "", "wrote more than 1,000,000 bytes"),
    ],
    ids=["fails", "rubbish", "nothing", "hangs", "too much"],
)
def test_a_command_without_an_answer_is_explained(
    project: Path, run: Run, script: str, options: str, reason: str
) -> None:
    (project / "answer.py.txt").write_text(script)
    write(project, f"script: {{command: ['{sys.executable}', answer.py.txt]{options}}}")
    code, out, err = run("call", "order")
    assert (code, out) == (0, "decline\n")
    assert "Rule `script` cannot answer: " in err
    assert reason in err


def test_a_command_that_cannot_be_started_is_explained(project: Path, run: Run) -> None:
    write(project, "script: {command: no-such-program}")
    assert "the command no-such-program cannot be started: No such file" in run("call", "order")[2]
