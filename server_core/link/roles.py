"""The roles of the link, each of which may do what the one before it may."""

from enum import IntEnum


class Role(IntEnum):
    """What the holder of a token may do."""

    VIEWER = 1
    """See: records, catalog, sessions, captures, which secrets are set, how accounts stand."""
    OPERATOR = 2
    """And act as a client: call tools, answer what they ask."""
    ADMIN = 3
    """And change the core: reload, secrets, accounts, HTTP, stop."""

    @classmethod
    def named(cls, name: str) -> "Role":
        """Return the role of this name.

        Raises:
            ValueError: when there is none.
        """
        try:
            return cls[name.upper()]
        except KeyError:
            raise ValueError(f"{name!r} is no role; use viewer, operator or admin") from None
