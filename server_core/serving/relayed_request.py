"""The requests that a relay has passed on, and their form on a connection that several clients share."""

import asyncio
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from server_core.execution.running_calls import InFlight
from server_core.protocol import jsonrpc
from server_core.protocol.envelope import LOG_LEVEL, SUBSCRIPTION_ID
from server_core.protocol.jsonrpc import Message, Notification, Params, Request, RequestId
from server_core.records.tap import call_name
from server_core.transports.channel import Outlet

if TYPE_CHECKING:
    from server_core.serving.relay_session import RelaySession


class SharedRequest:
    """A stateless request on a connection that several independent clients share.

    The id and the progress token of a request have to be unique on the connection. So the other server gets new values,
    and the original values are restored in its messages. `seq` is the record's number, `request_id` the new id.
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
    """A request as sent to the other server, and where its response goes; `shared` has the original, if any."""

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
        self._session.abandon(self.request.id, self.in_flight.call)


class RelayedRequests:
    """The requests of one session that the other server has not answered, in the order in which they were passed on."""

    def __init__(self) -> None:
        self._requests: dict[RequestId, RelayedRequest] = {}
        self._idle = asyncio.Event()
        self._idle.set()

    def __iter__(self) -> Iterator[RelayedRequest]:
        return iter(self._requests.values())

    def __len__(self) -> int:
        return len(self._requests)

    @property
    def busy(self) -> bool:
        """Whether there are any."""
        return bool(self._requests)

    async def wait_idle(self) -> None:
        """Wait until all of them are answered."""
        await self._idle.wait()

    def add(self, relayed_request: RelayedRequest) -> None:
        """Register a request."""
        self._requests[relayed_request.request.id] = relayed_request
        self._idle.clear()

    def find(self, request_id: RequestId) -> RelayedRequest | None:
        """Return the request that has this id at the other server, if it is not answered."""
        return self._requests.get(request_id)

    def remove(self, request_id: RequestId) -> None:
        """Unregister a request, which is answered or cancelled; ids of no request are ignored."""
        if self._requests.pop(request_id, None) is not None and not self._requests:
            self._idle.set()

    def call_of(self, message: Message) -> RequestId | None:
        """Return the call that a message belongs to: the call that it names, else the newest, as the best guess.

        Where clients share the connection, only a log message is sent to a call that it does not name, and only where
        no other call wants log messages: a message for one client must not reach another.
        """
        if isinstance(message, Notification):
            if (named := self._named_by(message.params)) is not None:
                return named
            if message.method.endswith(("/list_changed", "/updated")):
                return None
        newest = next(reversed(self._requests), None)
        if newest is None or self._requests[newest].shared is None:
            return newest
        is_log = isinstance(message, Notification) and message.method == "notifications/message"
        wants_logs = [
            request_id for request_id, request in self._requests.items() if request.shared and request.shared.wants_logs
        ]
        return wants_logs[0] if is_log and len(wants_logs) == 1 else None

    def _named_by(self, params: Params) -> RequestId | None:
        """Return the call that a notification names, by progress token or by subscription id."""
        subscription = _object(params.get("_meta")).get(SUBSCRIPTION_ID)
        if isinstance(subscription, str | int) and subscription in self._requests:
            return subscription
        if (token := params.get("progressToken")) is None:
            return None
        for request_id, relayed_request in self._requests.items():
            if _object(relayed_request.request.params.get("_meta")).get("progressToken") == token:
                return request_id
        return None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
