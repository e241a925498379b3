"""How long a client may keep what it was told, in revisions that tell that.

Source: 2026-07-28, server/utilities/caching: `ttlMs`, and who may share the result.
"""

from typing import Any


def cache_hints(ttl: float) -> dict[str, Any]:
    """Return the hints of a result that holds for so many seconds, for the client that asked."""
    return {"ttlMs": int(ttl * 1000), "cacheScope": "private"}


READ_HINTS = cache_hints(0)
"""The hints of what was read: only its author knows how long it holds."""
