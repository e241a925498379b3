"""Check the options that clients get unchanged, and that there are no unknown options.

A value that cannot be serialized to JSON would break the whole list for every client.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from server_core.catalog.building.signature import DefinitionFinding
from server_core.catalog.declarations import OfferDeclaration
from server_core.catalog.decorator_options import DESCRIPTIVE
from server_core.catalog.identity import are_icons
from server_core.runtime.safe_json import dump_json
from server_core.runtime.suggestions import closest_name

_TEXTS = ("name", "title", "description", "mime_type")
_OBJECTS = ("annotations", "meta")


def option_findings(declaration: OfferDeclaration) -> list[DefinitionFinding]:
    """Return the findings about the options that clients get unchanged, and about unknown options."""
    return [*_unknown_option_findings(declaration), *_value_findings(declaration.options)]


def descriptive_options(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name in DESCRIPTIVE}


def _unknown_option_findings(declaration: OfferDeclaration) -> Iterator[DefinitionFinding]:
    for argument in declaration.unknown:
        close = closest_name(argument, declaration.option_class.__annotations__)
        fix = f"Write {close!r} if that is meant." if close else "Remove it."
        yield DefinitionFinding(f"@{declaration.decorator} has no argument {argument!r}.", fix, part=f"@{argument}")


def _value_findings(options: Mapping[str, Any]) -> Iterator[DefinitionFinding]:
    for name in _TEXTS:
        if not isinstance(value := options.get(name, ""), str):
            yield DefinitionFinding(
                f"Its {name} is {type(value).__name__}, not a string.", "Write it in quotes.", part=f"@{name}"
            )
    for name in _OBJECTS:
        value = options.get(name, {})
        if not (isinstance(value, dict) and _is_json(value)):
            message = f"The {name} must be a dict that can be represented in JSON."
            yield DefinitionFinding(message, f'Write `{name}={{"key": 1}}`.', part=f"@{name}")
    if "icons" in options and not are_icons(options["icons"]):
        fix = 'Write them as in `icons=[{"src": "https://example.com/icon.png"}]`.'
        yield DefinitionFinding("Its icons are not valid.", fix, part="@icons")
    size = options.get("size", 0)
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        yield DefinitionFinding(f"The size {size!r} is not a number of bytes.", "Write `size=1024`.", part="@size")


def _is_json(value: Any) -> bool:
    try:
        dump_json(value, allow_nan=False)
    except ValueError:
        return False
    return True
