"""Collect the apps and declarations of loaded modules."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

from server_core.authoring.app import MCPApp
from server_core.catalog.building.source_lines import plain_function, source_of
from server_core.catalog.declarations import Declaration, declared_on, noted_in, written_of
from server_core.catalog.problems import Problem, problem_at


def apps_of(modules: Iterable[ModuleType]) -> list[MCPApp]:
    """Return the apps in these modules, without duplicates."""
    # Not with isinstance(): proxy objects may raise when their class is read.
    apps = [value for module in modules for value in list(vars(module).values()) if issubclass(type(value), MCPApp)]
    return list(dict.fromkeys(apps))


def declarations_of(modules: Sequence[ModuleType], apps: Iterable[MCPApp]) -> list[Declaration]:
    """Return the declarations of these modules and apps, module by module, in source order.

    Args:
        modules: the currently loaded modules.
        apps: the apps in them; their declarations from earlier generations of a module are removed from them.
    """
    current = {module.__name__: module for module in modules}
    declarations: list[Declaration] = []
    for app in apps:
        app.withdraw(declaration for declaration in app.declarations if _is_stale(declaration, current))
        declarations += app.declarations
    for module in modules:
        declarations += [declaration for declaration, hidden_by in _hidden(module) if declared_on(hidden_by)]
        declarations += _nameless(module)
        for value in list(vars(module).values()):
            declaration = declared_on(value)
            # A tool imported from another module belongs to that module.
            if declaration is not None and getattr(value, "__module__", None) == module.__name__:
                declarations.append(declaration)
    places = {name: place for place, name in enumerate(current)}
    return sorted(dict.fromkeys(declarations), key=lambda declaration: _place(declaration, places))


def places_of(declarations: Iterable[Declaration]) -> set[tuple[str, int]]:
    """Return the file and the first line of each function, including its decorators."""
    codes = [getattr(plain_function(declaration.function), "__code__", None) for declaration in declarations]
    return {(code.co_filename, code.co_firstlineno) for code in codes if code is not None}


def unserved(modules: Iterable[ModuleType]) -> list[Problem]:
    """Return a problem for each declaration that cannot be served.

    These are methods in a class, for which there is no object, and functions whose names were rebound to something
    else, which may wrap them.
    """
    problems = []
    for module in modules:
        problems += [
            _rebound_problem(declaration) for declaration, hidden_by in _hidden(module) if not declared_on(hidden_by)
        ]
        for owner in list(vars(module).values()):
            if not issubclass(type(owner), type) or _of_class(owner, "__module__") != module.__name__:
                continue
            for name, member in list(_of_class(owner, "__dict__").items()):
                if declaration := declared_on(member) or declared_on(getattr(member, "__func__", None)):
                    source = source_of(plain_function(declaration.function))
                    holder = _of_class(owner, "__name__")
                    message = f"{name!r} is declared in the class {holder!r}, so it is not served."
                    fix = (
                        "Make it a function of the module, or give the method of an object to an app: `app.tool(x.y)`."
                    )
                    problems.append(problem_at(source, message, fix))
    return list(dict.fromkeys(problems))  # A class may have two names.


def _of_class(owner: type, name: str) -> Any:
    """Return an attribute of a class without running the code of a custom metaclass."""
    return type.__getattribute__(owner, name)


def _nameless(module: ModuleType) -> list[Declaration]:
    """Return a module's declarations that its own names do not lead to: partials, methods, functions from elsewhere."""
    return [
        declaration
        for declaration in noted_in(vars(module))
        if not _is_top_level(module, declaration.function) and _is_current(declaration)
    ]


def _is_top_level(module: ModuleType, function: Any) -> bool:
    """Return whether a function is defined at the top level of the module, so that deleting its name withdraws it."""
    is_function = isinstance(function, FunctionType)
    return is_function and function.__module__ == module.__name__ and "<" not in function.__qualname__


def _is_current(declaration: Declaration) -> bool:
    """Return whether the declaration is still the latest of its function, as far as the function has attributes."""
    function = declaration.function
    if inspect.ismethod(function) or not hasattr(function, "__dict__"):
        return True
    return declared_on(function) is declaration


def _hidden(module: ModuleType) -> list[tuple[Declaration, Any]]:
    """Return a module's declarations whose names are bound to something else now, with that object."""
    names = vars(module)
    hidden = []
    for declaration in noted_in(names):
        function = plain_function(declaration.function)
        holder = names.get(getattr(function, "__name__", ""))
        now = declared_on(holder)
        is_held = holder is None or (callable(holder) and plain_function(holder) is function)
        if not is_held and (now is None or plain_function(now.function) is not function):
            hidden.append((declaration, holder))
    return hidden


def _rebound_problem(declaration: Declaration) -> Problem:
    return problem_at(
        source_of(plain_function(declaration.function)),
        f"{declaration.name!r} is declared, but its name refers to another object, so it is not served.",
        "Apply our decorator last (topmost), use `functools.wraps` in the others, or rename the other object.",
    )


def _is_stale(declaration: Declaration, current: dict[str, ModuleType]) -> bool:
    written = written_of(declaration.function)
    names = getattr(plain_function(declaration.function), "__globals__", {}) if written is None else written.names
    name = names.get("__name__")
    return _is_from_project(names) and (name not in current or names is not vars(current[name]))


def _is_from_project(names: Mapping[str, Any]) -> bool:
    from server_core.loading.modules import ProjectLoader

    return isinstance(names.get("__loader__"), ProjectLoader)


def _place(declaration: Declaration, places: dict[str, int]) -> tuple[int, int]:
    if (written := written_of(declaration.function)) is not None:
        return places.get(written.names.get("__name__", ""), len(places)), written.line
    function = plain_function(declaration.function)
    code = getattr(function, "__code__", None)
    return places.get(getattr(function, "__module__", ""), len(places)), getattr(code, "co_firstlineno", 0)
