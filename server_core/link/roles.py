"""The roles of the link; each role includes the permissions of the role before it."""

from enum import IntEnum


class Role(IntEnum):
    """The permissions of the holder of a token."""

    VIEWER = 1
    """Read: records, catalog, sessions, captures, which secrets are set, the status of accounts."""
    OPERATOR = 2
    """Also act as a client: call tools, answer their requests."""
    ADMIN = 3
    """Also change the core: reload, secrets, accounts, HTTP, stop."""

    @classmethod
    def named(cls, name: str) -> "Role":
        """Return the role of this name.

        Raises:
            ValueError: when there is none.
        """
        try:
            return cls[name.upper()]
        except KeyError:
            raise ValueError(f"{name!r} is not a role; use viewer, operator or admin") from None
