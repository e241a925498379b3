"""Roles as signed tokens: what a terminal shows to be let in.

A token is a JWT (RFC 7519) signed with HS256 and the core's own key, which is in its descriptor: whoever may read
that file may make tokens of any role, and hand on one that can do less.

The standard library signs them, because importing a library for that would hold up the core, and what it serves,
for a tenth of a second. There is one algorithm, and what a token says of its algorithm is not asked.
"""

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any

from server_core.errors import WorkbenchError
from server_core.link.roles import Role

LIFETIME = 24 * 60 * 60


class TokenRefused(WorkbenchError):
    """The token is none of this core's, or its time is over."""


def mint(key: str, role: Role, lifetime: float = LIFETIME) -> str:
    """Return a token.

    Args:
        key: the core's key.
        role: what the holder may do.
        lifetime: for how many seconds.

    Source: RFC 7515, section 3.1 (the compact form) and RFC 7518, section 3.2 (HS256).
    """
    claims = {"role": role.name.lower(), "exp": int(time.time() + lifetime)}
    signed = f"{_encode({'alg': 'HS256', 'typ': 'JWT'})}.{_encode(claims)}"
    return f"{signed}.{_signature(key, signed)}"


def check(key: str, token: str) -> Role:
    """Return what the holder of a token may do.

    Args:
        key: the core's key.
        token: what the holder shows.

    Raises:
        TokenRefused: when the key has not signed it, its time is over, or it names no role.
    """
    signed, _, signature = token.rpartition(".")
    if not hmac.compare_digest(signature.encode(), _signature(key, signed).encode()):
        raise TokenRefused("The token is missing, or is none of this core's.")
    claims = _decode(signed.partition(".")[2])
    expires = claims.get("exp")
    if not isinstance(expires, int) or expires <= time.time():
        raise TokenRefused("The token's time is over.")
    try:
        return Role.named(str(claims.get("role")))
    except ValueError as error:
        raise TokenRefused(f"The token names no role: {error}.") from error


def _signature(key: str, signed: str) -> str:
    return _base64(hmac.digest(key.encode(), signed.encode(), hashlib.sha256))


def _encode(value: dict[str, Any]) -> str:
    return _base64(json.dumps(value).encode())


def _decode(text: str) -> dict[str, Any]:
    try:
        value = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, ValueError) as error:
        raise TokenRefused("The token cannot be read.") from error
    if not isinstance(value, dict):
        raise TokenRefused("The token holds no claims.")
    return value


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
