"""The methods of a server, by name.

A handler answers one method: at once (with a result, or its JSON text), or with a coroutine where it has to wait. It
raises refusals as :class:`ProtocolError`. There are three tables of handlers: for sessions, for stateless requests, and
for requests of our own tools. The functions at the end read the params of a request.
"""

from collections.abc import Callable, Coroutine
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_PARAMS, METHOD_NOT_FOUND
from server_core.protocol.jsonrpc import Params, Request
from server_core.protocol.methods import LOG_LEVELS
from server_core.protocol.revisions import Revision
from server_core.serving.handshake import discover, shake_hands, with_capabilities

if TYPE_CHECKING:
    from server_core.serving.nested_caller import NestedCaller
    from server_core.serving.server import Server
    from server_core.serving.sessions import Session
    from server_core.serving.stateless_call import StatelessCall

Answer: TypeAlias = dict[str, Any] | bytes | Coroutine[Any, Any, dict[str, Any] | bytes]
Caller: TypeAlias = "Session | StatelessCall | NestedCaller"
"""The sender of a request: a session, a stateless call, or a running tool of this server."""
C = TypeVar("C", bound="Session | StatelessCall | NestedCaller", contravariant=True)
Handler: TypeAlias = Callable[["Server", C, Request], Answer]

MAX_SUBSCRIPTIONS = 1000
MAX_URI_LENGTH = 8192
"""The maximum length of the URI of a subscription, since it is stored."""


def initialize(server: "Server", session: "Session", request: Request) -> Answer:
    """Negotiate a revision and describe the server. Source: basic/lifecycle, initialization."""
    handshake = shake_hands(server.identity, request.params)
    session.agree(handshake.revision, handshake.client, handshake.capabilities)
    return _with_capabilities(server, handshake.result)


def discover_server(server: "Server", caller: "StatelessCall", request: Request) -> Answer:
    """Describe the server and its capabilities. Source: 2026-07-28, server/discover."""
    return _with_capabilities(server, discover(server.identity, caller.client.revision, server.list_hints))


def ping(server: "Server", session: "Session", request: Request) -> Answer:
    """Return an empty result, as a sign of life. Source: basic/utilities/ping."""
    return {}


def set_level(server: "Server", session: "Session", request: Request) -> Answer:
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


def unsubscribe(server: "Server", session: "Session", request: Request) -> Answer:
    """End the subscription of this session to the resource."""
    session.subscriptions.discard(text_param(request.params, "uri"))
    return {}


def listing(kind: str) -> "Handler[Caller]":
    """Return the handler of a list method; `kind` is the list in its result. Source: server/utilities/pagination."""

    def answer(server: "Server", caller: "Caller", request: Request) -> Answer:
        cursor = request.params.get("cursor")
        if server.loaded.is_set():
            return server.pages.page(kind, cursor, caller.client.revision)
        return _page_when_loaded(server, kind, cursor, caller.client.revision)

    return answer


class LazyHandler(NamedTuple):
    """A handler in a module that is imported with the first request for it: `initialize` must not wait for it."""

    name: str
    module: str = "server_core.serving.method_handlers"

    def load(self) -> "Handler[Any]":
        """Import and return the handler."""
        handler: Handler[Any] = getattr(import_module(self.module), self.name)
        return handler


_CORE_TASKS = "server_core.tasks.core_wire"
_TASKS_EXTENSION = "server_core.tasks.extension_wire"

COMMON_METHODS: "dict[str, LazyHandler | Handler[Caller]]" = {
    "tools/list": listing("tools"),
    "resources/list": listing("resources"),
    "resources/templates/list": listing("resourceTemplates"),
    "prompts/list": listing("prompts"),
    "tools/call": LazyHandler("call_tool"),
    "resources/read": LazyHandler("read_resource"),
    "prompts/get": LazyHandler("get_prompt"),
    "completion/complete": LazyHandler("complete"),
}
"""The methods that every caller may use, including our own tools."""
SESSION_METHODS: "dict[str, LazyHandler | Handler[Session]]" = {
    **COMMON_METHODS,
    "initialize": initialize,
    "ping": ping,
    "logging/setLevel": set_level,
    "resources/subscribe": subscribe,
    "resources/unsubscribe": unsubscribe,
    "tasks/get": LazyHandler("get_task", _CORE_TASKS),
    "tasks/list": LazyHandler("list_tasks", _CORE_TASKS),
    "tasks/result": LazyHandler("task_result", _CORE_TASKS),
    "tasks/cancel": LazyHandler("cancel_task", _CORE_TASKS),
}
"""The methods of a session."""
STATELESS_METHODS: "dict[str, LazyHandler | Handler[StatelessCall]]" = {
    **COMMON_METHODS,
    "server/discover": discover_server,
    "subscriptions/listen": LazyHandler("listen", "server_core.serving.subscriptions"),
    "tasks/get": LazyHandler("get_task", _TASKS_EXTENSION),
    "tasks/update": LazyHandler("update_task", _TASKS_EXTENSION),
    "tasks/cancel": LazyHandler("cancel_task", _TASKS_EXTENSION),
}
"""The methods of stateless requests."""


def answer_by_table(server: "Server", caller: "Caller", request: Request) -> Answer:
    """Answer a request by the method table of its caller.

    Raises:
        ProtocolError: when there is no such method, or it refuses.
    """
    handler: LazyHandler | Handler[Any] | None = caller.methods.get(request.method)
    if handler is None:
        raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {request.method}")
    if isinstance(handler, LazyHandler):
        # Replaced in the table, so that later requests need no import.
        handler = caller.methods[request.method] = handler.load()
    return handler(server, caller, request)


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


def _with_capabilities(server: "Server", result: dict[str, Any]) -> Answer:
    """Return the result with the capabilities that middleware adds, once these are known."""
    if server.loaded.is_set():
        return with_capabilities(result, server.capabilities) if server.capabilities else result
    return _extended_when_loaded(server, result) if server.identity.has_middleware else result


async def _extended_when_loaded(server: "Server", result: dict[str, Any]) -> dict[str, Any]:
    await server.loaded.wait()
    return with_capabilities(result, server.capabilities)


async def _page_when_loaded(server: "Server", kind: str, cursor: Any, revision: Revision) -> bytes:
    await server.loaded.wait()
    return server.pages.page(kind, cursor, revision)
