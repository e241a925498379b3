"""The declaration of a prompt -> the prompt, and everything that is wrong with it.

The function takes the arguments by their names and types, or all of them at once as one dict, as functions of Arcade's
authors do: `(args: dict)` or `(context, args: dict)`. Then the decorator says which there are.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, get_origin

from server_core.catalog.building.arguments import accepts_null, has_default, read_arguments, text_binder
from server_core.catalog.building.completion_sources import proposed_by_types, read_completions
from server_core.catalog.building.offer_options import option_findings
from server_core.catalog.building.parameter_names import advertised_name, description_of
from server_core.catalog.building.signature import Finding, Parameter, Signature, bare_type, read_signature
from server_core.catalog.building.source_lines import source_of
from server_core.catalog.declarations import PromptDeclaration
from server_core.catalog.definitions import Callback, Prompt, PromptArgument

Json: TypeAlias = dict[str, Any]


def build_prompt(name: str, declaration: PromptDeclaration) -> tuple[Prompt, list[Finding]]:
    """Return what a declaration declares, and everything that is wrong with it.

    Args:
        name: the name of the prompt.
        declaration: what the decorator was told.
    """
    signature, findings = read_signature(
        declaration.function, declaration.names, has_output_schema=True, takes_texts=True
    )
    findings += option_findings(declaration)
    told, of_told = _named_arguments(declaration.arguments)
    findings += of_told
    names = None if told is None else {one.name for one in told}
    signature, whole = _of_all_at_once(signature, names, _untyped(declaration.function))
    facts: Json = {
        **declaration.options,
        "name": name,
        "description": declaration.options.get("description") or signature.docstring.description or None,
        "source": source_of(declaration.function),
    }
    if whole is not None:
        arguments = told or ()
        facts |= {"binder": lambda texts: {whole: dict(texts)}, "completions": {}}
    else:
        findings += read_arguments(signature)[2]
        arguments = tuple(_argument(one, signature) for one in signature.parameters)
        if told is not None:
            findings += _differences(told, arguments)
            arguments = told
        facts |= {"binder": text_binder(signature.parameters), "completions": proposed_by_types(signature.parameters)}
    completions, of_completions = read_completions((one.name for one in arguments), declaration.completions)
    facts["completions"] |= completions
    render = Callback(declaration.function, signature.is_async, signature.context_parameter)
    return Prompt(render=render, arguments=arguments, **facts), [*findings, *of_completions]


def _untyped(function: Callable[..., Any]) -> set[str]:
    """The names of the parameters that have no type."""
    parameters = inspect.signature(function).parameters.values()
    return {one.name for one in parameters if one.annotation is one.empty}


def _of_all_at_once(signature: Signature, told: set[str] | None, untyped: set[str]) -> tuple[Signature, str | None]:
    """The signature, and the parameter that takes all arguments as one dict, if there is one.

    A parameter without a type takes them as well, where it is said which there are, or that there are none, and this is
    none of them; one before it is the context then. What has a default and is none of them is the function's own.
    """
    own = [one for one in signature.parameters if told is not None and has_default(one) and one.name not in told]
    *before, last = [one for one in signature.parameters if one not in own] or signature.parameters or (None,)
    if last is None:
        return signature, None
    is_dict = (get_origin(kind := bare_type(last.annotation)) or kind) in (dict, Mapping)
    is_untold = told is not None and not told & {one.name for one in signature.parameters}
    if not (is_dict or (is_untold and (told or last.name in untyped))):
        return signature, None
    if not before:
        return signature, last.name
    if len(before) == 1 and before[0].name not in (told or ()) and signature.context_parameter is None:
        return replace(signature, context_parameter=before[0].name), last.name
    return signature, None


def _argument(parameter: Parameter, signature: Signature) -> PromptArgument:
    required = not has_default(parameter) and not accepts_null(parameter.annotation)
    description = description_of(parameter) or signature.docstring.parameters.get(parameter.name)
    return PromptArgument(advertised_name(parameter), description=description, required=required)


def _named_arguments(given: Sequence[Any] | None) -> tuple[tuple[PromptArgument, ...] | None, list[Finding]]:
    """The arguments that the decorator names; None where it names none."""
    if given is None:
        return None, []
    if not isinstance(given, Sequence) or not all(_is_argument(one) for one in given):
        fix = 'Write `arguments=[{"name": "city", "description": "Where.", "required": True}]`.'
        return None, [Finding("Its arguments are none that clients understand.", fix)]
    told = (
        PromptArgument(one["name"], one.get("title"), one.get("description"), one.get("required") is True)
        for one in given
    )
    return tuple(told), []


def _is_argument(given: Any) -> bool:
    return (
        isinstance(given, Mapping)
        and isinstance(given.get("name"), str)
        and all(isinstance(given.get(name) or "", str) for name in ("title", "description"))
    )


def _differences(told: tuple[PromptArgument, ...], taken: tuple[PromptArgument, ...]) -> list[Finding]:
    """What the decorator and the function say differently, so that prompts which look right to clients would fail."""
    told_names, taken_names = {one.name: one for one in told}, {one.name for one in taken}
    findings = [
        Finding(f"The function does not take the argument {name!r}.", f"Add the parameter `{name}: str`.")
        for name in told_names
        if name not in taken_names
    ]
    for one in taken:
        if one.required and not (one.name in told_names and told_names[one.name].required):
            message = f"The function needs {one.name!r}, but its arguments do not say so."
            findings.append(Finding(message, 'Add it with `"required": True`, or give the parameter a default.'))
    return findings
