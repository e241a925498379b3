"""The roles of the link, and the signed tokens that grant them to terminals.

A token is signed with the core's own key, which is in its descriptor: every process that can read that file can
create tokens of any role, and pass on a token of a lower role.
"""

from enum import IntEnum

from server_core.errors import WorkbenchError
from server_core.runtime import signing

# Seconds.
LIFETIME = 24 * 60 * 60


class Role(IntEnum):
    """The permissions of the holder of a token; each role includes those of the role before it."""

    # Read: records, catalog, sessions, captures, which secrets are set, the status of accounts.
    VIEWER = 1
    # Also act as a client: call tools, answer their requests.
    OPERATOR = 2
    # Also change the core: reload, secrets, accounts, HTTP, stop.
    ADMIN = 3

    @classmethod
    def from_name(cls, name: str) -> "Role":
        """Return the role of this name; raise ValueError when there is none."""
        try:
            return cls[name.upper()]
        except KeyError:
            raise ValueError(f"{name!r} is not a role; use viewer, operator or admin") from None


class LinkTokenRefused(WorkbenchError):
    """The token is not signed by this core, or has expired."""


def sign_token(key: str, role: Role, lifetime: float = LIFETIME) -> str:
    """Return a token that grants a role for so many seconds, signed with the core's key."""
    return signing.sign(key, {"role": role.name.lower()}, lifetime)


def verify_token(key: str, token: str) -> Role:
    """Return the role of a token's holder; LinkTokenRefused for a false signature, an expired token, or no role."""
    try:
        return Role.from_name(str(signing.verify(key, token).get("role")))
    except signing.InvalidSignature as error:
        raise LinkTokenRefused(str(error)) from error
    except ValueError as error:
        raise LinkTokenRefused(f"The token has no valid role: {error}.") from error
