"""What a client's transport asks before it sends, and tells when the server refuses: the seam to authorization.

A transport knows neither tokens nor OAuth. It puts the headers it is given on each request, and when the answer is 401
or 403 it asks whether there is better to say.

Specification: basic/authorization.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

ASKS_FOR_AUTHORIZATION = frozenset({401, 403})

MOST_CHALLENGES = 5
"""How often one request is sent again with other credentials: a token, its nonce, and a few more scopes."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that the server answered with 401 or 403.

    Attributes:
        method: the HTTP method of the request.
        url: where it went.
        status: 401 or 403.
        headers: the headers of the answer, names in lower case, values of a repeated name joined with a comma.
        attempt: how often the same request had been refused before, from 0.
        sent: what `Authorization.headers` had given for the request.
    """

    method: str
    url: str
    status: int
    headers: Mapping[str, str]
    attempt: int
    sent: Mapping[str, str] = field(repr=False)


class Authorization(Protocol):
    """Who may send, and how that is shown; one for each server."""

    async def headers(self, method: str, url: str) -> Mapping[str, str]:
        """Return the headers that authorize a request; none while nothing is known to be needed.

        Raises:
            ConnectionFailed: when the authorization that is needed cannot be had.
        """
        ...

    async def challenged(self, refusal: Refusal) -> bool:
        """Take note of a refusal, and return whether the request should be sent again with the headers as they are now.

        Raises:
            ConnectionFailed: when the authorization that the server asks for cannot be had.
        """
        ...
