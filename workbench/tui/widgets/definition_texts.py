"""The parts of a definition that are shown as text: what changed, the cost, the parameters, the findings."""

from collections.abc import Sequence
from typing import Any

from textual.content import Content

from workbench.model.catalog import Offer, OfferKind
from workbench.model.definitions.change import DefinitionChange, Verdict, verdict_text
from workbench.model.definitions.parameters import SchemaParameter, parameters
from workbench.model.describe import json_text, plural
from workbench.model.json_members import object_in
from workbench.model.lint import Finding, definition_tokens
from workbench.model.markdown_text import markdown_lines
from workbench.model.short_text import escaped
from workbench.model.traffic.json_document import JsonDocument
from workbench.tui.colours import BAD, GOOD, KEY, MARKDOWN, MUTED, STRONG, WARN
from workbench.tui.key_bindings import key_for
from workbench.tui.reload_texts import change_text
from workbench.tui.widgets.sections import Section

# How many changes, parameters and findings are listed; the JSON below has all parameters.
_MAX_LISTED = 100
# Characters of the description of a parameter.
_MAX_DESCRIPTION = 5000
_JSON_PARTS = {
    "inputSchema": "input schema",
    "arguments": "arguments",
    "outputSchema": "output schema",
    "annotations": "annotations",
    "execution": "execution",
    "icons": "icons",
    "_meta": "_meta",
}


def changes_content(changes: Sequence[DefinitionChange]) -> Content:
    """Return what the last reload changed, with the verdict; empty without changes."""
    if not changes:
        return Content("")
    colour = BAD if any(change.is_breaking for change in changes) else GOOD
    # The heading has the only verdict; where there are several, each change has its own.
    has_verdict = len({change.verdict for change in changes} - {Verdict.NONE}) > 1
    lines = [change_text(change, has_verdict=has_verdict) for change in changes[:_MAX_LISTED]]
    return Content.assemble((f"Changed by the last reload: {verdict_text(changes)}", colour), *lines, *_more(changes))


def facts_content(offer: Offer) -> Content:
    """Return the place of the declaration, and the number of tokens in every request to a model."""
    parts: list[tuple[str, str]] = []
    source = object_in(offer.definition, "source")
    if source.get("file"):
        parts.append((f"{escaped(str(source['file']))}:{source.get('line')}", KEY))
        parts.append((f"  {key_for('edit_source', 'tools')} opens it in your editor", MUTED))
    if offer.kind is OfferKind.TOOL:
        tokens = f"about {definition_tokens(offer.definition):,} tokens in every request to a model"
        parts.append((f"{chr(10) if parts else ''}{tokens}", ""))
    if mime := offer.definition.get("mimeType"):
        parts.append((f"{chr(10) if parts else ''}MIME type {escaped(str(mime))}", ""))
    return Content.assemble(*parts)


def parameters_content(offer: Offer) -> Content:
    """Return the parameters: name, type, limits and default in a line, and the description below."""
    all_parameters = parameters(offer.schema)
    if not all_parameters:
        return Content.styled("No parameters.", MUTED)
    parts: list[tuple[str, str]] = [("Parameters", STRONG)]
    for parameter in all_parameters[:_MAX_LISTED]:
        parts += _parameter(parameter)
    return Content.assemble(*parts, *_more(all_parameters))


def findings_content(findings: Sequence[Finding]) -> Content:
    """Return the findings of the checks about this offer, each with its fix; empty without findings."""
    parts: list[tuple[str, str]] = []
    for finding in findings[:_MAX_LISTED]:
        sign, colour = ("!", WARN) if finding.severity == "warning" else ("·", MUTED)
        parts.append((f"\n{sign} {escaped(finding.message)}", colour))
        parts.append((f"\n  → {escaped(finding.fix)}", GOOD))
    return Content.assemble((plural(len(findings), "finding"), STRONG), *parts) if findings else Content("")


def json_sections(definition: dict[str, Any]) -> list[Section]:
    """Return the parts of a definition that are shown as JSON, each under its name."""
    return [
        Section(heading, JsonDocument(json_text(definition[member]).encode("utf-8", "replace")))
        for member, heading in _JSON_PARTS.items()
        if definition.get(member)
    ]


def _parameter(parameter: SchemaParameter) -> list[tuple[str, str]]:
    default = f"default {parameter.default}" if parameter.default else ""
    need = "required" if parameter.is_required else "optional"
    facts = " · ".join(filter(None, (need, *map(escaped, parameter.limits), default)))
    parts = [(f"\n{escaped(parameter.name)}", KEY), (f"  {parameter.type}", ""), (f"  {facts}", MUTED)]
    for line in markdown_lines(parameter.description[:_MAX_DESCRIPTION]):
        parts += [("\n  ", ""), *((text, MARKDOWN[style]) for text, style in line)]
    return parts


def _more(items: Sequence[object]) -> list[tuple[str, str]]:
    return [(f"\nand {len(items) - _MAX_LISTED:,} more", MUTED)] if len(items) > _MAX_LISTED else []
