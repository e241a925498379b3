"""Make the messages of one prompt: call its author's function with arguments, which are always text."""

from typing import Any

from server_core.catalog.catalog import Catalog
from server_core.catalog.content import prompt_result
from server_core.errors import ProtocolError
from server_core.execution.context.context import Context
from server_core.execution.invocation import invoke
from server_core.protocol.codes import INVALID_PARAMS


async def get_prompt(catalog: Catalog, name: str, arguments: dict[str, str], context: Context | None) -> dict[str, Any]:
    """Return the messages of a prompt, as a GetPromptResult.

    Args:
        catalog: what is offered.
        name: of the prompt.
        arguments: its arguments.
        context: what the author's function may do.

    Raises:
        ProtocolError: INVALID_PARAMS when there is no such prompt, or its arguments do not fit.

    Source: server/prompts, error handling.
    """
    prompt = catalog.find_prompt(name)
    if missing := [one.name for one in prompt.arguments if one.required and one.name not in arguments]:
        raise ProtocolError(INVALID_PARAMS, f"Prompt {name!r} needs the argument {missing[0]!r}")
    value = await invoke(prompt.render, prompt.binder(arguments), context)
    return prompt_result(value, prompt.description)
