"""Start a session: `initialize` up to 2025-11-25, `server/discover` from then on, with the same result."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from server_core.errors import ConnectionFailed, RemoteError
from server_core.protocol.codes import UNSUPPORTED_VERSION
from server_core.protocol.envelope import SERVER_INFO, TASKS_EXTENSION, client_meta, with_envelope
from server_core.protocol.jsonrpc import Params
from server_core.protocol.revisions import HANDSHAKE_REVISIONS, REVISIONS, STATELESS_REVISIONS, Revision

MAX_OFFERS = 2  # How many revisions are tried: ours, and if the server refuses it, one from the server's list.


@dataclass(frozen=True, slots=True)
class ClientDescription:
    """The client's info, and its capabilities if not everything that the revision has."""

    client_info: dict[str, Any]
    capabilities: dict[str, Any] | None = None

    def capabilities_in(self, revision: Revision) -> dict[str, Any]:
        return _all_capabilities(revision) if self.capabilities is None else self.capabilities

    def info_in(self, revision: Revision) -> dict[str, Any]:
        """Return the client's info with the members that exist in a revision."""
        return (
            self.client_info
            if revision.titles
            else {key: value for key, value in self.client_info.items() if key != "title"}
        )

    def meta(self, revision: Revision, log_level: str | None = None) -> dict[str, Any]:
        """Return the client's part of `_meta`, which each stateless request carries."""
        return client_meta(revision, self.capabilities_in(revision), self.info_in(revision), log_level)


@dataclass(frozen=True, slots=True)
class HandshakeResult:
    """The negotiated revision, and a server's description of itself; what is missing is empty."""

    revision: Revision
    result: dict[str, Any] = field(default_factory=dict)  # the complete result of `initialize` or `server/discover`
    server_info: dict[str, Any] = field(default_factory=dict)  # its name, version and so on
    capabilities: dict[str, Any] = field(default_factory=dict)
    instructions: str = ""  # for use
    probe_timed_out: bool = False  # which caused a delay


class NoCommonRevision(ConnectionFailed):
    """The server supports none of this client's stateless revisions."""


class HandshakeConnection(Protocol):
    """What a handshake needs: a session's connection, or the one of a probe."""

    async def request(self, method: str, params: Params | None = None) -> dict[str, Any]: ...

    async def notify(self, method: str, params: Params | None = None) -> None:
        """Send a notification, and return once the channel has accepted it."""
        ...


async def initialize(connection: HandshakeConnection, revision: Revision, client: ClientDescription) -> HandshakeResult:
    """Perform the `initialize` handshake. Source: 2025-11-25, basic/lifecycle, initialization."""
    params = {
        "protocolVersion": revision.date,
        "capabilities": client.capabilities_in(revision),
        "clientInfo": client.info_in(revision),
    }
    result = await connection.request("initialize", params)
    agreed = HANDSHAKE_REVISIONS.get(str(result.get("protocolVersion")))
    if agreed is None:
        supported = ", ".join(reversed(HANDSHAKE_REVISIONS))
        date = result.get("protocolVersion")
        raise ConnectionFailed(
            f"The server supports revision {date!r} of the protocol; this client supports {supported}."
        )
    # Sent before any request: some servers refuse requests that arrive earlier.
    await connection.notify("notifications/initialized")
    return _handshake_result(agreed, result, result.get("serverInfo"))


async def discover(
    connection: HandshakeConnection, revision: Revision, client: ClientDescription, marks: dict[str, Any] | None = None
) -> HandshakeResult:
    """Send `server/discover`, with `marks` in its `_meta`; NoCommonRevision if no stateless revision is common.

    Source: 2026-07-28, server/discover; basic/versioning, protocol version negotiation.
    """
    for _ in range(MAX_OFFERS):
        meta = client.meta(revision) | (marks or {})
        try:
            result = await connection.request("server/discover", with_envelope(None, meta))
        except RemoteError as error:
            refusal = error
            common = newest_common(supported_versions(error), STATELESS_REVISIONS)
            if error.code != UNSUPPORTED_VERSION or common is None:
                raise
            revision = common
        else:
            return _discovered(result)
    raise refusal


def supported_versions(refusal: RemoteError) -> list[Any]:
    """Return the supported revisions in the server's refusal of a revision."""
    named = refusal.data.get("supported") if isinstance(refusal.data, dict) else None
    return named if isinstance(named, list) else []


def newest_common(dates: list[Any], ours: dict[str, Revision]) -> Revision | None:
    """Return the newest of our revisions that is in the list; None if none is."""
    return next((ours[date] for date in sorted(ours, reverse=True) if date in dates), None)


def _discovered(result: dict[str, Any]) -> HandshakeResult:
    offered = result.get("supportedVersions")
    revision = newest_common(offered, STATELESS_REVISIONS) if isinstance(offered, list) else None
    if revision is None:
        raise NoCommonRevision(
            f"The server supports revisions {offered!r} of the protocol without a handshake; this client supports"
            f" {', '.join(reversed(REVISIONS))}."
        )
    meta = result.get("_meta")
    named = meta.get(SERVER_INFO) if isinstance(meta, dict) else None
    # The `_meta` is its place; servers written before that was decided put it beside the `_meta`.
    return _handshake_result(revision, result, named or result.get("serverInfo"))


def _handshake_result(revision: Revision, result: dict[str, Any], server_info: Any) -> HandshakeResult:
    return HandshakeResult(
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
