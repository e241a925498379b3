"""`Middleware`: an author's code that every message passes on its way, and what it is told of the message.

Rule 1: the first middleware of a list is the outermost: it sees a message first, and what became of it last.
Rule 2: within one middleware, `on_message` is the outermost hook, then the hook of the type, then that of the method.
Rule 3: a hook that calls nothing further answers for itself.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar, cast

from server_core.middleware.message import Message
from server_core.protocol.jsonrpc import RequestId

if TYPE_CHECKING:
    from server_core.execution.context.context import Context

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
"""The methods that have a hook of their own, and its name."""


@dataclass(kw_only=True)
class MiddlewareContext(Generic[T]):
    """One message on its way.

    Attributes:
        message: the message as on the wire: `message.params.name`, or `message["params"]["name"]`.
        mcp_context: what can be done while a request is answered: log, ask, report progress; None for notifications.
        source: who sends it.
        type: whether it is to be answered.
        method: its method.
        timestamp: when it came, in UTC.
        request_id: the id of a request, of the type that its sender gave it; None for notifications.
        session_id: names the session and no other; None where the revision has no sessions.
        metadata: what middlewares want to tell each other of this message.
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
        """Let a message that is written as a dict be read as every other."""
        given: Any = self.message
        if type(given) is dict:
            self.message = cast("T", Message(given))

    def copy(self, **changes: Any) -> "MiddlewareContext[T]":
        """Return the same with these attributes changed, to hand on in place of this one."""
        return replace(self, **changes)


CallNext: TypeAlias = Callable[[MiddlewareContext[Any]], Awaitable[Any]]
"""Hands the message on, and returns what became of it: the result of a request as on the wire, None otherwise."""
Step: TypeAlias = Callable[[MiddlewareContext[Any], CallNext], Awaitable[Any]]
"""A middleware, one of its hooks, or any function that can stand in the place of one."""


class Middleware:
    """Code that every message passes; override the hooks that are wanted.

    Each hook returns what `await call_next(context)` returned, or something in its place.
    """

    async def __call__(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Let a message pass through the hooks that are for it."""
        hooks: list[Step] = [self.on_message]
        if context.type == "notification":
            hooks.append(self.on_notification)
        else:
            hooks.append(self.on_request)
            if (name := HOOKS.get(context.method)) is not None:
                hooks.append(getattr(self, name))
        return await chained(hooks, call_next)(context)

    async def on_message(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """See every request and notification."""
        return await call_next(context)

    async def on_request(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """See every request of a client."""
        return await call_next(context)

    async def on_notification(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """See every notification: those of the client, and those of the server; `context.source` says which."""
        return await call_next(context)

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """See calls of tools; the result is a CallToolResult."""
        return await call_next(context)

    async def on_list_tools(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """See pages of the list of tools; the result holds `tools`."""
        return await call_next(context)

    async def on_read_resource(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """See reads of resources; the result holds `contents`."""
        return await call_next(context)

    async def on_list_resources(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """See pages of the list of resources; the result holds `resources`."""
        return await call_next(context)

    async def on_list_resource_templates(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """See pages of the list of resource templates; the result holds `resourceTemplates`."""
        return await call_next(context)

    async def on_get_prompt(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """See what makes prompts; the result holds `messages`."""
        return await call_next(context)

    async def on_list_prompts(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """See pages of the list of prompts; the result holds `prompts`."""
        return await call_next(context)

    def get_capabilities(self) -> dict[str, Any]:
        """Return what the server tells that it can do besides, thanks to this middleware; JSON-safe."""
        return {}


def compose_middleware(*middleware: Step) -> Step:
    """Return one middleware that is all of these, the first the outermost."""

    async def composed(context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        return await chained(middleware, call_next)(context)

    return composed


def chained(steps: Iterable[Step], end: CallNext) -> CallNext:
    """Return what hands a message to the first step, each of which hands it to the next, and the last to the end."""
    for step in reversed(tuple(steps)):
        end = _before(step, end)
    return end


def _before(step: Step, call_next: CallNext) -> CallNext:
    async def handed_on(context: MiddlewareContext[Any]) -> Any:
        return await step(context, call_next)

    return handed_on
