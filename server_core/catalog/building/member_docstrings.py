"""What the docstrings under the members of a class say of them; Python itself does not keep these."""

import ast
import functools
import inspect
import itertools
import linecache
import sys
from dataclasses import dataclass
from typing import Any


def member_docstrings(kind: type[Any]) -> dict[str, str]:
    """Return member -> the docstring that stands under it, in the class or in a parent of the same module.

    Args:
        kind: a class; where its source is not to be had, nothing is said.
    """
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if file is None:
        return {}
    linecache.checkcache(file)
    return _gathered(kind.__qualname__, _classes_in("".join(linecache.getlines(file))))


@dataclass(frozen=True)
class _Class:
    parents: tuple[str, ...]
    told: dict[str, str]


def _gathered(name: str, classes: dict[str, _Class]) -> dict[str, str]:
    # Taken out, so that parents that go round in a circle come to an end.
    found = classes.get(name)
    if found is None:
        return {}
    others = {other: one for other, one in classes.items() if other != name}
    told: dict[str, str] = {}
    for parent in reversed(found.parents):
        told |= _gathered(parent, others)
    return told | found.told


@functools.lru_cache(maxsize=16)
def _classes_in(source: str) -> dict[str, _Class]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # The file has changed since.
        return {}
    found: dict[str, _Class] = {}
    _collect(tree, "", found)
    return found


def _collect(node: ast.AST, prefix: str, found: dict[str, _Class]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            parents = (base.value if isinstance(base, ast.Subscript) else base for base in child.bases)
            names = tuple(base.id for base in parents if isinstance(base, ast.Name))
            found[prefix + child.name] = _Class(names, _docstrings_in(child.body))
            _collect(child, f"{prefix}{child.name}.", found)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            _collect(child, f"{prefix}{child.name}.<locals>.", found)
        elif isinstance(child, ast.stmt):
            _collect(child, prefix, found)


def _docstrings_in(body: list[ast.stmt]) -> dict[str, str]:
    told = {}
    for member, after in itertools.pairwise(body):
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name) and isinstance(after, ast.Expr):
            text = after.value
            if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value.strip():
                told[member.target.id] = inspect.cleandoc(text.value)
    return told
