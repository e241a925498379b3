"""Middleware of the tests, and the requests that they send through it."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from server_core import MCPApp
from server_core.middleware import CallNext, Middleware, MiddlewareContext
from server_core.protocol.jsonrpc import Params
from server_core.protocol.revisions import Revision
from tests.conversations.conftest import World
from tests.conversations.test_notifications import message
from tests.server_core.toolkit import Records, generation

Seen = MiddlewareContext[Any]


ADD: dict[str, Any] = {"name": "add", "arguments": {"a": 1, "b": 2}}


REQUESTS: dict[str, Params] = {
    "tools/call": ADD,
    "tools/list": {},
    "resources/read": {"uri": "toolkit://motto"},
    "resources/list": {},
    "resources/templates/list": {},
    "prompts/get": {"name": "letter", "arguments": {"tone": "kind"}},
    "prompts/list": {},
    "completion/complete": {
        "ref": {"type": "ref/prompt", "name": "letter"},
        "argument": {"name": "tone", "value": "k"},
    },
}


def use(world: World, *middleware: Any, **settings: Any) -> Records:
    """Serve the toolkit with this middleware, and return the records from now on."""
    world.set(**settings)
    catalog = world.toolkit.catalog()
    served = generation(catalog, world.toolkit.app, number=2, before=catalog)
    records = Records(world.server.tap)
    world.server.swap(replace(served, apps=(MCPApp("guarded", middleware=middleware),)))
    return records


def around(hook: str, does: Callable[[Seen, CallNext], Any]) -> Middleware:
    """Return a middleware with a single hook."""

    async def run(self: Middleware, context: Seen, call_next: CallNext) -> Any:
        return await does(context, call_next)

    kind: type[Middleware] = type("Guard", (Middleware,), {hook: run})
    return kind()


def raising(hook: str, error: BaseException) -> Middleware:
    async def fail(context: Seen, call_next: CallNext) -> Any:
        raise error

    return around(hook, fail)


def is_recent(revision: Revision) -> bool:
    return revision.date in ("2025-06-18", "2026-07-28")


async def text(context: Seen, call_next: CallNext) -> Any:
    return "done"


def with_token(world: World, id: int, tool: str) -> bytes:
    request = json.loads(message(world, id, "tools/call", name=tool, arguments={}))
    request["params"].setdefault("_meta", {})["progressToken"] = "t"
    return json.dumps(request).encode()
