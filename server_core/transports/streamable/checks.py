"""Checks of an HTTP request before it is processed: functions from values to a refusal or None.

Source: basic/transports, Streamable HTTP and its security warning; DNS rebinding is why Host and Origin are checked.
"""

import ipaddress
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from server_core.protocol.codes import INVALID_REQUEST
from server_core.protocol.headers import VERSION_HEADER
from server_core.protocol.jsonrpc import RequestId
from server_core.protocol.revisions import HANDSHAKE_REVISIONS

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
JSON = "application/json"
EVENTS = "text/event-stream"

MAX_ACCEPT = 1000
# The maximum length of a host with its port; a name has at most 255 characters (RFC 1035 section 2.3.4).
MAX_AUTHORITY = 300

Headers = Mapping[str, str]

# RFC 9110 section 7.2: a host and an optional port, and nothing else: no user, no path, no second name.
_AUTHORITY = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::(?P<port>[0-9]{1,5}))?", re.ASCII)
_ORIGIN_SCHEMES = ("http://", "https://")
# RFC 9112 section 3.2: an origin form, an absolute form, or the asterisk of OPTIONS; none has a fragment.
_TARGET = re.compile(r"(?:(?P<scheme>[a-z]+)://(?P<authority>[^/?#]*))?[/?][^#]*|\*", re.ASCII | re.IGNORECASE)
# RFC 9110 section 12.4.2.
_WEIGHT = re.compile(r"q\s*=\s*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)", re.ASCII | re.IGNORECASE)

# The headers that may occur only once, besides those that have checks of their own.
SINGLE_HEADERS = frozenset({"content-length", "content-type", "authorization", "mcp-session-id", "last-event-id"})


