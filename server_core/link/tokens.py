"""Roles as signed tokens, with which terminals authenticate.

A token is signed with the core's own key, which is in its descriptor: every process that can read that file can
create tokens of any role, and pass on a token of a lower role.
"""

from server_core.errors import WorkbenchError
from server_core.link.roles import Role
from server_core.runtime import signing

LIFETIME = 24 * 60 * 60


class LinkTokenRefused(WorkbenchError):
    """The token is not signed by this core, or has expired."""


def mint(key: str, role: Role, lifetime: float = LIFETIME) -> str:
    """Return a token.

    Args:
        key: the core's key.
        role: the role of the holder.
        lifetime: how many seconds it is valid.
    """
    return signing.sign(key, {"role": role.name.lower()}, lifetime)


def check(key: str, token: str) -> Role:
    """Return the role of the holder of a token.

    Args:
        key: the core's key.
        token: the token.

    Raises:
        TokenRefused: when it is not signed with the key, has expired, or names no role.
    """
    try:
        return Role.named(str(signing.verify(key, token).get("role")))
    except signing.InvalidSignature as error:
        raise LinkTokenRefused(str(error)) from error
    except ValueError as error:
        raise LinkTokenRefused(f"The token has no valid role: {error}.") from error
