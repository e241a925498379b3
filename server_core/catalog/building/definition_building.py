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
from server_core.runtime.safe_text import call_safely, class_name, safe_str

Offer: TypeAlias = Tool | ResourceDefinition | ResourceTemplateDefinition | PromptDefinition


@dataclass(frozen=True)
class BuildResult:
    """The result of building a declaration."""

    offer: Offer | None  # the definition; None when an error prevents it
    problems: tuple[Problem, ...]


def build(declaration: Declaration, names: ToolNames | None = None) -> BuildResult:
    """Return the definition of a declaration, by default with its own name; every error becomes a problem."""
    own_names = names or ToolNames.plain(declaration.name)
    # Inspecting an author's types may run any code.
    offer, findings = call_safely(lambda: _inspect(declaration, own_names), _describe_failure)
    kind = type(declaration).__name__.removesuffix("Declaration")
    problems = tuple(_problem(finding, kind, own_names, declaration.function) for finding in findings)
    return BuildResult(offer if all(finding.warning for finding in findings) else None, problems)


def _inspect(declaration: Declaration, names: ToolNames) -> tuple[Offer | None, list[DefinitionFinding]]:
    match declaration:
        case ToolDeclaration():
            return build_tool(names, declaration)
        case ResourceDeclaration():
            return build_resource(names.wire, declaration, names.toolkit)
        case PromptDeclaration():
            return build_prompt(names.wire, declaration)
        case _:
            return None, []


def _describe_failure(error: BaseException) -> tuple[None, list[DefinitionFinding]]:
    message = f"It cannot be inspected: {class_name(type(error))}: {safe_str(error)}."
    return None, [DefinitionFinding(message, "Correct its parameters, return type or decorator.")]


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
