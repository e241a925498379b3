"""How much of the bodies of requests is in memory, of all requests together.

Rule 1: a body counts from its first bytes to the end of its response, since what was read of it is held that long.
Rule 2: small bodies do not count, so that clients that send much keep nobody else from being served.
"""

MOST_BYTES = 256 * 1024 * 1024
UNCOUNTED = 64 * 1024
"""How many bytes of each body do not count."""


class TooMuchAtOnce(Exception):
    """All bodies together would be longer than they may be."""


class BodyBudget:
    """The bodies of one endpoint.

    Args:
        most: how many bytes there may be, without those that do not count.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.left = most
        """How many bytes more there may be."""

    def take(self, size: int) -> None:
        """Count more bytes.

        Raises:
            TooMuchAtOnce: when there may be no more.
        """
        if size > self.left:
            raise TooMuchAtOnce
        self.left -= size

    def give_back(self, size: int) -> None:
        """Count bytes no longer."""
        self.left += size
