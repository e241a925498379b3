"""The keys of an authorization server, fetched when needed, and cached.

Rule 1: one fetch at a time; all requests that waited for it use its result, even a failure, and it continues when the
request that started it is cancelled.
Rule 2: an unknown key id causes a fetch, because the key may be new; but tokens are not trusted, so at the earliest
:data:`FETCH_INTERVAL_SECONDS` seconds after the last fetch.
Rule 3: keys that cannot be fetched again are used for twice their time, and while a fetch has failed no request waits
for the next; after that no token is accepted.

Source: RFC 7517 sections 4 and 5.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from server_core.resource_server.errors import KeysUnavailable
from server_core.runtime.background import spawn

if TYPE_CHECKING:
    import httpx

FETCH_INTERVAL_SECONDS = 10.0
"""Seconds from the end of a fetch to the next one."""

_log = logging.getLogger(__name__)


class Keys:
    """The keys at a URL, which are cached for `cache_ttl` seconds."""

    def __init__(
        self,
        jwks_uri: str,
        cache_ttl: float,
        transport: "httpx.AsyncBaseTransport | None" = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._jwks_uri = jwks_uri
        self._cache_ttl = cache_ttl
        self._transport = transport
        self._clock = clock
        self._keys: dict[str | None, dict[str, Any]] = {}
        # When the last fetch succeeded, and when the last fetch ended.
        self._fetched_at = self._tried_at = float("-inf")
        self._fetch_task: asyncio.Task[None] | None = None

    async def find(self, kid: str | None) -> dict[str, Any] | None:
        """Return the key with an id, or without one the only key, if any; KeysUnavailable if they cannot be fetched."""
        key = self._lookup(kid)
        if key is None or self._age >= self._cache_ttl:
            fetch = self._start_fetch_if_due()
            if fetch is not None and (key is None or not self._is_stale):
                await asyncio.shield(fetch)
        if self._age >= 2 * self._cache_ttl and self._age > FETCH_INTERVAL_SECONDS:
            raise KeysUnavailable(f"The keys of the authorization server, at {self._jwks_uri}, cannot be fetched.")
        return self._lookup(kid)

    def _start_fetch_if_due(self) -> "asyncio.Task[None] | None":
        """Return the fetch in progress, which may have begun earlier."""
        if self._fetch_task is None and self._clock() - self._tried_at >= FETCH_INTERVAL_SECONDS:
            self._fetch_task = spawn(self._fetch(), "fetch the keys of an authorization server")
        return self._fetch_task

    @property
    def _is_stale(self) -> bool:
        """Whether the last fetch failed, and the older keys are still used."""
        return self._tried_at > self._fetched_at and self._age < 2 * self._cache_ttl

    @property
    def _age(self) -> float:
        return self._clock() - self._fetched_at

    def _lookup(self, kid: str | None) -> dict[str, Any] | None:
        if kid is None:
            return next(iter(self._keys.values())) if len(self._keys) == 1 else None
        return self._keys.get(kid)

    async def _fetch(self) -> None:
        try:
            keys = await self._request_keys()
        finally:
            self._fetch_task, self._tried_at = None, self._clock()
        if keys is not None:
            self._keys = {_id_of(key): key for key in keys if isinstance(key, dict)}
            self._fetched_at = self._tried_at

    async def _request_keys(self) -> list[Any] | None:
        """Return the published keys; None when they cannot be fetched, or the document is not a key set."""
        from server_core.oauth.errors import AuthorizationFailed
        from server_core.oauth.web import Web

        try:
            async with Web(self._jwks_uri, self._transport) as web:
                document = await web.document(self._jwks_uri, "The URL of the keys")
        except AuthorizationFailed as error:
            _log.warning("The keys at %s cannot be fetched: %s", self._jwks_uri, error)
            return None
        keys = document.get("keys") if isinstance(document, dict) else None
        if not isinstance(keys, list):
            _log.warning("The document at %s is not a key set (RFC 7517).", self._jwks_uri)
            return None
        return keys


def _id_of(key: dict[str, Any]) -> str | None:
    kid = key.get("kid")
    return kid if isinstance(kid, str) else None
