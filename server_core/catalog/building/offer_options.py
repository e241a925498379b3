"""What the arguments of `@resource` and `@prompt` tell clients as they are, and what is wrong with them.

What has no form in JSON would keep the whole list from every client.
"""

import inspect
import json
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from server_core.catalog.building.signature import Finding
from server_core.catalog.declarations import PromptDeclaration, ResourceDeclaration
from server_core.catalog.decorator_arguments import prompt_declarer, resource_declarer
from server_core.catalog.identity import are_icons
from server_core.runtime.suggestions import closest

Json: TypeAlias = dict[str, Any]

_TEXTS = ("name", "title", "description", "mime_type")
_OBJECTS = ("annotations", "meta")


def option_findings(declaration: ResourceDeclaration | PromptDeclaration) -> list[Finding]:
    """Return everything that is wrong with what a decorator was told, but for the address and the functions."""
    return [*_unknown(declaration), *_values(declaration.options)]


def is_json(value: Any) -> bool:
    """Return whether a value has a form in JSON."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _unknown(declaration: ResourceDeclaration | PromptDeclaration) -> Iterator[Finding]:
    decorator: tuple[str, Callable[..., Any]] = (
        ("resource", resource_declarer) if isinstance(declaration, ResourceDeclaration) else ("prompt", prompt_declarer)
    )
    name, declarer = decorator
    known = [one for one in inspect.signature(declarer).parameters if one != "unknown"]
    for one in declaration.unknown:
        close = closest(one, known)
        fix = f"Write {close!r} if that is meant." if close else "Remove it."
        yield Finding(f"@{name} has no argument {one!r}.", fix, part=f"@{one}")


def _values(options: Json) -> Iterator[Finding]:
    for name in _TEXTS:
        if not isinstance(value := options.get(name, ""), str):
            yield Finding(f"Its {name} is {type(value).__name__} and not text.", "Write it in quotes.", part=f"@{name}")
    for name in _OBJECTS:
        value = options.get(name, {})
        if not (isinstance(value, dict) and is_json(value)):
            message = f"The {name} must be a dict that has a form in JSON."
            yield Finding(message, f'Write `{name}={{"key": 1}}`.', part=f"@{name}")
    if "icons" in options and not are_icons(options["icons"]):
        fix = 'Write them like `icons=[{"src": "https://example.com/icon.png"}]`.'
        yield Finding("Its icons are none that clients understand.", fix, part="@icons")
    size = options.get("size", 0)
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        yield Finding(f"The size {size!r} is no number of bytes.", "Write it like `size=1024`.", part="@size")
