"""The canonical URL of a server, and where its metadata lies.

Source: basic/authorization, Canonical Server URI; RFC 8707 section 2; RFC 9728 sections 2 and 3.
"""

import re
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from server_core.oauth.urls import PROTECTED_RESOURCE, is_loopback
from server_core.resource_server.header_values import is_text

_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
EXAMPLE = "https://mcp.example.com/mcp"


def checked_canonical_url(url: object, what: str = "canonical_url") -> str:
    """Return the canonical URL of a server.

    Args:
        url: as it was given.
        what: what it is called, for the message.

    Raises:
        ValueError: when clients could not use it: it is no URL, has a fragment, or is not https except on this machine.
    """
    if not isinstance(url, str):
        raise ValueError(f"{what} must be a URL like {EXAMPLE}, not {url!r}.")
    if reason := _fault(url):
        raise ValueError(f"{what} is {url!r}, but {reason}; write it like {EXAMPLE}.")
    return url


def metadata_address(canonical_url: str) -> str:
    """Return where the metadata of a server lies: its path follows the well-known one, and its query stays."""
    parts = urlsplit(canonical_url)
    path = "" if parts.path == "/" else parts.path
    return urlunsplit((parts.scheme, parts.netloc, PROTECTED_RESOURCE + path, parts.query, ""))


def metadata_paths(canonical_url: str) -> frozenset[str]:
    """Return the paths under which the metadata is asked for, decoded: that of the endpoint, and that of the site."""
    return frozenset({unquote(urlsplit(metadata_address(canonical_url)).path), PROTECTED_RESOURCE})


def host_of(canonical_url: str) -> str:
    """Return the name or address under which clients reach a server."""
    return urlsplit(canonical_url).hostname or ""


def _fault(url: str) -> str:
    if " " in url or not is_text(url) or _BROKEN_ESCAPE.search(url):
        return "it has characters that no URL has"
    if "#" in url:
        return "it has a fragment (#)"
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  It is parsed only when asked for.
    except ValueError:
        return "it is no URL"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "it is no http address"
    return _unsafe(parts, url)


def _unsafe(parts: SplitResult, url: str) -> str:
    if parts.username is not None or parts.password is not None:
        return "it carries a name or password"
    if parts.scheme == "http" and not is_loopback(url):
        return "without https it can only be an address of this machine"
    return ""
