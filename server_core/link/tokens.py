"""Roles as signed tokens: what a terminal shows to be let in.

A token is signed with the core's own key, which is in its descriptor: whoever may read that file may make tokens of
any role, and hand on one that can do less.
"""

from server_core.errors import WorkbenchError
from server_core.link.roles import Role
from server_core.runtime import signing

LIFETIME = 24 * 60 * 60


class TokenRefused(WorkbenchError):
    """The token is none of this core's, or its time is over."""


def mint(key: str, role: Role, lifetime: float = LIFETIME) -> str:
    """Return a token.

    Args:
        key: the core's key.
        role: what the holder may do.
        lifetime: for how many seconds.
    """
    return signing.sign(key, {"role": role.name.lower()}, lifetime)


def check(key: str, token: str) -> Role:
    """Return what the holder of a token may do.

    Args:
        key: the core's key.
        token: what the holder shows.

    Raises:
        TokenRefused: when the key has not signed it, its time is over, or it names no role.
    """
    try:
        return Role.named(str(signing.verify(key, token).get("role")))
    except signing.NotSigned as error:
        raise TokenRefused(str(error)) from error
    except ValueError as error:
        raise TokenRefused(f"The token names no role: {error}.") from error
