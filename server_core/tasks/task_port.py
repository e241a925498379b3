"""The port through which the tool of a task reaches its client: input requests are stored in the task."""

from dataclasses import replace
from typing import Any, TypeAlias

from server_core.execution.context.client_port import ClientPort
from server_core.protocol.envelope import RELATED_TASK
from server_core.protocol.jsonrpc import Params, RequestId
from server_core.tasks.running_task import RunningTask

Json: TypeAlias = dict[str, Any]


def with_related(params: Params, task: str) -> Params:
    """Return params with the related task. Source: 2025-11-25, basic/utilities/tasks, associating messages."""
    meta = params.get("_meta")
    return {**params, "_meta": {**(meta if isinstance(meta, dict) else {}), RELATED_TASK: {"taskId": task}}}


class TaskPort(ClientPort):
    """The port of a task: input requests wait in the task for a response.

    A session's client gets progress and log messages until the end (`notifies`; 2025-11-25, basic/utilities/tasks, task
    progress notifications), but not with the tasks extension (task status notifications: neither is supported).
    """

    def __init__(self, running: RunningTask, caller: ClientPort, *, notifies: bool) -> None:
        # Without a log level no messages are made, which would not be sent.
        self.client = caller.client if notifies else replace(caller.client, log_level=None)
        self._running = running
        self._caller = caller if notifies else None

    @property
    def is_reachable(self) -> bool:
        return self._caller is not None and self._caller.is_reachable

    @property
    def is_full(self) -> bool:
        return self._caller is not None and self._caller.is_full

    async def request(self, method: str, params: Params, *, related: RequestId, timeout: float, key: str = "") -> Json:
        return await self._running.ask(method, params, timeout, key)

    def notify(self, method: str, params: Params, *, related: RequestId | None) -> None:
        if self._caller is not None:
            # Not related to the request of the call, since that is answered already.
            self._caller.notify(method, with_related(params, self._running.task.id), related=None)

    async def drain(self) -> None:
        if self._caller is not None:
            await self._caller.drain()
