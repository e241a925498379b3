"""The methods of a server, by name.

A handler answers one method: at once (with a result, or its JSON text), or with a coroutine where it has to wait. It
raises refusals as :class:`ProtocolError`. There are three tables of handlers: for sessions, for stateless requests, and
for requests of our own tools. The handlers in this module answer before the author's code is loaded.
"""

from collections.abc import Callable, Coroutine
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from server_core.protocol.jsonrpc import Request
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
    "logging/setLevel": LazyHandler("set_level"),
    "resources/subscribe": LazyHandler("subscribe"),
    "resources/unsubscribe": LazyHandler("unsubscribe"),
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
