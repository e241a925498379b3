"""Why a token is not enough. No text here may hold a token."""

from collections.abc import Iterable
from typing import Any

from server_core.errors import ProtocolError, WorkbenchError
from server_core.protocol.codes import INSUFFICIENT_SCOPE
from server_core.resource_server.header_values import checked_scopes, checked_text


class AuthenticationError(WorkbenchError):
    """A request does not prove whom it speaks for; the client is asked for a token."""


class InvalidTokenError(AuthenticationError):
    """A token does not hold; the message says why, and the client reads it."""


class ForeignTokenError(InvalidTokenError):
    """A token is from another authorization server than the one that was asked about it."""


class TokenExpiredError(InvalidTokenError):
    """The time of a token is over."""


class KeysUnavailable(AuthenticationError):
    """The keys of an authorization server cannot be had, so that nothing is known about a token."""


class InsufficientScopeError(ProtocolError):
    """What is asked for takes scopes that the token does not have; a client that can will come back with more.

    Over HTTP it is answered with status 403 and a challenge that names the scopes.

    Args:
        required_scopes: all that the operation takes, also those that the token has.
        granted_scopes: what the token has; told to nobody but the client that sent it.
        error_description: for whoever develops the client; printable ASCII without quotes and backslashes.

    Raises:
        ValueError: when a scope or the description cannot be written into a header.

    Source: basic/authorization, Scope Challenge Handling; RFC 6750 section 3.1.
    """

    def __init__(
        self,
        required_scopes: Iterable[str],
        granted_scopes: Iterable[str] = (),
        error_description: str | None = None,
    ) -> None:
        self.required_scopes = tuple(checked_scopes(required_scopes) or ())
        self.granted_scopes = frozenset(granted_scopes)
        self.error_description = None if error_description is None else checked_text(error_description)
        data: dict[str, Any] = {
            "required_scopes": list(self.required_scopes),
            "granted_scopes": sorted(self.granted_scopes),
        }
        if self.error_description:
            data["error_description"] = self.error_description
        super().__init__(INSUFFICIENT_SCOPE, "Insufficient scope", data)
