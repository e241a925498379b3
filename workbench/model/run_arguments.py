"""The arguments of a call on one line, in which calls of the same tool differ as early as possible."""

from typing import Any

from workbench.model.describe import json_line
from workbench.model.short_text import escaped, shortened

_MISSING = object()


def arguments_line(arguments: dict[str, Any], previous: dict[str, Any], limit: int) -> str:
    """Return `name="Ada" times=2`, shortened to a limit; arguments that the previous call had too are last."""
    names = sorted(arguments, key=lambda name: bool(previous.get(name, _MISSING) == arguments[name]))
    parts: list[str] = []
    for name in names:
        parts.append(f"{escaped(name[:limit])}={json_line(arguments[name], limit)}")
        if sum(map(len, parts)) > limit:
            break
    return shortened(" ".join(parts), limit)
