"""Check the offers of a server for models and their clients: likely problems, and the cost in tokens.

All checks read the definitions as they are on the wire, so other servers can be checked as well.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.model.catalog import OfferKind, offers
from workbench.model.json_members import objects_in
from workbench.model.lint import behaviour, clients, cost, descriptions, names, prose, sizes
from workbench.model.lint.cost import Cost, definition_tokens, result_tokens
from workbench.model.lint.finding import Finding, Json, Rule

__all__ = ["Cost", "Finding", "LintReport", "definition_tokens", "lint", "result_tokens"]

# The rules for each kind of offer.
_RULES: Mapping[OfferKind, Sequence[Rule]] = {
    OfferKind.TOOL: (
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
    OfferKind.RESOURCE: (descriptions.resource_description,),
    OfferKind.TEMPLATE: (descriptions.resource_description,),
    OfferKind.PROMPT: (descriptions.argument_descriptions,),
}
_OF_ALL_TOOLS = (names.similar_names, behaviour.missing_hints, cost.many_tools)


@dataclass(frozen=True, slots=True)
class LintReport:
    """The result of the checks."""

    findings: tuple[Finding, ...]  # warnings before advice, each in the order of the server's lists
    costs: tuple[Cost, ...]  # the most expensive tool first
    warned: frozenset[tuple[str, str]] = frozenset()  # the kinds and names of the offers with a warning

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
    by_offer = [
        (offer.key, finding.with_source(offer.definition.get("source")))
        for offer in offers(dict(catalog))
        for rule in _RULES[offer.kind]
        for finding in rule(offer.definition)
    ]
    # Our own core has already reported a missing description, as a problem of the load.
    by_offer = [
        (key, finding)
        for key, finding in by_offer
        if finding.rule != "missing-description" or (finding.file, finding.line) not in reported
    ]
    findings = [finding for _, finding in by_offer]
    are_ours = any(tool.get("source") for tool in tools)
    findings += [
        finding if are_ours else finding.with_source(None) for rule in _OF_ALL_TOOLS for finding in rule(tools)
    ]
    ordered = sorted(dict.fromkeys(findings), key=lambda finding: finding.severity != "warning")
    warned = frozenset(key for key, finding in by_offer if finding.severity == "warning")
    return LintReport(tuple(ordered), tuple(cost.costs(tools)), warned)


def _is_undescribed(problem: Json) -> bool:
    return "missing a description" in str(problem.get("message"))
