"""Results that a server said may be used again for a while, and what makes them stale before.

Rule 1: a result is kept under its method and params, each page of a list for itself.
Rule 2: there is a bound to how many are kept; the one that was kept first goes first.

Source: 2026-07-28, server/utilities/caching.
"""

import json
import time
from collections.abc import Callable
from typing import Any

from server_core.protocol.jsonrpc import Notification, Params
from server_core.protocol.methods import METHODS

MOST_KEPT = 256
LONGEST_MS = 24 * 60 * 60 * 1000
"""What a server says beyond this, it says by mistake."""

_OUTDATES = {
    "notifications/tools/list_changed": ("tools/list",),
    "notifications/prompts/list_changed": ("prompts/list",),
    "notifications/resources/list_changed": ("resources/list", "resources/templates/list"),
}
"""The methods whose results a notification makes stale."""


class ResultCache:
    """The results that one session may use again.

    Args:
        clock: seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._results: dict[tuple[str, str], tuple[float, dict[str, Any]]] = {}

    def find(self, method: str, params: Params | None) -> dict[str, Any] | None:
        """Return the result of such a request, if there is one that still holds."""
        key = _key(method, params)
        until, result = self._results.get(key, (0.0, None))
        if result is not None and self._clock() >= until:
            del self._results[key]
            return None
        return result

    def keep(self, method: str, params: Params | None, result: dict[str, Any]) -> None:
        """Keep a result for as long as it says that it holds."""
        known, hint = METHODS.get(method), result.get("ttlMs")
        # What is absent or no number of milliseconds counts as 0: it holds for this once.
        if known is None or not known.cacheable or not isinstance(hint, int) or isinstance(hint, bool) or hint <= 0:
            return
        if len(self._results) >= MOST_KEPT:
            del self._results[next(iter(self._results))]
        self._results[_key(method, params)] = self._clock() + min(hint, LONGEST_MS) / 1000, result

    def outdate(self, notification: Notification) -> None:
        """Drop what a notification says has changed."""
        if notification.method == "notifications/resources/updated":
            # What is told may be a part of what was read.
            uri = str(notification.params.get("uri", ""))
            self._drop(lambda method, params: method == "resources/read" and uri.startswith(json.loads(params)["uri"]))
        elif (stale := _OUTDATES.get(notification.method)) is not None:
            self._drop(lambda method, params: method in stale)

    def clear(self) -> None:
        """Drop everything."""
        self._results.clear()

    def _drop(self, is_stale: Callable[[str, str], bool]) -> None:
        for key in [key for key in self._results if is_stale(*key)]:
            del self._results[key]


def _key(method: str, params: Params | None) -> tuple[str, str]:
    return method, json.dumps(params or {}, sort_keys=True)
