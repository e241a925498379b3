"""How a session begins: `initialize` up to 2025-11-25, `server/discover` from 2026-07-28 on.

Either way the same is known afterwards: the revision that is spoken, who the server is and what it can.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

from server_core.errors import ConnectionFailed, RemoteError
from server_core.protocol.codes import UNSUPPORTED_VERSION
from server_core.protocol.envelope import SERVER_INFO, TASKS_EXTENSION, client_meta, with_envelope
from server_core.protocol.jsonrpc import Params
from server_core.protocol.revisions import HANDSHAKE, REVISIONS, STATELESS, Revision

MOST_OFFERS = 2
"""How many revisions are tried: ours, and one of those that the server names when it refuses that."""


@dataclass(frozen=True, slots=True)
class Ourselves:
    """Who a client says it is, and what it says it can.

    Attributes:
        client_info: the name, the version and the like.
        capabilities: instead of all that :func:`capabilities_in` tells of the revision.
    """

    client_info: dict[str, Any]
    capabilities: dict[str, Any] | None = None

    def capabilities_in(self, revision: Revision) -> dict[str, Any]:
        """Return what the client can do in a revision."""
        return _all_capabilities(revision) if self.capabilities is None else self.capabilities

    def info_in(self, revision: Revision) -> dict[str, Any]:
        """Return who the client is, in the words of a revision."""
        return self.client_info if revision.titles else {k: v for k, v in self.client_info.items() if k != "title"}

    def meta(self, revision: Revision, log_level: str | None = None) -> dict[str, Any]:
        """Return what each stateless request says of the client, for its `_meta`."""
        return client_meta(revision, self.capabilities_in(revision), self.info_in(revision), log_level)


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a server said of itself.

    Attributes:
        revision: the one that is spoken from now on.
        result: the answer to `initialize` or to `server/discover`, whole.
        server_info: its name, its version and the like; empty when it does not say.
        capabilities: what it can.
        instructions: how it wants to be used.
        after_silence: it did not answer what was asked first, and there was a wait.
    """

    revision: Revision
    result: dict[str, Any] = field(default_factory=dict)
    server_info: dict[str, Any] = field(default_factory=dict)
    capabilities: dict[str, Any] = field(default_factory=dict)
    instructions: str = ""
    after_silence: bool = False


class NothingInCommon(ConnectionFailed):
    """The server speaks no revision that this client speaks without a handshake."""


class Line(Protocol):
    """What a greeting takes: a way to ask and to tell."""

    async def request(self, method: str, params: Params | None = None) -> dict[str, Any]:
        """Send a request and return its result."""
        ...

    async def notify(self, method: str, params: Params | None = None) -> None:
        """Send a notification, and return when it is on its way."""
        ...


async def initialize(line: Line, revision: Revision, ourselves: Ourselves) -> Greeting:
    """Shake hands.

    Args:
        line: to the server.
        revision: the one that we ask for.
        ourselves: who we are.

    Raises:
        ConnectionFailed: when the server is gone, or speaks none of our revisions.
        RemoteError: when the server answers with an error.

    Source: 2025-11-25, basic/lifecycle, initialization.
    """
    params = {
        "protocolVersion": revision.date,
        "capabilities": ourselves.capabilities_in(revision),
        "clientInfo": ourselves.info_in(revision),
    }
    result = await line.request("initialize", params)
    agreed = HANDSHAKE.get(str(result.get("protocolVersion")))
    if agreed is None:
        known = ", ".join(reversed(HANDSHAKE))
        date = result.get("protocolVersion")
        raise ConnectionFailed(f"The server speaks revision {date!r} of the protocol; this client speaks {known}.")
    # On its way before any request: some servers refuse what comes earlier.
    await line.notify("notifications/initialized")
    return _greeting(agreed, result, result.get("serverInfo"))


async def discover(
    line: Line, revision: Revision, ourselves: Ourselves, marks: dict[str, Any] | None = None
) -> Greeting:
    """Ask a server what it is, without a handshake.

    Args:
        line: to the server.
        revision: the one that we prefer.
        ourselves: who we are.
        marks: more members for the `_meta` of the request.

    Raises:
        ConnectionFailed: when the server is gone.
        NothingInCommon: when the server speaks no stateless revision of ours, or its answer does not say which.
        RemoteError: when the server answers with an error that no other revision would mend.

    Source: 2026-07-28, server/discover; basic/versioning, protocol version negotiation.
    """
    for _ in range(MOST_OFFERS):
        meta = ourselves.meta(revision) | (marks or {})
        try:
            result = await line.request("server/discover", with_envelope(None, meta))
        except RemoteError as error:
            refusal = error
            common = newest_common(versions_in(error), STATELESS)
            if error.code != UNSUPPORTED_VERSION or common is None:
                raise
            revision = common
        else:
            return _discovered(result)
    raise refusal


def versions_in(refusal: RemoteError) -> list[Any]:
    """Return the revisions that a server names when it refuses one."""
    named = refusal.data.get("supported") if isinstance(refusal.data, dict) else None
    return named if isinstance(named, list) else []


def newest_common(dates: list[Any], ours: dict[str, Revision]) -> Revision | None:
    """Return the newest of our revisions that is among these; None when none is."""
    return next((ours[date] for date in sorted(ours, reverse=True) if date in dates), None)


def _discovered(result: dict[str, Any]) -> Greeting:
    offered = result.get("supportedVersions")
    revision = newest_common(offered, STATELESS) if isinstance(offered, list) else None
    if revision is None:
        raise NothingInCommon(
            f"The server speaks revisions {offered!r} of the protocol without a handshake; this client speaks"
            f" {', '.join(reversed(REVISIONS))}."
        )
    meta = result.get("_meta")
    named = meta.get(SERVER_INFO) if isinstance(meta, dict) else None
    # Its place is the `_meta`; servers written before that was settled name themselves beside it.
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
