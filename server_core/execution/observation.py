"""What is recorded about calls of tools only while somebody observes them: running times and outgoing HTTP requests.

Observers are attached terminals, and a core with the setting `record_details`. Without one, nothing is measured, and no
library is changed.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server_core.catalog.definitions import Tool
    from server_core.execution.context.context import Context

_observers = 0
_NOTHING = nullcontext()


@contextmanager
def observe_calls() -> Iterator[None]:
    """Record the details of all calls in this process, until the `with` block ends."""
    global _observers
    from server_core.execution import outgoing_http  # The first response of a server does not wait for it.

    _observers += 1
    if _observers == 1:
        outgoing_http.install()
    try:
        yield
    finally:
        _observers -= 1
        if not _observers:
            outgoing_http.uninstall()


def measured(tool: "Tool", context: "Context") -> AbstractContextManager[None]:
    """Return a `with` block for the code of a tool, whose running time is recorded when it ends.

    The time of a tool that another tool calls is part of that tool's time.
    """
    return _measured(tool, context) if _observers and context.nested_caller is None else _NOTHING


@contextmanager
def _measured(tool: "Tool", context: "Context") -> Iterator[None]:
    waits, begin = context.client_waits, perf_counter()
    waited_before = waits.seconds
    try:
        yield
    finally:
        waited = waits.seconds - waited_before
        ran = max(perf_counter() - begin - waited, 0.0)
        facts = {"ran_ms": round(ran * 1000, 3), "waited_ms": round(waited * 1000, 3)}
        context.report("tool_ended", {"tool": tool.name, "id": context.request_id, **facts})
