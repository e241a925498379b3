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
    Tool,
)
from server_core.catalog.labels import advertised_name, description_of
from server_core.catalog.naming import ToolNames
from server_core.catalog.problems import Problem, problem_at
from server_core.catalog.signature import Finding, Parameter, Signature, read_signature
from server_core.catalog.source_lines import source_of, source_of_part
from server_core.catalog.tool_building import build_tool

Json: TypeAlias = dict[str, Any]
Offer: TypeAlias = Tool | Resource | ResourceTemplate | Prompt

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
    names = names or ToolNames.plain(declaration.name)
    name = names.wire
    try:
        what: str
        offer: Offer | None
        match declaration:
            case ToolDeclaration():
                what, offer, findings = "Tool", *build_tool(names, declaration)
            case ResourceDeclaration():
                what, offer, findings = "Resource", *_resource(name, declaration)
            case PromptDeclaration():
                what, offer, findings = "Prompt", *_prompt(name, declaration)
            case _:
                return Built(None, ())
    except Exception as error:  # Whatever an author's types do when they are looked at.
        what, offer = type(declaration).__name__.removesuffix("Declaration"), None
        message = f"It cannot be read: {type(error).__name__}: {error}."
        findings = [Finding(message, "Correct its parameters, return type or decorator.")]
    problems = tuple(_problem(one, what, names, declaration.function) for one in findings)
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


def _problem(finding: Finding, what: str, names: ToolNames, function: Callable[..., Any]) -> Problem:
    says_name = finding.message.startswith((f"{what} {names.wire!r}", f"{what} {names.tool!r}"))
    return problem_at(
        source_of_part(function, finding.part) if finding.part else source_of(function),
        finding.message if says_name else f"{what} {names.wire!r}: {finding.message}",
        finding.fix,
        kind=finding.kind,
        severity="warning" if finding.warning else "error",
        subject=getattr(function, "__name__", names.wire),
        text=finding.message,
    )


def parts_of(uri: str) -> set[str]:
    """Return the names of the parts in braces of an address."""
    return set(_PART.findall(uri))


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


def _description(declaration: Declaration, signature: Signature) -> str | None:
    return declaration.options.get("description") or signature.docstring.description or None


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
    description = description_of(parameter) or signature.docstring.parameters.get(parameter.name)
    return PromptArgument(advertised_name(parameter), description=description, required=required)
