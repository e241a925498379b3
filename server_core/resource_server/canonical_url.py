"""The canonical URL of a server, and the URL of its metadata.

Source: basic/authorization, Canonical Server URI; RFC 8707 section 2; RFC 9728 sections 2 and 3.
"""

import re
from urllib.parse import unquote, urlsplit, urlunsplit

from server_core.oauth.urls import PROTECTED_RESOURCE, is_loopback

_INVALID = re.compile(r"[^\x21\x23-\x5B\x5D-\x7E]|%(?![0-9A-Fa-f]{2})")
"""Characters that no header can carry between quotes, and incomplete escapes."""
EXAMPLE = "https://mcp.example.com/mcp"


def check_canonical_url(url: object, label: str = "canonical_url") -> str:
    """Return the canonical URL of a server, or raise ValueError; the label names the value in error messages."""
    if not isinstance(url, str):
        raise ValueError(f"{label} must be a URL such as {EXAMPLE}, not {url!r}.")
    if reason := _fault(url):
        raise ValueError(f"{label} is {url!r}, but {reason}; it must be a URL such as {EXAMPLE}.")
    return url


def metadata_url(canonical_url: str) -> str:
    """Return the URL of a server's metadata: the well-known path, the path of the server, and its query."""
    parts = urlsplit(canonical_url)
    path = "" if parts.path == "/" else parts.path
    return urlunsplit((parts.scheme, parts.netloc, PROTECTED_RESOURCE + path, parts.query, ""))


def metadata_paths(canonical_url: str) -> frozenset[str]:
    """Return the decoded paths of the metadata: for the endpoint, and for its origin."""
    return frozenset({unquote(urlsplit(metadata_url(canonical_url)).path), PROTECTED_RESOURCE})


def host_of(canonical_url: str) -> str:
    return urlsplit(canonical_url).hostname or ""


def _fault(url: str) -> str:
    if _INVALID.search(url):
        return "it contains invalid characters"
    if "#" in url:
        return "it has a fragment (#)"
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  The port is parsed only on access.
    except ValueError:
        return "it is not a URL"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "it is not an http or https URL"
    if parts.username is not None or parts.password is not None:
        return "it contains a user name or password"
    if parts.scheme == "http" and not is_loopback(url):
        return "it must be https, except on this machine"
    return ""
