"""A limit on the memory for the bodies of all requests together.

Rule 1: a body counts from its first bytes to the end of its response, since it is in memory for that long.
Rule 2: small bodies do not count, so that clients with large bodies cannot block the others.
"""

MAX_BYTES = 256 * 1024 * 1024
UNCOUNTED = 64 * 1024
"""How many bytes of each body do not count."""


class TooMuchAtOnce(Exception):
    """All bodies together would exceed the limit."""


class BodyBudget:
    """The bodies of one endpoint.

    Args:
        most: the limit, in bytes, for the counted parts of all bodies.
    """

    def __init__(self, most: int = MAX_BYTES) -> None:
        self.left = most
        """How many bytes are left in the budget."""

    def take(self, size: int) -> None:
        """Count more bytes.

        Raises:
            TooMuchAtOnce: when the budget is exhausted.
        """
        if size > self.left:
            raise TooMuchAtOnce
        self.left -= size

    def release(self, size: int) -> None:
        """Return bytes to the budget."""
        self.left += size
