"""The outcome of a load or a reload, as `catalog/get` reports it."""

from collections.abc import Mapping
from typing import Any


def keeps_the_last(catalog: Mapping[str, Any]) -> bool:
    """Return whether a reload failed so that the previous tools are still served.

    If the only problems are in files that have never loaded, everything else is current.
    """
    changes = catalog["changes"] or {}
    is_new = bool(catalog["reloaded"]) or any(names for kinds in changes.values() for names in kinds.values())
    return not catalog["ok"] and catalog["generation"] > 1 and not is_new


def load_state(catalog: Mapping[str, Any]) -> str:
    """Return the state of the last load: "ready", "failed" (nothing is served), "stale" (old tools) or "partial"."""
    if not any(catalog.get(part) for part in ("tools", "resources", "templates", "prompts")):
        has_errors = any(problem["severity"] == "error" for problem in catalog.get("problems") or ())
        return "failed" if has_errors else "ready"
    if catalog.get("ok", True):
        return "ready"
    return "stale" if keeps_the_last(catalog) else "partial"
