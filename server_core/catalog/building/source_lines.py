"""Source positions of a function: its `def`, a parameter, its return type, an argument of its decorator."""

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable
from typing import Any

from server_core.catalog.declarations import recorded_position
from server_core.catalog.definitions import Source

RETURN = "return"
"""Denotes the return type, where parameters are denoted by their names."""

_MAX_DECORATOR_LINES = 200  # Between the first decorator and the `def`; a limit, since the file may have changed.


def source_of(function: Callable[..., Any]) -> Source | None:
    """Return the position of a function's `def`; None for functions that are not written in Python."""
    if (position := recorded_position(function)) is not None:
        return Source(position.file, position.line)
    code = getattr(plain_function(function), "__code__", None)
    if code is None:
        return None
    # co_firstlineno is the line of the first decorator.
    for line in range(code.co_firstlineno, code.co_firstlineno + _MAX_DECORATOR_LINES):
        text = linecache.getline(code.co_filename, line).lstrip()
        if text.startswith(("def ", "async def ")) or "lambda" in text:
            return Source(code.co_filename, line)
    return Source(code.co_filename, code.co_firstlineno)


def source_of_part(function: Callable[..., Any], part: str) -> Source | None:
    """Return the position of a parameter, RETURN or an argument of a decorator (`@timeout`), else of the `def`."""
    start = source_of(function)
    if start is None:
        return None
    first = plain_function(function).__code__.co_firstlineno
    try:
        block = inspect.getblock(linecache.getlines(start.file)[first - 1 :])
        definition = ast.parse(textwrap.dedent("".join(block))).body[0]
    except (SyntaxError, IndexError):  # A lambda inside an expression, or a file that has changed since.
        return start
    line = _line_of(definition, part) if isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef) else None
    return start if line is None else Source(start.file, first + line - 1)


def plain_function(function: Any) -> Any:
    """Return the function written with `def` under decorators, methods, partials and callable objects."""
    function = inspect.unwrap(getattr(function, "func", function))
    if not hasattr(function, "__code__") and not isinstance(function, type) and not inspect.ismethod(function):
        function = inspect.unwrap(type(function).__call__)
    return getattr(function, "__func__", function)


def _line_of(definition: ast.FunctionDef | ast.AsyncFunctionDef, part: str) -> int | None:
    if part == RETURN:
        return definition.returns.lineno if definition.returns else None
    if part.startswith("@"):
        calls = [decorator for decorator in definition.decorator_list if isinstance(decorator, ast.Call)]
        keywords = (keyword for call in calls for keyword in call.keywords if keyword.arg == part[1:])
        return next((keyword.value.lineno for keyword in keywords), None)
    arguments = definition.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return next((argument.lineno for argument in parameters if argument is not None and argument.arg == part), None)
