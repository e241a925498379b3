"""A message as middleware sees it: the JSON object of the wire, whose members are attributes as well."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from server_core.protocol.jsonrpc import Notification, Request
from server_core.types.wire_object import WireObject

Json: TypeAlias = dict[str, Any]


class Message(WireObject):
    """A request or a notification: `message.params.name` and `message["params"]["name"]` are the same.

    Attributes:
        jsonrpc: "2.0".
        id: of a request, of the type that its sender gave it; None for a notification.
        method: its method.
        params: its params; empty where there are none.
    """

    jsonrpc: str
    id: str | int | None
    method: str
    params: Json

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        params = self.get("params")
        if params is None or type(params) is dict:
            self["params"] = WireObject(params or {})


def message_of(given: Request | Notification) -> Message:
    """Return what was received, or is to be sent, as middleware sees it."""
    id = {"id": given.id} if isinstance(given, Request) else {}
    return Message({"jsonrpc": "2.0", **id, "method": given.method, "params": given.params})
