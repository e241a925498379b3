"""The web origins that a server trusts, as in `Origin` headers.

Source: 2025-11-25, basic/transports, Security Warning; RFC 6454.
"""

from collections.abc import Iterable


def checked_origins(given: Iterable[str] | None) -> frozenset[str]:
    """Return web origins in the normalised form in which they are compared; empty strings are left out.

    Raises:
        TypeError: when it is not a list of strings.
    """
    origins = list(given or ())
    if isinstance(given, str) or not all(isinstance(origin, str) for origin in origins):
        raise TypeError('MCPApp\'s allowed_origins must be a list such as ["https://app.example.com"]')
    return frozenset(origin.strip().rstrip("/").lower() for origin in origins if origin.strip())
