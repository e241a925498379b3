"""What became of a load or a reload, as `catalog/get` describes it."""

from collections.abc import Mapping
from typing import Any


def keeps_the_last(catalog: Mapping[str, Any]) -> bool:
    """Return whether a reload failed so that what was served before is served still.

    Where files that never loaded are all that is wrong, everything else is served as it is now.
    """
    changes = catalog["changes"] or {}
    is_new = bool(catalog["reloaded"]) or any(names for kinds in changes.values() for names in kinds.values())
    return not catalog["ok"] and catalog["generation"] > 1 and not is_new


def load_state(catalog: Mapping[str, Any]) -> str:
    """Return how the last load went: "ready", "failed" (nothing is served), "stale" (what was before) or "partial"."""
    if not any(catalog.get(part) for part in ("tools", "resources", "templates", "prompts")):
        has_errors = any(problem["severity"] == "error" for problem in catalog.get("problems") or ())
        return "failed" if has_errors else "ready"
    if catalog.get("ok", True):
        return "ready"
    return "stale" if keeps_the_last(catalog) else "partial"
