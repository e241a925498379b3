"""The methods that run the author's code, subscriptions and log levels; the functions at the end read params.

This module is imported with the first such request: the response to `initialize` must not wait for its imports.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.errors import ProtocolError, ResourceNotFound
from server_core.execution import prompts_and_resources
from server_core.execution.context.context import Context
from server_core.execution.run import run_tool
from server_core.execution.running_calls import NO_CALL, current
from server_core.execution.wire_results import check_result_size, result_for
from server_core.protocol.codes import INVALID_PARAMS
from server_core.protocol.jsonrpc import Params, Request
from server_core.protocol.methods import LOG_LEVELS
from server_core.serving.handshake import READ_HINTS
from server_core.serving.nested_caller import NestedCaller

if TYPE_CHECKING:
    from server_core.catalog.catalog import Catalog
    from server_core.catalog.definitions import Tool
    from server_core.execution.context.call import Call
    from server_core.serving.method_table import Answer, Caller
    from server_core.serving.server import Server
    from server_core.serving.sessions import Session

Report: TypeAlias = Callable[[str, dict[str, Any]], None]
"""Records an event for the author of a tool: its name, and its fields."""
report_subscriber: ContextVar[Report | None] = ContextVar("report_subscriber", default=None)
"""An additional receiver of these events, besides the session of the call."""
NO_SECRETS: Mapping[str, str] = {}
MAX_SUBSCRIPTIONS = 1000
MAX_URI_LENGTH = 8192
"""The maximum length of the URI of a subscription, since it is stored."""


async def call_tool(server: "Server", caller: "Caller", request: Request) -> dict[str, Any]:
    """Run a tool. Source: server/tools, calling tools."""
    name = text_param(request.params, "name")
    arguments = object_param(request.params, "arguments", default={})
    if not server.loaded.is_set():
        await server.loaded.wait()
    catalog = server.catalog
    tool = catalog.find_tool(name)
    secrets = await server.secret_values(tool.secrets) if tool.secrets else NO_SECRETS
    context = context_of(server, caller, request, catalog, secrets)
    if type(caller) is NestedCaller:
        # The calling tool waits for the result, and gets it complete, whatever the client's revision lacks.
        return await run_tool(tool, arguments, context)
    if (in_flight := current.get()) is not NO_CALL:
        # Not the method of the progress, which is made when it is first used.
        in_flight.keep_alive = lambda message: context.progress.keep_alive(message)
    context.make_task = partial(_become_task, server, caller, tool)
    if tool.task_support != "forbidden" or "task" in request.params:
        from server_core.tasks.task_creation import begin_call

        await begin_call(server, caller, request, tool, context)
    result = await run_tool(tool, arguments, context, server.settings.max_message_bytes)
    return result_for(caller.client.revision, result)


async def read_resource(server: "Server", caller: "Caller", request: Request) -> dict[str, Any]:
    """Read a resource. Source: server/resources, reading resources."""
    uri = text_param(request.params, "uri")
    await server.loaded.wait()
    catalog = server.catalog
    with context_of(server, caller, request, catalog) as context:
        try:
            contents = await prompts_and_resources.read_resource(catalog, uri, context)
        except ResourceNotFound as missing:
            missing.uri = uri if missing.uri is None else missing.uri
            raise
    check_result_size({"contents": contents}, server.settings.max_message_bytes, "The resource cannot be sent")
    return {"contents": contents, **(READ_HINTS if caller.client.revision.cache_hints else {})}


async def get_prompt(server: "Server", caller: "Caller", request: Request) -> dict[str, Any]:
    """Return the messages of a prompt. Source: server/prompts, getting a prompt."""
    name = text_param(request.params, "name")
    arguments = texts_param(request.params, "arguments")
    await server.loaded.wait()
    catalog = server.catalog
    with context_of(server, caller, request, catalog) as context:
        prompt = await prompts_and_resources.get_prompt(catalog, name, arguments, context)
    check_result_size(prompt, server.settings.max_message_bytes, "The prompt cannot be sent")
    return result_for(caller.client.revision, prompt)


async def complete(server: "Server", caller: "Caller", request: Request) -> dict[str, Any]:
    """Return completions for an argument. Source: server/utilities/completion."""
    ref = object_param(request.params, "ref")
    argument = object_param(request.params, "argument")
    text_param(argument, "name")
    text_param(argument, "value")
    has_context = caller.client.revision.completion_context
    known_arguments = (
        texts_param(object_param(request.params, "context", default={}), "arguments") if has_context else {}
    )
    await server.loaded.wait()
    catalog = server.catalog
    with context_of(server, caller, request, catalog) as context:
        return await prompts_and_resources.complete(catalog, ref, argument, known_arguments, context)


def set_level(server: "Server", session: "Session", request: Request) -> "Answer":
    """Set the minimum level of the log messages that this session is sent. Source: server/utilities/logging."""
    level = text_param(request.params, "level")
    if level not in LOG_LEVELS:
        raise ProtocolError(INVALID_PARAMS, f'Unknown log level {level!r}; "level" is one of {", ".join(LOG_LEVELS)}')
    session.client.log_level = level
    return {}


async def subscribe(server: "Server", session: "Session", request: Request) -> dict[str, Any]:
    """Notify this session when the resource is updated. Source: server/resources, subscriptions."""
    uri = text_param(request.params, "uri")
    if len(uri) > MAX_URI_LENGTH:
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "uri" is longer than {MAX_URI_LENGTH} characters')
    await server.loaded.wait()
    server.catalog.find_resource(uri)
    if len(session.subscriptions) >= MAX_SUBSCRIPTIONS:
        raise ProtocolError(INVALID_PARAMS, f"This session has {MAX_SUBSCRIPTIONS} subscriptions, which is the maximum")
    session.subscriptions.add(uri)
    server.watch_files()
    return {}


def unsubscribe(server: "Server", session: "Session", request: Request) -> "Answer":
    """End the subscription of this session to the resource."""
    session.subscriptions.discard(text_param(request.params, "uri"))
    return {}


async def _become_task(server: "Server", caller: "Caller", tool: "Tool", context: "Call", ttl: float | None) -> bool:
    from server_core.tasks.task_creation import become_task

    return await become_task(server, caller, tool, context, ttl)


def context_of(
    server: "Server",
    caller: "Caller",
    request: Request,
    catalog: "Catalog",
    secrets: Mapping[str, str] = NO_SECRETS,
) -> Context:
    """Return the context of a request, for the author's code; it keeps the catalog until the request is answered."""
    meta = request.params.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    token = meta.get("progressToken")
    if type(token) is not str and type(token) is not int:
        token = None
    subscriber = report_subscriber.get()
    report = caller.report if subscriber is None else partial(_report_to_both, caller.report, subscriber)
    nested_caller, port = (caller, caller.outer.port) if isinstance(caller, NestedCaller) else (None, caller)
    return Context(port, request.id, token, secrets, catalog, report, server, meta, nested_caller)


def _report_to_both(first: Report, second: Report, event: str, fields: dict[str, Any]) -> None:
    first(event, fields)
    second(event, fields)


def text_param(params: Params, key: str) -> str:
    """Return a string; raises ProtocolError when it is missing or not a string."""
    value = params.get(key)
    if not isinstance(value, str):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "{key}" must be a string')
    return value


def object_param(params: Params, key: str, *, default: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return an object, or the default when the param is null or missing; raises ProtocolError otherwise."""
    value = params.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "{key}" must be an object')
    return value


def texts_param(params: Params, key: str) -> dict[str, str]:
    """Return an object of strings; empty when it is missing. Raises ProtocolError when it is anything else."""
    values = object_param(params, key, default={})
    if not all(isinstance(value, str) for value in values.values()):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: every value in "{key}" must be a string')
    return values
