"""Get the messages of a prompt from its author's function."""

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
        catalog: the catalog that has the prompt.
        name: the name of the prompt.
        arguments: its arguments; always text.
        context: the context that the author's function gets.

    Raises:
        ProtocolError: INVALID_PARAMS when there is no such prompt, or its arguments are not valid.

    Source: server/prompts, error handling.
    """
    prompt = catalog.find_prompt(name)
    if missing := [known.name for known in prompt.arguments if known.required and known.name not in arguments]:
        raise ProtocolError(INVALID_PARAMS, f"Prompt {name!r} needs the argument {missing[0]!r}")
    value = await invoke(prompt.render, prompt.bind(arguments), context)
    return prompt_result(value, prompt.description)
