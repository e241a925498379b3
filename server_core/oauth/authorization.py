"""The protocol between a client transport and its authorization.

A transport knows neither tokens nor OAuth. It adds the given headers to each request, and on a 401 or 403 response it
asks whether to send the request again with new headers.

Specification: basic/authorization.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

CHALLENGE_STATUSES = frozenset({401, 403})

MAX_CHALLENGES = 5
"""How often a request is sent again with other credentials: a token, its nonce, and a few more scopes."""


@dataclass(frozen=True, slots=True)
class AuthorizationRefusal:
    """A request that the server refused with 401 or 403."""

    method: str
    url: str
    status: int
    # Of the response; names in lower case, values of a repeated name joined with a comma.
    headers: Mapping[str, str]
    attempt: int  # How often the same request was refused before.
    # What `TransportAuthorization.headers` returned for the request.
    sent_headers: Mapping[str, str] = field(repr=False)


class TransportAuthorization(Protocol):
    """The authorization with one server."""

    async def headers(self, method: str, url: str) -> Mapping[str, str]:
        """Return the headers that authorize a request, as far as known; ConnectionFailed if it cannot be authorized."""
        ...

    async def handle_refusal(self, refusal: AuthorizationRefusal) -> bool:
        """Obtain what a refused request needs, and return whether to send it again; raises as :meth:`headers` does."""
        ...
