"""Complete one argument of a prompt or a resource template while a user types it."""

from itertools import islice
from typing import Any

from server_core.catalog.catalog import Catalog
from server_core.catalog.definitions import Completion
from server_core.errors import ProtocolError
from server_core.execution.context.context import Context
from server_core.execution.invocation import invoke
from server_core.protocol.codes import INVALID_PARAMS

# schema: CompleteResult, "Must not exceed 100 items".
MAX_COMPLETIONS = 100
MAX_PROPOSALS = 10_000
"""How many proposals are read from an author's function, which may be an endless generator."""


async def complete(
    catalog: Catalog, ref: dict[str, Any], argument: dict[str, Any], known: dict[str, str], context: Context | None
) -> dict[str, Any]:
    """Return a CompleteResult for an argument; it is empty if the argument has no completion function.

    Args:
        catalog: what is offered.
        ref: the prompt or template, as on the wire.
        argument: its `name`, and the `value` typed so far.
        known: the values of the arguments that are already filled in.
        context: the context that the author's function gets.

    Raises:
        ProtocolError: INVALID_PARAMS when the reference or the argument does not exist or is malformed.

    Source: server/utilities/completion.
    """
    name, value = argument.get("name"), argument.get("value")
    if type(name) is not str or type(value) is not str:
        raise ProtocolError(INVALID_PARAMS, 'Invalid params: "argument" needs a "name" and a "value", both text')
    completion = catalog.find_completions(ref).get(name)
    if completion is None:
        return {"completion": {"values": []}}
    proposals = await _propose(completion, value, known, context)
    values = proposals[:MAX_COMPLETIONS]
    result = {"values": values, "total": len(proposals), "hasMore": len(values) < len(proposals)}
    if len(proposals) == MAX_PROPOSALS:  # There may be more, so the total is unknown.
        del result["total"]
    return {"completion": result}


async def _propose(completion: Completion, value: str, known: dict[str, str], context: Context | None) -> list[str]:
    arguments: dict[str, Any] = {completion.value_parameter: value}
    if completion.known_parameter is not None:
        arguments[completion.known_parameter] = known
    proposed = await invoke(completion.callback, arguments, context)
    if isinstance(proposed, str):
        return [proposed]
    return [str(proposal) for proposal in islice(proposed or (), MAX_PROPOSALS)]
