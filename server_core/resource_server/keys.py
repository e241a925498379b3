"""The keys of an authorization server: fetched when they are needed, and kept for a while.

Rule 1: one fetch at a time; who waited for it uses what it brought.
Rule 2: a key that is not known may be a new one, so it is looked for at once; but strangers choose what tokens say, so
not more often than every :data:`PATIENCE` seconds.
Rule 3: keys that cannot be fetched anew are used on for as long again; after that nothing holds.

Source: RFC 7517 sections 4 and 5.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from server_core.resource_server.errors import KeysUnavailable

if TYPE_CHECKING:
    import httpx

PATIENCE = 10.0
"""Seconds between two fetches."""

_log = logging.getLogger(__name__)


class Keys:
    """The keys at one address.

    Args:
        jwks_uri: the address.
        cache_ttl: for how many seconds they are kept.
        transport: carries the requests; the network when not given.
        clock: seconds, from any beginning on.
    """

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
        self._fetched = self._tried = float("-inf")
        self._fetching = asyncio.Lock()

    async def find(self, kid: str | None) -> dict[str, Any] | None:
        """Return a key; None when there is no such key.

        Args:
            kid: its id; None for the only one that there is.

        Raises:
            KeysUnavailable: when the keys cannot be had.
        """
        if self._age < self._cache_ttl and (key := self._look(kid)) is not None:
            return key
        async with self._fetching:
            # Whoever waited for another's fetch may have what they want.
            key = self._look(kid) if self._age < self._cache_ttl else None
            if key is None and self._clock() - self._tried >= PATIENCE:
                await self._fetch()
        if self._age >= 2 * self._cache_ttl and self._age > PATIENCE:
            raise KeysUnavailable(f"The keys of the authorization server, at {self._jwks_uri}, cannot be fetched.")
        return self._look(kid)

    @property
    def _age(self) -> float:
        return self._clock() - self._fetched

    def _look(self, kid: str | None) -> dict[str, Any] | None:
        if kid is None:
            return next(iter(self._keys.values())) if len(self._keys) == 1 else None
        return self._keys.get(kid)

    async def _fetch(self) -> None:
        from server_core.oauth.errors import AuthorizationFailed
        from server_core.oauth.web import Web

        self._tried = self._clock()
        try:
            async with Web(self._jwks_uri, self._transport) as web:
                document = await web.document(self._jwks_uri, "The address of the keys")
        except AuthorizationFailed as error:
            _log.warning("The keys at %s cannot be fetched: %s", self._jwks_uri, error)
            return
        keys = document.get("keys") if isinstance(document, dict) else None
        if not isinstance(keys, list):
            _log.warning("What lies at %s is no set of keys (RFC 7517).", self._jwks_uri)
            return
        self._keys = {_id(one): one for one in keys if isinstance(one, dict)}
        self._fetched = self._clock()


def _id(key: dict[str, Any]) -> str | None:
    kid = key.get("kid")
    return kid if isinstance(kid, str) else None
