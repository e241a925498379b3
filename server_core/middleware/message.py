"""A message as middleware sees it: the JSON object on the wire, with its members as attributes."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from server_core.protocol.jsonrpc import Notification, Request
from server_core.types.wire_object import WireObject

Json: TypeAlias = dict[str, Any]


class Message(WireObject):
    """A request or a notification: `message.params.name` and `message["params"]["name"]` are the same.

    Attributes:
        jsonrpc: "2.0".
        id: the id of a request, with its original type; None for a notification.
        method: its method.
        params: its params; empty if there are none.
    """

    jsonrpc: str
    id: str | int | None
    method: str
    params: Json

    def __init__(self, message: Mapping[str, Any]) -> None:
        super().__init__(message)
        params = self.get("params")
        if params is None or type(params) is dict:
            self["params"] = WireObject(params or {})


def message_of(message: Request | Notification) -> Message:
    """Return a received or outgoing message as middleware sees it."""
    request_id = {"id": message.id} if isinstance(message, Request) else {}
    return Message({"jsonrpc": "2.0", **request_id, "method": message.method, "params": message.params})
