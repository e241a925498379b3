"""Propose values for one argument of a prompt or a template, while a person types it."""

from itertools import islice
from typing import Any

from server_core.catalog.catalog import Catalog
from server_core.catalog.definitions import Completion
from server_core.errors import ProtocolError
from server_core.execution.context.context import Context
from server_core.execution.invocation import invoke
from server_core.protocol.codes import INVALID_PARAMS

# schema: CompleteResult, "Must not exceed 100 items".
MOST_COMPLETIONS = 100
MOST_PROPOSALS = 10_000
"""How many proposals of an author's function are looked at: it may yield them without end."""


async def complete(
    catalog: Catalog, ref: dict[str, Any], argument: dict[str, Any], known: dict[str, str], context: Context | None
) -> dict[str, Any]:
    """Return proposals for the value of an argument, as a CompleteResult; none where it declares no completion.

    Args:
        catalog: what is offered.
        ref: the prompt or template, as on the wire.
        argument: its `name`, and the `value` typed so far.
        known: the other arguments that are known already.
        context: what the author's function may do.

    Raises:
        ProtocolError: INVALID_PARAMS when the reference or the argument does not exist or cannot be read.

    Source: server/utilities/completion.
    """
    name, value = argument.get("name"), argument.get("value")
    if type(name) is not str or type(value) is not str:
        raise ProtocolError(INVALID_PARAMS, 'Invalid params: "argument" needs a "name" and a "value", both text')
    completion = catalog.find_completions(ref).get(name)
    if completion is None:
        return {"completion": {"values": []}}
    proposals = await _propose(completion, value, known, context)
    values = proposals[:MOST_COMPLETIONS]
    told = {"values": values, "total": len(proposals), "hasMore": len(values) < len(proposals)}
    if len(proposals) == MOST_PROPOSALS:  # There may be more, and how many nobody knows.
        del told["total"]
    return {"completion": told}


async def _propose(completion: Completion, value: str, known: dict[str, str], context: Context | None) -> list[str]:
    arguments: dict[str, Any] = {completion.value_parameter: value}
    if completion.known_parameter is not None:
        arguments[completion.known_parameter] = known
    proposed = await invoke(completion.callback, arguments, context)
    if isinstance(proposed, str):
        return [proposed]
    return [str(one) for one in islice(proposed or (), MOST_PROPOSALS)]
