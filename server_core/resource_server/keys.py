"""The keys of an authorization server: fetched when they are needed, and kept for a while.

Rule 1: one fetch at a time; who waited for it uses what it brought, also if that is nothing, and it goes on when who
asked for it is gone.
Rule 2: a key that is not known may be a new one, so it is looked for at once; but strangers choose what tokens say, so
not earlier than :data:`PATIENCE` seconds after the last fetch.
Rule 3: keys that cannot be fetched anew are used on for as long again, and once that is known nobody waits for another
try; after that nothing holds.

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

PATIENCE = 10.0
"""Seconds from the end of a fetch to the next one."""

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
        self._fetching: asyncio.Task[None] | None = None

    async def find(self, kid: str | None) -> dict[str, Any] | None:
        """Return a key; None when there is no such key.

        Args:
            kid: its id; None for the only one that there is.

        Raises:
            KeysUnavailable: when the keys cannot be had.
        """
        key = self._lookup(kid)
        if key is None or self._age >= self._cache_ttl:
            fetching = self._fetch_soon()
            if fetching is not None and (key is None or not self._holds_out):
                await asyncio.shield(fetching)
        if self._age >= 2 * self._cache_ttl and self._age > PATIENCE:
            raise KeysUnavailable(f"The keys of the authorization server, at {self._jwks_uri}, cannot be fetched.")
        return self._lookup(kid)

    def _fetch_soon(self) -> "asyncio.Task[None] | None":
        """The fetch that is under way, begun where it is time for one; None where it is not."""
        if self._fetching is None and self._clock() - self._tried >= PATIENCE:
            self._fetching = spawn(self._fetch(), "fetch the keys of an authorization server")
        return self._fetching

    @property
    def _holds_out(self) -> bool:
        """Whether the keys could not be fetched anew, and are used on until they can be."""
        return self._tried > self._fetched and self._age < 2 * self._cache_ttl

    @property
    def _age(self) -> float:
        return self._clock() - self._fetched

    def _lookup(self, kid: str | None) -> dict[str, Any] | None:
        if kid is None:
            return next(iter(self._keys.values())) if len(self._keys) == 1 else None
        return self._keys.get(kid)

    async def _fetch(self) -> None:
        try:
            keys = await self._published()
        finally:
            self._fetching, self._tried = None, self._clock()
        if keys is not None:
            self._keys = {_id(one): one for one in keys if isinstance(one, dict)}
            self._fetched = self._tried

    async def _published(self) -> list[Any] | None:
        """What lies where the keys should; None where that is no set of keys."""
        from server_core.oauth.errors import AuthorizationFailed
        from server_core.oauth.web import Web

        try:
            async with Web(self._jwks_uri, self._transport) as web:
                document = await web.document(self._jwks_uri, "The address of the keys")
        except AuthorizationFailed as error:
            _log.warning("The keys at %s cannot be fetched: %s", self._jwks_uri, error)
            return None
        keys = document.get("keys") if isinstance(document, dict) else None
        if not isinstance(keys, list):
            _log.warning("What lies at %s is no set of keys (RFC 7517).", self._jwks_uri)
            return None
        return keys


def _id(key: dict[str, Any]) -> str | None:
    kid = key.get("kid")
    return kid if isinstance(kid, str) else None
