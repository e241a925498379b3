"""Who may send which method, as data.

A method that is not in the table for its receiver does not exist: it is answered with -32601.
"""

from dataclasses import dataclass
from enum import Enum


class Side(Enum):
    """The two ends of a connection."""

    CLIENT = "client"
    SERVER = "server"


@dataclass(frozen=True, slots=True)
class Method:
    """One request method.

    Attributes:
        name: the method on the wire.
        receivers: which sides answer it.
        before_initialize: it may come before the handshake is done.
    """

    name: str
    receivers: frozenset[Side]
    before_initialize: bool = False


_SERVER = frozenset({Side.SERVER})
_CLIENT = frozenset({Side.CLIENT})

METHODS = {
    method.name: method
    for method in (
        Method("initialize", _SERVER, before_initialize=True),
        Method("ping", _SERVER | _CLIENT, before_initialize=True),
        Method("tools/list", _SERVER),
        Method("tools/call", _SERVER),
        Method("resources/list", _SERVER),
        Method("resources/templates/list", _SERVER),
        Method("resources/read", _SERVER),
        Method("resources/subscribe", _SERVER),
        Method("resources/unsubscribe", _SERVER),
        Method("prompts/list", _SERVER),
        Method("prompts/get", _SERVER),
        Method("completion/complete", _SERVER),
        Method("logging/setLevel", _SERVER),
        Method("sampling/createMessage", _CLIENT),
        Method("elicitation/create", _CLIENT),
        Method("roots/list", _CLIENT),
    )
}

# RFC 5424, from the least to the most severe; schema: LoggingLevel.
LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
