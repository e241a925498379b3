"""One declaration -> the tool, resource, template or prompt that it declares, or the problems that prevent it."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from server_core.catalog.arguments import accepts_null, has_default, read_arguments, text_binder
from server_core.catalog.declarations import Declaration, PromptDeclaration, ResourceDeclaration, ToolDeclaration
from server_core.catalog.definitions import (
    Callback,
    Completion,
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    TaskSupport,
    Tool,
)
from server_core.catalog.given_arguments import read_given_arguments
from server_core.catalog.naming import ToolNames
from server_core.catalog.problems import Problem, problem_at
from server_core.catalog.results import read_given_result, read_result
from server_core.catalog.signature import Finding, Parameter, Signature, read_signature, source_of
from server_core.errors import ErrorKind
from server_core.protocol.header_parameters import header_parameters

Json: TypeAlias = dict[str, Any]
Offer: TypeAlias = Tool | Resource | ResourceTemplate | Prompt

# server/tools, tool names (2025-11-25): 1 to 128 of these.
_TOOL_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,128}")
_PART = re.compile(r"\{(\w+)\*?\}")


@dataclass(frozen=True)
class Built:
    """The outcome of one declaration.

    Attributes:
        offer: what it declares; None when an error prevents it.
        problems: all that is wrong with it.
    """

    offer: Offer | None
    problems: tuple[Problem, ...]


def build(declaration: Declaration, names: ToolNames | None = None) -> Built:
    """Return what a declaration declares; whatever is wrong with it becomes a problem, never an exception.

    Args:
        declaration: what was declared.
        names: what the tool is called, where it is one; its author's name when not given.
    """
    name = names.wire if names is not None else declaration.name
    source = source_of(declaration.function)
    try:
        what: str
        offer: Offer
        match declaration:
            case ToolDeclaration():
                what, offer, findings = "Tool", *_tool(names or ToolNames.plain(name), declaration)
            case ResourceDeclaration():
                what, offer, findings = "Resource", *_resource(name, declaration)
            case PromptDeclaration():
                what, offer, findings = "Prompt", *_prompt(name, declaration)
            case _:
                return Built(None, ())
    except Exception as error:  # Whatever an author's types do when they are looked at.
        message = f"{name!r} cannot be read: {type(error).__name__}: {error}."
        return Built(None, (problem_at(source, message, "Correct its parameters, return type or decorator."),))
    problems = tuple(
        problem_at(
            source,
            f"{what} {name!r}: {one.message}",
            one.fix,
            kind=one.kind,
            severity="warning" if one.warning else "error",
        )
        for one in findings
    )
    return Built(offer if all(one.warning for one in findings) else None, problems)


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


def parts_of(uri: str) -> set[str]:
    """Return the names of the parts in braces of an address."""
    return set(_PART.findall(uri))


def _tool(names: ToolNames, declaration: ToolDeclaration) -> tuple[Tool, list[Finding]]:
    signature, findings = _tool_signature(declaration)
    input_schema, binder, of_arguments = (
        read_arguments(signature)
        if declaration.input_schema is None
        else read_given_arguments(signature, declaration.input_schema)
    )
    output_schema, dumper, of_result = (
        read_result(signature.returns)
        if declaration.output_schema is None
        else read_given_result(declaration.output_schema)
    )
    task_support, of_execution = _read_execution(declaration.execution)
    description = _description(declaration, signature)
    findings += [*of_arguments, *of_result, *of_execution]
    findings += [*_header_findings(input_schema), *_tool_findings(names.wire, declaration)]
    if description is None:
        findings.append(_NO_DESCRIPTION)
    facts: Json = {"title": names.title, **declaration.options, "name": names.wire, "description": description}
    tool = Tool(
        **facts,
        function=declaration.function,
        is_async=signature.is_async,
        input_schema=input_schema,
        binder=binder,
        dumper=dumper,
        output_schema=output_schema,
        source=source_of(declaration.function),
        secrets=tuple(dict.fromkeys(declaration.secrets)),
        context_parameter=signature.context_parameter,
        timeout=declaration.timeout,
        adapters=tuple(declaration.adapters),
        task_support=task_support,
        requires_auth=declaration.requires_auth,
        requires_metadata=tuple(declaration.requires_metadata),
        metadata=declaration.metadata,
        ui=declaration.ui,
        retries=declaration.retries,
        examples=tuple(declaration.examples),
        toolkit=names.toolkit,
        qualified_name=names.qualified,
        short_name=names.tool if names.toolkit is not None else "",
    )
    return tool, findings


def _tool_signature(declaration: ToolDeclaration) -> tuple[Signature, list[Finding]]:
    return read_signature(
        declaration.function,
        declaration.names,
        has_input_schema=declaration.input_schema is not None,
        has_output_schema=declaration.output_schema is not None,
    )


def _resource(name: str, declaration: ResourceDeclaration) -> tuple[Resource | ResourceTemplate, list[Finding]]:
    uri = declaration.uri
    signature, findings = read_signature(declaration.function, declaration.names)
    parts = parts_of(uri)
    findings += _address_findings(uri, parts, signature)
    facts: Json = {
        **declaration.options,
        "name": name,
        "description": _description(declaration, signature),
        "read": Callback(declaration.function, signature.is_async, signature.context_parameter),
        "source": source_of(declaration.function),
    }
    completions, of_completions = read_completions(parts, declaration.completions)
    findings += of_completions
    if not parts:
        return Resource(uri=uri, **facts), findings
    facts.pop("size", None)
    binder = text_binder(signature.parameters)
    return ResourceTemplate(uri_template=uri, binder=binder, completions=completions, **facts), findings


def _prompt(name: str, declaration: PromptDeclaration) -> tuple[Prompt, list[Finding]]:
    signature, findings = read_signature(declaration.function, declaration.names)
    _, _, of_arguments = read_arguments(signature)
    arguments = tuple(_prompt_argument(one, signature) for one in signature.parameters)
    completions, of_completions = read_completions((one.name for one in arguments), declaration.completions)
    facts: Json = {**declaration.options, "name": name, "description": _description(declaration, signature)}
    prompt = Prompt(
        **facts,
        render=Callback(declaration.function, signature.is_async, signature.context_parameter),
        arguments=arguments,
        binder=text_binder(signature.parameters),
        source=source_of(declaration.function),
        completions=completions,
    )
    return prompt, [*findings, *of_arguments, *of_completions]


_NO_DESCRIPTION = Finding(
    "It has no description, so a model cannot know when to use it.",
    "Write a docstring, or give `desc=` to the decorator.",
    warning=True,
)


def _description(declaration: Declaration, signature: Signature) -> str | None:
    return declaration.options.get("description") or signature.docstring.description or None


def _tool_findings(name: str, declaration: ToolDeclaration) -> Iterable[Finding]:
    if not _TOOL_NAME.fullmatch(name):
        yield Finding(
            "Clients refuse this name: it may hold 1 to 128 letters of a to z, digits, `_`, `-` and `.`.",
            'Give it another name with `@tool(name="...")`.',
        )
    if isinstance(declaration.secrets, str) or not all(isinstance(key, str) and key for key in declaration.secrets):
        yield Finding("The secrets must be a list of keys.", 'Write `requires_secrets=["API_KEY"]`.')
    if declaration.timeout is not None and not _is_duration(declaration.timeout):
        yield Finding(f"The timeout {declaration.timeout!r} is no number of seconds above zero.", "Correct it.")
    for adapter in declaration.adapters:
        if not callable(getattr(adapter, "from_exception", None)):
            message = f"The adapter {type(adapter).__name__} has no method from_exception."
            yield Finding(message, "Give it `slug` and `from_exception(error)`.")


def _read_execution(execution: Any) -> tuple[TaskSupport, list[Finding]]:
    """Read `execution` of `@tool`. Source: 2025-11-25, basic/utilities/tasks, tool-level negotiation."""
    match execution:
        case None:
            return "forbidden", []
        case {"taskSupport": "forbidden" | "optional" | "required" as support} if len(execution) == 1:
            return support, []
    fix = 'Write `execution={"taskSupport": "optional"}`, or "required" or "forbidden".'
    return "forbidden", [Finding(f"Its execution is {execution!r}, which clients would not understand.", fix)]


def _header_findings(input_schema: Json) -> Iterable[Finding]:
    for problem in header_parameters(input_schema)[1]:
        yield Finding(
            f"HTTP clients would leave this tool out: {problem}.",
            "Give each header a name of its own of letters, digits and `-`, on a parameter that is a str, int or bool.",
            ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA,
        )


def _is_duration(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


def _address_findings(uri: str, parts: set[str], signature: Signature) -> list[Finding]:
    findings = []
    if not re.match(r"[A-Za-z][A-Za-z0-9+.\-]*:", uri):
        findings.append(Finding(f"The address {uri!r} has no scheme.", "Write it like `notes://today`."))
    if "{" in _PART.sub("", uri) or "}" in _PART.sub("", uri):
        findings.append(Finding(f"The address {uri!r} has a brace that is no part.", "Write parts as `{name}`."))
    taken = {one.name for one in signature.parameters}
    findings += [
        Finding(f"The function does not take the part {part!r} of the address.", f"Add the parameter `{part}: str`.")
        for part in sorted(parts - taken)
    ]
    findings += [
        Finding(f"The address has no part for the parameter {one.name!r}.", f"Add `{{{one.name}}}` to the address.")
        for one in signature.parameters
        if one.name not in parts and not has_default(one)
    ]
    return findings


def _prompt_argument(parameter: Parameter, signature: Signature) -> PromptArgument:
    required = not has_default(parameter) and not accepts_null(parameter.annotation)
    texts = [one for one in getattr(parameter.annotation, "__metadata__", ()) if isinstance(one, str)]
    described = [
        one.description for one in getattr(parameter.annotation, "__metadata__", ()) if hasattr(one, "description")
    ]
    description = next(iter(texts + described), None) or signature.docstring.parameters.get(parameter.name)
    return PromptArgument(parameter.name, description=description, required=required)
