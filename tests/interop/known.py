"""What peers get wrong, as far as the matrix meets it: a cell that fails for such a reason is theirs, not ours.

Rule 1: every entry names the text that the peer does not keep.
Rule 2: a fault that no longer occurs is an error of the run: remove it here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.interop.pairs import AUTO, HANDSHAKE, HTTP, SSE, STATELESS, STDIO, Column


@dataclass(frozen=True)
class Fault:
    """Something that a peer gets wrong.

    Attributes:
        pair: the name of the pair.
        behaviour: the row that it fails.
        reason: what the peer does, and which text requires otherwise.
        eras: in which it does so.
        transports: over which it does so.
        always: whether it always does so; what depends on chance is theirs however it comes out.
    """

    pair: str
    behaviour: str
    reason: str
    eras: Sequence[str] = (HANDSHAKE, STATELESS, AUTO)
    transports: Sequence[str] = (STDIO, HTTP, SSE)
    always: bool = True


UNKNOWN_TOOL = (
    "answers the call of an unknown tool with a result that has `isError`; server/tools, error handling: unknown tools"
    " are protocol errors (-32602)"
)
UNKNOWN_RESOURCE = (
    "answers -32602 up to 2025-11-25; server/resources, error handling: the code for unknown resources is -32002"
)
EARLY_RESULT = (
    "handles a result before the notifications that precede it in the same read, and drops progress reports of calls"
    " that have ended by then; basic/utilities/progress: they belong to the request until its result"
)
TASK_NAME = (
    "sends no `Mcp-Name` header with `tasks/get`, `tasks/update` and `tasks/cancel`; the tasks extension, Streamable"
    " HTTP: routing headers: the client MUST set it to the id of the task"
)

FAULTS = (
    Fault("official-server", "unknown tool", UNKNOWN_TOOL),
    Fault("official-server", "unknown resource", UNKNOWN_RESOURCE, eras=(HANDSHAKE,)),
    Fault("fastmcp-client", "task", TASK_NAME, eras=(STATELESS, AUTO), transports=(HTTP,)),
    Fault("fastmcp-client", "task that asks", TASK_NAME, eras=(STATELESS, AUTO), transports=(HTTP,)),
    Fault("fastmcp-server", "unknown tool", UNKNOWN_TOOL),
    Fault("fastmcp-server", "unknown resource", UNKNOWN_RESOURCE, eras=(HANDSHAKE,)),
    Fault("everything", "unknown tool", UNKNOWN_TOOL, eras=(HANDSHAKE, AUTO)),
    Fault("everything", "unknown resource", UNKNOWN_RESOURCE, eras=(HANDSHAKE, AUTO)),
    Fault("typescript-2-server", "unknown resource", UNKNOWN_RESOURCE, eras=(HANDSHAKE,)),
    Fault("typescript-1-client", "progress at once", EARLY_RESULT, transports=(STDIO,), always=False),
    Fault("typescript-2-client", "progress at once", EARLY_RESULT, transports=(STDIO,), always=False),
)


def fault_of(column: Column, behaviour: str) -> Fault | None:
    """Return what is known to be wrong in a cell."""
    for fault in FAULTS:
        where = fault.pair == column.pair.name and column.era in fault.eras and column.transport in fault.transports
        if where and fault.behaviour == behaviour:
            return fault
    return None
