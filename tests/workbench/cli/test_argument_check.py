"""`workbench call` checks arguments against the schema of the tool, and names what is expected, before it sends any."""

from typing import Any

import pytest

from server_core.errors import ConfigurationError
from tests.commands import DEMO
from tests.tables import each_row
from tests.workbench.cli.conftest import Run
from workbench.cli.argument_check import check_arguments


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def problems(arguments: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    """Return the lines of the error that name the arguments; empty if there is none."""
    try:
        check_arguments("pour", arguments, schema)
    except ConfigurationError as error:
        return [line.strip() for line in str(error).splitlines()[1:-1]]
    return []


@each_row(
    ("arguments", "member", "problem"),
    [
        ({}, {"type": "string"}, "a: required, string, such as a=text"),
        ({}, {"enum": ["red", "blue"]}, 'a: required, "red" | "blue", such as a=red'),
        ({"a": 0}, {"type": "integer", "minimum": 1}, "a: must be at least 1, such as a=1"),
        ({"a": "x"}, {"type": "boolean"}, "a: must be true or false, such as a=true"),
        ({"a": 5}, {"type": "array", "items": {"type": "string"}}, """a: must be a list, such as 'a:=["a", "b"]'"""),
        ({"a": "x"}, {"type": "string", "examples": ["two words"], "minLength": 2}, "'a=two words'"),
        ({"a": {"b": 1}}, {"type": "object", "properties": {"b": {"type": "string"}}}, "a.b: must be text"),
        ({"a": 1}, {"$ref": "#/$defs/Name"}, "a: must be text, such as a=text"),
    ],
)
def test_an_argument_is_named_with_what_is_expected_and_an_example(
    arguments: dict[str, Any], member: dict[str, Any], problem: str
) -> None:
    (line,) = problems(arguments, schema(a=member) | {"$defs": {"Name": {"type": "string"}}})
    assert line.endswith(problem) if problem.startswith("'") else line == problem


def test_what_a_server_may_accept_is_no_problem() -> None:
    assert problems({"a": "soon", "b": 1}, schema(a={"type": "string", "format": "date"})) == []
    assert problems({"b": 1}, {"type": "object", "properties": {}, "additionalProperties": False}) == []
    assert problems({"b": 1}, {"type": "no such type"}) == []


def test_an_example_that_the_schema_does_not_allow_is_left_out() -> None:
    member = {"type": "string", "pattern": "^[0-9]{4}$", "default": "x"}
    assert problems({"a": "12"}, schema(a=member)) == ["a: must match ^[0-9]{4}$"]


def test_only_the_first_of_many_problems_are_named() -> None:
    lines = problems({}, schema(**{f"a{index}": {"type": "string"} for index in range(12)}))
    assert (len(lines), lines[-1]) == (11, "… 2 more")


@pytest.mark.parametrize(("raw", "code", "text"), [((), 2, "was not called"), (("--raw",), 1, "the tool failed")])
def test_a_call_that_does_not_fit_is_sent_only_on_purpose(run: Run, raw: tuple[str, ...], code: int, text: str) -> None:
    ended, out, err = run("call", "brew", "cups=0", *raw, "--project", str(DEMO))
    assert (ended, out, text in err) == (code, "", True)
