"""Loaded modules -> the apps and declarations in them."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

from server_core.authoring.app import MCPApp
from server_core.catalog.building.source_lines import plain_function, source_of
from server_core.catalog.declarations import Declaration, declared_on, noted_in, written_of
from server_core.catalog.problems import Problem, problem_at


def apps_of(modules: Iterable[ModuleType]) -> list[MCPApp]:
    """Return the apps that stand in these modules, each once."""
    # By its type: what stands in for something else may fail when it is asked whose instance it is.
    found = [value for module in modules for value in list(vars(module).values()) if issubclass(type(value), MCPApp)]
    return list(dict.fromkeys(found))


def declarations_of(modules: Sequence[ModuleType], apps: Iterable[MCPApp]) -> list[Declaration]:
    """Return what these modules and apps declare, module by module, in the order of writing.

    Args:
        modules: the modules as they are loaded now.
        apps: the apps in them; what an app still holds of a module's earlier generation is taken out of it.
    """
    current = {module.__name__: module for module in modules}
    declarations: list[Declaration] = []
    for app in apps:
        app.withdraw(one for one in app.declarations if _is_stale(one, current))
        declarations += app.declarations
    for module in modules:
        declarations += [one for one, hidden_by in _hidden(module) if declared_on(hidden_by)]
        declarations += _nameless(module)
        for value in list(vars(module).values()):
            declaration = declared_on(value)
            # A tool that was imported from another module is that module's.
            if declaration is not None and getattr(value, "__module__", None) == module.__name__:
                declarations.append(declaration)
    places = {name: place for place, name in enumerate(current)}
    return sorted(dict.fromkeys(declarations), key=lambda one: _place(one, places))


def places_of(declarations: Iterable[Declaration]) -> set[tuple[str, int]]:
    """Return the file and the first line of each function, that of its first decorator where it has one."""
    codes = [getattr(plain_function(one.function), "__code__", None) for one in declarations]
    return {(code.co_filename, code.co_firstlineno) for code in codes if code is not None}


def unserved(modules: Iterable[ModuleType]) -> list[Problem]:
    """Return a problem for each declaration that cannot be served.

    Inside of a class there is no object to call a method of; and what has lost its name to something else may have been
    wrapped by it.
    """
    problems = []
    for module in modules:
        problems += [_lost(one) for one, hidden_by in _hidden(module) if not declared_on(hidden_by)]
        for owner in list(vars(module).values()):
            if not issubclass(type(owner), type) or _of_class(owner, "__module__") != module.__name__:
                continue
            for name, member in list(_of_class(owner, "__dict__").items()):
                if found := declared_on(member) or declared_on(getattr(member, "__func__", None)):
                    source = source_of(plain_function(found.function))
                    holder = _of_class(owner, "__name__")
                    message = f"{name!r} is declared in the class {holder!r}, so it is not served."
                    fix = (
                        "Make it a function of the module, or give the method of an object to an app: `app.tool(x.y)`."
                    )
                    problems.append(problem_at(source, message, fix))
    return list(dict.fromkeys(problems))  # A class may go by two names.


def _of_class(owner: type, name: str) -> Any:
    """What every class has, past the code of its author's own metaclass."""
    return type.__getattribute__(owner, name)


def _nameless(module: ModuleType) -> list[Declaration]:
    """What a module has declared that no name of its own leads to: a partial, a method, a function from elsewhere."""
    return [one for one in noted_in(vars(module)) if not _is_of(module, one.function) and _is_meant_still(one)]


def _is_of(module: ModuleType, function: Any) -> bool:
    """Whether it is written at the top level of the module: to take its name away then takes it back."""
    is_function = isinstance(function, FunctionType)
    return is_function and function.__module__ == module.__name__ and "<" not in function.__qualname__


def _is_meant_still(declaration: Declaration) -> bool:
    """Whether nothing else has been declared of the function since; what carries nothing cannot tell."""
    function = declaration.function
    if inspect.ismethod(function) or not hasattr(function, "__dict__"):
        return True
    return declared_on(function) is declaration


def _hidden(module: ModuleType) -> list[tuple[Declaration, Any]]:
    """What a module has declared under a name that now is something else's, with that."""
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


def _lost(declaration: Declaration) -> Problem:
    return problem_at(
        source_of(plain_function(declaration.function)),
        f"{declaration.name!r} is declared, but its name is something else in the end, so it is not served.",
        "Put our decorator above the others, let those use `functools.wraps`, or give the other thing another name.",
    )


def _is_stale(declaration: Declaration, current: dict[str, ModuleType]) -> bool:
    written = written_of(declaration.function)
    names = getattr(plain_function(declaration.function), "__globals__", {}) if written is None else written.names
    name = names.get("__name__")
    return _is_projects(names) and (name not in current or names is not vars(current[name]))


def _is_projects(names: Mapping[str, Any]) -> bool:
    from server_core.loading.modules import ProjectLoader

    return isinstance(names.get("__loader__"), ProjectLoader)


def _place(declaration: Declaration, places: dict[str, int]) -> tuple[int, int]:
    if (written := written_of(declaration.function)) is not None:
        return places.get(written.names.get("__name__", ""), len(places)), written.line
    function = plain_function(declaration.function)
    code = getattr(function, "__code__", None)
    return places.get(getattr(function, "__module__", ""), len(places)), getattr(code, "co_firstlineno", 0)
