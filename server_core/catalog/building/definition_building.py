"""Build the tool, resource, template or prompt of a declaration, or the problems that prevent it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from server_core.catalog.building.prompt_building import build_prompt
from server_core.catalog.building.resource_building import build_resource
from server_core.catalog.building.signature import DefinitionFinding
from server_core.catalog.building.source_lines import source_of, source_of_part
from server_core.catalog.building.tool_building import build_tool
from server_core.catalog.declarations import Declaration, PromptDeclaration, ResourceDeclaration, ToolDeclaration
from server_core.catalog.definitions import PromptDefinition, ResourceDefinition, ResourceTemplateDefinition, Tool
from server_core.catalog.naming import ToolNames
from server_core.catalog.problems import Problem, problem_at
from server_core.runtime.safe_text import class_name, safe_str

Offer: TypeAlias = Tool | ResourceDefinition | ResourceTemplateDefinition | PromptDefinition


@dataclass(frozen=True)
class BuildResult:
    """The result of building a declaration."""

    offer: Offer | None  # the definition; None when an error prevents it
    problems: tuple[Problem, ...]


def build(declaration: Declaration, names: ToolNames | None = None) -> BuildResult:
    """Return the definition of a declaration; every error becomes a problem, never an exception.

    Args:
        names: the names and the toolkit of a tool; by default the name that its author gave it.
    """
    names = names or ToolNames.plain(declaration.name)
    name = names.wire
    try:
        kind: str
        offer: Offer | None
        match declaration:
            case ToolDeclaration():
                kind, offer, findings = "Tool", *build_tool(names, declaration)
            case ResourceDeclaration():
                kind, offer, findings = "Resource", *build_resource(name, declaration, names.toolkit)
            case PromptDeclaration():
                kind, offer, findings = "Prompt", *build_prompt(name, declaration)
            case _:
                return BuildResult(None, ())
    except BaseException as error:  # Inspecting an author's types may run any code; it may even raise SystemExit.
        kind, offer = type(declaration).__name__.removesuffix("Declaration"), None
        message = f"It cannot be inspected: {class_name(type(error))}: {safe_str(error)}."
        findings = [DefinitionFinding(message, "Correct its parameters, return type or decorator.")]
    problems = tuple(_problem(finding, kind, names, declaration.function) for finding in findings)
    return BuildResult(offer if all(finding.warning for finding in findings) else None, problems)


def _problem(finding: DefinitionFinding, kind: str, names: ToolNames, function: Callable[..., Any]) -> Problem:
    includes_name = finding.message.startswith((f"{kind} {names.wire!r}", f"{kind} {names.tool!r}"))
    return problem_at(
        source_of_part(function, finding.part) if finding.part else source_of(function),
        finding.message if includes_name else f"{kind} {names.wire!r}: {finding.message}",
        finding.fix,
        kind=finding.kind,
        severity="warning" if finding.warning else "error",
        subject=getattr(function, "__name__", names.wire),
        text=finding.message,
    )
