"""Collect the apps and declarations of loaded modules."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

from server_core.authoring.declared_app import DeclaredApp
from server_core.catalog.building.source_lines import plain_function, source_of
from server_core.catalog.declarations import Declaration, declaration_of, declarations_in, recorded_position
from server_core.catalog.problems import Problem, problem_at


def apps_of(modules: Iterable[ModuleType]) -> list[DeclaredApp]:
    # Not with isinstance(): proxy objects may raise when their class is read.
    apps = [
        value for module in modules for value in list(vars(module).values()) if issubclass(type(value), DeclaredApp)
    ]
    return list(dict.fromkeys(apps))


def declarations_of(modules: Sequence[ModuleType], apps: Iterable[DeclaredApp]) -> list[Declaration]:
    """Return the declarations in source order, and remove those of earlier generations of a module from the apps."""
    current = {module.__name__: module for module in modules}
    declarations: list[Declaration] = []
    for app in apps:
        # An app in an unchanged module has the declarations of changed modules from before, too.
        app.withdraw(declaration for declaration in app.declarations if _is_stale(declaration, current))
        declarations += app.declarations
    for module in modules:
        declarations += [
            declaration for declaration, bound_now in _rebound_declarations(module) if declaration_of(bound_now)
        ]
        declarations += _unnamed_declarations(module)
        for value in list(vars(module).values()):  # A copy: another thread may change the module.
            declaration = declaration_of(value)
            # A tool imported from another module belongs to that module.
            if declaration is not None and getattr(value, "__module__", None) == module.__name__:
                declarations.append(declaration)
    order = {name: index for index, name in enumerate(current)}
    return sorted(dict.fromkeys(declarations), key=lambda declaration: _position(declaration, order))


def first_lines_of(declarations: Iterable[Declaration]) -> set[tuple[str, int]]:
    """Return the file and the first line of each function, including its decorators."""
    codes = [getattr(plain_function(declaration.function), "__code__", None) for declaration in declarations]
    return {(code.co_filename, code.co_firstlineno) for code in codes if code is not None}


def unserved_problems(modules: Iterable[ModuleType]) -> list[Problem]:
    """Return a problem for each declaration that cannot be served: methods, and functions whose names were rebound."""
    problems = []
    for module in modules:
        problems += [
            _rebound_problem(declaration)
            for declaration, bound_now in _rebound_declarations(module)
            if not declaration_of(bound_now)
        ]
        for owner in list(vars(module).values()):
            if not issubclass(type(owner), type) or _class_attribute(owner, "__module__") != module.__name__:
                continue
            for name, member in list(_class_attribute(owner, "__dict__").items()):
                if declaration := declaration_of(member) or declaration_of(getattr(member, "__func__", None)):
                    source = source_of(plain_function(declaration.function))
                    class_name = _class_attribute(owner, "__name__")
                    message = f"{name!r} is declared in the class {class_name!r}, so it is not served."
                    fix = (
                        "Make it a function of the module, or give the method of an object to an app: `app.tool(x.y)`."
                    )
                    problems.append(problem_at(source, message, fix))
    return list(dict.fromkeys(problems))  # A class may have two names.


def _class_attribute(owner: type, name: str) -> Any:
    # A custom metaclass may run any code when an attribute is read.
    return type.__getattribute__(owner, name)


def _unnamed_declarations(module: ModuleType) -> list[Declaration]:
    """Return a module's declarations that its own names do not lead to: partials, methods, functions from elsewhere."""
    return [
        declaration
        for declaration in declarations_in(vars(module))
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
    return declaration_of(function) is declaration


def _rebound_declarations(module: ModuleType) -> list[tuple[Declaration, Any]]:
    """Return a module's declarations whose names are bound to something else now, with that object."""
    namespace = vars(module)
    rebound = []
    for declaration in declarations_in(namespace):
        function = plain_function(declaration.function)
        value = namespace.get(getattr(function, "__name__", ""))
        other = declaration_of(value)
        # A deleted name withdraws its function; a wrapper that names its function (`functools.wraps`) stands for it.
        is_same = value is None or (callable(value) and plain_function(value) is function)
        if not is_same and (other is None or plain_function(other.function) is not function):
            rebound.append((declaration, value))
    return rebound


def _rebound_problem(declaration: Declaration) -> Problem:
    return problem_at(
        source_of(plain_function(declaration.function)),
        f"{declaration.name!r} is declared, but its name refers to another object, so it is not served.",
        "Apply our decorator last (topmost), use `functools.wraps` in the others, or rename the other object.",
    )


def _is_stale(declaration: Declaration, current: dict[str, ModuleType]) -> bool:
    position = recorded_position(declaration.function)
    function = plain_function(declaration.function)
    namespace = getattr(function, "__globals__", {}) if position is None else position.namespace
    name = namespace.get("__name__")
    return _is_from_project(namespace) and (name not in current or namespace is not vars(current[name]))


def _is_from_project(namespace: Mapping[str, Any]) -> bool:
    from server_core.loading.modules import ProjectLoader

    return isinstance(namespace.get("__loader__"), ProjectLoader)


def _position(declaration: Declaration, order: dict[str, int]) -> tuple[int, int]:
    if (position := recorded_position(declaration.function)) is not None:
        return order.get(position.namespace.get("__name__", ""), len(order)), position.line
    function = plain_function(declaration.function)
    code = getattr(function, "__code__", None)
    return order.get(getattr(function, "__module__", ""), len(order)), getattr(code, "co_firstlineno", 0)
