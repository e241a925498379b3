"""The caller of a request that a running tool makes of its own server: the tool's client, by way of the tool's call.

Rule 1: what belongs to such a request reaches the client as a part of the call that the tool runs in, since the client
knows of no other.
Rule 2: the tool waits for the answer, so such a request never becomes a task.
Rule 3: the names of its questions begin with its own, so that they are the same in every run of the tool, whatever else
the tool asks at the same time.
"""

import json
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from server_core.errors import ContextError
from server_core.execution.context.input_request_keys import InputRequestKeys
from server_core.protocol.jsonrpc import Params, RequestId
from server_core.protocol.revisions import Revision
from server_core.serving.method_table import COMMON_ANSWERS
from server_core.serving.request_scheduler import Ended, Result

if TYPE_CHECKING:
    from server_core.execution.context.client_port import ClientPort
    from server_core.execution.context.context import Context
    from server_core.serving.method_table import Answer


class NestedCaller:
    """Who asks, when a running tool does.

    Args:
        context: that of the call that the tool runs in.
        name: names the request among those that the tool makes.
    """

    answers_to = COMMON_ANSWERS

    def __init__(self, context: "Context", name: str = "") -> None:
        self.outer = context
        """The context of that call."""
        self.level: int = getattr(context.port, "level", 0) + 1
        """How many requests of tools lie around each other here."""
        self._name = name
        self._keys = InputRequestKeys()

    @property
    def _port(self) -> "ClientPort":
        # It is another one once the call has become a task.
        return self.outer.port

    @property
    def revision(self) -> Revision:
        """The revision that the client speaks."""
        return self._port.revision

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the client declared that it can do."""
        return self._port.capabilities

    @property
    def client_info(self) -> dict[str, Any]:
        """What the client says of itself."""
        return self._port.client_info

    @property
    def session_key(self) -> str:
        """The name of the client's session, for people."""
        return self._port.session_key

    @property
    def session_id(self) -> str | None:
        """Names the client's session and no other."""
        return self._port.session_id

    @property
    def principal(self) -> str:
        """Who the client has proved to be."""
        return self._port.principal

    @property
    def is_local(self) -> bool:
        """Whether whoever started the server has started the client as well, on the same machine."""
        return self._port.is_local

    @property
    def log_level(self) -> str | None:
        """The least severe level that the client wants; None for no log messages."""
        return self._port.log_level

    @property
    def is_full(self) -> bool:
        """Whether the client has to take something before more should be sent."""
        return self._port.is_full

    @property
    def owner(self) -> str:
        """Nobody: no task is made."""
        return ""

    async def request(
        self, method: str, params: Params, *, related: RequestId, timeout: float, key: str = ""
    ) -> dict[str, Any]:
        """Ask the client; see :meth:`ClientPort.request`."""
        key = self._keys.new(method, key)
        key = f"{self._name}.{key}" if self._name else key
        return await self._port.request(method, params, related=self.outer.request_id, timeout=timeout, key=key)

    def notify(self, method: str, params: Params, *, related: RequestId | None = None) -> None:
        """Tell the client something; see :meth:`ClientPort.notify`."""
        self._port.notify(method, params, related=None if related is None else self.outer.request_id)

    async def drain(self) -> None:
        """Wait until the client has taken enough that more may be sent."""
        await self._port.drain()

    def close_stream(self, *, related: RequestId, retry_ms: int) -> None:
        """Let go of the connection that waits for the call."""
        self._port.close_stream(related=self.outer.request_id, retry_ms=retry_ms)

    def report(self, event: str, facts: dict[str, Any]) -> None:
        """Record for the author what the client is not told of a call."""
        about = {"id": self.outer.client_request_id, "inner_id": facts.get("id")}
        self.outer.report(event, {**facts, **about})

    def answer_now(self, result: Result, ended: Ended, *, related: RequestId) -> Callable[[], None]:
        """Refuse: the tool waits for the answer.

        Raises:
            ContextError: always.
        """
        raise ContextError("A request of a tool to its own server cannot become a task.")


def inner_id() -> str:
    """Return an id that no request of a client has."""
    return f"internal-{uuid.uuid4()}"


async def answered(answer: "Answer") -> dict[str, Any]:
    """Return the result that an answer comes to.

    Args:
        answer: what :meth:`Server.answer` returned.
    """
    result = answer if isinstance(answer, dict | bytes) else await answer
    return json.loads(result) if isinstance(result, bytes) else result
