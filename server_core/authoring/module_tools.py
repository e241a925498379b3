"""The functions with `@tool` or `@resource` in an imported module, or in a whole package."""

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from server_core.catalog.declarations import Declaration, ResourceDeclaration, ToolDeclaration, declared_on
from server_core.errors import ToolkitLoadError


def tools_in(module: ModuleType) -> list[Callable[..., Any]]:
    """Return the tools of a module in source order, or of all modules of a package.

    Tools that a module has imported from elsewhere are left out.

    Raises:
        ToolkitLoadError: when there are none, or a module of the package cannot be imported.
    """
    functions = _declared_in(module, ToolDeclaration)
    if not functions:
        raise ToolkitLoadError(f"The module {module.__name__} has no function with @tool; decorate one.")
    return functions


def resources_in(module: ModuleType) -> list[Callable[..., Any]]:
    """Return the functions with `@resource`, likewise; there may be none.

    Raises:
        ToolkitLoadError: when a module of the package cannot be imported.
    """
    return _declared_in(module, ResourceDeclaration)


def _declared_in(module: ModuleType, kind: type[Declaration]) -> list[Callable[..., Any]]:
    functions = [
        value
        for owner in (module, *_modules_below(module))
        for value in vars(owner).values()
        if isinstance(declared_on(value), kind) and getattr(value, "__module__", None) == owner.__name__
    ]
    return list(dict.fromkeys(functions))


def _modules_below(module: ModuleType) -> Iterator[ModuleType]:
    from importlib import import_module
    from pkgutil import walk_packages

    for module_info in walk_packages(getattr(module, "__path__", ()), f"{module.__name__}."):
        if module_info.name.rpartition(".")[2] == "__main__":
            continue
        try:
            yield import_module(module_info.name)
        except Exception as error:  # Code of other authors may raise anything.
            raise ToolkitLoadError(f"Could not import module {module_info.name}. Reason: {error}") from error
