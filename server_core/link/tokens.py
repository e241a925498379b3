"""Roles as signed tokens: what a terminal shows to be let in.

A token is a JWT (RFC 7519) signed with HS256 and the core's own key, which is in its descriptor: whoever may read
that file may make tokens of any role, and hand on one that can do less.
"""

import time

from server_core.errors import WorkbenchError
from server_core.link.roles import Role

LIFETIME = 24 * 60 * 60
ALGORITHM = "HS256"


class TokenRefused(WorkbenchError):
    """The token is none of this core's, or its time is over."""


def mint(key: str, role: Role, lifetime: float = LIFETIME) -> str:
    """Return a token.

    Args:
        key: the core's key.
        role: what the holder may do.
        lifetime: for how many seconds.
    """
    import jwt

    return jwt.encode({"role": role.name.lower(), "exp": int(time.time() + lifetime)}, key, ALGORITHM)


def check(key: str, token: str) -> Role:
    """Return what the holder of a token may do.

    Args:
        key: the core's key.
        token: what the holder shows.

    Raises:
        TokenRefused: when the key has not signed it, its time is over, or it names no role.
    """
    import jwt

    try:
        claims = jwt.decode(token, key, [ALGORITHM], options={"require": ["exp", "role"]})
        return Role.named(str(claims["role"]))
    except (jwt.InvalidTokenError, ValueError) as error:
        raise TokenRefused(f"The token is refused: {error}.") from error
