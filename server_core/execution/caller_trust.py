"""Where a call comes from: from this machine, from somebody who has proved who they are, or from anybody."""

import ipaddress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server_core.execution.context.context import Context


def is_unauthenticated_remote(context: "Context") -> bool:
    """Return whether a call came over HTTP from who knows where, and nobody has proved to make it."""
    home, port = context.home, context.port
    if port.is_local or port.principal or home is None:
        return False
    session = home.sessions.get(port.session_key)
    # Behind a proxy everybody seems to be on this machine.
    return session is None or bool(home.settings.allowed_hosts) or not _is_loopback(str(session.describe()["peer"]))


def _is_loopback(peer: str) -> bool:
    """Whether an address, which a port may follow, is one of this machine."""
    for host in (peer, peer.rpartition(":")[0]):
        try:
            if ipaddress.ip_address(host).is_loopback:
                return True
        except ValueError:
            continue
    return False
