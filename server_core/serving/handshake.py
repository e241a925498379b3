"""The results of `initialize` and `server/discover`; they depend only on the request and the server's identity.

All capabilities are declared, whatever the lists hold now: a list may get its first entry at any reload.

Source: up to 2025-11-25, basic/lifecycle, initialization; from 2026-07-28 on, server/discover, and
server/utilities/caching.
"""

from typing import Any, NamedTuple

from server_core.catalog.identity import Identity
from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_PARAMS
from server_core.protocol.envelope import MAX_CLIENT_INFO, SERVER_INFO, TASKS_EXTENSION, is_storable
from server_core.protocol.jsonrpc import Params
from server_core.protocol.revisions import STATELESS_REVISIONS, Revision, negotiate

Json = dict[str, Any]


class Handshake(NamedTuple):
    """The outcome of the handshake, and the result for the client."""

    revision: Revision
    client: Json
    capabilities: Json
    result: Json


def shake_hands(identity: Identity, params: Params) -> Handshake:
    """Negotiate a revision and describe the server; ProtocolError if the params are not those of `initialize`."""
    requested = params.get("protocolVersion")
    if not isinstance(requested, str):
        raise ProtocolError(INVALID_PARAMS, 'Invalid params: "protocolVersion" must be a string')
    client, declared = (_object(params, key) for key in ("clientInfo", "capabilities"))
    # A capability is an object; any other value declares nothing.
    capabilities = {name: value for name, value in declared.items() if isinstance(value, dict)}
    revision = negotiate(requested)
    result: Json = {
        "protocolVersion": revision.date,
        "capabilities": capabilities_of(revision),
        "serverInfo": server_info(identity, revision),
    }
    if identity.instructions:
        result["instructions"] = identity.instructions
    return Handshake(revision, client, capabilities, result)


def discover(identity: Identity, revision: Revision, hints: Json) -> Json:
    """Return the result of `server/discover`; the hints are those of :func:`cache_hints`."""
    result: Json = {
        "resultType": "complete",
        "supportedVersions": list(STATELESS_REVISIONS),
        "capabilities": capabilities_of(revision),
        "_meta": {SERVER_INFO: server_info(identity, revision)},
        **hints,
    }
    if identity.instructions:
        result["instructions"] = identity.instructions
    return result


def capabilities_of(revision: Revision) -> Json:
    """Return the server's capabilities in this revision."""
    capabilities: Json = {
        "tools": {"listChanged": True},
        "resources": {"listChanged": True, "subscribe": True},
        "prompts": {"listChanged": True},
        "logging": {},
    }
    if revision.completions:
        capabilities["completions"] = {}
    if revision.core_tasks:
        capabilities["tasks"] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    if revision.extensions:
        capabilities["extensions"] = {TASKS_EXTENSION: {}}
    return capabilities


def with_capabilities(result: Json, capabilities: Json) -> Json:
    """Return the result with the capabilities that middleware adds; the server's own stay unchanged."""
    return {**result, "capabilities": merge_objects(capabilities, result["capabilities"])}


def merge_objects(under: Json, over: Json) -> Json:
    """Return the members of both objects, merged recursively; `over` takes precedence."""
    both = {
        name: merge_objects(under[name], over[name])
        for name in under.keys() & over.keys()
        if isinstance(under[name], dict) and isinstance(over[name], dict)
    }
    return {**under, **over, **both}


def server_info(identity: Identity, revision: Revision) -> Json:
    """Return the `serverInfo` of this revision."""
    info: Json = {"name": identity.name, "version": identity.version}
    if identity.title and revision.titles:
        info["title"] = identity.title
    return info | identity.about if revision.icons else info


def _object(params: Params, key: str) -> Json:
    value = params.get(key)
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "{key}" must be an object')
    if not is_storable(value):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "{key}" is longer than {MAX_CLIENT_INFO:,} characters')
    return value


def cache_hints(ttl: float) -> dict[str, Any]:
    """Return the hints of a result that is valid for `ttl` seconds, for this client only."""
    return {"ttlMs": int(ttl * 1000), "cacheScope": "private"}


READ_HINTS = cache_hints(0)
"""The hints of a read resource: only its author knows how long its contents are valid."""
