"""The input requests of one stateless call: those that wait for a response, and the responses that the tool has used.

Source: 2026-07-28, basic/patterns, multi round-trip requests.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from server_core.errors import ClientTimeout
from server_core.execution.context.client_port import InputRequestKeys
from server_core.execution.time_limits import limited
from server_core.protocol.jsonrpc import Params
from server_core.transports.open_questions import Answer


class InputRequest(NamedTuple):
    """A request for input that the tool waits for."""

    wire: Params  # Its method and params.
    future: asyncio.Future[dict[str, Any]]
    sent: float  # In seconds since the epoch.


class CallInputs:
    """The input requests of one call, by key, with the responses of an earlier run of the tool, if any."""

    def __init__(self, earlier_responses: dict[str, Any], on_expired: Callable[[str], None]) -> None:
        self.used: dict[str, Any] = {}
        """The responses that the tool has used."""
        self._earlier_responses = earlier_responses
        # Called with the key of a request that the tool no longer waits for, though it has no response.
        self._on_expired = on_expired
        self._keys = InputRequestKeys()
        self._waiting: dict[str, InputRequest] = {}
        # The requests to which the client has a response that it has not sent yet.
        self._prepared: set[str] = set()

    @property
    def are_open(self) -> bool:
        """Whether the tool waits for a response."""
        return bool(self._waiting)

    @property
    def unanswered(self) -> dict[str, Params]:
        """The input requests to send to the client."""
        return {key: request.wire for key, request in self.open.items()}

    @property
    def open(self) -> dict[str, InputRequest]:
        """The requests without a response, by key."""
        return {key: request for key, request in self._waiting.items() if not request.future.done()}

    @property
    def unprepared(self) -> dict[str, InputRequest]:
        """The open requests to which the client has no response yet, as far as is known."""
        return {key: request for key, request in self.open.items() if key not in self._prepared}

    def prepare(self, key: str) -> bool:
        """Note that the client has a response to a request, which it sends later; False if that is known, or done."""
        if key not in self.unprepared:
            return False
        self._prepared.add(key)
        return True

    def answer(self, key: str, answer: Answer) -> bool:
        """Answer a request in the place of the client; False if it is done, or the answer has the wrong shape."""
        if (request := self.unprepared.get(key)) is None:
            return False
        if isinstance(answer, Exception):
            request.future.set_exception(answer)
        elif valid_response(request.wire, answer) is None:
            return False
        else:
            self.used[key] = answer
            request.future.set_result(answer)
        return True

    async def send(
        self, method: str, params: Params, key: str, timeout: float, flush_soon: Callable[[], None]
    ) -> dict[str, Any]:
        """Return the client's response to a request, which `flush_soon` sends together with others."""
        input_request: Params = {"method": method, "params": params}
        key = self._keys.new(method, key)
        if (response := valid_response(input_request, self._earlier_responses.get(key))) is not None:
            self.used[key] = response
            return response
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[key] = InputRequest(input_request, future, time.time())
        flush_soon()
        try:
            async with limited(timeout) as limit:
                return await future
        except TimeoutError:
            raise ClientTimeout(method, limit.seconds) from None
        finally:
            del self._waiting[key]
            if future.cancelled():
                self._on_expired(key)

    def receive(self, responses: dict[str, Any]) -> None:
        """Receive the responses of a round; those of the wrong shape are ignored, so their requests are sent again."""
        self._prepared.clear()
        for key, request in self.open.items():
            if (response := valid_response(request.wire, responses.get(key))) is not None:
                self.used[key] = response
                request.future.set_result(response)


def input_responses(params: Params) -> dict[str, Any]:
    """Return the input responses of a request, by key."""
    responses = params.get("inputResponses")
    return responses if isinstance(responses, dict) else {}


def valid_response(input_request: Params, response: Any) -> dict[str, Any] | None:
    """Return a client's response if it has the shape that the input request needs, else None."""
    if isinstance(response, dict) and _SHAPES[input_request["method"]](input_request["params"], response):
        return response
    return None


def _is_elicit_result(params: Params, response: dict[str, Any]) -> bool:
    action, content = response.get("action"), response.get("content")
    if action != "accept" or params.get("mode") == "url":
        return action in ("accept", "decline", "cancel")
    schema = params.get("requestedSchema", {})
    return isinstance(content, dict) and all(name in content for name in schema.get("required", ()))


def _is_sampling_result(params: Params, response: dict[str, Any]) -> bool:
    return isinstance(response.get("content"), dict | list)


def _is_roots_result(params: Params, response: dict[str, Any]) -> bool:
    return isinstance(response.get("roots"), list)


_SHAPES = {
    "elicitation/create": _is_elicit_result,
    "sampling/createMessage": _is_sampling_result,
    "roots/list": _is_roots_result,
}
