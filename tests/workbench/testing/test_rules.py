"""The rules of `workbench.yaml` in tests: questions without a prepared answer are answered by them."""

from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from tests.small_project import small_project
from tests.workbench.cli.test_call_rules import TOOLS
from workbench.testing import Client
from workbench.testing.assertion_errors import Unanswered

RULES = "rules:\n  two: {content: {cups: 2}, off: true}\n  no: {answer: decline}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "asking.py").write_text(TOOLS)
    (tmp_path / "workbench.yaml").write_text(RULES)
    return small_project(tmp_path)


def test_rules_answer_what_no_prepared_answer_is_for(project: Path) -> None:
    with Client(project, rules=True, allow_problems=True) as client:
        client.answers.elicit({"cups": 1})
        assert client.call("order").text == "accept cups=1 oat=False"
        assert client.call("order").text == "decline"
        assert [report.rule for report in client.answers.reports] == ["no"]
        assert len(client.answers.asked) == 2


def test_named_rules_are_used_alone_also_if_they_are_switched_off(project: Path) -> None:
    with Client(project, rules=["two"], allow_problems=True) as client:
        assert client.call("order").text == "accept cups=2 oat=False"
        with pytest.raises(Unanswered):
            client.call("name_dish")


def test_without_rules_a_question_fails_the_test_as_before(project: Path) -> None:
    with Client(project, allow_problems=True) as client, pytest.raises(Unanswered):
        client.call("order")


@pytest.mark.parametrize(
    ("text", "problem"),
    [("rules:\n  a: {answer: b}\n", "line 2: a: answer is one of"), ("rules:\n  twoo: {answer: accept}\n", "twoo")],
)
def test_a_mistake_in_the_rules_fails_the_test(project: Path, text: str, problem: str) -> None:
    (project / "workbench.yaml").write_text(text)
    with pytest.raises(ConfigurationError, match=problem), Client(project, rules=["two"], allow_problems=True):
        pass
