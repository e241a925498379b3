"""What a server answers to `initialize` and to `server/discover`; needs nothing but the request and who the server is.

The capabilities are all that the server can have: a list may get its first entry at any reload.

Source: up to 2025-11-25, basic/lifecycle, initialization; from 2026-07-28 on, server/discover.
"""

from typing import Any, NamedTuple

from server_core.catalog.identity import Identity
from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_PARAMS
from server_core.protocol.envelope import MOST_CLIENT_INFO, SERVER_INFO, TASKS_EXTENSION, is_storable
from server_core.protocol.jsonrpc import Params
from server_core.protocol.revisions import STATELESS, Revision, negotiate

Json = dict[str, Any]


class Handshake(NamedTuple):
    """What client and server agreed on.

    Attributes:
        revision: the revision of the protocol.
        client: what the client says of itself.
        capabilities: what the client declares that it can do.
        result: the answer.
    """

    revision: Revision
    client: Json
    capabilities: Json
    result: Json


def shake_hands(identity: Identity, params: Params) -> Handshake:
    """Agree on a revision and say who we are.

    Args:
        identity: who the server is.
        params: those of the request.

    Raises:
        ProtocolError: when the params are not those of `initialize`.
    """
    requested = params.get("protocolVersion")
    if not isinstance(requested, str):
        raise ProtocolError(INVALID_PARAMS, 'Invalid params: "protocolVersion" must be a string')
    client, declared = (_object(params, key) for key in ("clientInfo", "capabilities"))
    # A capability is an object; what is none declares nothing.
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
    """Return the result of `server/discover`.

    Args:
        identity: who the server is.
        revision: that of the request.
        hints: how long the client may keep the result.
    """
    result: Json = {
        "resultType": "complete",
        "supportedVersions": list(STATELESS),
        "capabilities": capabilities_of(revision),
        "_meta": {SERVER_INFO: server_info(identity, revision)},
        **hints,
    }
    if identity.instructions:
        result["instructions"] = identity.instructions
    return result


def capabilities_of(revision: Revision) -> Json:
    """Return what the server can do for a client of this revision."""
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


def extended(result: Json, capabilities: Json) -> Json:
    """Return the answer with more capabilities; what the server itself can do stays as it is.

    Args:
        result: what :func:`shake_hands` or :func:`discover` made.
        capabilities: what middleware adds.
    """
    return {**result, "capabilities": merged(capabilities, result["capabilities"])}


def merged(under: Json, over: Json) -> Json:
    """Return the members of both objects, those within them merged likewise; what the second says counts."""
    both = {
        name: merged(under[name], over[name]) for name in under.keys() & over.keys() if _are_objects(under, over, name)
    }
    return {**under, **over, **both}


def server_info(identity: Identity, revision: Revision) -> Json:
    """Return how the server names itself."""
    info: Json = {"name": identity.name, "version": identity.version}
    if identity.title and revision.titles:
        info["title"] = identity.title
    return info | identity.about if revision.icons else info


def _are_objects(under: Json, over: Json, name: str) -> bool:
    return isinstance(under[name], dict) and isinstance(over[name], dict)


def _object(params: Params, key: str) -> Json:
    value = params.get(key)
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "{key}" must be an object')
    if not is_storable(value):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "{key}" is longer than {MOST_CLIENT_INFO:,} characters')
    return value
