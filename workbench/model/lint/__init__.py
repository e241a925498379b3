"""Check the offers of a server for models and their clients: likely problems, and the cost in tokens.

All checks read the definitions as they are on the wire, so other servers can be checked as well.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.model.json_members import objects_in
from workbench.model.lint import behaviour, clients, cost, descriptions, names, prose, sizes
from workbench.model.lint.cost import Cost, definition_tokens, result_tokens
from workbench.model.lint.finding import Finding, Json, Rule

__all__ = ["Cost", "Finding", "LintReport", "definition_tokens", "lint", "result_tokens"]

# The rules for each item in a part of a catalog.
_RULES: Mapping[str, Sequence[Rule]] = {
    "tools": (
        names.tool_name,
        names.parameter_names,
        descriptions.tool_description,
        descriptions.parameter_descriptions,
        prose.limits_in_prose,
        clients.root_schema,
        clients.refused_keywords,
        clients.references,
        sizes.schema_size,
        clients.output_schema,
        behaviour.contradicting_hints,
        behaviour.refused_values,
        cost.large_definition,
    ),
    "resources": (descriptions.resource_description,),
    "templates": (descriptions.resource_description,),
    "prompts": (descriptions.argument_descriptions,),
}
_OF_ALL_TOOLS = (names.similar_names, behaviour.missing_hints, cost.many_tools)


@dataclass(frozen=True, slots=True)
class LintReport:
    """The result of the checks."""

    findings: tuple[Finding, ...]  # warnings before advice, each in the order of the server's lists
    costs: tuple[Cost, ...]  # the most expensive tool first

    @property
    def tokens(self) -> int:
        """The approximate number of tokens in all definitions of tools."""
        return sum(cost.tokens for cost in self.costs)


def lint(catalog: Mapping[str, Any]) -> LintReport:
    """Return the findings and costs for the offers of a server.

    Args:
        catalog: the definitions: `tools`, `resources`, `templates` and `prompts`, each a list; from our own core,
            `source` is the place of the declaration, `short_name` the name within the toolkit, and `problems` are the
            problems of the load.
    """
    tools = objects_in(catalog, "tools")
    reported = {
        (problem.get("file"), problem.get("line"))
        for problem in objects_in(catalog, "problems")
        if _is_undescribed(problem)
    }
    findings = [
        finding.with_source(definition.get("source"))
        for part, rules in _RULES.items()
        for definition in objects_in(catalog, part)
        for rule in rules
        for finding in rule(definition)
    ]
    findings += [finding for rule in _OF_ALL_TOOLS for finding in rule(tools)]
    # Our own core has already reported a missing description, as a problem of the load.
    findings = [
        finding
        for finding in findings
        if finding.rule != "missing-description" or (finding.file, finding.line) not in reported
    ]
    ordered = sorted(dict.fromkeys(findings), key=lambda finding: finding.severity != "warning")
    return LintReport(tuple(ordered), tuple(cost.costs(tools)))


def _is_undescribed(problem: Json) -> bool:
    return "missing a description" in str(problem.get("message"))
