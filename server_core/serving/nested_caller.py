"""The caller of a nested request, which a running tool sends to its own server: the client of the tool's call.

Rule 1: messages of a nested request are sent to the client as a part of the outer call, since the client has sent no
other request.
Rule 2: the tool waits for the result, so a nested request never becomes a task.
Rule 3: the keys of its input requests begin with its name, so that they are the same in every run of the tool,
whichever other requests the tool sends at the same time.
"""

import json
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from server_core.errors import ContextError
from server_core.execution.context.client_port import InputRequestKeys
from server_core.protocol.jsonrpc import RequestId
from server_core.serving.method_table import COMMON_METHODS
from server_core.serving.request_scheduler import Ended, Result

if TYPE_CHECKING:
    from server_core.execution.context.client_port import CallingClient
    from server_core.execution.context.context import Context
    from server_core.serving.method_table import Answer


class NestedCaller:
    """The caller of a request that a running tool sends, which has a name among those of the tool."""

    methods = COMMON_METHODS
    owner = ""
    """Empty: no task is created."""

    def __init__(self, context: "Context", name: str = "") -> None:
        self.outer = context
        """The context of the outer call."""
        self.level: int = 1 if context.nested_caller is None else context.nested_caller.level + 1
        """The nesting depth."""
        self._name = name
        self._keys = InputRequestKeys()

    @property
    def client(self) -> "CallingClient":
        return self.outer.port.client

    def key_for_client(self, method: str, key: str) -> str:
        """Return the key with which the client gets a request of a nested call, which may have none of its own."""
        key = self._keys.new(method, key)
        return self.outer.key_for_client(method, f"{self._name}.{key}" if self._name else key)

    def report(self, event: str, fields: dict[str, Any]) -> None:
        """Record an event of a call for the author; it is not sent to the client."""
        ids = {"id": self.outer.client_request_id, "inner_id": fields.get("id")}
        self.outer.report(event, {**fields, **ids})

    def answer_now(self, result: Result, ended: Ended, *, related: RequestId) -> Callable[[], None]:
        """Raise a ContextError: the tool waits for the result."""
        raise ContextError("A request of a tool to its own server cannot become a task.")


def inner_id() -> str:
    """Return a request id that no client uses."""
    return f"internal-{uuid.uuid4()}"


async def await_answer(answer: "Answer") -> dict[str, Any]:
    """Return the result of an answer of :meth:`Server.answer`."""
    result = answer if isinstance(answer, dict | bytes) else await answer
    return json.loads(result) if isinstance(result, bytes) else result