class RequestLine(NamedTuple):
    """The first line of a request, without its method."""

    # The HTTP version; 0.9 if it has none.
    version: str
    target: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not served."""

    status: int
    reason: str
    # The code of the JSON-RPC error in its body.
    code: int = INVALID_REQUEST
    data: Any = None
    # The id of the refused request, if it was read.
    id: RequestId | None = None
    # The allowed methods, for status 405.
    allow: str = ""
    # The authentication challenge, for status 401 or 403.
    challenge: str = ""


class HostRule:
    """Which hosts a request may name, besides `hosts` of ours, and which web pages may send requests.

    Loopback names are always allowed. A server that listens on all addresses also allows any IP address: a name can
    be made to resolve to this machine (DNS rebinding), an address cannot.
    """

    def __init__(self, hosts: Collection[str] = ()) -> None:
        self._names = LOOPBACK | {host.lower().strip("[]") for host in hosts}
        self._any_address = bool(self._names & {"0.0.0.0", "::"})
        # Clients send the same host and origin with every request.
        self._check = lru_cache(256)(self._check_new)

    def check(
        self, headers: Headers, repeated: Collection[str] = (), origins: frozenset[str] = frozenset()
    ) -> Refusal | None:
        """Return a refusal if the headers name a wrong host, or an origin that is none of these (in lower case).

        A repeated header is refused: another reader of the request might use any of its values.
        Source: RFC 9112 section 3.2: a missing, repeated or malformed Host is a bad request.
        """
        for header in ("host", "origin"):
            if header in repeated:
                return Refusal(400, f"Bad request: there is more than one {header.capitalize()} header.")
        host, origin = headers.get("host", ""), headers.get("origin")
        if len(host) > MAX_AUTHORITY or len(origin or "") > MAX_AUTHORITY:
            return Refusal(400, f"Bad request: Host or Origin is longer than {MAX_AUTHORITY} characters.")
        return self._check(host, origin, origins)

    def _check_new(self, host: str, origin: str | None, origins: frozenset[str]) -> Refusal | None:
        authority = _parse_authority(host)
        if authority is None:
            return Refusal(400, f"Bad request: Host {host!r} is not a host, or a host and a port.")
        if not self._is_own_host(authority.name):
            return Refusal(403, f"Host {host!r} is not allowed here; use localhost or the address that is listened on.")
        if origin is None or is_origin_allowed(origin, origins):
            return None
        page = _parse_origin(origin)
        if page is not None and (page == authority or page.name in self._names):
            return None
        return Refusal(403, f"Origin {origin!r} is not allowed here.")

    def _is_own_host(self, name: str) -> bool:
        return name in self._names or (self._any_address and _is_address(name))


def check_request_line(line: RequestLine, headers: Headers) -> Refusal | None:
    """Return a refusal if other HTTP implementations could interpret a request differently."""
    version, target = line
    if version == "0.9":
        return Refusal(400, "Bad request: the request line has no HTTP version.")
    if version not in ("1.0", "1.1"):
        return Refusal(505, f"HTTP version not supported: HTTP/{version}; use HTTP/1.1.")
    match = _TARGET.fullmatch(target)
    if match is None or (match["scheme"] or "http").lower() not in ("http", "https"):
        return Refusal(400, f"Bad request: {target[:MAX_AUTHORITY]!r} is not a valid target for this server.")
    authority, host = match["authority"], headers.get("host", "")
    if authority is not None and authority.lower() != host.lower():
        return Refusal(400, f"Bad request: the request line names another host than Host {host[:MAX_AUTHORITY]!r}.")
    coding = headers.get("transfer-encoding")
    if coding is not None and version == "1.0":
        return Refusal(400, "Bad request: HTTP/1.0 has no Transfer-Encoding.")
    if coding is not None and coding.strip().lower() != "chunked":
        return Refusal(501, f"Transfer-Encoding {coding[:MAX_AUTHORITY]!r} is not implemented; use chunked.")
    return None


def check_single_headers(repeated: Collection[str], names: Collection[str]) -> Refusal | None:
    """Return a refusal if a header with a single value is repeated."""
    twice = sorted(set(names).intersection(repeated)) if repeated else ()
    return Refusal(400, f"Bad request: there is more than one {twice[0]} header.") if twice else None


def is_origin_allowed(origin: str, origins: Collection[str]) -> bool:
    """Return whether an origin is allowed; `*` allows every origin."""
    return bool(origins) and ("*" in origins or origin.lower() in origins)


def check_accept(headers: Headers, *wanted: str) -> Refusal | None:
    """Return a refusal if the client does not accept these media types; without an Accept header it accepts any."""
    accept = headers.get("accept", "*/*")
    if _accepts(accept[:MAX_ACCEPT], wanted):
        return None
    return Refusal(406, f"Not acceptable: the Accept header must list {' and '.join(wanted)}.")


def check_content_type(headers: Headers) -> Refusal | None:
    """Return a refusal if the body has another media type. Source: RFC 9110 section 15.5.16."""
    if (coding := headers.get("content-encoding", "identity").strip().lower()) != "identity":
        return Refusal(415, f"Unsupported Content-Encoding {coding[:MAX_AUTHORITY]!r}: send the body as it is.")
    content_type = headers.get("content-type", "")
    if content_type == JSON or content_type.split(";")[0].strip().lower() == JSON:
        return None
    return Refusal(415, f"Unsupported media type {content_type!r}: send {JSON}.")


def check_version(headers: Headers, negotiated: str) -> Refusal | None:
    """Return a refusal if the protocol version is wrong for a session.

    Without the header it is the session's version. Other revisions with a handshake are accepted as well, since some
    clients send the revision that they requested.
    """
    version = headers.get(VERSION_HEADER)
    if version is None or version == negotiated or version in HANDSHAKE_REVISIONS:
        return None
    return Refusal(400, f"Unsupported MCP-Protocol-Version {version!r}; this session uses {negotiated}.")


@lru_cache(256)
def _accepts(accept: str, wanted: tuple[str, ...]) -> bool:
    weights: dict[str, float] = {}
    for part in accept.split(","):
        name, *parameters = part.split(";")
        weighed = [match for parameter in parameters if (match := _WEIGHT.fullmatch(parameter.strip()))]
        weights[name.strip().lower()] = float(weighed[0][1]) if weighed else 1.0
    return all(_weight_of(media_type, weights) > 0 for media_type in wanted)


def _weight_of(wanted: str, weights: Mapping[str, float]) -> float:
    """Return the weight of a media type: that of the most specific range. Source: RFC 9110 section 12.5.1."""
    ranges = (wanted, wanted.split("/")[0] + "/*", "*/*")
    return next((weights[media_range] for media_range in ranges if media_range in weights), 0.0)


class _Authority(NamedTuple):
    name: str
    port: str


def _parse_authority(text: str) -> _Authority | None:
    """Parse `host` or `host:port`, with an IPv6 address in brackets; None for anything else."""
    match = _AUTHORITY.fullmatch(text.lower())
    if match is None:
        return None
    address, port = match["v6"], match["port"] or ""
    if (address and not (":" in address and _is_address(address))) or (port and not 0 < int(port) < 65536):
        return None
    return _Authority(address or match["name"], port)


def _parse_origin(text: str) -> _Authority | None:
    """Parse a web origin, `http://host:port`; None for anything else, including `null` (RFC 6454 section 7)."""
    prefix = next((scheme for scheme in _ORIGIN_SCHEMES if text.lower().startswith(scheme)), None)
    return None if prefix is None else _parse_authority(text[len(prefix) :])


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
