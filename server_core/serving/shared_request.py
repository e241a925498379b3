"""A stateless request on a connection that several clients share, who do not know of each other.

What names a request on the connection has to be its own there: its id, and the token for its progress. The other server
gets names that nobody else has, and what comes back has those that the client chose.
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
        own: as its client sent it.
        seq: the number of its record.
        id: that nothing else has on the connection.
    """

    def __init__(self, own: Request, seq: int, id: str) -> None:
        meta = own.params.get("_meta")
        self._meta: dict[str, Any] = meta if isinstance(meta, dict) else {}
        self.own = own
        self.name = call_name(own.id, seq)
        """Names it in records."""
        self.sent = Request(id, own.method, self._renamed(id))
        """As the other server gets it."""

    @property
    def wants_logs(self) -> bool:
        """Whether its client wants log messages."""
        return LOG_LEVEL in self._meta

    def restored(self, data: bytes) -> bytes:
        """Return a message of the other server that belongs to it, with the names that the client knows.

        Args:
            data: its answer, or a notification.
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

    def _renamed(self, id: str) -> Params:
        if "progressToken" not in self._meta:
            return self.own.params
        return {**self.own.params, "_meta": {**self._meta, "progressToken": id}}

    def _restore(self, holder: dict[str, Any], name: str, value: RequestId | None) -> None:
        if holder.get(name) == self.sent.id:
            holder[name] = value
