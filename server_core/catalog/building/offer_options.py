"""Check the arguments of `@resource` and `@prompt` that clients get unchanged.

A value that cannot be serialized to JSON would break the whole list for every client.
"""

import inspect
import json
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from server_core.catalog.building.signature import DefinitionFinding
from server_core.catalog.declarations import PromptDeclaration, ResourceDeclaration
from server_core.catalog.decorator_arguments import prompt_declarer, resource_declarer
from server_core.catalog.identity import are_icons
from server_core.runtime.suggestions import closest

Json: TypeAlias = dict[str, Any]

_TEXTS = ("name", "title", "description", "mime_type")
_OBJECTS = ("annotations", "meta")


def option_findings(declaration: ResourceDeclaration | PromptDeclaration) -> list[DefinitionFinding]:
    """Return the findings about the arguments of a decorator, except the URI and the functions."""
    return [*_unknown(declaration), *_values(declaration.options)]


def is_json(value: Any) -> bool:
    """Return whether a value can be serialized to JSON."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _unknown(declaration: ResourceDeclaration | PromptDeclaration) -> Iterator[DefinitionFinding]:
    decorator: tuple[str, Callable[..., Any]] = (
        ("resource", resource_declarer) if isinstance(declaration, ResourceDeclaration) else ("prompt", prompt_declarer)
    )
    name, declarer = decorator
    known = [name for name in inspect.signature(declarer).parameters if name != "unknown"]
    for argument in declaration.unknown:
        close = closest(argument, known)
        fix = f"Write {close!r} if that is meant." if close else "Remove it."
        yield DefinitionFinding(f"@{name} has no argument {argument!r}.", fix, part=f"@{argument}")


def _values(options: Json) -> Iterator[DefinitionFinding]:
    for name in _TEXTS:
        if not isinstance(value := options.get(name, ""), str):
            yield DefinitionFinding(
                f"Its {name} is {type(value).__name__} and not text.", "Write it in quotes.", part=f"@{name}"
            )
    for name in _OBJECTS:
        value = options.get(name, {})
        if not (isinstance(value, dict) and is_json(value)):
            message = f"The {name} must be a dict that has a form in JSON."
            yield DefinitionFinding(message, f'Write `{name}={{"key": 1}}`.', part=f"@{name}")
    if "icons" in options and not are_icons(options["icons"]):
        fix = 'Write them like `icons=[{"src": "https://example.com/icon.png"}]`.'
        yield DefinitionFinding("Its icons are none that clients understand.", fix, part="@icons")
    size = options.get("size", 0)
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        yield DefinitionFinding(f"The size {size!r} is no number of bytes.", "Write it like `size=1024`.", part="@size")
