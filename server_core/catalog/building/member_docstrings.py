"""Read the docstrings under the members of a class from its source, since Python discards them."""

import ast
import functools
import inspect
import itertools
import linecache
import sys
from dataclasses import dataclass
from typing import Any


def member_docstrings(kind: type[Any]) -> dict[str, str]:
    """Return member -> the docstring under it, in the class or in a parent in the same module.

    The result is empty when the source of the class is not available.
    """
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if file is None:
        return {}
    linecache.checkcache(file)  # The file may have changed since linecache read it.
    return _inherited_docstrings(kind.__qualname__, _classes_in("".join(linecache.getlines(file))))


@dataclass(frozen=True)
class _Class:
    parents: tuple[str, ...]
    docstrings: dict[str, str]


def _inherited_docstrings(name: str, classes: dict[str, _Class]) -> dict[str, str]:
    entry = classes.get(name)
    if entry is None:
        return {}
    # Without this class, so that the recursion ends when classes inherit from each other in a circle.
    others = {other: base for other, base in classes.items() if other != name}
    docstrings: dict[str, str] = {}
    for parent in reversed(entry.parents):
        docstrings |= _inherited_docstrings(parent, others)
    return docstrings | entry.docstrings


@functools.lru_cache(maxsize=16)  # Often several classes in a row are from the same file.
def _classes_in(source: str) -> dict[str, _Class]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # The file has changed since.
        return {}
    classes: dict[str, _Class] = {}
    _collect_classes(tree, "", classes)
    return classes


def _collect_classes(node: ast.AST, prefix: str, classes: dict[str, _Class]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            parents = (base.value if isinstance(base, ast.Subscript) else base for base in child.bases)
            names = tuple(base.id for base in parents if isinstance(base, ast.Name))
            classes[prefix + child.name] = _Class(names, _docstrings_in(child.body))
            _collect_classes(child, f"{prefix}{child.name}.", classes)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            _collect_classes(child, f"{prefix}{child.name}.<locals>.", classes)
        elif isinstance(child, ast.stmt):
            _collect_classes(child, prefix, classes)


def _docstrings_in(body: list[ast.stmt]) -> dict[str, str]:
    docstrings = {}
    for member, after in itertools.pairwise(body):
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name) and isinstance(after, ast.Expr):
            text = after.value
            if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value.strip():
                docstrings[member.target.id] = inspect.cleandoc(text.value)
    return docstrings
