"""A request of a tool for input that waits for its client, as other terminals of the core show and answer it."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from server_core.errors import RemoteError
from server_core.protocol.jsonrpc import Params, RequestId

Answer = dict[str, Any] | RemoteError
"""The result of the request, or the error with which it was refused."""

ANSWERED_EVENT = "input_request_answered"
ANSWERED = "answered in another terminal"
"""The reason in the cancellation that the client of an answered request gets."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A request for input; `answer` answers it in the place of its client, and returns False if it is done already.

    `end` is called when its client will send no answer, of which only a client with a session notifies the server;
    `set_aside` when its client has an answer, which it sends together with those to other requests.
    """

    id: RequestId  # Of the request, or its key in the result of a stateless call.
    call: RequestId  # The id of the first request of the call that it belongs to; empty if unknown.
    name: str  # The name of the tool; empty if unknown.
    method: str
    params: Params
    answer: Callable[[Answer], bool]
    asked: float = field(default_factory=time.time)  # In seconds since the epoch.
    end: Callable[[], None] = lambda: None
    set_aside: Callable[[], None] = lambda: None

    @property
    def key(self) -> str:
        """A text that is unique among the open questions of the session."""
        return json.dumps([self.call, self.id])
