"""What an HTTP request must bring, before anything is done with it: values in, a refusal or None out.

Source: basic/transports, Streamable HTTP and its security warning; DNS rebinding is why Host and Origin are checked.
"""

import ipaddress
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from server_core.protocol.revisions import ASSUMED_OVER_HTTP, REVISIONS

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
JSON = "application/json"
EVENTS = "text/event-stream"

Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not served.

    Attributes:
        status: of the HTTP response.
        reason: one sentence for whoever reads it.
    """

    status: int
    reason: str


class HostRule:
    """Which names a request may use for us, and which pages may send one.

    Loopback names are always right. A server that listens on all addresses is also reached by any of them: a name
    can be made to point here (DNS rebinding), an address cannot.

    Args:
        hosts: more names: the address that we listen on, and those by which people know us.
    """

    def __init__(self, hosts: Collection[str] = ()) -> None:
        self._names = LOOPBACK | {host.lower().strip("[]") for host in hosts}
        self._any_address = bool(self._names & {"0.0.0.0", "::"})

    def check(self, headers: Headers) -> Refusal | None:
        """Return why these headers name a wrong host or origin."""
        host = headers.get("host", "")
        name = _host_name(host)
        if name not in self._names and not (self._any_address and _is_address(name)):
            return Refusal(403, f"Host {host!r} is not allowed here; use localhost or the address that is listened on.")
        origin = headers.get("origin")
        if origin is None:
            return None
        parts = urlsplit(origin)
        if parts.scheme in ("http", "https"):
            same_host = parts.netloc.lower() == host.lower()
            if same_host or _host_name(parts.netloc) in self._names:
                return None
        return Refusal(403, f"Origin {origin!r} is not allowed here.")


def check_accepts(headers: Headers, *wanted: str) -> Refusal | None:
    """Return why a response of these types would not be accepted; no Accept header accepts them."""
    accept = headers.get("accept", "*/*")
    ranges = {part.split(";")[0].strip().lower() for part in accept.split(",")}
    missing = [one for one in wanted if not ranges & {one, one.split("/")[0] + "/*", "*/*"}]
    if not missing:
        return None
    return Refusal(406, f"Not acceptable: the Accept header must list {' and '.join(wanted)}.")


def check_content_type(headers: Headers) -> Refusal | None:
    """Return why a body of this type is not read."""
    content_type = headers.get("content-type", "").split(";")[0].strip().lower()
    if content_type == JSON:
        return None
    return Refusal(415, f"Unsupported media type {content_type!r}: send {JSON}.")


def check_version(headers: Headers, negotiated: str) -> Refusal | None:
    """Return why this protocol version is refused; none at all means the session's own.

    Args:
        headers: of the request.
        negotiated: the session's revision.
    """
    version = headers.get("mcp-protocol-version")
    if version is None or version in REVISIONS or version in (ASSUMED_OVER_HTTP, negotiated):
        return None
    return Refusal(400, f"Unsupported MCP-Protocol-Version {version!r}; this server has {', '.join(REVISIONS)}.")


def _host_name(netloc: str) -> str:
    """The name in `name:port`, which may be an IPv6 address in brackets."""
    if netloc.startswith("["):
        return netloc[1:].partition("]")[0].lower()
    return netloc.partition(":")[0].lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
