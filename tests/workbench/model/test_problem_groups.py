"""Problems are sorted by severity, and those with the same advice are a group."""

from typing import Any

from workbench.model.problem_groups import ProblemGroup, grouped


def problem(severity: str, message: str, rule: str = "") -> dict[str, Any]:
    return {"severity": severity, "message": message, "fix": "Describe it.", "file": "a.py", "line": 1, "rule": rule}


def test_problems_of_one_kind_are_a_group_with_their_names() -> None:
    described = [
        problem("advice", f"Tool '{name}' does not describe: x{name}.", "parameter-description") for name in "abc"
    ]
    other = problem("advice", "Tool 'a': its name has no meaning.", "vague-name")
    rows = grouped([described[0], other, *described[1:]])
    assert [row.title for row in rows if isinstance(row, ProblemGroup)] == ["Parameters without a description"]
    assert isinstance(rows[0], ProblemGroup)
    assert (rows[0].names, rows[0].severity, rows[0].fix) == (["a", "b", "c"], "advice", "Describe it.")
    assert rows[0].problems == tuple(described)
    assert rows[1] is other


def test_errors_come_first_and_a_group_has_one_severity() -> None:
    message = "The tool 'x' has no type."
    problems = [problem(severity, message) for severity in ("advice", "warning", "error")]
    assert grouped(problems) == problems[::-1]
    assert [row.title for row in grouped([problems[0]] * 3) if isinstance(row, ProblemGroup)] == [
        "The tool … has no type"
    ]


def test_two_problems_are_no_group() -> None:
    problems = [problem("warning", "The tool 'x' has no type.")] * 2
    assert grouped(problems) == problems
