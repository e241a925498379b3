"""What a server answers to each method of a client.

One function a method, and the table of them at the end. A function returns the answer at once (a result, or its JSON
text), or a coroutine where the answer needs waiting. Refusals are raised as :class:`ProtocolError`.
"""

from collections.abc import Callable, Coroutine, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.errors import INVALID_PARAMS, ProtocolError
from server_core.handshake import shake_hands
from server_core.protocol.jsonrpc import Params, Request
from server_core.protocol.methods import LOG_LEVELS

if TYPE_CHECKING:
    from server_core.context import Context
    from server_core.server import Server
    from server_core.sessions import Session

Answer: TypeAlias = dict[str, Any] | bytes | Coroutine[Any, Any, dict[str, Any] | bytes]
Answering: TypeAlias = Callable[["Server", "Session", Request], Answer]

MOST_SUBSCRIPTIONS = 1000


def initialize(server: "Server", session: "Session", request: Request) -> Answer:
    """Agree on a revision and say who we are. Source: basic/lifecycle, initialization."""
    handshake = shake_hands(server.identity, request.params)
    session.agree(handshake.revision, handshake.client, handshake.capabilities)
    return handshake.result


def ping(server: "Server", session: "Session", request: Request) -> Answer:
    """Show that we are here. Source: basic/utilities/ping."""
    return {}


def set_level(server: "Server", session: "Session", request: Request) -> Answer:
    """Send this session log messages from this level up. Source: server/utilities/logging."""
    level = _text(request.params, "level")
    if level not in LOG_LEVELS:
        raise ProtocolError(INVALID_PARAMS, f'Unknown log level {level!r}; "level" is one of {", ".join(LOG_LEVELS)}')
    session.log_level = level
    return {}


def subscribe(server: "Server", session: "Session", request: Request) -> Answer:
    """Tell this session when the resource is updated. Source: server/resources, subscriptions."""
    uri = _text(request.params, "uri")
    if len(session.subscriptions) >= MOST_SUBSCRIPTIONS:
        raise ProtocolError(
            INVALID_PARAMS, f"This session has {MOST_SUBSCRIPTIONS} subscriptions, the most there may be"
        )
    session.subscriptions.add(uri)
    return {}


def unsubscribe(server: "Server", session: "Session", request: Request) -> Answer:
    """Tell this session no longer when the resource is updated."""
    session.subscriptions.discard(_text(request.params, "uri"))
    return {}


def listing(kind: str) -> Answering:
    """Return what answers a list method.

    Args:
        kind: the member of the result: tools, resources, resourceTemplates or prompts.

    Source: server/utilities/pagination.
    """

    def answer(server: "Server", session: "Session", request: Request) -> Answer:
        cursor = request.params.get("cursor")
        if server.loaded.is_set():
            return server.pages.page(kind, cursor)
        return _page_when_loaded(server, kind, cursor)

    return answer


async def call_tool(server: "Server", session: "Session", request: Request) -> dict[str, Any]:
    """Run a tool. Source: server/tools, calling tools."""
    name = _text(request.params, "name")
    arguments = _object(request.params, "arguments", default={})
    await server.loaded.wait()
    from server_core.execution import run_tool

    tool = server.catalog.find_tool(name)
    return await run_tool(tool, arguments, _context(server, session, request, tool.secrets))


async def read_resource(server: "Server", session: "Session", request: Request) -> dict[str, Any]:
    """Read a resource. Source: server/resources, reading resources."""
    uri = _text(request.params, "uri")
    await server.loaded.wait()
    return {"contents": await server.catalog.read_resource(uri, _context(server, session, request))}


async def get_prompt(server: "Server", session: "Session", request: Request) -> dict[str, Any]:
    """Make the messages of a prompt. Source: server/prompts, getting a prompt."""
    name = _text(request.params, "name")
    arguments = _texts(request.params, "arguments")
    await server.loaded.wait()
    return await server.catalog.get_prompt(name, arguments, _context(server, session, request))


async def complete(server: "Server", session: "Session", request: Request) -> dict[str, Any]:
    """Offer values for an argument. Source: server/utilities/completion."""
    ref = _object(request.params, "ref")
    argument = _object(request.params, "argument")
    _text(argument, "name")
    _text(argument, "value")
    known = _texts(_object(request.params, "context", default={}), "arguments")
    await server.loaded.wait()
    return await server.catalog.complete(ref, argument, known, _context(server, session, request))


ANSWERS: dict[str, Answering] = {
    "initialize": initialize,
    "ping": ping,
    "logging/setLevel": set_level,
    "resources/subscribe": subscribe,
    "resources/unsubscribe": unsubscribe,
    "tools/list": listing("tools"),
    "resources/list": listing("resources"),
    "resources/templates/list": listing("resourceTemplates"),
    "prompts/list": listing("prompts"),
    "tools/call": call_tool,
    "resources/read": read_resource,
    "prompts/get": get_prompt,
    "completion/complete": complete,
}


async def _page_when_loaded(server: "Server", kind: str, cursor: Any) -> bytes:
    await server.loaded.wait()
    return server.pages.page(kind, cursor)


def _context(server: "Server", session: "Session", request: Request, secrets: Iterable[str] = ()) -> "Context":
    from server_core.context import Context

    meta = request.params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    if type(token) is not str and type(token) is not int:
        token = None
    return Context(session, request.id, token, server.secret_values(secrets), server.catalog, session.report)


def _text(params: Params, key: str) -> str:
    value = params.get(key)
    if not isinstance(value, str):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "{key}" must be a string')
    return value


def _object(params: Params, key: str, *, default: dict[str, Any] | None = None) -> dict[str, Any]:
    value = params.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "{key}" must be an object')
    return value


def _texts(params: Params, key: str) -> dict[str, str]:
    values = _object(params, key, default={})
    if not all(isinstance(value, str) for value in values.values()):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: every value in "{key}" must be a string')
    return values
