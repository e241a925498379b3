"""Checks a token: the signed text and the key in, its claims out.

Rule 1: the algorithm is that of the authorization server; the header of a token must agree with it.
Rule 2: error messages explain a refusal in fixed words; they repeat nothing of the token.

Source: RFC 9068 section 4, RFC 8725 sections 3.1 and 3.2, RFC 7519 section 4.1.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jwt import InvalidTokenError as InvalidSignature
from jwt import PyJWTError
from jwt.algorithms import OKPAlgorithm
from jwt.api_jws import PyJWS

from server_core.resource_server.accepted_servers import ALGORITHMS, ED25519, AccessTokenValidationOptions
from server_core.resource_server.errors import ForeignTokenError, InvalidTokenError, TokenExpiredError
from server_core.resource_server.owner import is_name
from server_core.runtime.safe_json import parse_json_or_none

LONGEST_TOKEN = 16 * 1024
END_OF_TIME = 1e15
"""Seconds since the epoch, later than every valid time; infinity and NaN are not less than it."""

# Not `jwt.decode`, which would also check the claims, with different rules. Short keys are refused. Source: RFC 7518
# sections 3.3 and 3.5.
_signatures = PyJWS(algorithms=sorted(ALGORITHMS - {"Ed25519"}), options={"enforce_minimum_key_length": True})
# PyJWT knows it under its older name only.
_signatures.register_algorithm("Ed25519", OKPAlgorithm())


@dataclass(frozen=True, slots=True)
class ExpectedToken:
    """The properties that a token must have."""

    issuers: Sequence[str]
    audiences: Collection[str]
    algorithm: str
    options: AccessTokenValidationOptions

    @property
    def algorithms(self) -> frozenset[str]:
        """The names of the algorithm, which may be several."""
        return ED25519 if self.algorithm in ED25519 else frozenset({self.algorithm})


def key_id(token: str, expected: ExpectedToken) -> str | None:
    """Return the key id in the header of a token; None when it has none.

    The token is not verified yet; but one that cannot be valid is refused before a key is fetched: ForeignTokenError
    for another issuer, InvalidTokenError for another form or algorithm.
    """
    if len(token) > LONGEST_TOKEN:
        raise InvalidTokenError(f"The token is longer than {LONGEST_TOKEN:,} characters")
    try:
        unverified = _signatures.decode_complete(token, options={"verify_signature": False})
    except PyJWTError:
        raise InvalidTokenError("The token is not a JSON Web Token") from None
    header = unverified["header"]
    _check_issuer(_claims(unverified["payload"]), expected)
    algorithm = header.get("alg")
    if not isinstance(algorithm, str) or algorithm not in expected.algorithms:
        raise InvalidTokenError(f"The token is not signed with {expected.algorithm}")
    kid = header.get("kid")
    return kid if isinstance(kid, str) else None


def check_token(token: str, key: Mapping[str, Any], expected: ExpectedToken, now: float) -> dict[str, Any]:
    """Return the claims of a token, checked with a JSON Web Key; TokenExpiredError or another InvalidTokenError."""
    claims = _signed_claims(token, key, expected)
    _check_time(claims, expected.options, now)
    _check_issuer(claims, expected)
    claim = claims.get("aud")
    audiences = claim if isinstance(claim, list) else [claim]
    if not any(isinstance(audience, str) and audience in expected.audiences for audience in audiences):
        raise InvalidTokenError("The token is for another audience")
    if not is_name(claims.get("sub")):
        raise InvalidTokenError("The token has no subject (sub)")
    return claims


def _signed_claims(token: str, key: Mapping[str, Any], expected: ExpectedToken) -> dict[str, Any]:
    _check_key(key, expected)
    try:
        public_key = _signatures.get_algorithm_by_name(expected.algorithm).from_jwk(dict(key))
        payload = _signatures.decode(token, public_key, algorithms=sorted(expected.algorithms))
    except InvalidSignature:
        raise InvalidTokenError("The signature of the token is not valid") from None
    except (PyJWTError, TypeError, ValueError):
        raise InvalidTokenError(f"The key of the token cannot be used with {expected.algorithm}") from None
    return _claims(payload)


def _check_key(key: Mapping[str, Any], expected: ExpectedToken) -> None:
    """Check the parameters of a key. Source: RFC 7517 sections 4.2 to 4.4, RFC 7518 sections 6.2.2 and 6.3.2."""
    algorithm = key.get("alg")
    if algorithm is not None and not (isinstance(algorithm, str) and algorithm in expected.algorithms):
        raise InvalidTokenError(f"The key of the token cannot be used with {expected.algorithm}")
    if "d" in key:
        raise InvalidTokenError("The key of the token is compromised: its private part is published")
    operations = key.get("key_ops")
    if key.get("use") not in (None, "sig") or not (
        operations is None or (isinstance(operations, list) and "verify" in operations)
    ):
        raise InvalidTokenError("The key of the token is not a signing key")


def _claims(payload: bytes) -> dict[str, Any]:
    claims = parse_json_or_none(payload)
    if not isinstance(claims, dict):
        raise InvalidTokenError("The token has no claims")
    return claims


def _check_issuer(claims: Mapping[str, Any], expected: ExpectedToken) -> None:
    issuer = claims.get("iss")
    if expected.options.verify_iss and not (isinstance(issuer, str) and issuer in expected.issuers):
        raise ForeignTokenError("The token is from another issuer")


def _check_time(claims: Mapping[str, Any], options: AccessTokenValidationOptions, now: float) -> None:
    expires, issued, begins = (_timestamp(claims, name) for name in ("exp", "iat", "nbf"))
    if options.verify_exp and expires is None:
        raise InvalidTokenError("The token has no expiration time (exp)")
    if options.verify_exp and expires is not None and expires + options.leeway <= now:
        raise TokenExpiredError("Token has expired")
    if options.verify_iat and issued is not None and issued - options.leeway > now:
        raise InvalidTokenError("The token was issued in the future (iat)")
    if options.verify_nbf and begins is not None and begins - options.leeway > now:
        raise InvalidTokenError("The token is not valid yet (nbf)")


def _timestamp(claims: Mapping[str, Any], name: str) -> float | None:
    """Return a time claim, in seconds since the epoch. Source: RFC 7519 section 2, NumericDate."""
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < END_OF_TIME:
        raise InvalidTokenError(f"The token has an invalid time ({name})")
    return value
