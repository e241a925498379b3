"""The methods that run the author's code: calls of tools, reads of resources, prompts and completions.

This module is imported with the first such request: the response to `initialize` must not wait for its imports.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.errors import ResourceNotFound
from server_core.execution import prompts_and_resources
from server_core.execution.context.context import Context
from server_core.execution.run import run_tool
from server_core.execution.wire_results import check_result_size, result_for
from server_core.protocol.jsonrpc import Request
from server_core.serving.handshake import READ_HINTS
from server_core.serving.method_table import object_param, text_param, texts_param
from server_core.serving.nested_caller import NestedCaller

if TYPE_CHECKING:
    from server_core.catalog.catalog import Catalog
    from server_core.catalog.definitions import Tool
    from server_core.execution.context.call import Call
    from server_core.serving.method_table import Caller
    from server_core.serving.server import Server

Report: TypeAlias = Callable[[str, dict[str, Any]], None]
"""Records an event for the author of a tool: its name, and its fields."""
report_subscriber: ContextVar[Report | None] = ContextVar("report_subscriber", default=None)
"""An additional receiver of these events, besides the session of the call."""
NO_SECRETS: Mapping[str, str] = {}


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
    return Context(caller, request.id, token, secrets, catalog, report, server, meta)


def _report_to_both(first: Report, second: Report, event: str, fields: dict[str, Any]) -> None:
    first(event, fields)
    second(event, fields)
