"""Admission of requests: the headers of a request in, the owner of its token or a refusal out.

Rule 1: on any failure, the request is refused.
Rule 2: exceptions of a custom validator may hold the token, as a `KeyError` does; it is removed from every message.

Source: basic/authorization, Access Token Usage; RFC 6750 sections 2.1 and 3, RFC 9728 sections 3 and 5.
"""

import json
import logging
import traceback
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from server_core.oauth.scopes import is_scope
from server_core.resource_server.canonical_url import check_canonical_url, host_of, metadata_paths, metadata_url
from server_core.resource_server.errors import AuthenticationError, InvalidTokenError, KeysUnavailable
from server_core.resource_server.owner import ResourceOwner, is_name
from server_core.resource_server.www_authenticate import scope_challenge, token_challenge

_log = logging.getLogger(__name__)


class ResourceServerValidator(ABC):
    """Checks the token of every request.

    Attributes:
        scopes_supported: the scopes in the server's metadata; None to leave them out.
        default_challenge_scopes: the scopes in the challenge to a client without a token; None to leave them out.
        canonical_url: the URL that identifies the server; empty when its metadata is not published.
    """

    scopes_supported: Sequence[str] | None = None
    default_challenge_scopes: Sequence[str] | None = None
    canonical_url: str = ""

    @abstractmethod
    async def validate_token(self, token: str) -> ResourceOwner:
        """Return the owner of a token.

        Args:
            token: the token, without its scheme.

        Raises:
            AuthenticationError: when it is invalid; :class:`InvalidTokenError` with a reason for the client,
                :class:`TokenExpiredError` when it has expired, :class:`KeysUnavailable` when it cannot be checked now.
        """

    def supports_oauth_discovery(self) -> bool:
        """Return whether the server's metadata is published."""
        return self.get_resource_metadata() is not None

    def get_resource_metadata(self) -> dict[str, Any] | None:
        """Return the server's metadata; None where it is not published.

        Source: RFC 9728 section 2.
        """
        return None


@dataclass(frozen=True, slots=True)
class Denial:
    """The refusal of a request."""

    status: int  # Of the HTTP response.
    reason: str  # A sentence for people.
    challenge: str = ""  # The `WWW-Authenticate` header.


class Admission:
    """Admits requests with a valid token; raises ValueError when the canonical URL of its validator is invalid."""

    def __init__(self, validator: ResourceServerValidator) -> None:
        self._validator = validator
        metadata = validator.get_resource_metadata()
        url = "" if metadata is None else check_canonical_url(validator.canonical_url)
        self._metadata_url = metadata_url(url) if url else ""
        self._scopes = [scope for scope in validator.default_challenge_scopes or () if is_scope(scope)]
        self.host = host_of(url)
        """The host in the canonical URL; empty when it is not known."""
        self.metadata = json.dumps(metadata).encode() if url else b""
        """The published metadata as JSON; empty when none is published."""
        self.metadata_paths: Collection[str] = metadata_paths(url) if url else ()

    async def check(self, headers: Mapping[str, str], repeated: Collection[str]) -> ResourceOwner | Denial:
        """Return the owner of the token in a request, or the refusal; `repeated` has the names of repeated headers."""
        # Of two tokens, another program in front of the server might check the other.
        if "authorization" in repeated:
            return Denial(400, "Bad request: there is more than one Authorization header.")
        scheme, _, token = headers.get("authorization", "").strip().partition(" ")
        # RFC 9110 section 11.1: the scheme is case-insensitive.
        if scheme.lower() != "bearer" or not (token := token.strip()):
            return Denial(
                401,
                "Unauthorized: send an access token of this server, as Authorization: Bearer ....",
                token_challenge(self._metadata_url, self._scopes),
            )
        try:
            return _check_owner(await self._validator.validate_token(token))
        except KeysUnavailable as error:
            return Denial(503, f"The token cannot be verified now; try again later. {_without(token, str(error))}")
        except InvalidTokenError as error:
            reason = _without(token, str(error))
            return Denial(
                401, f"Unauthorized: {reason}.", token_challenge(self._metadata_url, self._scopes, reason=reason)
            )
        except AuthenticationError:
            return Denial(401, "Unauthorized.", token_challenge(self._metadata_url, self._scopes))
        except (Exception, SystemExit) as failure:
            # Also SystemExit: a validator of an author must neither end the server nor let a request pass.
            trace = _without(token, "".join(traceback.format_exception(failure)))
            _log.error("The validation of a token failed; the request is refused.\n%s", trace)
            return Denial(500, "The token could not be verified: the server's validator failed.")

    def scope_challenge(self, refusal: Mapping[str, Any]) -> str:
        """Return the challenge for missing scopes, from the `data` of an error, which an author may have made."""
        required, description = refusal.get("required_scopes"), refusal.get("error_description")
        unchecked = required if isinstance(required, list) else []
        scopes = [scope for scope in unchecked if isinstance(scope, str) and is_scope(scope)]
        return scope_challenge(self._metadata_url, scopes, description if isinstance(description, str) else "")


@dataclass(frozen=True, slots=True)
class ClosedGate:
    """Refuses all requests, since tokens are required, but it is not known from which authorization server."""

    reason: str = "This server requires tokens, but the file that configures their validation could not be loaded."
    host: ClassVar[str] = ""
    metadata: ClassVar[bytes] = b""
    metadata_paths: ClassVar[Collection[str]] = ()

    async def check(self, headers: Mapping[str, str], repeated: Collection[str]) -> Denial:
        return Denial(503, self.reason)

    def scope_challenge(self, refusal: Mapping[str, Any]) -> str:
        return ""  # Not called, since no request is admitted.


Gate: TypeAlias = Admission | ClosedGate


def _check_owner(owner: object) -> ResourceOwner:
    if not isinstance(owner, ResourceOwner) or not is_name(owner.user_id):
        raise TypeError(f"validate_token must return a ResourceOwner with a user_id, not {type(owner).__name__}")
    if isinstance(owner.granted_scopes, str):
        raise TypeError("granted_scopes of a ResourceOwner must be a set of scopes, not a string")
    owner.granted_scopes = frozenset(owner.granted_scopes)
    return owner


def _without(token: str, text: str) -> str:
    # Also as `repr` writes it, as in the message of a KeyError.
    for written in {token, repr(token)[1:-1]}:
        text = text.replace(written, "<token>")
    return text
