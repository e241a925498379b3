"""The requests of a client in a test, as coroutines on the server's loop; both kinds of client use them."""

from collections.abc import Mapping
from typing import Any

from workbench.model.describe import json_line
from workbench.testing.assertion_errors import Unmet
from workbench.testing.conversation import Conversation, Json
from workbench.testing.request_values import NameOrFunction
from workbench.testing.results import PromptResult, ResourceResult


async def list_tools(conversation: Conversation) -> list[Json]:
    return await conversation.listed(lambda session: session.list_tools(fresh=True))


async def list_resources(conversation: Conversation) -> list[Json]:
    return await conversation.listed(lambda session: session.list_resources(fresh=True))


async def list_resource_templates(conversation: Conversation) -> list[Json]:
    return await conversation.listed(lambda session: session.list_resource_templates(fresh=True))


async def list_prompts(conversation: Conversation) -> list[Json]:
    return await conversation.listed(lambda session: session.list_prompts(fresh=True))


async def describe(conversation: Conversation, tool: NameOrFunction) -> Json:
    tools = await list_tools(conversation)
    name = conversation.name_of(tool)
    tool_definition = next((definition for definition in tools if definition.get("name") == name), None)
    if tool_definition is None:
        listed = ", ".join(str(definition.get("name")) for definition in tools)
        raise Unmet(f"no tool named {name!r} is listed; the list: {listed}")
    return tool_definition


async def check_schema(
    conversation: Conversation, tool: NameOrFunction, expected: Mapping[str, Any], member: str
) -> None:
    """Fail the test when a schema of a tool does not contain what is expected."""
    described = await describe(conversation, tool)
    if (mismatch := _first_mismatch(expected, described.get(member))) is not None:
        raise Unmet(f"{member} of {described['name']}: {mismatch}")


async def read_resource(conversation: Conversation, uri: str) -> ResourceResult:
    return ResourceResult(uri, await conversation.request("resources/read", {"uri": uri}))


async def get_prompt(conversation: Conversation, prompt: NameOrFunction, arguments: Mapping[str, str]) -> PromptResult:
    name = conversation.name_of_prompt(prompt)
    result = await conversation.request("prompts/get", {"name": name, "arguments": dict(arguments)})
    return PromptResult(name, result)


async def complete(
    conversation: Conversation, subject: str, argument: str, typed: str, known: Mapping[str, str]
) -> list[str]:
    is_uri = "://" in subject
    ref = {"type": "ref/resource", "uri": subject} if is_uri else {"type": "ref/prompt", "name": subject}
    params: Json = {"ref": ref, "argument": {"name": argument, "value": typed}}
    if known:
        params["context"] = {"arguments": dict(known)}
    result = await conversation.request("completion/complete", params)
    values: list[str] = result["completion"]["values"]
    return values


def _first_mismatch(expected: Any, actual: Any, path: str = "$") -> str | None:
    """Describe the first difference, with its JSON path; None if there is none. Expected objects may omit members."""
    if not isinstance(expected, Mapping):
        return None if expected == actual else f"{path} is {json_line(actual)}, not {json_line(expected)}"
    if not isinstance(actual, Mapping):
        return f"{path} is {json_line(actual)}, not an object with {', '.join(expected)}"
    for name, value in expected.items():
        if name not in actual:
            return f"{path} has no {name!r}; it has: {', '.join(map(str, actual)) or 'nothing'}"
        if (mismatch := _first_mismatch(value, actual[name], f"{path}.{name}")) is not None:
            return mismatch
    return None
