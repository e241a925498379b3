"""Which tool a test means: by its name, or by the function that it is made of."""

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

from server_core.catalog.catalog import Catalog
from workbench.testing.unmet import Unmet

Named: TypeAlias = str | Callable[..., Any]
"""A tool's name, as on the wire or qualified; or its function."""


def name_of(tool: Named, catalog: Catalog | None) -> str:
    """Return the name by which a tool is called.

    Args:
        tool: its name, which is taken as it is, or its function.
        catalog: what is served.

    Raises:
        Unmet: when no tool is made of the function.
    """
    if isinstance(tool, str):
        return tool
    tools = [] if catalog is None else list(catalog.tools.values())
    for one in tools:
        if one.function == tool or _place(one.function) == _place(tool):
            return one.name
    known = ", ".join(one.name for one in tools) or "nothing"
    name = getattr(tool, "__qualname__", repr(tool))
    raise Unmet(f"{name} is no tool that is served; is it decorated with @tool? There is: {known}")


def _place(function: Any) -> object:
    """Where the function is written: a module that is loaded twice has two functions there."""
    function = inspect.unwrap(function)
    code = getattr(function, "__code__", None)
    return function if code is None else (code.co_filename, code.co_qualname, code.co_firstlineno)
