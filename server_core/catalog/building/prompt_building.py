"""Build the prompt of a declaration, and the findings about it.

The function receives the arguments as separate parameters, or all of them in a dict, as prompts written for Arcade do:
`(args: dict)` or `(context, args: dict)`. In the second case the decorator lists the arguments.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, get_origin

from server_core.catalog.building.argument_schemas import accepts_null, has_default, read_arguments, text_binder
from server_core.catalog.building.completion_sources import completions_of_types, read_completions
from server_core.catalog.building.offer_options import descriptive_options, option_findings
from server_core.catalog.building.parameter_names import advertised_name, description_of
from server_core.catalog.building.signature import DefinitionFinding, Parameter, Signature, bare_type, read_signature
from server_core.catalog.building.source_lines import source_of
from server_core.catalog.declarations import PromptDeclaration
from server_core.catalog.definitions import Callback, PromptArgumentDefinition, PromptDefinition

Json: TypeAlias = dict[str, Any]
Arguments: TypeAlias = tuple[PromptArgumentDefinition, ...]


def build_prompt(name: str, declaration: PromptDeclaration) -> tuple[PromptDefinition, list[DefinitionFinding]]:
    options = declaration.options
    signature, findings = read_signature(
        declaration.function, declaration.names, has_output_schema=True, receives_texts=True
    )
    findings += option_findings(declaration)
    declared, argument_findings = _declared_arguments(options.get("arguments"))
    findings += argument_findings
    names = None if declared is None else {argument.name for argument in declared}
    signature, dict_parameter = _find_dict_parameter(signature, names, _untyped_parameters(declaration.function))
    fields: Json = {
        **descriptive_options(options),
        "name": name,
        "description": options.get("description") or signature.docstring.description or None,
        "source": source_of(declaration.function),
    }
    if dict_parameter is not None:
        arguments = declared or ()
        fields |= {"bind": lambda texts: {dict_parameter: dict(texts)}, "completions": {}}
    else:
        findings += read_arguments(signature)[2]  # Prompts have no schema, but the same rules for types.
        arguments = tuple(_argument(parameter, signature) for parameter in signature.parameters)
        if declared is not None:
            findings += _differences(declared, arguments)
            arguments = declared
        fields |= {
            "bind": text_binder(signature.parameters),
            "completions": completions_of_types(signature.parameters),
        }
    completions, completion_findings = read_completions(
        (argument.name for argument in arguments), options.get("completions") or {}
    )
    fields["completions"] |= completions
    render = Callback(declaration.function, signature.is_async, signature.context_parameter)
    return PromptDefinition(render=render, arguments=arguments, **fields), [*findings, *completion_findings]


def _untyped_parameters(function: Callable[..., Any]) -> set[str]:
    parameters = inspect.signature(function).parameters.values()
    return {parameter.name for parameter in parameters if parameter.annotation is parameter.empty}


def _find_dict_parameter(
    signature: Signature, declared: set[str] | None, untyped: set[str]
) -> tuple[Signature, str | None]:
    """Return the signature, and the parameter that receives all arguments as a dict, if there is one.

    A parameter without a type receives the dict too if the decorator lists the arguments (possibly none) and this is
    not among them; a parameter before it is then the context.
    """
    if not signature.parameters:
        return signature, None
    # Parameters with a default that are not listed are private to the function.
    public = [
        parameter
        for parameter in signature.parameters
        if declared is None or parameter.name in declared or not has_default(parameter)
    ]
    *before, last = public or signature.parameters
    is_dict = (get_origin(kind := bare_type(last.annotation)) or kind) in (dict, Mapping)
    none_declared = declared is not None and not declared & {parameter.name for parameter in signature.parameters}
    if not (is_dict or (none_declared and (declared or last.name in untyped))):
        return signature, None
    if not before:
        return signature, last.name
    if len(before) == 1 and before[0].name not in (declared or ()) and signature.context_parameter is None:
        return replace(signature, context_parameter=before[0].name), last.name
    return signature, None


def _argument(parameter: Parameter, signature: Signature) -> PromptArgumentDefinition:
    required = not has_default(parameter) and not accepts_null(parameter.annotation)
    description = description_of(parameter) or signature.docstring.parameters.get(parameter.name)
    return PromptArgumentDefinition(advertised_name(parameter), description=description, required=required)


def _declared_arguments(option: Sequence[Any] | None) -> tuple[Arguments | None, list[DefinitionFinding]]:
    """Return the arguments that the decorator lists, or None when it has no list, and the findings about them."""
    if option is None:
        return None, []
    if not isinstance(option, Sequence) or not all(_is_argument(argument) for argument in option):
        fix = 'Write `arguments=[{"name": "city", "description": "Where.", "required": True}]`.'
        return None, [DefinitionFinding("Its arguments are not valid.", fix)]
    arguments = (
        PromptArgumentDefinition(
            argument["name"], argument.get("title"), argument.get("description"), argument.get("required") is True
        )
        for argument in option
    )
    return tuple(arguments), []


def _is_argument(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("name"), str)
        and all(isinstance(value.get(name) or "", str) for name in ("title", "description"))
    )


def _differences(declared: Arguments, accepted: Arguments) -> list[DefinitionFinding]:
    """Return the findings for differences between decorator and function that would make valid requests fail."""
    declared_by_name = {argument.name: argument for argument in declared}
    accepted_names = {argument.name for argument in accepted}
    findings = [
        DefinitionFinding(f"The function does not accept the argument {name!r}.", f"Add the parameter `{name}: str`.")
        for name in declared_by_name
        if name not in accepted_names
    ]
    for argument in accepted:
        declaration = declared_by_name.get(argument.name)
        if argument.required and not (declaration is not None and declaration.required):
            message = f"The parameter {argument.name!r} has no default, but the argument is not declared as required."
            findings.append(
                DefinitionFinding(message, 'Add it with `"required": True`, or give the parameter a default.')
            )
    return findings
