"""Which side may send which method in which revision, as data.

A request whose method is not in the table for its receiver and revision is answered with -32601, method not found.
"""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from server_core.protocol.revisions import HANDSHAKE_REVISIONS, REVISIONS, STATELESS_REVISIONS, Revision


class Side(Enum):
    CLIENT = "client"
    SERVER = "server"


class Method(NamedTuple):
    name: str
    # The dates of the revisions in which a server, or a client, answers it.
    to_server: frozenset[str] = frozenset()
    to_client: frozenset[str] = frozenset()
    # It is allowed before the handshake.
    before_initialize: bool = False
    # Its result may request more input first (2026-07-28, multi round-trip requests).
    multi_round: bool = False
    # Its result has cache hints, in revisions that have them.
    cacheable: bool = False
    # It stays open until either side ends it.
    long_lived: bool = False


_SERVER = frozenset({Side.SERVER})
_CLIENT = frozenset({Side.CLIENT})
_ALL = frozenset(REVISIONS)
_HANDSHAKE = frozenset(HANDSHAKE_REVISIONS)
_STATELESS = frozenset(STATELESS_REVISIONS)
_ELICITING = frozenset(date for date, revision in HANDSHAKE_REVISIONS.items() if revision.elicitation)
_CORE_TASKS = frozenset(date for date, revision in REVISIONS.items() if revision.core_tasks)
_EXTENSIONS = frozenset(date for date, revision in REVISIONS.items() if revision.extensions)

METHODS = {
    method.name: method
    for method in (
        Method("initialize", _HANDSHAKE, before_initialize=True),
        Method("ping", _HANDSHAKE, _HANDSHAKE, before_initialize=True),
        Method("server/discover", _STATELESS, cacheable=True),
        Method("tools/list", _ALL, cacheable=True),
        Method("tools/call", _ALL, multi_round=True),
        Method("resources/list", _ALL, cacheable=True),
        Method("resources/templates/list", _ALL, cacheable=True),
        Method("resources/read", _ALL, multi_round=True, cacheable=True),
        Method("resources/subscribe", _HANDSHAKE),
        Method("resources/unsubscribe", _HANDSHAKE),
        Method("prompts/list", _ALL, cacheable=True),
        Method("prompts/get", _ALL, multi_round=True),
        Method("completion/complete", _ALL),
        Method("logging/setLevel", _HANDSHAKE),
        Method("subscriptions/listen", _STATELESS, long_lived=True),
        # Tasks are part of 2025-11-25, and an extension of 2026-07-28 with another set of methods.
        Method("tasks/get", _CORE_TASKS | _EXTENSIONS, _CORE_TASKS),
        Method("tasks/result", _CORE_TASKS, _CORE_TASKS),
        Method("tasks/list", _CORE_TASKS, _CORE_TASKS),
        Method("tasks/update", _EXTENSIONS),
        Method("tasks/cancel", _CORE_TASKS | _EXTENSIONS, _CORE_TASKS),
        # Requests to the client exist up to 2025-11-25; from 2026-07-28 on they are parts of a result.
        Method("sampling/createMessage", to_client=_HANDSHAKE),
        Method("elicitation/create", to_client=_ELICITING),
        Method("roots/list", to_client=_HANDSHAKE),
    )
}


class NotificationMethod(NamedTuple):
    name: str
    senders: frozenset[Side]
    # The dates of the revisions that have it.
    revisions: frozenset[str]


_ELICITATION_IDS = frozenset(date for date, revision in REVISIONS.items() if revision.elicitation_ids)

NOTIFICATIONS = {
    notification.name: notification
    for notification in (
        NotificationMethod("notifications/initialized", _CLIENT, _HANDSHAKE),
        NotificationMethod("notifications/cancelled", _SERVER | _CLIENT, _ALL),
        NotificationMethod("notifications/progress", _SERVER | _CLIENT, _ALL),
        NotificationMethod("notifications/message", _SERVER, _ALL),
        NotificationMethod("notifications/tools/list_changed", _SERVER, _ALL),
        NotificationMethod("notifications/prompts/list_changed", _SERVER, _ALL),
        NotificationMethod("notifications/resources/list_changed", _SERVER, _ALL),
        NotificationMethod("notifications/resources/updated", _SERVER, _ALL),
        NotificationMethod("notifications/roots/list_changed", _CLIENT, _HANDSHAKE),
        NotificationMethod("notifications/elicitation/complete", _SERVER, _ELICITATION_IDS),
        NotificationMethod("notifications/tasks/status", _SERVER | _CLIENT, _CORE_TASKS),
        NotificationMethod("notifications/subscriptions/acknowledged", _SERVER, _STATELESS),
        NotificationMethod("notifications/tasks", _SERVER, _EXTENSIONS),
    )
}

LONG_LIVED = frozenset(name for name, method in METHODS.items() if method.long_lived)
"""The requests for whose end no caller waits."""


def served_methods(receiver: Side, revision: Revision | None = None) -> Mapping[str, Method]:
    """Return the request methods that a side serves in a revision, by default in any with a handshake, by name."""
    dates = HANDSHAKE_REVISIONS.keys() if revision is None else {revision.date}
    return {
        method.name: method
        for method in METHODS.values()
        if not dates.isdisjoint(method.to_server if receiver is Side.SERVER else method.to_client)
    }


# RFC 5424, from the least to the most severe; schema: LoggingLevel.
LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
