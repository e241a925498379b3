"""How a call of a tool becomes a task: at its start, or whenever the tool says so.

The request is answered with the task, and the call goes on as it is: the same coroutine, the same context. Only its way
to the client is another from then on.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from server_core.errors import ContextError
from server_core.protocol.jsonrpc import Request
from server_core.tasks import core_wire, extension_wire
from server_core.tasks.task import Task
from server_core.tasks.task_port import CoreTaskPort, TaskPort

if TYPE_CHECKING:
    from server_core.catalog.definitions import Tool
    from server_core.execution.context.call import Call
    from server_core.execution.context.client_port import ClientPort
    from server_core.execution.context.context import Context
    from server_core.serving.method_table import Caller
    from server_core.serving.server import Server

Json: TypeAlias = dict[str, Any]


class Wire(NamedTuple):
    """What differs between the two wires when a call becomes a task.

    Attributes:
        created: makes the result that answers the call.
        port: what its tool reaches the client through from then on.
        notify: notifies the client of a change.
    """

    created: Callable[[Task], Json]
    port: type[TaskPort]
    notify: "Callable[[ClientPort, Task], None]"


_CORE = Wire(core_wire.created, CoreTaskPort, core_wire.notify_status)
_EXTENSION = Wire(extension_wire.created, TaskPort, lambda client, task: None)


async def begin_call(server: "Server", caller: "Caller", request: Request, tool: "Tool", context: "Context") -> None:
    """Make a call a task from its start, where its client wants that, or its author does.

    For a client whose revision has no tasks, every call is only a call (2025-11-25, basic/utilities/tasks, task support
    and handling).

    Args:
        server: what serves it.
        caller: who called.
        request: the call.
        tool: what is called.
        context: the call's.

    Raises:
        ProtocolError: when the tool and the call do not go together, or too many tasks run.
        MissingCapability: when the tool runs only as a task, and the client takes none.
    """
    revision = caller.revision
    if revision.core_tasks:
        if core_wire.wants_task(tool, request.params):
            await _become(server, caller, tool, context, core_wire.requested_ttl(request.params), _CORE)
    elif revision.extensions:
        must = tool.task_support == "required"
        # Where there is no room for a task, the server may decide that it is a call.
        if extension_wire.wants_task(tool, caller.capabilities) and (must or server.tasks.has_room):
            await _become(server, caller, tool, context, None, _EXTENSION)


async def become_task(server: "Server", caller: "Caller", tool: "Tool", context: "Call", ttl: float | None) -> bool:
    """Make a running call a task, where its client takes one that it has not asked for.

    Args:
        server: what serves it.
        caller: who called.
        tool: what runs.
        context: the call's.
        ttl: for how many seconds the task is to be kept; None for what is usual.

    Returns:
        Whether it is one now.

    Raises:
        ContextError: while the client is being asked something.
    """
    if isinstance(context.port, TaskPort):
        return True
    may = caller.revision.extensions and extension_wire.is_declared(caller.capabilities)
    if not may or not server.tasks.has_room:
        return False
    return await _become(server, caller, tool, context, ttl, _EXTENSION)


async def _become(
    server: "Server", caller: "Caller", tool: "Tool", context: "Call", ttl: float | None, wire: Wire
) -> bool:
    client, call, status = context.port, context.request_id, ""

    def changed(task: Task) -> None:
        nonlocal status
        if task.status == status:
            return
        event = "task_changed" if status else "task_created"
        status = task.status
        # With tool and id people see it beside its call.
        facts = {"tool": tool.name, "id": call, "task": task.id, "status": status}
        failed = status == "failed" or (task.result or {}).get("isError") is True
        caller.report(event, {**facts, "message": task.message, "ok": not failed})
        if event == "task_changed":
            wire.notify(client, task)

    # A call that is in its first step is not yet known to run, and could not be let go.
    await asyncio.sleep(0)
    running = await server.tasks.create(caller.owner, tool.name, caller.revision, ttl, changed)
    changed(running.task)
    try:
        running.stop = caller.answer_now(wire.created(running.task), running.conclude, related=call)
    except ContextError as error:
        running.fail(str(error))
        raise
    context.port = wire.port(running, client)
    return True
