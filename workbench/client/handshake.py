"""Start a session: `initialize` up to 2025-11-25, `server/discover` from 2026-07-28 on.

Both return the same information: the negotiated revision, the server's info and its capabilities.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

from server_core.errors import ConnectionFailed, RemoteError
from server_core.protocol.codes import UNSUPPORTED_VERSION
from server_core.protocol.envelope import SERVER_INFO, TASKS_EXTENSION, client_meta, with_envelope
from server_core.protocol.jsonrpc import Params
from server_core.protocol.revisions import HANDSHAKE_REVISIONS, REVISIONS, STATELESS_REVISIONS, Revision

MAX_OFFERS = 2
"""How many revisions are tried: ours, and if the server refuses it, one from the server's list."""


@dataclass(frozen=True, slots=True)
class Ourselves:
    """The client's info and capabilities.

    Attributes:
        client_info: name, version and so on.
        capabilities: overrides the default, which is everything that :func:`capabilities_in` lists for the revision.
    """

    client_info: dict[str, Any]
    capabilities: dict[str, Any] | None = None

    def capabilities_in(self, revision: Revision) -> dict[str, Any]:
        """Return the client's capabilities in a revision."""
        return _all_capabilities(revision) if self.capabilities is None else self.capabilities

    def info_in(self, revision: Revision) -> dict[str, Any]:
        """Return the client's info with the members that exist in a revision."""
        return self.client_info if revision.titles else {k: v for k, v in self.client_info.items() if k != "title"}

    def meta(self, revision: Revision, log_level: str | None = None) -> dict[str, Any]:
        """Return the client's part of `_meta`, which each stateless request carries."""
        return client_meta(revision, self.capabilities_in(revision), self.info_in(revision), log_level)


@dataclass(frozen=True, slots=True)
class Greeting:
    """A server's description of itself.

    Attributes:
        revision: the negotiated revision.
        result: the complete result of `initialize` or `server/discover`.
        server_info: its name, version and so on; empty if missing.
        capabilities: its capabilities.
        instructions: its instructions for use.
        after_silence: whether it did not answer the probe, which caused a delay.
    """

    revision: Revision
    result: dict[str, Any] = field(default_factory=dict)
    server_info: dict[str, Any] = field(default_factory=dict)
    capabilities: dict[str, Any] = field(default_factory=dict)
    instructions: str = ""
    after_silence: bool = False


class NothingInCommon(ConnectionFailed):
    """The server supports none of this client's stateless revisions."""


class Line(Protocol):
    """What a handshake needs: a way to send requests and notifications."""

    async def request(self, method: str, params: Params | None = None) -> dict[str, Any]:
        """Send a request and return its result."""
        ...

    async def notify(self, method: str, params: Params | None = None) -> None:
        """Send a notification, and return once the channel has accepted it."""
        ...


async def initialize(line: Line, revision: Revision, ourselves: Ourselves) -> Greeting:
    """Perform the `initialize` handshake.

    Args:
        line: to the server.
        revision: the revision to request.
        ourselves: the client's info and capabilities.

    Raises:
        ConnectionFailed: when the server has ended, or supports none of our revisions.
        RemoteError: when the server answers with an error.

    Source: 2025-11-25, basic/lifecycle, initialization.
    """
    params = {
        "protocolVersion": revision.date,
        "capabilities": ourselves.capabilities_in(revision),
        "clientInfo": ourselves.info_in(revision),
    }
    result = await line.request("initialize", params)
    agreed = HANDSHAKE_REVISIONS.get(str(result.get("protocolVersion")))
    if agreed is None:
        known = ", ".join(reversed(HANDSHAKE_REVISIONS))
        date = result.get("protocolVersion")
        raise ConnectionFailed(f"The server supports revision {date!r} of the protocol; this client supports {known}.")
    # Sent before any request: some servers refuse requests that arrive earlier.
    await line.notify("notifications/initialized")
    return _greeting(agreed, result, result.get("serverInfo"))


async def discover(
    line: Line, revision: Revision, ourselves: Ourselves, marks: dict[str, Any] | None = None
) -> Greeting:
    """Send `server/discover`, the start of a session without a handshake.

    Args:
        line: to the server.
        revision: the preferred revision.
        ourselves: the client's info and capabilities.
        marks: additional members for the `_meta` of the request.

    Raises:
        ConnectionFailed: when the server has ended.
        NothingInCommon: when the server supports no stateless revision of ours, or lists none.
        RemoteError: when the server answers with an error that another revision would not resolve.

    Source: 2026-07-28, server/discover; basic/versioning, protocol version negotiation.
    """
    for _ in range(MAX_OFFERS):
        meta = ourselves.meta(revision) | (marks or {})
        try:
            result = await line.request("server/discover", with_envelope(None, meta))
        except RemoteError as error:
            refusal = error
            common = newest_common(versions_in(error), STATELESS_REVISIONS)
            if error.code != UNSUPPORTED_VERSION or common is None:
                raise
            revision = common
        else:
            return _discovered(result)
    raise refusal


def versions_in(refusal: RemoteError) -> list[Any]:
    """Return the supported revisions in the server's refusal of a revision."""
    named = refusal.data.get("supported") if isinstance(refusal.data, dict) else None
    return named if isinstance(named, list) else []


def newest_common(dates: list[Any], ours: dict[str, Revision]) -> Revision | None:
    """Return the newest of our revisions that is in the list; None if none is."""
    return next((ours[date] for date in sorted(ours, reverse=True) if date in dates), None)


def _discovered(result: dict[str, Any]) -> Greeting:
    offered = result.get("supportedVersions")
    revision = newest_common(offered, STATELESS_REVISIONS) if isinstance(offered, list) else None
    if revision is None:
        raise NothingInCommon(
            f"The server supports revisions {offered!r} of the protocol without a handshake; this client supports"
            f" {', '.join(reversed(REVISIONS))}."
        )
    meta = result.get("_meta")
    named = meta.get(SERVER_INFO) if isinstance(meta, dict) else None
    # The `_meta` is its place; servers written before that was decided put it beside the `_meta`.
    return _greeting(revision, result, named or result.get("serverInfo"))


def _greeting(revision: Revision, result: dict[str, Any], server_info: Any) -> Greeting:
    return Greeting(
        revision,
        result,
        _object(server_info),
        _object(result.get("capabilities")),
        str(result.get("instructions") or ""),
    )


def _all_capabilities(revision: Revision) -> dict[str, Any]:
    # Source: schema, ClientCapabilities.
    can: dict[str, Any] = {
        "sampling": {"tools": {}} if revision.sampling_tools else {},
        "roots": {} if revision.stateless else {"listChanged": True},
    }
    if revision.elicitation:
        can["elicitation"] = {"form": {}, "url": {}} if revision.url_elicitation else {}
    if revision.extensions:
        can["extensions"] = {TASKS_EXTENSION: {}}
    return can


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
