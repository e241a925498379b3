"""`Middleware`: code that every message passes through; the message, and the context that it gets.

Rule 1: the first middleware of a list is the outermost: it receives a message first, and its result last.
Rule 2: within one middleware, `on_message` is the outermost hook, then the hook of the type, then that of the method.
Rule 3: a hook that does not call `call_next` answers the message itself.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar, cast

from server_core.protocol.jsonrpc import Notification, Request, RequestId
from server_core.types.wire_object import WireObject

if TYPE_CHECKING:
    from server_core.execution.context.context import Context

Json: TypeAlias = dict[str, Any]
T = TypeVar("T")

HOOKS = {
    "tools/call": "on_call_tool",
    "tools/list": "on_list_tools",
    "resources/read": "on_read_resource",
    "resources/list": "on_list_resources",
    "resources/templates/list": "on_list_resource_templates",
    "prompts/get": "on_get_prompt",
    "prompts/list": "on_list_prompts",
}
"""The methods that have their own hook, and its name."""


class Message(WireObject):
    """A message as on the wire, with attributes: `message.params.name` is `message["params"]["name"]`.

    Attributes:
        jsonrpc: "2.0".
        id: the id of a request, with its original type; None for a notification.
        method: its method.
        params: its params; empty if there are none.
    """

    jsonrpc: str
    id: RequestId | None
    method: str
    params: Json

    def __init__(self, message: Mapping[str, Any]) -> None:
        super().__init__(message)
        params = self.get("params")
        if params is None or type(params) is dict:
            self["params"] = WireObject(params or {})


def message_of(message: Request | Notification) -> Message:
    """Return a received or outgoing message as middleware sees it."""
    request_id = {"id": message.id} if isinstance(message, Request) else {}
    return Message({"jsonrpc": "2.0", **request_id, "method": message.method, "params": message.params})


@dataclass(kw_only=True)
class MiddlewareContext(Generic[T]):
    """The context of one message.

    Attributes:
        message: the message as on the wire: `message.params.name`, or `message["params"]["name"]`.
        mcp_context: the context of a request, for logs, progress and requests to the client; None for notifications.
        source: the sender.
        type: whether it is a request or a notification.
        method: its method.
        timestamp: when it was received, in UTC.
        request_id: the id of a request, with its original type; None for notifications.
        session_id: the unique id of the session; None if the revision has no sessions.
        metadata: values that middlewares share with each other.
    """

    message: T
    mcp_context: "Context | None" = None
    source: Literal["client", "server"] = "client"
    type: Literal["request", "notification"] = "request"
    method: str = ""
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))
    request_id: RequestId | None = None
    session_id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        message: Any = self.message
        if type(message) is dict:
            self.message = cast("T", Message(message))

    def copy(self, **changes: Any) -> "MiddlewareContext[T]":
        """Return a copy with these attributes changed, to pass to `call_next`."""
        return replace(self, **changes)


CallNext: TypeAlias = Callable[[MiddlewareContext[Any]], Awaitable[Any]]
"""Passes the message on, and returns the result of a request as on the wire; None for a notification."""
Step: TypeAlias = Callable[[MiddlewareContext[Any], CallNext], Awaitable[Any]]
"""A middleware, one of its hooks, or any function with this signature."""


class Middleware:
    """The base class of middleware; override the hooks that you need.

    Each hook returns the result of `await call_next(context)`, or its own result.
    """

    async def __call__(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        hooks: list[Step] = [self.on_message]
        if context.type == "notification":
            hooks.append(self.on_notification)
        else:
            hooks.append(self.on_request)
            if (name := HOOKS.get(context.method)) is not None:
                hooks.append(getattr(self, name))
        return await chained(hooks, call_next)(context)

    async def on_message(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Handle every request and notification."""
        return await call_next(context)

    async def on_request(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Handle every request of a client."""
        return await call_next(context)

    async def on_notification(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Handle every notification, of the client and of the server; `context.source` is the sender."""
        return await call_next(context)

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Handle calls of tools; the result is a CallToolResult."""
        return await call_next(context)

    async def on_list_tools(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Handle requests for the list of tools; the result has `tools`."""
        return await call_next(context)

    async def on_read_resource(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Handle reads of resources; the result has `contents`."""
        return await call_next(context)

    async def on_list_resources(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Handle requests for the list of resources; the result has `resources`."""
        return await call_next(context)

    async def on_list_resource_templates(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Handle requests for the list of resource templates; the result has `resourceTemplates`."""
        return await call_next(context)

    async def on_get_prompt(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Handle requests for a prompt; the result has `messages`."""
        return await call_next(context)

    async def on_list_prompts(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Handle requests for the list of prompts; the result has `prompts`."""
        return await call_next(context)

    def get_capabilities(self) -> dict[str, Any]:
        """Return the capabilities that this middleware adds to the server; JSON-safe."""
        return {}


def compose_middleware(*middleware: Step) -> Step:
    """Combine several middlewares; the first is the outermost."""

    async def composed(context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        return await chained(middleware, call_next)(context)

    return composed


def chained(steps: Iterable[Step], end: CallNext) -> CallNext:
    """Return a function that passes a message through all steps in order, and then to the end."""
    for step in reversed(tuple(steps)):
        end = _bind(step, end)
    return end


def _bind(step: Step, call_next: CallNext) -> CallNext:
    async def call(context: MiddlewareContext[Any]) -> Any:
        return await step(context, call_next)

    return call
