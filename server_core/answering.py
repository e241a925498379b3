"""What a server answers to each method of a client.

One function a method, and the tables of them at the end: what a session answers, and what is answered to a stateless
request. A function returns the answer at once (a result, or its JSON text), or a coroutine where the answer needs
waiting. Refusals are raised as :class:`ProtocolError`.
"""

from collections.abc import Callable, Coroutine, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from server_core.caching import READ_HINTS
from server_core.errors import INVALID_PARAMS, ProtocolError
from server_core.handshake import discover, shake_hands
from server_core.protocol.jsonrpc import Params, Request
from server_core.protocol.methods import LOG_LEVELS
from server_core.protocol.revisions import Revision

if TYPE_CHECKING:
    from server_core.context import Context
    from server_core.exchange import Exchange
    from server_core.server import Server
    from server_core.sessions import Session

Answer: TypeAlias = dict[str, Any] | bytes | Coroutine[Any, Any, dict[str, Any] | bytes]
Caller: TypeAlias = "Session | Exchange"
"""Who asks: a session, or a stateless call."""
C = TypeVar("C", bound="Session | Exchange", contravariant=True)
Answering: TypeAlias = Callable[["Server", C, Request], Answer]

MOST_SUBSCRIPTIONS = 1000


def initialize(server: "Server", session: "Session", request: Request) -> Answer:
    """Agree on a revision and say who we are. Source: basic/lifecycle, initialization."""
    handshake = shake_hands(server.identity, request.params)
    session.agree(handshake.revision, handshake.client, handshake.capabilities)
    return handshake.result


def discover_server(server: "Server", caller: "Exchange", request: Request) -> Answer:
    """Say who we are and what we can. Source: 2026-07-28, server/discover."""
    return discover(server.identity, caller.revision, server.list_hints)


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


def listing(kind: str) -> "Answering[Caller]":
    """Return what answers a list method.

    Args:
        kind: the member of the result: tools, resources, resourceTemplates or prompts.

    Source: server/utilities/pagination.
    """

    def answer(server: "Server", caller: "Caller", request: Request) -> Answer:
        cursor = request.params.get("cursor")
        if server.loaded.is_set():
            return server.pages.page(kind, cursor, caller.revision)
        return _page_when_loaded(server, kind, cursor, caller.revision)

    return answer


async def call_tool(server: "Server", caller: "Caller", request: Request) -> dict[str, Any]:
    """Run a tool. Source: server/tools, calling tools."""
    name = _text(request.params, "name")
    arguments = _object(request.params, "arguments", default={})
    if not server.loaded.is_set():
        await server.loaded.wait()
    from server_core.catalog.revised_results import result_for
    from server_core.execution import run_tool

    tool = server.catalog.find_tool(name)
    return result_for(caller.revision, await run_tool(tool, arguments, _context(server, caller, request, tool.secrets)))


async def read_resource(server: "Server", caller: "Caller", request: Request) -> dict[str, Any]:
    """Read a resource. Source: server/resources, reading resources."""
    uri = _text(request.params, "uri")
    await server.loaded.wait()
    contents = await server.catalog.read_resource(uri, _context(server, caller, request))
    return {"contents": contents, **(READ_HINTS if caller.revision.cache_hints else {})}


async def get_prompt(server: "Server", caller: "Caller", request: Request) -> dict[str, Any]:
    """Make the messages of a prompt. Source: server/prompts, getting a prompt."""
    name = _text(request.params, "name")
    arguments = _texts(request.params, "arguments")
    await server.loaded.wait()
    from server_core.catalog.revised_results import result_for

    prompt = await server.catalog.get_prompt(name, arguments, _context(server, caller, request))
    return result_for(caller.revision, prompt)


async def complete(server: "Server", caller: "Caller", request: Request) -> dict[str, Any]:
    """Offer values for an argument. Source: server/utilities/completion."""
    ref = _object(request.params, "ref")
    argument = _object(request.params, "argument")
    _text(argument, "name")
    _text(argument, "value")
    has_context = caller.revision.completion_context
    known = _texts(_object(request.params, "context", default={}), "arguments") if has_context else {}
    await server.loaded.wait()
    return await server.catalog.complete(ref, argument, known, _context(server, caller, request))


_EITHER: "dict[str, Answering[Caller]]" = {
    "tools/list": listing("tools"),
    "resources/list": listing("resources"),
    "resources/templates/list": listing("resourceTemplates"),
    "prompts/list": listing("prompts"),
    "tools/call": call_tool,
    "resources/read": read_resource,
    "prompts/get": get_prompt,
    "completion/complete": complete,
}
ANSWERS: "dict[str, Answering[Session]]" = {
    **_EITHER,
    "initialize": initialize,
    "ping": ping,
    "logging/setLevel": set_level,
    "resources/subscribe": subscribe,
    "resources/unsubscribe": unsubscribe,
}
"""What a session answers."""
STATELESS_ANSWERS: "dict[str, Answering[Exchange]]" = {
    **_EITHER,
    "server/discover": discover_server,
}
"""What is answered to a stateless request."""


async def _page_when_loaded(server: "Server", kind: str, cursor: Any, revision: Revision) -> bytes:
    await server.loaded.wait()
    return server.pages.page(kind, cursor, revision)


def _context(server: "Server", caller: "Caller", request: Request, secrets: Iterable[str] = ()) -> "Context":
    from server_core.context import Context

    meta = request.params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    if type(token) is not str and type(token) is not int:
        token = None
    values = server.secret_values(secrets) if secrets else {}
    return Context(caller, request.id, token, values, server.catalog, caller.report)


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
