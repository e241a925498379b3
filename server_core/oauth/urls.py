"""Addresses of OAuth: which may be asked, where metadata lies, and how a server is named.

Every address but the server's own comes from somebody else's document, so each is checked before it is used:
`https`, except on this machine; and what lies on this machine may only be named by a server that lies there too.

Specification: basic/authorization; RFC 8414 section 3, RFC 8707 section 2, RFC 9728 section 3.
"""

import contextlib
import ipaddress
import socket
from urllib.parse import SplitResult, urlsplit, urlunsplit

from server_core.oauth.errors import AuthorizationFailed, remark

LONGEST_ADDRESS = 8192
DEFAULT_PORTS = {"http": 80, "https": 443}
PROTECTED_RESOURCE = "/.well-known/oauth-protected-resource"
AUTHORIZATION_SERVER = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"


def canonical(url: str) -> str:
    """Return how a server is named as a resource: no fragment, no credentials, no slash where there is no path.

    Args:
        url: the address of its endpoint.

    Raises:
        AuthorizationFailed: when it is no address.
    """
    parts = _split(url, "The address of the server")
    return urlunsplit(
        (parts.scheme.lower(), _authority(parts), "" if parts.path == "/" else parts.path, parts.query, "")
    )


def origin(url: str) -> str:
    """Return scheme, host and port of an address."""
    parts = _split(url, "The address")
    return urlunsplit((parts.scheme.lower(), _authority(parts), "", "", ""))


def covers(resource: str, server: str) -> bool:
    """Return whether a resource's identifier is that of a server, or of a part of its site that holds it.

    Source: RFC 9728 section 3.3, and RFC 8707 section 2 for an identifier of many endpoints.
    """
    named, asked = _split(resource, "The resource"), _split(server, "The address of the server")
    if origin(resource) != origin(server) or named.query not in ("", asked.query):
        return False
    return f"{asked.path.rstrip('/')}/".startswith(f"{named.path.rstrip('/')}/")


def resource_metadata_addresses(server: str) -> list[str]:
    """Return where the metadata of a protected resource may lie: for its path, then for its site."""
    path = urlsplit(server).path.rstrip("/")
    root = f"{origin(server)}{PROTECTED_RESOURCE}"
    return [f"{root}{path}", root] if path else [root]


def server_metadata_addresses(issuer: str) -> list[str]:
    """Return where the metadata of an authorization server may lie, in the order in which to ask."""
    site, path = origin(issuer), urlsplit(issuer).path.rstrip("/")
    if not path:
        return [f"{site}{AUTHORIZATION_SERVER}", f"{site}{OPENID}"]
    return [f"{site}{AUTHORIZATION_SERVER}{path}", f"{site}{OPENID}{path}", f"{site}{path}{OPENID}"]


def is_loopback(url: str) -> bool:
    """Return whether an address lies on this machine, by its name alone."""
    host = (_split(url, "The address").hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    address = _ip_address(host)
    return address is not None and address.is_loopback


def check(url: object, what: str, server: str) -> str:
    """Return an address that may be asked on behalf of a server.

    Args:
        url: what a document or a header names.
        what: what it is called, for the message.
        server: the server on whose behalf it is asked.

    Raises:
        AuthorizationFailed: when it is no address, is not safe to send to, or is none of the server's business.
    """
    if not isinstance(url, str):
        raise AuthorizationFailed(f"{what} is no address: {type(url).__name__}.")
    parts = _split(url, what)
    if parts.username is not None or parts.password is not None:
        raise AuthorizationFailed(f"{what} carries a name or password; it may not.")
    if is_loopback(url):
        if not is_loopback(server):
            raise AuthorizationFailed(f"{what} lies on this machine ({remark(url)}), but {server} does not; refused.")
    elif parts.scheme.lower() != "https":
        raise AuthorizationFailed(f"{what} is not safe: {remark(url)}; only https will do, except on this machine.")
    if _is_link_local(parts.hostname or ""):
        raise AuthorizationFailed(f"{what} lies in the network of this machine alone ({remark(url)}); refused.")
    return url


def _is_link_local(host: str) -> bool:
    # Where clouds keep the credentials of machines, and where the unspecified address leads to.
    address = _ip_address(host.partition("%")[0])
    if address is None:
        return False
    inner = getattr(address, "ipv4_mapped", None) or address
    return inner.is_link_local or inner.is_unspecified or (inner is not address and inner.is_loopback)


def _ip_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that a host is, also in the older spellings that resolvers take: 127.1, 2130706433, 0x7f.1."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host)
    with contextlib.suppress(OSError):
        return ipaddress.IPv4Address(socket.inet_aton(host))
    return None


def _split(url: str, what: str) -> SplitResult:
    if len(url) > LONGEST_ADDRESS or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise AuthorizationFailed(f"{what} is no address: {remark(url)!r}.")
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  It is parsed only when asked for.
    except ValueError as error:
        raise AuthorizationFailed(f"{what} is no address: {remark(url)!r}.") from error
    if parts.scheme.lower() not in DEFAULT_PORTS or not parts.hostname:
        raise AuthorizationFailed(f"{what} is no http address: {remark(url)!r}.")
    return parts


def _authority(parts: SplitResult) -> str:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, DEFAULT_PORTS[parts.scheme.lower()]) else f"{host}:{parts.port}"
