"""What `@tool` is told besides schemas."""

from typing import Any

import pytest

from server_core.protocol.revisions import REVISIONS
from tests.server_core.ports import problems_of, tool_of


@pytest.mark.parametrize("support", ["optional", "required"])
def test_whether_a_tool_can_be_a_task_is_told_in_the_revision_that_has_that(support: str) -> None:
    tool = tool_of(lambda: None, name="x", execution={"taskSupport": support})
    assert tool.task_support == support
    told = {date: tool.definition_for(revision).get("execution") for date, revision in REVISIONS.items()}
    assert {date: one for date, one in told.items() if one is not None} == {"2025-11-25": {"taskSupport": support}}


@pytest.mark.parametrize("execution", [None, {"taskSupport": "forbidden"}])
def test_a_tool_is_no_task_unless_it_says_so(execution: Any) -> None:
    tool = tool_of(lambda: None, name="x", execution=execution)
    assert tool.task_support == "forbidden"
    assert "execution" not in tool.definition


@pytest.mark.parametrize(
    "execution", ["optional", {}, {"taskSupport": "sometimes"}, {"taskSupport": "optional", "x": 1}, 3, [1]], ids=repr
)
def test_an_execution_that_clients_would_not_understand_is_a_problem(execution: Any) -> None:
    (problem,) = problems_of(lambda: None, name="x", execution=execution)
    assert problem == f"Tool 'x': Its execution is {execution!r}, which clients would not understand."
