"""Read a resource, get the messages of a prompt, complete an argument: call the author's function, convert its result.

The `context` of these functions is passed on to the author's function.
"""

from itertools import islice
from typing import Any, TypeAlias

from server_core.catalog.building.result_checks import refuse_unfinished
from server_core.catalog.catalog import Catalog
from server_core.catalog.definitions import Completion
from server_core.catalog.returned_content import contents_of, prompt_result
from server_core.errors import ProtocolError
from server_core.execution.context.context import Context
from server_core.execution.run import invoke
from server_core.protocol.codes import INVALID_PARAMS

Json: TypeAlias = dict[str, Any]

# schema: CompleteResult, "Must not exceed 100 items".
MAX_COMPLETIONS = 100
MAX_PROPOSALS = 10_000
"""How many proposals are read from an author's function, which may be an endless generator."""


async def read_resource(catalog: Catalog, uri: str, context: Context | None) -> list[Json]:
    """Return the contents of a resource, or raise ResourceNotFound. Source: server/resources, reading resources."""
    resource, parts = catalog.find_resource(uri)
    if resource.uri_parameter is not None:
        parts = {resource.uri_parameter: uri, **parts}
    value = await invoke(resource.read, resource.bind(parts), context)
    refuse_unfinished(value, "The resource cannot be sent")
    return contents_of(value, uri, resource.mime_type, resource.meta)


async def get_prompt(catalog: Catalog, name: str, arguments: dict[str, str], context: Context | None) -> Json:
    """Return a GetPromptResult; ProtocolError INVALID_PARAMS for an unknown prompt or invalid arguments.

    Source: server/prompts, error handling.
    """
    prompt = catalog.find_prompt(name)
    required = [argument.name for argument in prompt.arguments if argument.required]
    if missing := [argument for argument in required if argument not in arguments]:
        raise ProtocolError(INVALID_PARAMS, f"Prompt {name!r} needs the argument {missing[0]!r}")
    value = await invoke(prompt.render, prompt.bind(arguments), context)
    return prompt_result(value, prompt.description)


async def complete(
    catalog: Catalog, ref: Json, argument: Json, other_arguments: dict[str, str], context: Context | None
) -> Json:
    """Return a CompleteResult for an argument; it is empty if the argument has no completion function.

    INVALID_PARAMS when the `ref` or `argument`, as on the wire, does not exist or is malformed.
    Source: server/utilities/completion.
    """
    name, value = argument.get("name"), argument.get("value")
    if type(name) is not str or type(value) is not str:
        raise ProtocolError(INVALID_PARAMS, 'Invalid params: "argument" needs a "name" and a "value", both text')
    completion = catalog.find_completions(ref).get(name)
    if completion is None:
        return {"completion": {"values": []}}
    proposals = await _propose(completion, value, other_arguments, context)
    values = proposals[:MAX_COMPLETIONS]
    result = {"values": values, "total": len(proposals), "hasMore": len(values) < len(proposals)}
    if len(proposals) == MAX_PROPOSALS:  # There may be more, so the total is unknown.
        del result["total"]
    return {"completion": result}


async def _propose(
    completion: Completion, value: str, other_arguments: dict[str, str], context: Context | None
) -> list[str]:
    arguments: Json = {completion.value_parameter: value}
    if completion.known_parameter is not None:
        arguments[completion.known_parameter] = other_arguments
    proposed = await invoke(completion.callback, arguments, context)
    if isinstance(proposed, str):
        return [proposed]
    return [str(proposal) for proposal in islice(proposed or (), MAX_PROPOSALS)]
