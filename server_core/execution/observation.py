"""What is recorded about calls of tools only while somebody observes them: running times and outgoing HTTP requests.

Observers are attached terminals, and a core with the setting `record_details`. Without one, nothing is measured, and no
library is changed.
"""

from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from server_core.catalog.definitions import Tool
    from server_core.execution.context.context import Context

T = TypeVar("T")

observers = 0
"""How many observe the calls of this process."""


@contextmanager
def observe_calls() -> Iterator[None]:
    """Record the details of all calls in this process, until the `with` block ends."""
    global observers
    from server_core.execution import outgoing_http  # The first response of a server does not wait for it.

    observers += 1
    if observers == 1:
        outgoing_http.install()
    try:
        yield
    finally:
        observers -= 1
        if not observers:
            outgoing_http.uninstall()


async def measured(call: Awaitable[T], tool: "Tool", context: "Context") -> T:
    """Run the code of a tool, and record its running time, in which that of the tools that it calls is contained."""
    if context.nested_caller is not None:
        return await call
    waits, begin = context.client_waits, perf_counter()
    waited_before = waits.seconds
    try:
        return await call
    finally:
        waited = waits.seconds - waited_before
        ran = max(perf_counter() - begin - waited, 0.0)
        facts = {"ran_ms": round(ran * 1000, 3), "waited_ms": round(waited * 1000, 3)}
        context.report("tool_ended", {"tool": tool.name, "id": context.request_id, **facts})
