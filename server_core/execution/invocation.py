"""Call an author's function with the context of the call: `async def` on the event loop, `def` on a thread."""

import functools
import os
from collections.abc import Callable
from typing import Any

from server_core.catalog.definitions import Callback
from server_core.errors import ContextError, UrlElicitationRequired
from server_core.execution.context.context import Context, current_context
from server_core.execution.failures import normalise_exception, traceback_of
from server_core.runtime.forks import exit_fork
from server_core.runtime.threads import shared

MAX_VISITS = 5
"""How many URL elicitations one call may require of a client that answers them in multi-round requests."""


async def invoke(callback: Callback, arguments: dict[str, Any], context: Context | None) -> Any:
    """Call the function and return its result.

    Args:
        callback: the function.
        arguments: its keyword arguments, without the context.
        context: the context of the call; it is also the value of `current_context` while the function runs.

    Raises:
        UrlElicitationRequired: when the function raises it and the client expects it as an error.
        ContextError: when the function still raises UrlElicitationRequired after :data:`MAX_VISITS` visits.
    """
    if callback.context_parameter is not None:
        arguments = {**arguments, callback.context_parameter: context}
    if context is not None and context.home is not None and context.home.context_values:
        from server_core.loading.import_context import enter

        enter(context.home.context_values)
    visits = 0
    process = os.getpid()
    while True:
        token = current_context.set(context)
        try:
            if callback.is_async:
                return await callback.function(**arguments)
            return await shared().run(functools.partial(_call, callback.function, arguments))
        except UrlElicitationRequired as required:
            if context is None:
                raise
            if visits == MAX_VISITS:
                raise ContextError(f"The user agreed {visits} times without effect. {required}") from required
            visits += 1
            await context.ui.ask_to_visit(required)
        finally:
            if os.getpid() != process:
                exit_fork()
            current_context.reset(token)


def _call(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    try:
        return function(**arguments)
    except BaseException as error:
        # Format the exception on this thread first: an author's `__str__` that never returns must not block the loop.
        traceback_of(normalise_exception(error))
        raise
