"""One function starts the workers of the terminal, and takes a function in place of a coroutine."""

import ast
from pathlib import Path

import workbench.tui
from workbench.tui import workers

_SOURCES = sorted(Path(workbench.tui.__file__).parent.rglob("*.py"))


def _starts_a_task(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "run_worker":
        return False
    return not any(keyword.arg == "thread" for keyword in node.keywords)


def test_no_other_module_starts_a_worker_from_a_coroutine() -> None:
    places = [path for path in _SOURCES for node in ast.walk(ast.parse(path.read_text())) if _starts_a_task(node)]
    assert places == [Path(workers.__file__)]
