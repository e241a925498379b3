"""Assemble a catalog from declarations, and collect every problem.

A declaration with an error is left out without affecting the others. Disabled tools are not built at all.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from server_core.catalog.building.completion_sources import read_completions
from server_core.catalog.building.definition_building import BuildResult, Offer, build
from server_core.catalog.building.source_lines import source_of
from server_core.catalog.building.tool_options import ui_resource_of
from server_core.catalog.catalog import Catalog
from server_core.catalog.declarations import CompletionDeclaration, Declaration, ToolDeclaration
from server_core.catalog.definitions import (
    PromptDefinition,
    ResourceDefinition,
    ResourceTemplateDefinition,
    Source,
    Tool,
)
from server_core.catalog.naming import Naming, ToolNames
from server_core.catalog.problems import Problem, problem_at
from server_core.catalog.toolkit import Toolkit
from server_core.errors import ErrorKind
from server_core.runtime.suggestions import closest_name


class Assembler:
    """Assemble successive catalogs; each declaration is built only once."""

    def __init__(self, naming: Naming | None = None) -> None:
        self._naming = naming or Naming()
        self._built: dict[tuple[Declaration, ToolNames], BuildResult] = {}

    def assemble(self, declarations: Iterable[Declaration]) -> tuple[Catalog, tuple[Problem, ...]]:
        """Return the catalog of these declarations, in their order, and their problems; duplicates are ignored."""
        unique = list(dict.fromkeys(declarations))
        names: dict[Declaration, ToolNames] = {
            declaration: self._naming.names_of(declaration)
            for declaration in unique
            if isinstance(declaration, ToolDeclaration)
        }
        disabling = {
            declaration: self._naming.entries_that_disable(tool_names) for declaration, tool_names in names.items()
        }
        offered = [declaration for declaration in unique if not disabling.get(declaration)]
        keys = dict.fromkeys(self._declarations_to_build(offered, names))
        # The results of declarations that no longer exist are dropped.
        self._built = {key: self._built.get(key) or build(*key) for key in keys}
        assembly = _Assembly(self._unused_entry_problems(set().union(*disabling.values()), names.values()))
        for result in self._built.values():
            assembly.add(result)
        # After everything else: a completion may be declared before its prompt.
        for declaration in unique:
            if isinstance(declaration, CompletionDeclaration):
                assembly.complete(declaration)
        return assembly.catalog(), tuple(assembly.problems)

    def _declarations_to_build(
        self, offered: Sequence[Declaration], names: Mapping[Declaration, ToolNames]
    ) -> Iterator[tuple[Declaration, ToolNames]]:
        """Yield the declarations to build, with their names; a resource that displays a tool belongs to its toolkit."""
        ui_resources = {
            declaration: ui_resource_of(declaration.options.get("ui"))
            for declaration in offered
            if isinstance(declaration, ToolDeclaration)
        }
        for declaration in offered:
            if isinstance(declaration, ToolDeclaration):
                yield declaration, names[declaration]
                if (resource := ui_resources[declaration]) is not None:
                    yield resource, _plain_names(names[declaration].toolkit, resource)
            elif declaration not in ui_resources.values():
                yield declaration, _plain_names(self._naming.toolkit, declaration)

    def _unused_entry_problems(self, used: Collection[str], all_names: Iterable[ToolNames]) -> list[Problem]:
        """Return a warning for each entry that disables nothing: a misspelt entry leaves its tool enabled."""
        tools = {name for tool_names in all_names for name in (tool_names.wire, tool_names.qualified) if name}
        toolkits = {tool_names.toolkit.pascal_name for tool_names in all_names if tool_names.toolkit is not None}
        lists = (
            ("ARCADE_DISABLED_TOOLS", "tool", self._naming.disabled_tools, tools),
            ("ARCADE_DISABLED_TOOLKITS", "toolkit", self._naming.disabled_toolkits, toolkits),
        )
        return [
            _unused_entry_problem(variable, kind, entry, known)
            for variable, kind, entries, known in lists
            for entry in entries
            if entry not in used
        ]


def _plain_names(toolkit: Toolkit | None, declaration: Declaration) -> ToolNames:
    return replace(ToolNames.plain(declaration.name), toolkit=toolkit)


@dataclass
class _Assembly:
    problems: list[Problem] = field(default_factory=list)
    tools: dict[str, Tool] = field(default_factory=dict)
    resources: dict[str, ResourceDefinition] = field(default_factory=dict)
    templates: dict[str, ResourceTemplateDefinition] = field(default_factory=dict)
    prompts: dict[str, PromptDefinition] = field(default_factory=dict)

    def catalog(self) -> Catalog:
        return Catalog(self.tools, self.resources, tuple(self.templates.values()), self.prompts)

    def add(self, result: BuildResult) -> None:
        self.problems.extend(result.problems)
        match result.offer:
            case Tool() as tool:
                self._add_offer(self.tools, tool.name, tool, "tool")
            case ResourceDefinition() as resource:
                self._add_offer(self.resources, resource.uri, resource, "resource")
            case ResourceTemplateDefinition() as template:
                self.problems += self._unreachable_problems(template)
                self._add_offer(self.templates, template.uri_template, template, "resource template")
            case PromptDefinition() as prompt:
                self._add_offer(self.prompts, prompt.name, prompt, "prompt")

    def complete(self, declaration: CompletionDeclaration) -> None:
        subject, argument, source = declaration.subject, declaration.argument, source_of(declaration.function)
        functions = {argument: declaration.function}
        if (prompt := self.prompts.get(subject)) is not None:
            completions, findings = read_completions((argument.name for argument in prompt.arguments), functions)
            self.prompts[subject] = replace(prompt, completions={**prompt.completions, **completions})
        elif (template := self.templates.get(subject)) is not None:
            completions, findings = read_completions(template.template.variables, functions)
            self.templates[subject] = replace(template, completions={**template.completions, **completions})
        else:
            message = f"The completion for {subject!r} matches no prompt and no resource template."
            self.problems.append(problem_at(source, message, "Name the prompt, or the template's whole URI."))
            return
        self.problems += [
            problem_at(source, f"Completion of {subject!r}: {finding.message}", finding.fix) for finding in findings
        ]

    def _unreachable_problems(self, template: ResourceTemplateDefinition) -> Iterator[Problem]:
        """Yield a warning when an earlier template matches all of its URIs."""
        earlier = (other for uri, other in self.templates.items() if uri != template.uri_template)
        covering = next((other for other in earlier if other.template.covers(template.template)), None)
        if covering is not None:
            yield problem_at(
                template.source,
                f"Resource template {template.uri_template!r} is never used: all of its URIs also match "
                f"{covering.uri_template!r}, which comes first.",
                "Put this template before the other, or change one of the URIs.",
                severity="warning",
            )

    def _add_offer(self, served: dict[str, Any], name: str, offer: Offer, kind: str) -> None:
        if name not in served:
            served[name] = offer
            return
        source: Source | None = served[name].source
        position = f" at {source.file}:{source.line}" if source else ""
        subject = ""
        clash = f"There are two {kind}s {name!r}."
        if isinstance(offer, Tool):
            clash = clash_message(offer)
            subject = offer.toolkit.name if offer.toolkit is not None else ""
        self.problems.append(
            problem_at(
                offer.source,
                f"{clash} The first is{position}, and only the first is served.",
                f"Give this {kind} another name.",
                kind=ErrorKind.TOOLKIT_LOAD_FAILED,
                subject=subject,
                text=clash,
            )
        )


def clash_message(tool: Tool) -> str:
    if tool.toolkit is None:
        return f"Tool {tool.name!r} already exists in the catalog."
    return f"Tool {tool.short_name!r} in server {tool.toolkit.name!r} already exists in the catalog."


def _unused_entry_problem(variable: str, kind: str, entry: str, known: Iterable[str]) -> Problem:
    close = closest_name(entry, known)
    return problem_at(
        None,
        f"{variable} names the {kind} {entry!r}, which does not exist, so it disables nothing.",
        f"Write {close!r} if that is meant, or remove the entry." if close else "Correct the entry, or remove it.",
        severity="warning",
    )
