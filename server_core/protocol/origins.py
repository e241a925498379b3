"""The origins of web pages that a server trusts, as `Origin` headers name them.

Source: 2025-11-25, basic/transports, Security Warning; RFC 6454.
"""

from collections.abc import Iterable


def checked_origins(given: Iterable[str] | None) -> frozenset[str]:
    """Return the origins of web pages in the form in which they are compared; "*" stands for all.

    Args:
        given: origins like `https://app.example.com`; empty ones are left out.

    Raises:
        TypeError: when they are no list of texts.
    """
    origins = list(given or ())
    if isinstance(given, str) or not all(isinstance(one, str) for one in origins):
        raise TypeError('MCPApp\'s allowed_origins must be a list like ["https://app.example.com"]')
    return frozenset(one.strip().rstrip("/").lower() for one in origins if one.strip())
