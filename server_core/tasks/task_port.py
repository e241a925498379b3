"""The port through which the tool of a task reaches its client: input requests are stored in the task."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.protocol.envelope import RELATED_TASK
from server_core.protocol.jsonrpc import Params, RequestId
from server_core.tasks.running_task import RunningTask

if TYPE_CHECKING:
    from server_core.execution.context.client_port import CallingClient, ClientPort

Json: TypeAlias = dict[str, Any]


def with_related(params: Params, task: str) -> Params:
    """Return params, or a result, with the id of the related task.

    Source: 2025-11-25, basic/utilities/tasks, associating task-related messages.
    """
    meta = params.get("_meta")
    return {**params, "_meta": {**(meta if isinstance(meta, dict) else {}), RELATED_TASK: {"taskId": task}}}


class TaskPort:
    """The :class:`ClientPort` of a task: input requests wait in the task for a response, and no notifications are sent.

    Source: the tasks extension, task status notifications: progress and log messages are not supported.
    """

    def __init__(self, running: RunningTask, caller: "ClientPort") -> None:
        # No log messages are sent, so none need be made.
        self._client = replace(caller.client, log_level=None)
        self._running = running
        self._caller = caller

    @property
    def client(self) -> "CallingClient":
        return self._client

    async def request(self, method: str, params: Params, *, related: RequestId, timeout: float, key: str = "") -> Json:
        return await self._running.ask(method, params, timeout, key)

    def notify(self, method: str, params: Params, *, related: RequestId | None) -> None:
        """Send nothing."""

    @property
    def is_full(self) -> bool:
        return False

    async def drain(self) -> None:
        """Return at once."""

    def close_stream(self, *, related: RequestId, retry_ms: int) -> None:
        """Do nothing: no connection waits for a task."""


class CoreTaskPort(TaskPort):
    """The client of a task in a session, which gets progress and log messages until the task ends.

    Source: 2025-11-25, basic/utilities/tasks, task progress notifications.
    """

    @property
    def client(self) -> "CallingClient":
        return self._caller.client

    def notify(self, method: str, params: Params, *, related: RequestId | None) -> None:
        """Send a notification that is not related to the request of the call, since that is answered already."""
        self._caller.notify(method, with_related(params, self._running.task.id), related=None)

    @property
    def is_full(self) -> bool:
        return self._caller.is_full

    async def drain(self) -> None:
        await self._caller.drain()
