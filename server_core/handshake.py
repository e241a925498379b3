"""What a server answers to `initialize`; needs nothing but the words of the request and who the server is.

Source: basic/lifecycle, initialization.
"""

from typing import Any, NamedTuple

from server_core.catalog.discovery import Identity
from server_core.errors import INVALID_PARAMS, ProtocolError
from server_core.protocol.jsonrpc import Params
from server_core.protocol.revisions import Revision, negotiate


class Handshake(NamedTuple):
    """What client and server agreed on.

    Attributes:
        revision: the revision of the protocol.
        client: what the client says of itself.
        capabilities: what the client declares that it can do.
        result: the answer.
    """

    revision: Revision
    client: dict[str, Any]
    capabilities: dict[str, Any]
    result: dict[str, Any]


def shake_hands(identity: Identity, params: Params) -> Handshake:
    """Agree on a revision and say who we are.

    The capabilities are all that the server can have: a list may get its first entry at any reload.

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
    result: dict[str, Any] = {
        "protocolVersion": revision.date,
        "capabilities": {
            "tools": {"listChanged": True},
            "resources": {"listChanged": True, "subscribe": True},
            "prompts": {"listChanged": True},
            "logging": {},
            "completions": {},
        },
        "serverInfo": _server_info(identity),
    }
    if identity.instructions:
        result["instructions"] = identity.instructions
    return Handshake(revision, client, capabilities, result)


def _server_info(identity: Identity) -> dict[str, Any]:
    info = {"name": identity.name, "version": identity.version}
    return info | {"title": identity.title} if identity.title else info


def _object(params: Params, key: str) -> dict[str, Any]:
    value = params.get(key)
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "{key}" must be an object')
    return value
