"""A request that a relay has passed on, and the form that it has on a connection that several clients share."""

import json
from typing import TYPE_CHECKING, Any

from server_core.execution.running_calls import InFlight
from server_core.protocol import jsonrpc
from server_core.protocol.envelope import LOG_LEVEL, SUBSCRIPTION_ID
from server_core.protocol.jsonrpc import Params, Request, RequestId
from server_core.records.tap import call_name
from server_core.transports.channel import Outlet

if TYPE_CHECKING:
    from server_core.serving.relay import RelaySession


class SharedRequest:
    """A stateless request on a connection that several independent clients share.

    The id and the progress token of a request have to be unique on the connection. So the other server gets new values,
    and the original values are restored in its messages.

    Args:
        original: the request from the client.
        seq: the number of its record.
        request_id: its unique id on the connection.
    """

    def __init__(self, original: Request, seq: int, request_id: str) -> None:
        meta = original.params.get("_meta")
        self._meta: dict[str, Any] = meta if isinstance(meta, dict) else {}
        self.original = original
        self.name = call_name(original.id, seq)
        """Its name in records."""
        self.sent = Request(request_id, original.method, self._rename(request_id))
        """The request for the other server."""

    @property
    def wants_logs(self) -> bool:
        """Whether its client wants log messages."""
        return LOG_LEVEL in self._meta

    def restore(self, data: bytes) -> bytes:
        """Return a message of the other server with the client's id and progress token."""
        value = json.loads(data)
        if "id" in value:
            value["id"] = self.original.id
        body = value.get("params", value.get("result"))
        if isinstance(body, dict):
            self._restore_member(body, "progressToken", self._meta.get("progressToken"))
            if isinstance(meta := body.get("_meta"), dict):
                self._restore_member(meta, SUBSCRIPTION_ID, self.original.id)
        return jsonrpc.encode(value)

    def _rename(self, request_id: str) -> Params:
        if "progressToken" not in self._meta:
            return self.original.params
        return {**self.original.params, "_meta": {**self._meta, "progressToken": request_id}}

    def _restore_member(self, holder: dict[str, Any], name: str, value: RequestId | None) -> None:
        if holder.get(name) == self.sent.id:
            holder[name] = value


class RelayedRequest:
    """A request that was passed on, and where its response is sent.

    Args:
        session: the session of the request.
        request: the request, as sent to the other server.
        in_flight: its description for people.
        outlet: the outlet of its client.
        shared: the original request, where clients share the connection.
    """

    def __init__(
        self,
        session: "RelaySession",
        request: Request,
        in_flight: InFlight,
        outlet: Outlet,
        shared: SharedRequest | None,
    ) -> None:
        self.request = request
        self.in_flight = in_flight
        self.outlet = outlet
        self.shared = shared
        self._session = session

    def cancel(self) -> None:
        """Cancel it: the client has disconnected."""
        self._session.abandon(self.request.id)
