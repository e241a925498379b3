"""A stateless request on a connection that several independent clients share.

The id and the progress token of a request have to be unique on the connection. So the other server gets new values, and
the original values are restored in its messages.
"""

import json
from typing import Any

from server_core.protocol import jsonrpc
from server_core.protocol.envelope import LOG_LEVEL, SUBSCRIPTION_ID
from server_core.protocol.jsonrpc import Params, Request, RequestId
from server_core.records.tap import call_name


class SharedRequest:
    """One such request.

    Args:
        own: the request from the client.
        seq: the number of its record.
        request_id: its unique id on the connection.
    """

    def __init__(self, own: Request, seq: int, request_id: str) -> None:
        meta = own.params.get("_meta")
        self._meta: dict[str, Any] = meta if isinstance(meta, dict) else {}
        self.own = own
        self.name = call_name(own.id, seq)
        """Its name in records."""
        self.sent = Request(request_id, own.method, self._renamed(request_id))
        """The request for the other server."""

    @property
    def wants_logs(self) -> bool:
        """Whether its client wants log messages."""
        return LOG_LEVEL in self._meta

    def restored(self, data: bytes) -> bytes:
        """Restore the client's id and progress token in a message of the other server.

        Args:
            data: the response, or a notification.
        """
        value = json.loads(data)
        if "id" in value:
            value["id"] = self.own.id
        body = value.get("params", value.get("result"))
        if isinstance(body, dict):
            self._restore(body, "progressToken", self._meta.get("progressToken"))
            if isinstance(meta := body.get("_meta"), dict):
                self._restore(meta, SUBSCRIPTION_ID, self.own.id)
        return jsonrpc.encode(value)

    def _renamed(self, request_id: str) -> Params:
        if "progressToken" not in self._meta:
            return self.own.params
        return {**self.own.params, "_meta": {**self._meta, "progressToken": request_id}}

    def _restore(self, holder: dict[str, Any], name: str, value: RequestId | None) -> None:
        if holder.get(name) == self.sent.id:
            holder[name] = value
