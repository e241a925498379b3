"""How long a client may cache a result, in revisions that have such hints.

Source: 2026-07-28, server/utilities/caching: `ttlMs`, and who may share the result.
"""

from typing import Any


def cache_hints(ttl: float) -> dict[str, Any]:
    """Return the hints of a result that is valid for so many seconds, for this client only."""
    return {"ttlMs": int(ttl * 1000), "cacheScope": "private"}


READ_HINTS = cache_hints(0)
"""The hints of a read resource: only its author knows how long its contents are valid."""
