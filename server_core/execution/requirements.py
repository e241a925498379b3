"""Check what a tool requires before it runs: secrets, metadata and an account."""

import ipaddress

from server_core.catalog.definitions import Tool
from server_core.errors import RequirementNotMet
from server_core.execution.context.context import Context
from server_core.secrets import secret_errors
from server_core.secrets.secret_names import is_reserved

MISSING_METADATA = "✗ Missing metadata"
"""The start of the error for a call whose `_meta` lacks what its tool requires."""


async def meet_requirements(tool: Tool, context: Context) -> None:
    """Get the account of a call, and check its other requirements; RequirementNotMet explains what to do."""
    if tool.secrets:
        _check_secrets(tool, context)
    if tool.requires_metadata:
        _check_metadata(tool, context)
    if tool.requires_auth is not None:
        from server_core.execution.tool_authorization import authorize  # Few tools need an account.

        context.authorization = await authorize(tool, tool.requires_auth, context)


def is_unauthenticated_remote(context: Context) -> bool:
    """Return whether a call came over HTTP from another machine and its caller is not authenticated."""
    server, client = context.own_server, context.port.client
    if client.is_local or client.principal or server is None:
        return False
    session = server.sessions.get(client.session_key)
    if session is None or server.settings.allowed_hosts:  # Behind a proxy, every client appears to be on this machine.
        return True
    return not _is_loopback(str(session.describe()["peer"]))


def _is_loopback(peer: str) -> bool:
    """Return whether an IP address, with or without a port, is a loopback address."""
    for host in (peer, peer.rpartition(":")[0]):
        try:
            if ipaddress.ip_address(host).is_loopback:
                return True
        except ValueError:
            continue
    return False


def _check_secrets(tool: Tool, context: Context) -> None:
    is_open = context.own_server is not None and context.own_server.settings.open_secrets
    if not is_open and is_unauthenticated_remote(context):
        raise secret_errors.transport_error(tool.name)
    unavailable = [key for key in tool.secrets if not context.has_secret(key)]
    if unavailable:
        reserved = [key for key in unavailable if is_reserved(key)]
        raise secret_errors.missing_secrets_error(
            tool.name, reserved, [key for key in unavailable if key not in reserved]
        )


def _check_metadata(tool: Tool, context: Context) -> None:
    present = {entry.key.lower() for entry in context.metadata}
    missing = [key for key in tool.requires_metadata if key.lower() not in present]
    if not missing:
        return
    keys = ", ".join(missing)
    raise RequirementNotMet(
        f"{MISSING_METADATA}: {keys}\n\n"
        f"  Tool {tool.name!r} requires this of its caller, but the client did not send it.\n\n"
        f'  To fix, send it in the _meta of the request: {{"{missing[0]}": "..."}}',
        f"The client has to send {keys} in the _meta of its requests. Inform the person who set up the client; do not"
        " call the tool again before that.",
    )
