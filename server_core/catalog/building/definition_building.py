"""One declaration -> the tool, resource, template or prompt that it declares, or the problems that prevent it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from server_core.catalog.building.prompt_building import build_prompt
from server_core.catalog.building.resource_building import build_resource
from server_core.catalog.building.signature import Finding
from server_core.catalog.building.source_lines import source_of, source_of_part
from server_core.catalog.building.tool_building import build_tool
from server_core.catalog.declarations import Declaration, PromptDeclaration, ResourceDeclaration, ToolDeclaration
from server_core.catalog.definitions import Prompt, Resource, ResourceTemplate, Tool
from server_core.catalog.naming import ToolNames
from server_core.catalog.problems import Problem, problem_at
from server_core.runtime.safe_text import class_name, readable

Offer: TypeAlias = Tool | Resource | ResourceTemplate | Prompt


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
        names: what the tool is called, where it is one, and the toolkit that it belongs to; its author's name when
            not given.
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
                what, offer, findings = "Resource", *build_resource(name, declaration, names.toolkit)
            case PromptDeclaration():
                what, offer, findings = "Prompt", *build_prompt(name, declaration)
            case _:
                return Built(None, ())
    except BaseException as error:  # Whatever an author's types do when they are looked at, SystemExit among it.
        what, offer = type(declaration).__name__.removesuffix("Declaration"), None
        message = f"It cannot be read: {class_name(type(error))}: {readable(error)}."
        findings = [Finding(message, "Correct its parameters, return type or decorator.")]
    problems = tuple(_problem(one, what, names, declaration.function) for one in findings)
    return Built(offer if all(one.warning for one in findings) else None, problems)


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
