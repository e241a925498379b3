"""The requests that a running tool makes of its own server.

They go the way of every request, middleware included. What they tell and ask reaches the client as a part of the tool's
call. Each has an id of its own, and a name by which its questions are told from those of others.
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

MOST_LEVELS = 16
"""How deep tools may call each other."""


async def ask_own_server(context: "Context", method: str, params: Json) -> Json:
    """Make a request of the server that a call runs in, and return the result.

    Args:
        context: of the call.
        method: a request method of a server.
        params: its params.

    Raises:
        ContextError: when the call has no server, is over, or is nested too deep.
        ProtocolError: when the request is refused.
        Exception: whatever answering it raises.
    """
    from server_core.serving.nested_caller import answered, inner_id

    server = _server(context, method)
    return await answered(server.answer(_caller(context, method), Request(inner_id(), method, params)))


async def list_all(context: "Context", method: str, kind: str) -> list[Json]:
    """Return all pages of a list of the server that a call runs in.

    Args:
        context: of the call.
        method: the method of the list.
        kind: the member of the result that holds the entries.
    """
    entries: list[Json] = []
    params: Json = {}
    while True:
        page = await ask_own_server(context, method, params)
        entries += page[kind]
        if (cursor := page.get("nextCursor")) is None:
            return entries
        params = {"cursor": cursor}


async def call_own_tool(context: "Context", name: str, arguments: Json) -> CallToolResult:
    """Call a tool of the server that a call runs in; every failure is a result.

    Args:
        context: of the call.
        name: of the tool.
        arguments: of the call.

    Raises:
        ContextError: when the call has no server, or is over.
        UrlElicitationRequired: when a person has to visit an address before the tool can run: that is told to the
            client of the call as if the tool that runs had raised it.
    """
    from server_core.execution.wire_errors import rpc_error
    from server_core.serving.nested_caller import answered, inner_id

    server = _server(context, "tools/call")
    id, began = inner_id(), time.perf_counter()
    facts: Json = {"id": context.client_request_id, "inner_id": id, "tool": name}
    record = partial(server.tap.lifecycle, session=context.port.session_key, call=current.get().name)
    record("inner_call_began", **facts)
    ok = False
    try:
        request = Request(id, "tools/call", {"name": name, "arguments": arguments})
        result = read_result(await answered(server.answer(_caller(context, name), request)))
        ok = not result.isError
    except UrlElicitationRequired:
        raise
    except Exception as error:
        text = rpc_error(error, context.port.revision).message
        result = CallToolResult(content=[TextContent(text=text)], isError=True)
    finally:
        took = round((time.perf_counter() - began) * 1000, 3)
        record("inner_call_ended", **facts, ok=ok, duration_ms=took)
    return result


def read_result(result: Json) -> CallToolResult:
    """Return the result of a call with blocks that have types, with `isError`, and as structured as it can be.

    Args:
        result: as it goes over the wire; a text that no schema describes has a structured form here all the same.
    """
    blocks = content_blocks(result.get("content", []))
    read = CallToolResult({"isError": False, **result, "content": blocks})
    if not read.isError and read.structuredContent is None and len(blocks) == 1 and blocks[0].type == "text":
        read.structuredContent = {"result": blocks[0].text}
    return read


def _caller(context: "Context", name: str) -> "NestedCaller":
    from server_core.serving.nested_caller import NestedCaller

    caller = NestedCaller(context, context.nested_request_names.new("", name))
    if caller.level > MOST_LEVELS:
        raise ContextError(f"Tools call each other more than {MOST_LEVELS} levels deep; {name!r} was not called.")
    return caller


def _server(context: "Context", method: str) -> "Server":
    if context.over:
        raise ContextError(f"The call is over, so its server cannot be asked any more ({method}).")
    if context.home is None:
        raise ContextError(f"This call runs without a server, so there is none to ask for {method}.")
    return context.home
