"""How a call of a tool becomes a task: at its start, or when the tool asks for it.

The request is answered with the task, and the call continues: the same coroutine, the same context. Only its port to
the client is replaced.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from server_core.errors import ContextError
from server_core.protocol.jsonrpc import Request
from server_core.tasks import core_wire, extension_wire
from server_core.tasks.task import TaskState
from server_core.tasks.task_port import TaskPort

if TYPE_CHECKING:
    from server_core.catalog.definitions import Tool
    from server_core.execution.context.call import Call
    from server_core.execution.context.context import Context
    from server_core.serving.method_table import Caller
    from server_core.serving.server import Server

Json: TypeAlias = dict[str, Any]


class Wire(NamedTuple):
    """The differences between the two wires when a call becomes a task."""

    created_result: Callable[[TaskState], Json]  # Returns the result for the call.
    notifies: bool  # Whether the client gets notifications: of a new status, and those of the tool.


_CORE = Wire(core_wire.created_result, notifies=True)
_EXTENSION = Wire(extension_wire.created_result, notifies=False)


async def begin_call(server: "Server", caller: "Caller", request: Request, tool: "Tool", context: "Context") -> None:
    """Make a call a task from its start, if its client or its author asks for that.

    Source: 2025-11-25, basic/utilities/tasks, task support and handling: none in a revision without tasks.
    ProtocolError when the tool does not support what is asked, or too many run; MissingCapability as `wants_task`.
    """
    revision = caller.client.revision
    if revision.core_tasks:
        if core_wire.wants_task(tool, request.params):
            await _become(server, caller, tool, context, core_wire.requested_ttl(request.params), _CORE)
    elif revision.extensions:
        must = tool.task_support == "required"
        # The server may decide: without room for a task, the tool runs as an ordinary call.
        if extension_wire.wants_task(tool, caller.client.capabilities) and (must or server.tasks.has_room):
            await _become(server, caller, tool, context, None, _EXTENSION)


async def become_task(server: "Server", caller: "Caller", tool: "Tool", context: "Call", ttl: float | None) -> bool:
    """Make a running call a task, if its client accepts tasks without asking; return whether it is one now.

    The time to live is in seconds; ContextError while an input request is open.
    """
    if isinstance(context.port, TaskPort):
        return True
    may = caller.client.revision.extensions and extension_wire.is_declared(caller.client.capabilities)
    if not may or not server.tasks.has_room:
        return False
    return await _become(server, caller, tool, context, ttl, _EXTENSION)


async def _become(
    server: "Server", caller: "Caller", tool: "Tool", context: "Call", ttl: float | None, wire: Wire
) -> bool:
    client, call, status = context.port, context.request_id, ""

    def changed(task: TaskState) -> None:
        nonlocal status
        if task.status == status:
            return
        event = "task_changed" if status else "task_created"
        status = task.status
        # The tool and the id relate the event to its call.
        fields = {"tool": tool.name, "id": call, "task": task.id, "status": status}
        failed = status == "failed" or (task.result or {}).get("isError") is True
        caller.report(event, {**fields, "message": task.message, "ok": not failed})
        if event == "task_changed" and wire.notifies:
            core_wire.notify_status(client, task)

    # A call in its first step is not registered as running yet, and could not be released.
    await asyncio.sleep(0)
    running = await server.tasks.create(caller.owner, tool.name, caller.client.revision, ttl, changed)
    changed(running.task)
    try:
        running.stop = caller.answer_now(wire.created_result(running.task), running.conclude, related=call)
    except ContextError as error:
        running.fail(str(error))
        raise
    context.port = TaskPort(running, client, notifies=wire.notifies)
    return True
