"""Checks of what middleware returns, raises and passes on, so that it never ends the server or breaks a message."""

from typing import Any

from server_core.execution.run import ends_the_task
from server_core.middleware.middleware import CallNext, MiddlewareContext, Step
from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import Params
from server_core.runtime.safe_text import class_name

_LISTS = {
    "tools/call": "content",
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "resources/read": "contents",
    "prompts/list": "prompts",
    "prompts/get": "messages",
}
"""The list that the result of a method must have, by method."""


class MiddlewareFailed(Exception):
    """A middleware broke a rule; the message names the middleware and the rule."""


def guarded_step(step: Step) -> Step:
    """Wrap a step so that it raises nothing that would end the server."""
    name = class_name(type(step))

    async def guarded(context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        try:
            result = await step(context, call_next)
        except BaseException as error:
            if issubclass(type(error), Exception) or ends_the_task(error):
                raise
            raise MiddlewareFailed(f"{name} raised {class_name(type(error))} in {context.method}.") from error
        if context.type == "request" and not isinstance(result, dict):
            raise MiddlewareFailed(
                f"{name} returned a value of type {type(result).__name__} for {context.method}; "
                "return what `await call_next(context)` returned, or a dict of that form."
            )
        return result

    return guarded


async def check_result(context: MiddlewareContext[Any], call_next: CallNext) -> Any:
    """Refuse results that cannot be sent."""
    result = await call_next(context)
    if context.type == "notification":
        return None
    name = _LISTS.get(context.method)
    if name is not None and not _is_list_of_objects(result.get(name)):
        raise MiddlewareFailed(
            f"Middleware returned a result of {context.method} that has no list {name!r} of objects."
        )
    if not isinstance(result.get("_meta", {}), dict):
        raise MiddlewareFailed(f"Middleware returned a result of {context.method} whose _meta is not an object.")
    try:
        jsonrpc.encode(result)
    except ValueError as error:
        raise MiddlewareFailed(f"Middleware returned a result of {context.method} that is not JSON: {error}") from error
    return result


def passed_params(context: MiddlewareContext[Any], method: str) -> Params:
    """Return the params that a middleware passes on; MiddlewareFailed if not of a message of the same method."""
    message = context.message if isinstance(context, MiddlewareContext) else None
    if getattr(message, "method", None) != method:
        raise MiddlewareFailed(f"Middleware passed on something other than the message {method!r} that it received.")
    params = getattr(message, "params", None)
    if not isinstance(params, dict):
        raise MiddlewareFailed(f"Middleware passed on {method!r} with params that are not a dict.")
    return dict(params)


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)
