"""Completions for the arguments of prompts and templates: from an author's function, or the choices of a type."""

import enum
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from server_core.catalog.building.parameter_names import advertised_name
from server_core.catalog.building.signature import DefinitionFinding, Parameter, bare_type, read_signature
from server_core.catalog.definitions import Callback, Completion


def read_completions(
    arguments: Iterable[str], functions: Mapping[str, Callable[..., Any]]
) -> tuple[dict[str, Completion], list[DefinitionFinding]]:
    """Return the completions of a prompt or template by argument, and the findings about the author's `functions`."""
    names = sorted(arguments)
    completions: dict[str, Completion] = {}
    findings: list[DefinitionFinding] = []
    for argument, function in functions.items():
        if argument not in names:
            fix = f"Complete one of {', '.join(names)}." if names else "Remove the completion."
            findings.append(DefinitionFinding(f"There is no argument {argument!r} to complete.", fix))
            continue
        # The findings about missing types do not apply here: the function may be a lambda. Only the context parameter
        # is recognised by its type.
        signature, _ = read_signature(function, {})
        parameters = [name for name in inspect.signature(function).parameters if name != signature.context_parameter]
        if not parameters:
            message = f"The completion of {argument!r} does not accept the text typed so far."
            findings.append(DefinitionFinding(message, "Add a parameter for it."))
            continue
        callback = Callback(function, signature.is_async, signature.context_parameter)
        completions[argument] = Completion(callback, parameters[0], parameters[1] if len(parameters) > 1 else None)
    return completions, findings


def completions_of_types(parameters: Iterable[Parameter]) -> dict[str, Completion]:
    """Return completions for the arguments whose types have a fixed set of values: enums, literals and booleans."""
    choices = {advertised_name(parameter): _choices(parameter.annotation) for parameter in parameters}
    return {name: _completion_of(texts) for name, texts in choices.items() if texts}


def _completion_of(texts: list[str]) -> Completion:
    # A coroutine function, because other functions are called in a thread.
    async def propose(value: str) -> list[str]:
        typed = value.casefold()
        return [text for text in texts if text.casefold().startswith(typed)]

    return Completion(Callback(propose, is_async=True), "value")


def _choices(annotation: Any) -> list[str]:
    """Return the text forms of the values of a type; empty if they cannot be enumerated."""
    bare = bare_type(annotation)
    if bare is bool:
        return ["true", "false"]
    if isinstance(bare, type) and issubclass(bare, enum.Enum):
        return [str(member.value) for member in bare]
    origin, parts = typing.get_origin(bare), typing.get_args(bare)
    if origin is typing.Literal:
        return [str(value.value if isinstance(value, enum.Enum) else value) for value in parts if value is not None]
    if origin in (typing.Union, types.UnionType):
        choices = [_choices(member) for member in parts if member is not type(None)]
        # If one type of the union has other values, a list of choices would be incomplete.
        return [text for texts in choices for text in texts] if all(choices) else []
    return []
