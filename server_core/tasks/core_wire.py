"""Tasks of revision 2025-11-25: the client asks for a task, and fetches the result with a separate request.

Source: 2025-11-25, basic/utilities/tasks.
"""

import base64
import binascii
import math
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.errors import ContextError, ProtocolError
from server_core.protocol.codes import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND
from server_core.protocol.jsonrpc import Params, Request
from server_core.serving.method_handlers import text_param
from server_core.tasks.running_task import ClientDisconnected, RunningTask
from server_core.tasks.task import TaskState
from server_core.tasks.task_port import with_related
from server_core.tasks.views import common_members, poll_ms, ttl_ms

if TYPE_CHECKING:
    from server_core.catalog.definitions import Tool
    from server_core.execution.context.client_port import ClientPort
    from server_core.serving.server import Server
    from server_core.serving.sessions import Session

Json: TypeAlias = dict[str, Any]

_LONGEST_MESSAGE = 500


def wants_task(tool: "Tool", params: Params) -> bool:
    """Return whether a call is a task from its start; -32601 when the tool does not support what is requested.

    Source: tool-level negotiation.
    """
    is_requested = params.get("task") is not None
    if is_requested and tool.task_support == "forbidden":
        raise ProtocolError(METHOD_NOT_FOUND, f'Tool {tool.name!r} cannot run as a task; call it without "task"')
    if not is_requested and tool.task_support == "required":
        raise ProtocolError(METHOD_NOT_FOUND, f'Tool {tool.name!r} runs only as a task; call it with "task": {{}}')
    return is_requested


def requested_ttl(params: Params) -> float | None:
    """Return the requested time to live in seconds, if any; -32602 when it is not a valid duration."""
    task = params["task"]
    if not isinstance(task, dict):
        raise ProtocolError(INVALID_PARAMS, 'Invalid params: "task" must be an object')
    ttl = task.get("ttl")
    if ttl is None:
        return None
    # The result of a task with a time to live of 0 could never be fetched.
    if isinstance(ttl, bool) or not isinstance(ttl, int | float) or not 0 < ttl < math.inf or ttl % 1:
        raise ProtocolError(INVALID_PARAMS, 'Invalid params: "task.ttl" must be a whole number of milliseconds above 0')
    return ttl / 1000


def created_result(task: TaskState) -> Json:
    """Return the result for a call that has become a task."""
    return with_related({"task": task_json(task)}, task.id)


def task_json(task: TaskState) -> Json:
    """Return a task as JSON; a task whose tool reports an error has the status `failed`. Source: schema, Task."""
    status, message = task.status, task.message
    if task.result is not None and task.result.get("isError") is True:
        status, message = "failed", _first_text(task.result)
    return common_members(task, status, message) | {"ttl": ttl_ms(task), "pollInterval": poll_ms(task)}


def notify_status(client: "ClientPort", task: TaskState) -> None:
    """Notify the client of a new status; this is optional. Source: task status notification."""
    client.notify("notifications/tasks/status", task_json(task), related=None)


async def get_task(server: "Server", session: "Session", request: Request) -> Json:
    """Return the state of a task. Source: getting tasks."""
    return task_json(await server.tasks.find(text_param(request.params, "taskId"), session.owner))


async def list_tasks(server: "Server", session: "Session", request: Request) -> Json:
    """List the tasks of the caller. Source: listing tasks."""
    page = await server.tasks.page(session.owner, _position(request.params.get("cursor")))
    result: Json = {"tasks": [task_json(task) for task in page.tasks]}
    return result if page.position is None else {**result, "nextCursor": _cursor(page.position)}


async def cancel_task(server: "Server", session: "Session", request: Request) -> Json:
    """Stop a task. Source: cancelling tasks."""
    running = await server.tasks.find_running(text_param(request.params, "taskId"), session.owner)
    task = running.task if isinstance(running, RunningTask) else running
    if task.is_ended or not isinstance(running, RunningTask):
        status = task_json(task)["status"]
        raise ProtocolError(INVALID_PARAMS, f"Cannot cancel task: already in terminal status {status!r}")
    running.cancel()
    return task_json(running.task)


async def task_result(server: "Server", session: "Session", request: Request) -> Json:
    """Return a task's result once it has ended, sending its input requests to the client until then.

    Source: retrieving task results; input required status.
    """
    task_id = text_param(request.params, "taskId")
    running = await server.tasks.find_running(task_id, session.owner)
    if not isinstance(running, RunningTask):
        return _outcome(running)

    async def ask(method: str, params: Params, timeout: float) -> Json:
        try:
            return await session.request(method, with_related(params, task_id), related=request.id, timeout=timeout)
        except ContextError as error:
            if session.is_closed:
                # The task continues, and another session of the same user may fetch the result.
                raise ClientDisconnected(str(error)) from None
            raise

    await running.wait(ask)
    return _outcome(running.task)


def _outcome(task: TaskState) -> Json:
    if task.result is not None:
        return with_related(task.result, task.id)
    error = task.error or {"code": INTERNAL_ERROR, "message": task.message}
    raise ProtocolError(error["code"], error["message"], error.get("data"))


def _first_text(result: Json) -> str:
    texts = (block.get("text") for block in result.get("content", ()) if block.get("type") == "text")
    return str(next(texts, ""))[:_LONGEST_MESSAGE]


def _cursor(position: int) -> str:
    return base64.urlsafe_b64encode(f"tasks {position}".encode()).decode()


def _position(cursor: Any) -> int:
    if cursor is None:
        return 0
    try:
        of, position = base64.b64decode(cursor, altchars=b"-_", validate=True).decode("ascii").split(" ")
        if of == "tasks" and position.isdecimal() and len(position) < 19:
            return int(position)
    except (TypeError, ValueError, binascii.Error):
        pass
    raise ProtocolError(INVALID_PARAMS, "Unknown cursor; start the list again without one")
