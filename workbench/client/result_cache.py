"""Results that the server allows to reuse for a while, and the notifications that invalidate them earlier.

Rule 1: a result is stored under its method and params, so each page of a list has its own entry.
Rule 2: the number of entries is limited; the oldest entry is dropped first.

Source: 2026-07-28, server/utilities/caching.
"""

import json
import time
from collections.abc import Callable
from typing import Any

from server_core.protocol.jsonrpc import Notification, Params
from server_core.protocol.methods import METHODS

MAX_ENTRIES = 256
LONGEST_MS = 24 * 60 * 60 * 1000  # Larger values are treated as mistakes of the server.

# The methods whose results a notification invalidates.
_OUTDATES = {
    "notifications/tools/list_changed": ("tools/list",),
    "notifications/prompts/list_changed": ("prompts/list",),
    "notifications/resources/list_changed": ("resources/list", "resources/templates/list"),
}


class ResultCache:
    """The reusable results of one session; `clock` is monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._results: dict[tuple[str, str], tuple[float, dict[str, Any]]] = {}

    def find(self, method: str, params: Params | None) -> dict[str, Any] | None:
        key = _key(method, params)
        until, result = self._results.get(key, (0.0, None))
        if result is not None and self._clock() >= until:
            del self._results[key]
            return None
        return result

    def store(self, method: str, params: Params | None, result: dict[str, Any]) -> None:
        """Store a result for as long as its `ttlMs` allows."""
        rules, hint = METHODS.get(method), result.get("ttlMs")
        # A missing or invalid number counts as 0: the result is valid for this request only.
        if rules is None or not rules.cacheable or not isinstance(hint, int) or isinstance(hint, bool) or hint <= 0:
            return
        if len(self._results) >= MAX_ENTRIES:
            # A dict preserves the order of insertion, so this is the oldest entry.
            del self._results[next(iter(self._results))]
        self._results[_key(method, params)] = self._clock() + min(hint, LONGEST_MS) / 1000, result

    def invalidate(self, notification: Notification) -> None:
        if notification.method == "notifications/resources/updated":
            # The updated resource may be contained in the one that was read.
            uri = str(notification.params.get("uri", ""))
            self._drop(lambda method, params: method == "resources/read" and uri.startswith(json.loads(params)["uri"]))
        elif (stale := _OUTDATES.get(notification.method)) is not None:
            self._drop(lambda method, params: method in stale)

    def clear(self) -> None:
        self._results.clear()

    def _drop(self, is_stale: Callable[[str, str], bool]) -> None:
        for key in [key for key in self._results if is_stale(*key)]:
            del self._results[key]


def _key(method: str, params: Params | None) -> tuple[str, str]:
    return method, json.dumps(params or {}, sort_keys=True)
