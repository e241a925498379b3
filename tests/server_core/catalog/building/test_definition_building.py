"""Arguments of `@tool` besides schemas."""

from typing import Annotated, Any

import pytest

from server_core.protocol.revisions import REVISIONS
from tests.server_core.ports import problems_of, tool_of


@pytest.mark.parametrize("support", ["optional", "required"])
def test_task_support_is_only_in_the_revision_that_has_it(support: str) -> None:
    tool = tool_of(lambda: None, name="x", execution={"taskSupport": support})
    assert tool.task_support == support
    executions = {date: tool.definition_for(revision).get("execution") for date, revision in REVISIONS.items()}
    assert {date: execution for date, execution in executions.items() if execution is not None} == {
        "2025-11-25": {"taskSupport": support}
    }


@pytest.mark.parametrize("execution", [None, {"taskSupport": "forbidden"}])
def test_a_tool_is_not_a_task_unless_declared(execution: Any) -> None:
    tool = tool_of(lambda: None, name="x", execution=execution)
    assert tool.task_support == "forbidden"
    assert "execution" not in tool.definition


def test_an_execution_that_clients_would_not_understand_is_a_problem() -> None:
    for execution in (
        "optional",
        {},
        {"taskSupport": "sometimes"},
        {"taskSupport": "optional", "x": 1},
        3,
        [1],
    ):
        (problem,) = problems_of(lambda: None, name="x", execution=execution)
        assert problem == f"Tool 'x': Its execution is {execution!r}, which is not valid."


class Leaving:
    """Metadata of a type that ends the program when it is inspected."""

    def __repr__(self) -> str:
        raise SystemExit(7)


class LeavingEarly:
    """The same, when its schema is asked for."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        raise SystemExit(7)


def test_metadata_of_a_type_cannot_end_the_program() -> None:
    def named(a: Annotated[str, "one", "two", "three", Leaving()]) -> None: ...

    def plain(a: Annotated[str, LeavingEarly()]) -> None: ...

    assert problems_of(named)[0].startswith(
        "Tool 'named': Parameter a: the annotation has too many string annotations."
    )
    assert problems_of(plain)[0].startswith("Tool 'plain': It cannot be inspected: SystemExit: 7")
