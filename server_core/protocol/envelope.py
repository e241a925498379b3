"""The envelope of a stateless request: the client, the revision and the client's capabilities, in its `_meta`.

Rule 1: a request that names a revision in its `_meta` is stateless; if other members are missing it is refused as such.
Rule 2: `clientInfo` is for display, never for decisions.

Source: 2026-07-28, basic, request metadata.
"""

from typing import Any, NamedTuple

from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_PARAMS, UNSUPPORTED_VERSION
from server_core.protocol.jsonrpc import Params, encode
from server_core.protocol.methods import LOG_LEVELS
from server_core.protocol.revisions import STATELESS_REVISIONS, Revision

PREFIX = "io.modelcontextprotocol/"
PROTOCOL_VERSION = PREFIX + "protocolVersion"
CLIENT_CAPABILITIES = PREFIX + "clientCapabilities"
CLIENT_INFO = PREFIX + "clientInfo"
SERVER_INFO = PREFIX + "serverInfo"
LOG_LEVEL = PREFIX + "logLevel"
SUBSCRIPTION_ID = PREFIX + "subscriptionId"
RELATED_TASK = PREFIX + "related-task"
TASKS_EXTENSION = PREFIX + "tasks"

MAX_CLIENT_INFO = 64 * 1024
"""The maximum length, as JSON, of a client's info and capabilities that a session stores."""


class Envelope(NamedTuple):
    revision: Revision
    capabilities: dict[str, Any]
    # Its `clientInfo`; empty when there is none.
    client: dict[str, Any]
    # The minimum severity of log messages to send; None for no log messages.
    log_level: str | None


def is_stateless(params: Params) -> bool:
    meta = params.get("_meta")
    return type(meta) is dict and PROTOCOL_VERSION in meta


def requested_version(params: Params) -> str:
    """Return the revision that a stateless request names, supported or not; ProtocolError if a member is invalid."""
    meta = params.get("_meta")
    if type(meta) is not dict:
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "_meta" must be an object that has {PROTOCOL_VERSION!r}')
    version = meta.get(PROTOCOL_VERSION)
    if type(version) is not str:
        raise _missing(PROTOCOL_VERSION, "a string")
    if type(meta.get(CLIENT_CAPABILITIES)) is not dict:
        raise _missing(CLIENT_CAPABILITIES, "an object")
    return version


def read_envelope(params: Params) -> Envelope:
    """Return the envelope of a stateless request.

    ProtocolError -32602 for a missing or wrong member, -32022 for an unsupported revision.
    """
    version = requested_version(params)
    meta = params["_meta"]
    revision = STATELESS_REVISIONS.get(version)
    if revision is None:
        raise unsupported_version(version)
    level = meta.get(LOG_LEVEL)
    if level is not None and level not in LOG_LEVELS:
        given = repr(level) if isinstance(level, str) else "that is not a string"
        raise ProtocolError(
            INVALID_PARAMS, f"Unknown log level {given}; {LOG_LEVEL!r} is one of {', '.join(LOG_LEVELS)}"
        )
    client = meta.get(CLIENT_INFO)
    return Envelope(revision, meta[CLIENT_CAPABILITIES], client if type(client) is dict else {}, level)


def is_storable(value: dict[str, Any]) -> bool:
    """Return whether a client's info or capabilities are short enough to be stored."""
    try:
        return len(encode(value)) <= MAX_CLIENT_INFO
    except ValueError:  # It is nested too deeply.
        return False


def with_envelope(params: Params | None, meta: dict[str, Any]) -> Params:
    """Return the params of a request with these members added to its `_meta`; existing members take precedence."""
    own = (params or {}).get("_meta")
    return {**(params or {}), "_meta": {**meta, **(own if isinstance(own, dict) else {})}}


def client_meta(
    revision: Revision, capabilities: dict[str, Any], client_info: dict[str, Any], log_level: str | None = None
) -> dict[str, Any]:
    """Return the members that a client adds to the `_meta` of each stateless request."""
    meta = {PROTOCOL_VERSION: revision.date, CLIENT_CAPABILITIES: capabilities, CLIENT_INFO: client_info}
    return meta if log_level is None else {**meta, LOG_LEVEL: log_level}


def unsupported_version(requested: str) -> ProtocolError:
    supported = list(STATELESS_REVISIONS)
    return ProtocolError(
        UNSUPPORTED_VERSION,
        f"Unsupported protocol version {requested!r}; this server supports {', '.join(supported)}"
        " without a session, and older revisions after initialize",
        {"supported": supported, "requested": requested},
    )


def _missing(key: str, wanted: str) -> ProtocolError:
    return ProtocolError(INVALID_PARAMS, f'Invalid params: "_meta" needs {key!r}, and it must be {wanted}')
