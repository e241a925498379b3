"""Requests of a running tool to its own server.

They are handled like every other request, middleware included. Their notifications, and their requests to the client,
are sent as part of the tool's call. Each has its own id, and its own key, which prefixes the keys of its requests.
"""

import time
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.errors import ContextError, UrlElicitationRequired
from server_core.execution.running_calls import current
from server_core.protocol.jsonrpc import Request
from server_core.types import CallToolResult, TextContent, content_blocks

if TYPE_CHECKING:
    from server_core.execution.context.context import Context
    from server_core.serving.nested_caller import NestedCaller
    from server_core.serving.server import Server

Json: TypeAlias = dict[str, Any]

MAX_LEVELS = 16
"""How deep tools may call each other."""


async def request_own_server(context: "Context", method: str, params: Json) -> Json:
    """Send a request to the server that a call runs in, and return the result.

    Raises:
        ContextError: when the call has no server, has ended, or is nested too deep.
        ProtocolError: when the request is refused.
        Exception: the exception that its handler raised.
    """
    from server_core.serving.nested_caller import await_answer, inner_id

    server = _server(context, method)
    return await await_answer(server.answer(_caller(context, method), Request(inner_id(), method, params)))


async def list_all(context: "Context", method: str, kind: str) -> list[Json]:
    """Return all pages of a list of the server that a call runs in; `kind` is the member with the entries."""
    entries: list[Json] = []
    params: Json = {}
    while True:
        page = await request_own_server(context, method, params)
        entries += page[kind]
        if (cursor := page.get("nextCursor")) is None:
            return entries
        params = {"cursor": cursor}


async def call_own_tool(context: "Context", name: str, arguments: Json) -> CallToolResult:
    """Call a tool of the server that a call runs in; every failure is a result.

    Raises:
        ContextError: when the call has no server, or has ended.
        UrlElicitationRequired: when the user has to visit a URL before the tool can run; the client gets it as if the
            calling tool had raised it.
    """
    from server_core.execution.wire_errors import rpc_error
    from server_core.serving.nested_caller import await_answer, inner_id

    server = _server(context, "tools/call")
    request_id, start = inner_id(), time.perf_counter()
    facts: Json = {"id": context.client_request_id, "inner_id": request_id, "tool": name}
    record = partial(server.tap.emit_event, session=context.port.client.session_key, call=current.get().call)
    record("inner_call_began", **facts)
    ok = False
    try:
        request = Request(request_id, "tools/call", {"name": name, "arguments": arguments})
        result = read_result(await await_answer(server.answer(_caller(context, name), request)))
        ok = not result.isError
    except UrlElicitationRequired:
        raise
    except Exception as error:
        text = rpc_error(error, context.port.client.revision).message
        result = CallToolResult(content=[TextContent(text=text)], isError=True)
    finally:
        duration_ms = round((time.perf_counter() - start) * 1000, 3)
        record("inner_call_ended", **facts, ok=ok, duration_ms=duration_ms)
    return result


def read_result(result: Json) -> CallToolResult:
    """Return the result of a call with typed blocks, with `isError`, and with `structuredContent` where possible.

    A single text without an output schema gets structured content, too.
    """
    blocks = content_blocks(result.get("content", []))
    typed_result = CallToolResult({"isError": False, **result, "content": blocks})
    if typed_result.isError or typed_result.structuredContent is not None:
        return typed_result
    if len(blocks) == 1 and blocks[0].type == "text":
        typed_result.structuredContent = {"result": blocks[0].text}
    return typed_result


def _caller(context: "Context", name: str) -> "NestedCaller":
    from server_core.serving.nested_caller import NestedCaller

    caller = NestedCaller(context, context.nested_request_keys.new("", name))
    if caller.level > MAX_LEVELS:
        raise ContextError(f"Tools call each other more than {MAX_LEVELS} levels deep; {name!r} was not called.")
    return caller


def _server(context: "Context", method: str) -> "Server":
    if context.has_ended:
        raise ContextError(f"The call has ended, so requests can no longer be sent to its server ({method}).")
    if context.own_server is None:
        raise ContextError(f"This call runs without a server, so {method} cannot be requested.")
    return context.own_server
