"""Who is let in: the headers of a request in, whose token it is or a refusal out.

Rule 1: whatever goes wrong, nobody is let in.
Rule 2: what an author's own check says may hold the token, as a `KeyError` does; it is told to nobody with it.

Source: basic/authorization, Access Token Usage; RFC 6750 sections 2.1 and 3, RFC 9728 sections 3 and 5.
"""

import json
import logging
import traceback
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from server_core.resource_server.challenge import scope_challenge, token_challenge
from server_core.resource_server.errors import AuthenticationError, InvalidTokenError, KeysUnavailable
from server_core.resource_server.header_values import is_scope
from server_core.resource_server.owner import ResourceOwner, is_name
from server_core.resource_server.urls import checked_canonical_url, host_of, metadata_address, metadata_paths
from server_core.resource_server.validator import ResourceServerValidator

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a request is not let in.

    Attributes:
        status: of the HTTP response.
        reason: one sentence for whoever reads it.
        challenge: what the client is asked for; empty where that would not help.
    """

    status: int
    reason: str
    challenge: str = ""


class Admission:
    """Lets in whoever has a token that holds.

    Args:
        validator: checks the tokens.

    Raises:
        ValueError: when the address under which it says that clients reach the server is none.
    """

    def __init__(self, validator: ResourceServerValidator) -> None:
        self._validator = validator
        metadata = validator.get_resource_metadata()
        url = "" if metadata is None else checked_canonical_url(validator.canonical_url)
        self._address = metadata_address(url) if url else ""
        self._scopes = [one for one in validator.default_challenge_scopes or () if is_scope(one)]
        self.host = host_of(url)
        """The name under which clients reach the server; empty where nobody said it."""
        self.metadata = json.dumps(metadata).encode() if url else b""
        """What is published of the server; empty for nothing."""
        self.metadata_paths: Collection[str] = metadata_paths(url) if url else ()
        """The paths under which that is asked for."""

    async def check(self, headers: Mapping[str, str], repeated: Collection[str]) -> ResourceOwner | Denial:
        """Return whose token a request brings, or why it is not let in.

        Args:
            headers: of the request, names in lower case.
            repeated: the names of those that came more than once.
        """
        if "authorization" in repeated:
            return Denial(400, "Bad request: there is more than one Authorization header.")
        scheme, _, token = headers.get("authorization", "").strip().partition(" ")
        # RFC 9110 section 11.1: the scheme is read without regard to case.
        if scheme.lower() != "bearer" or not (token := token.strip()):
            return Denial(
                401,
                "Unauthorized: send an access token of this server, as Authorization: Bearer ....",
                token_challenge(self._address, self._scopes),
            )
        try:
            return _owner(await self._validator.validate_token(token))
        except KeysUnavailable as error:
            return Denial(503, f"The token cannot be checked now; try again later. {_without(token, str(error))}")
        except InvalidTokenError as error:
            reason = _without(token, str(error))
            return Denial(401, f"Unauthorized: {reason}.", token_challenge(self._address, self._scopes, reason=reason))
        except AuthenticationError:
            return Denial(401, "Unauthorized.", token_challenge(self._address, self._scopes))
        except (Exception, SystemExit) as failure:
            told = _without(token, "".join(traceback.format_exception(failure)))
            _log.error("The check of a token failed; the request is refused.\n%s", told)
            return Denial(500, "The token could not be checked: the server's own check of it failed.")

    def scope_challenge(self, refusal: Mapping[str, Any]) -> str:
        """Return the challenge of a request whose token lacks scopes.

        Args:
            refusal: the `data` of the error that answers it; see :class:`InsufficientScopeError`.
        """
        required, description = refusal.get("required_scopes"), refusal.get("error_description")
        named = required if isinstance(required, list) else []
        scopes = [one for one in named if isinstance(one, str) and is_scope(one)]
        return scope_challenge(self._address, scopes, description if isinstance(description, str) else "")


@dataclass(frozen=True, slots=True)
class Closed:
    """Lets nobody in: tokens are asked for, but it is not known whose.

    Attributes:
        reason: one sentence for whoever reads it.
    """

    reason: str = "This server asks for tokens, but the file that says whose could not be loaded."
    host: ClassVar[str] = ""
    metadata: ClassVar[bytes] = b""
    metadata_paths: ClassVar[Collection[str]] = ()

    async def check(self, headers: Mapping[str, str], repeated: Collection[str]) -> Denial:
        """Return why nobody is let in."""
        return Denial(503, self.reason)

    def scope_challenge(self, refusal: Mapping[str, Any]) -> str:
        """Nobody comes so far."""
        return ""


Gate: TypeAlias = Admission | Closed


def _owner(owner: object) -> ResourceOwner:
    if not isinstance(owner, ResourceOwner) or not is_name(owner.user_id):
        raise TypeError(f"validate_token must return a ResourceOwner with a user_id, not {type(owner).__name__}")
    if isinstance(owner.granted_scopes, str):
        raise TypeError("granted_scopes of a ResourceOwner must be a set of scopes, not one text")
    owner.granted_scopes = frozenset(owner.granted_scopes)
    return owner


def _without(token: str, text: str) -> str:
    for written in {token, repr(token)[1:-1]}:
        text = text.replace(written, "<token>")
    return text
