"""The definitions that were tried with Arcade's framework: the same answers here, or another one on purpose.

The sources, both answers and the reasons for differences are in definition_cases.toml.
"""

import linecache
import tomllib
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from server_core import MCPApp
from server_core.catalog.building.assembly import Assembler
from server_core.catalog.catalog import Catalog
from server_core.catalog.declarations import Declaration, declaration_of
from server_core.catalog.definitions import Tool
from server_core.catalog.naming import Naming
from server_core.catalog.problems import Problem, error_of
from server_core.catalog.toolkit import Toolkit
from tests.tables import each_row

pytestmark = pytest.mark.promises("definition errors")

Case: TypeAlias = dict[str, Any]

PRELUDE = """\
import datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Dict, List, Literal, Optional, Union
from uuid import UUID

from pydantic import Field

from server_core import Context, tool
from server_core.auth import GitHub
from server_core.metadata import Behavior, Classification, Operation, ServiceDomain, ToolMetadata

__qualname__ = ""
"""
CASES: list[Case] = tomllib.loads(Path(__file__).with_name("definition_cases.toml").read_text("utf-8"))["case"]
OF_APPS = [item for item in CASES if item["source"].startswith("MCPApp(")]
OF_TOOLS = [item for item in CASES if item not in OF_APPS]


def by_name(case: Case) -> str:
    return str(case["name"])


def built(case: Case, folder: Path) -> tuple[Catalog, tuple[Problem, ...]]:
    """Return what becomes of a case's source, in a file of the toolkit `tk`."""
    file = str(folder / "tools.py")
    source = PRELUDE + case["source"]
    Path(file).write_text(source, "utf-8")
    linecache.checkcache(file)
    names: dict[str, Any] = {"__name__": ""}
    exec(compile(source, file, "exec"), names)
    declared = [
        declaration for value in names.values() if isinstance(declaration := declaration_of(value), Declaration)
    ]
    return Assembler(Naming(Toolkit("tk"))).assemble(reversed(declared) if case["name"] == "duplicate" else declared)


def facts_of(problem: Problem) -> dict[str, str]:
    """Return the error of a problem in the form of the cases."""
    return {
        "class": type(error_of(problem)).__name__,
        "kind": problem.kind,
        "text": problem.text.replace("<class '.", "<class '"),
    }


def facts(tool: Tool) -> dict[str, Any]:
    return {
        "tool": tool.qualified_name,
        "parameters": list(tool.input_schema["properties"]),
        "required": tool.input_schema.get("required", []),
    }


def test_each_difference_has_a_reason() -> None:
    assert len(CASES) == len({by_name(item) for item in CASES})
    assert [by_name(item) for item in CASES if (item["ours"] == "same") == ("why" in item)] == []


def assert_has_line_and_fix(problem: Problem, case: Case, folder: Path) -> None:
    """Check that a problem leads to its line in the source, and explains what to do."""
    assert problem.file == str(folder / "tools.py")
    assert problem.source_line.startswith(("def ", "@tool(", "metadata=ToolMetadata("))
    assert problem.source_line in case["source"]
    assert problem.fix
    error = error_of(problem)
    assert str(error).startswith(f"[{problem.kind}] {type(error).__name__} ")
    assert str(error).endswith(f" {problem.subject!r}: {problem.text}")


@pytest.mark.parametrize("case", OF_TOOLS, ids=by_name)
def test_a_definition_is_answered_as_arcade_does_or_else_on_purpose(case: Case, tmp_path: Path) -> None:
    catalog, problems = built(case, tmp_path)
    for problem in problems:
        assert_has_line_and_fix(problem, case, tmp_path)
    theirs, ours = case["theirs"], case["ours"]
    if ours == "same" and "tool" in theirs:
        ((_, tool),) = catalog.tools.items()
        assert (facts(tool), problems) == (theirs, ())
    elif ours == "accepted":
        assert (len(catalog.tools), problems) == (1, ())
    elif ours == "warning":
        assert (len(catalog.tools), [problem.severity for problem in problems]) == (1, ["warning"])
        assert facts_of(problems[0])["text"] == theirs["text"] or str(error_of(problems[0])) == theirs["text"]
    else:
        assert [facts_of(problem) for problem in problems] == [theirs if ours == "same" else ours]
        assert len(catalog.tools) == (1 if case["name"] == "duplicate" else 0)


@each_row("case", OF_APPS)
def test_the_name_and_version_of_an_app_are_checked_as_arcade_does(case: Case) -> None:
    theirs = case["theirs"]
    if "class" in theirs and case["ours"] == "same":
        with pytest.raises((TypeError, ValueError)) as caught:
            eval(case["source"], {"MCPApp": MCPApp})
        assert {"class": type(caught.value).__name__, "text": str(caught.value)} == theirs
        return
    app = eval(case["source"], {"MCPApp": MCPApp})
    assert case["ours"] == "accepted" or theirs in ("accepted", {"version": app.identity.version})
