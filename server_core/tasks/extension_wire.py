"""Tasks of the extension `io.modelcontextprotocol/tasks`: the server decides what becomes a task, and the client polls.

Source: the tasks extension of 2026-07-28.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.errors import MissingCapability
from server_core.protocol.envelope import TASKS_EXTENSION
from server_core.protocol.jsonrpc import Request
from server_core.serving.method_handlers import object_param, text_param
from server_core.tasks.running_task import RunningTask
from server_core.tasks.task import TaskState
from server_core.tasks.views import common_members, poll_ms, ttl_ms

if TYPE_CHECKING:
    from server_core.catalog.definitions import Tool
    from server_core.serving.server import Server
    from server_core.serving.stateless_call import StatelessCall

Json: TypeAlias = dict[str, Any]


def is_declared(capabilities: Json) -> bool:
    """Return whether a request declares the tasks extension. Source: capability negotiation."""
    extensions = capabilities.get("extensions")
    return isinstance(extensions, dict) and isinstance(extensions.get(TASKS_EXTENSION), dict)


def check_declared(capabilities: Json) -> None:
    """Raise MissingCapability unless a request declares the tasks extension."""
    if not is_declared(capabilities):
        required: Json = {"extensions": {TASKS_EXTENSION: {}}}
        raise MissingCapability(f"The client must declare the extension {TASKS_EXTENSION!r}.", required)


def wants_task(tool: "Tool", capabilities: Json) -> bool:
    """Return whether a call is a task from its start; MissingCapability if it has to be, and is unsupported."""
    if tool.task_support == "required":
        check_declared(capabilities)
    return tool.task_support != "forbidden" and is_declared(capabilities)


def created_result(task: TaskState) -> Json:
    """Return the result for a call that has become a task. Source: task creation."""
    return {"resultType": "task", **task_json(task)}


def task_json(task: TaskState) -> Json:
    """Return a task as JSON, with the members that belong to its status. Source: DetailedTask."""
    members: Json = common_members(task, task.status, task.message) | {
        "ttlMs": ttl_ms(task),
        "pollIntervalMs": poll_ms(task),
    }
    if task.status == "input_required":
        members["inputRequests"] = dict(task.questions)
    if task.status == "completed":
        members["result"] = task.result
    if task.status == "failed":
        members["error"] = task.error
    return members


async def get_task(server: "Server", caller: "StatelessCall", request: Request) -> Json:
    """Return the state of a task. Source: task polling."""
    check_declared(caller.client.capabilities)
    return task_json(await server.tasks.find(text_param(request.params, "taskId"), caller.owner))


async def update_task(server: "Server", caller: "StatelessCall", request: Request) -> Json:
    """Receive input responses for a task; ignore those without an open request. Source: task update requests."""
    from server_core.serving.call_inputs import valid_response

    check_declared(caller.client.capabilities)
    task_id = text_param(request.params, "taskId")
    responses = object_param(request.params, "inputResponses")
    task = await server.tasks.find_running(task_id, caller.owner)
    if isinstance(task, RunningTask):
        for key, response in responses.items():
            task.answer(key, response, valid_response)
    return {}


async def cancel_task(server: "Server", caller: "StatelessCall", request: Request) -> Json:
    """Stop a task; a task that has ended does not change. Source: task cancellation."""
    check_declared(caller.client.capabilities)
    task = await server.tasks.find_running(text_param(request.params, "taskId"), caller.owner)
    if isinstance(task, RunningTask):
        task.cancel()
    return {}
