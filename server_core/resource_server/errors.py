"""The exceptions of token checks. No message may hold a token."""

from collections.abc import Iterable
from typing import Any

from server_core.errors import ProtocolError, WorkbenchError
from server_core.protocol.codes import INSUFFICIENT_SCOPE
from server_core.resource_server.www_authenticate import check_scopes, check_text


class AuthenticationError(WorkbenchError):
    """A request is not authenticated; the client is asked for a token."""


class InvalidTokenError(AuthenticationError):
    """A token is invalid; the message explains why, and is sent to the client."""


class ForeignTokenError(InvalidTokenError):
    """A token is from an authorization server other than the expected one."""


class TokenExpiredError(InvalidTokenError):
    """A token has expired."""


class KeysUnavailable(AuthenticationError):
    """The keys of an authorization server cannot be fetched, so that tokens cannot be checked."""


class InsufficientScopeError(ProtocolError):
    """The operation requires scopes that the token does not have; the client may request more and try again.

    Over HTTP the response has status 403 and a challenge that names the scopes.

    Args:
        required_scopes: all scopes that the operation requires, including those that the token has.
        granted_scopes: the scopes of the token; sent only to the client that sent the token.
        error_description: a message for the developer of the client; printable ASCII without quotes and backslashes.

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
        self.required_scopes = tuple(check_scopes(required_scopes) or ())
        self.granted_scopes = frozenset(granted_scopes)
        self.error_description = None if error_description is None else check_text(error_description)
        data: dict[str, Any] = {
            "required_scopes": list(self.required_scopes),
            "granted_scopes": sorted(self.granted_scopes),
        }
        if self.error_description:
            data["error_description"] = self.error_description
        super().__init__(INSUFFICIENT_SCOPE, "Insufficient scope", data)
