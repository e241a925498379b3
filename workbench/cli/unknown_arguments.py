"""Name the arguments of a call that its tool does not have: a server may describe them only in words of its own."""

from typing import Any

from server_core.runtime.suggestions import closest_name
from workbench.cli import console
from workbench.model.short_text import escaped


def warn_of_unknown(arguments: dict[str, Any], schema: dict[str, Any]) -> None:
    """Warn of each argument that a schema without further properties does not have; they are sent anyway."""
    properties = schema.get("properties")
    if not isinstance(properties, dict) or schema.get("additionalProperties") is not False:
        return
    for name in arguments.keys() - properties.keys():
        close = closest_name(name, [known for known in properties if known not in arguments])
        guess = f"did you mean {escaped(close)}?" if close else f"it has {escaped(', '.join(properties)) or 'none'}."
        console.warn(f"the tool has no parameter {escaped(name)}; {guess}")
