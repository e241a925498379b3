"""What proposes values for the arguments of prompts and templates: an author's function, or the choices of a type."""

import enum
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from server_core.catalog.building.parameter_names import advertised_name
from server_core.catalog.building.signature import Finding, Parameter, bare_type, read_signature
from server_core.catalog.definitions import Callback, Completion


def read_completions(
    known: Iterable[str], functions: Mapping[str, Callable[..., Any]]
) -> tuple[dict[str, Completion], list[Finding]]:
    """Return what proposes values for arguments, and everything that is wrong with it.

    Args:
        known: the arguments that there are.
        functions: argument -> the author's function.
    """
    names = sorted(known)
    completions: dict[str, Completion] = {}
    findings: list[Finding] = []
    for argument, function in functions.items():
        if argument not in names:
            fix = f"Complete one of {', '.join(names)}." if names else "Remove the completion."
            findings.append(Finding(f"There is no argument {argument!r} to complete.", fix))
            continue
        # Only its context matters of its types: a completion may be a lambda.
        signature, _ = read_signature(function, {})
        taken = [one for one in inspect.signature(function).parameters if one != signature.context_parameter]
        if not taken:
            message = f"The completion of {argument!r} does not take the text typed so far."
            findings.append(Finding(message, "Give it a parameter for that."))
            continue
        callback = Callback(function, signature.is_async, signature.context_parameter)
        completions[argument] = Completion(callback, taken[0], taken[1] if len(taken) > 1 else None)
    return completions, findings


def proposed_by_types(parameters: Iterable[Parameter]) -> dict[str, Completion]:
    """Return what proposes values for the arguments whose types are a choice: enums, literals and booleans."""
    choices = {advertised_name(one): _choices(one.annotation) for one in parameters}
    return {name: _completion_of(texts) for name, texts in choices.items() if texts}


def _completion_of(texts: list[str]) -> Completion:
    async def propose(value: str) -> list[str]:
        typed = value.casefold()
        return [text for text in texts if text.casefold().startswith(typed)]

    return Completion(Callback(propose, is_async=True), "value")


def _choices(annotation: Any) -> list[str]:
    """The texts that mean the values of a type, where these can be told one by one."""
    kind = bare_type(annotation)
    if kind is bool:
        return ["true", "false"]
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return [str(one.value) for one in kind]
    values = typing.get_args(kind)
    if typing.get_origin(kind) is typing.Literal:
        return [str(one.value if isinstance(one, enum.Enum) else one) for one in values if one is not None]
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        found = [_choices(one) for one in values if one is not type(None)]
        return [text for texts in found for text in texts] if all(found) else []
    return []
