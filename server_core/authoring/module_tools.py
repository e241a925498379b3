"""Find the tools and resources of modules: those of a module or package, or those that a toolkit names."""

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from server_core.catalog.declarations import Declaration, ResourceDeclaration, ToolDeclaration, declaration_of
from server_core.catalog.toolkit import Toolkit
from server_core.errors import ToolkitLoadError


def tools_in(module: ModuleType) -> list[Callable[..., Any]]:
    """Return the tools of a module, or a package's modules, in source order; ToolkitLoadError if there are none."""
    functions = _functions_with(module, ToolDeclaration)
    if not functions:
        raise ToolkitLoadError(f"The module {module.__name__} has no function with @tool; decorate one.")
    return functions


def resources_in(module: ModuleType) -> list[Callable[..., Any]]:
    """Return the functions with `@resource`, likewise; there may be none."""
    return _functions_with(module, ResourceDeclaration)


def _functions_with(module: ModuleType, kind: type[Declaration]) -> list[Callable[..., Any]]:
    functions = [
        value
        for owner in (module, *_submodules(module))
        for value in vars(owner).values()
        # A function that was imported from elsewhere belongs to its own module.
        if isinstance(declaration_of(value), kind) and getattr(value, "__module__", None) == owner.__name__
    ]
    return list(dict.fromkeys(functions))


def functions_of(toolkit: Toolkit) -> Iterator[tuple[ModuleType, str, Callable[..., Any] | None]]:
    """Yield module, name and function of a toolkit's tools; None for a function that its module does not have."""
    for module_name, names in toolkit.tools.items():
        module = _import_module(module_name)
        for name in names:
            yield module, name, getattr(module, name, None)


def _submodules(module: ModuleType) -> Iterator[ModuleType]:
    from pkgutil import walk_packages

    for module_info in walk_packages(getattr(module, "__path__", ()), f"{module.__name__}."):
        # `__main__` runs the package's program when it is imported.
        if module_info.name.rpartition(".")[2] != "__main__":
            yield _import_module(module_info.name)


def _import_module(name: str) -> ModuleType:
    from importlib import import_module

    try:
        return import_module(name)
    except Exception as error:  # Code of other authors may raise anything.
        raise ToolkitLoadError(f"Could not import module {name}. Reason: {error}") from error
