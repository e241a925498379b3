"""The result of a reload in one line, shown over whichever pane is in front."""

from typing import Any, Literal

from workbench.model.reloads import keeps_the_last
from workbench.model.short_text import escaped

_SIGNS = {"added": "+", "changed": "~", "removed": "-"}
_NAMES = 4


def reload_notice(catalog: dict[str, Any]) -> tuple[str, Literal["information", "warning", "error"]] | None:
    """Return the message about a new catalog and its severity; None for a first load.

    Args:
        catalog: the answer to `catalog/get`.
    """
    if (catalog.get("generation") or 0) < 2:
        return None
    if keeps_the_last(catalog):
        return "The reload failed; the previous tools are still served. See 5 Problems.", "error"
    changes = [
        f"{sign} {_some(names)}"
        for kinds in (catalog["changes"] or {}).values()
        for kind, sign in _SIGNS.items()
        if (names := kinds.get(kind))
    ]
    text = f"Reloaded in {catalog['duration_ms']:.0f} ms  {'  '.join(changes)}".rstrip()
    return (text, "information") if catalog["ok"] else (f"{text}. Loaded in part: see 5 Problems.", "warning")


def _some(names: list[str]) -> str:
    shown = escaped(", ".join(names[:_NAMES]))
    return shown if len(names) <= _NAMES else f"{shown} and {len(names) - _NAMES} more"
