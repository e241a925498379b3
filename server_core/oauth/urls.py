"""URLs of OAuth: which may be requested, where metadata is published, and the identifier of a server.

Every URL but the server's own comes from a document of another party, so each is checked before it is used: it must be
`https`, except on this machine; and only a server on this machine may name URLs on this machine.

Specification: basic/authorization; RFC 8414 section 3, RFC 8707 section 2, RFC 9728 section 3.
"""

import contextlib
import ipaddress
import socket
from collections.abc import Mapping
from urllib.parse import SplitResult, quote, urlencode, urlsplit, urlunsplit

from server_core.oauth.errors import AuthorizationFailed, short_line

LONGEST_URL = 8192
DEFAULT_PORTS = {"http": 80, "https": 443}
PROTECTED_RESOURCE = "/.well-known/oauth-protected-resource"
AUTHORIZATION_SERVER = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"


def canonical_url(url: str) -> str:
    """Return the resource identifier of a server: no fragment, no credentials, no slash where there is no path."""
    parts = _split(url, "The URL of the server")
    return urlunsplit(
        (parts.scheme.lower(), _authority(parts), "" if parts.path == "/" else parts.path, parts.query, "")
    )


def origin(url: str) -> str:
    parts = _split(url, "The URL")
    return urlunsplit((parts.scheme.lower(), _authority(parts), "", "", ""))


def covers(resource: str, server: str) -> bool:
    """Return whether a resource identifier is that of a server, or of a parent path of it.

    Source: RFC 9728 section 3.3, and RFC 8707 section 2 for an identifier of several endpoints.
    """
    outer, inner = _split(resource, "The resource"), _split(server, "The URL of the server")
    if origin(resource) != origin(server) or outer.query not in ("", inner.query):
        return False
    return f"{inner.path.rstrip('/')}/".startswith(f"{outer.path.rstrip('/')}/")


def with_query(url: str, parameters: Mapping[str, str]) -> str:
    """Return a URL with more query parameters, and without a fragment."""
    parts = urlsplit(url)
    # RFC 6749 section 3.1: an endpoint may have a query, which must be retained.
    query = "&".join(filter(None, (parts.query, urlencode(parameters, quote_via=quote))))
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))


def resource_metadata_urls(server: str) -> list[str]:
    """Return the URLs of a protected resource's metadata: for its path, then for its origin."""
    path = urlsplit(server).path.rstrip("/")
    root = f"{origin(server)}{PROTECTED_RESOURCE}"
    return [f"{root}{path}", root] if path else [root]


def server_metadata_urls(issuer: str) -> list[str]:
    """Return the URLs of an authorization server's metadata, in the order in which to try them."""
    root, path = origin(issuer), urlsplit(issuer).path.rstrip("/")
    if not path:
        return [f"{root}{AUTHORIZATION_SERVER}", f"{root}{OPENID}"]
    return [f"{root}{AUTHORIZATION_SERVER}{path}", f"{root}{OPENID}{path}", f"{root}{path}{OPENID}"]


def is_loopback(url: str) -> bool:
    """Return whether a URL is on this machine, judging by its host name alone."""
    host = (_split(url, "The URL").hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    address = _ip_address(host)
    return address is not None and address.is_loopback


def check_url(url: object, label: str, server: str) -> str:
    """Return a URL that a server named, if it may be requested; AuthorizationFailed if not valid, safe or permitted."""
    if not isinstance(url, str):
        raise AuthorizationFailed(f"{label} must be a string, not {type(url).__name__}.")
    parts = _split(url, label)
    if parts.username is not None or parts.password is not None:
        raise AuthorizationFailed(f"{label} must not contain a user name or password.")
    if is_loopback(url):
        if not is_loopback(server):
            raise AuthorizationFailed(f"{label} is on this machine ({short_line(url)}), but {server} is not: refused.")
    elif parts.scheme.lower() != "https":
        raise AuthorizationFailed(
            f"{label} is not secure: {short_line(url)}; it must be https, except on this machine."
        )
    if _is_link_local(parts.hostname or ""):
        raise AuthorizationFailed(f"{label} is a link-local or unspecified address ({short_line(url)}): refused.")
    return url


def _is_link_local(host: str) -> bool:
    # Cloud providers serve credentials on a link-local address; the unspecified address leads to this machine.
    address = _ip_address(host.partition("%")[0])
    if address is None:
        return False
    embedded = getattr(address, "ipv4_mapped", None) or address
    # `is_loopback` above does not recognise 127.0.0.1 in its IPv6 form.
    return embedded.is_link_local or embedded.is_unspecified or (embedded is not address and embedded.is_loopback)


def _ip_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse an IP address, also in the older spellings that resolvers accept: 127.1, 2130706433, 0x7f.1."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host)
    with contextlib.suppress(OSError):
        return ipaddress.IPv4Address(socket.inet_aton(host))
    return None


def _split(url: str, label: str) -> SplitResult:
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise AuthorizationFailed(f"{label} is not a valid URL: {short_line(url)!r}.")
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  The port is parsed only on access.
    except ValueError as error:
        raise AuthorizationFailed(f"{label} is not a valid URL: {short_line(url)!r}.") from error
    if parts.scheme.lower() not in DEFAULT_PORTS or not parts.hostname:
        raise AuthorizationFailed(f"{label} is not an http or https URL: {short_line(url)!r}.")
    return parts


def _authority(parts: SplitResult) -> str:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, DEFAULT_PORTS[parts.scheme.lower()]) else f"{host}:{parts.port}"
