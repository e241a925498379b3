"""Problems: as values for screens, and as exceptions."""

import pytest

from server_core.catalog.definitions import Source
from server_core.catalog.problems import Problem, error_of, problem_at
from server_core.errors import (
    ErrorKind,
    ToolDefinitionError,
    ToolInputSchemaError,
    ToolkitLoadError,
    ToolOutputSchemaError,
)
from tests.tables import each_row

pytestmark = pytest.mark.promises("definition errors")


@each_row(
    ("kind", "error", "where"),
    [
        (ErrorKind.TOOL_DEFINITION_BAD_DEFINITION, ToolDefinitionError, "in definition of tool"),
        (ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA, ToolInputSchemaError, "in definition of tool"),
        (ErrorKind.TOOL_DEFINITION_BAD_OUTPUT_SCHEMA, ToolOutputSchemaError, "in definition of tool"),
        (ErrorKind.TOOLKIT_LOAD_FAILED, ToolkitLoadError, "when loading toolkit"),
    ],
)
def test_a_problem_can_be_raised_as_the_exception_of_its_kind(kind: ErrorKind, error: type, where: str) -> None:
    raised = error_of(Problem("error", "Tool 'add': It is wrong.", kind=kind.value, subject="add", text="It is wrong."))
    assert type(raised) is error
    assert str(raised) == f"[{kind}] {error.__name__} {where} 'add': It is wrong."


def test_a_problem_without_subject_becomes_an_error_with_its_message() -> None:
    assert str(error_of(Problem("error", "It is wrong."))) == "It is wrong."


def test_a_problem_has_the_line_that_it_is_about() -> None:
    problem = problem_at(Source(__file__, 1), "It is wrong.", "Mend it.", subject="add", text="wrong")
    assert problem.source_line.startswith('"""Problems: as values')
    assert problem.to_json() == {
        "severity": "error",
        "message": "It is wrong.",
        "file": __file__,
        "line": 1,
        "source_line": problem.source_line,
        "fix": "Mend it.",
        "kind": "TOOL_DEFINITION_BAD_DEFINITION",
        "subject": "add",
        "text": "wrong",
    }
