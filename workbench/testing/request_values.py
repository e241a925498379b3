"""Convert what a test passes to a request: a function to the name of its tool or prompt, models and dates to JSON."""

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from server_core.catalog.catalog import Catalog
from workbench.testing.assertion_errors import Unmet

Json = dict[str, Any]
NameOrFunction: TypeAlias = str | Callable[..., Any]
"""A name, as on the wire or, for a tool, qualified; or the function."""


def name_of_tool(tool: NameOrFunction, catalog: Catalog | None) -> str:
    """Return the name of a tool on the wire, for its name or its function; Unmet when no tool has this function."""
    tools = () if catalog is None else catalog.tools.values()
    return _name(tool, "tool", ((definition.name, definition.function) for definition in tools))


def name_of_prompt(prompt: NameOrFunction, catalog: Catalog | None) -> str:
    """Return the name of a prompt; see :func:`name_of_tool`."""
    prompts = () if catalog is None else catalog.prompts.values()
    return _name(prompt, "prompt", ((definition.name, definition.render.function) for definition in prompts))


def json_form(members: Mapping[str, Any]) -> Json:
    """Return an object with all its members (models, dates, enums, paths) in their JSON form."""
    plain: Json
    try:
        plain = json.loads(json.dumps(dict(members)))
    except (TypeError, ValueError):
        from pydantic_core import to_jsonable_python

        plain = to_jsonable_python(dict(members))
    return plain


def _name(named: NameOrFunction, kind: str, served: Iterable[tuple[str, Callable[..., Any]]]) -> str:
    if isinstance(named, str):
        return named
    functions = dict(served)
    for name, function in functions.items():
        if function == named or _place(function) == _place(named):
            return name
    given = getattr(named, "__qualname__", repr(named))
    known = ", ".join(functions) or "nothing"
    raise Unmet(f"{given} is not a {kind} that is served; is it decorated with @{kind}? Served: {known}")


def _place(function: Any) -> object:
    """The place of the function's definition: a module that is loaded twice has two functions there."""
    function = inspect.unwrap(function)
    code = getattr(function, "__code__", None)
    return function if code is None else (code.co_filename, code.co_qualname, code.co_firstlineno)
