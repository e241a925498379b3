"""`context.blocking`: the parts of a context for tools written with plain `def`, which run on threads."""

import inspect
from typing import TYPE_CHECKING, Any

from server_core.execution.context.call import Namespace

if TYPE_CHECKING:
    from server_core.execution.context.context import Context

NAMESPACES = (
    "log",
    "progress",
    "resources",
    "tools",
    "prompts",
    "sampling",
    "ui",
    "roots",
    "notifications",
    "client",
)


class Blocking(Namespace):
    """The parts of a context, for threads: each method waits and returns the value itself."""

    def become_task(self, ttl: float | None = None) -> bool:
        """Continue as a task; see :meth:`Context.become_task`."""
        return bool(self._context.wait_for(self._context.become_task(ttl)))

    def __getattr__(self, name: str) -> "BlockingNamespace":
        if name not in NAMESPACES:
            raise AttributeError(f"context.blocking has no {name!r}; it has {', '.join(NAMESPACES)}.")
        return BlockingNamespace(self._context, getattr(self._context, name))


class BlockingNamespace:
    """One part of a context, for threads."""

    def __init__(self, context: "Context", namespace: Any) -> None:
        self._context = context
        self._namespace = namespace

    def __getattr__(self, name: str) -> Any:
        # Looked up at each access, so that a new method of a part needs no second declaration here.
        value = getattr(self._namespace, name)
        if isinstance(value, Namespace):
            return BlockingNamespace(self._context, value)
        if not inspect.iscoroutinefunction(value):
            return value

        def call(*args: Any, **kwargs: Any) -> Any:
            return self._context.wait_for(value(*args, **kwargs))

        return call
