"""Call an author's function: async ones are awaited, plain ones run on a thread, both with the call's context."""

import functools
import os
from collections.abc import Callable
from typing import Any

from server_core.catalog.definitions import Callback
from server_core.errors import ContextError, UrlElicitationRequired
from server_core.execution.context.context import Context, current_context
from server_core.execution.failures import normalise_exception, traceback_of
from server_core.runtime.forks import end_if_forked
from server_core.runtime.threads import shared

MOST_VISITS = 5
"""How often a person is sent to addresses within one call, where the client is asked in rounds."""


async def invoke(callback: Callback, arguments: dict[str, Any], context: Context | None) -> Any:
    """Call the function and return what it returns.

    Args:
        callback: the function.
        arguments: its keyword arguments, without the context.
        context: what the running function may do; also found in `current_context` while it runs.

    Raises:
        UrlElicitationRequired: when the function did, and the client takes that as an error.
        ContextError: when the person has agreed to every visit, and the function does not cease to require one.
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
            if visits == MOST_VISITS:
                raise ContextError(f"The person agreed {visits} times, and it did not help. {required}") from required
            visits += 1
            await context.ui.ask_to_visit(required)
        finally:
            end_if_forked(process)
            current_context.reset(token)


def _call(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call a function on its own thread, and return what it returns."""
    try:
        return function(**arguments)
    except BaseException as error:
        # Read here first: an `__str__` of the author that never returns must not hold the event loop.
        traceback_of(normalise_exception(error))
        raise
