"""Whether the caller is trusted: local, authenticated, or neither."""

import ipaddress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server_core.execution.context.context import Context


def is_unauthenticated_remote(context: "Context") -> bool:
    """Return whether a call came over HTTP from another machine and its caller is not authenticated."""
    home, port = context.home, context.port
    if port.client.is_local or port.client.principal or home is None:
        return False
    session = home.sessions.get(port.client.session_key)
    # Behind a proxy, every client appears to be on this machine.
    return session is None or bool(home.settings.allowed_hosts) or not _is_loopback(str(session.describe()["peer"]))


def _is_loopback(peer: str) -> bool:
    """Return whether an IP address, with or without a port, is a loopback address."""
    for host in (peer, peer.rpartition(":")[0]):
        try:
            if ipaddress.ip_address(host).is_loopback:
                return True
        except ValueError:
            continue
    return False
