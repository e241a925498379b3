"""Check the hints of a tool about its behaviour, and values that its own schema rejects."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from server_core.protocol.json_schema import DEFINITIONS
from workbench.model.json_members import text_in
from workbench.model.lint.finding import Finding, Json, advice, schema_of, warning
from workbench.model.lint.schema_walk import describe_place, placed_subschemas

# The limit of names in one finding.
_NAMED = 8
_CHANGES = re.compile(r"(?:^|[_.\-])(?:delete|remove|drop|destroy|purge|send|write|update|create|set)(?:$|[_.\-])")


def contradicting_hints(tool: Json) -> Iterator[Finding]:
    """Find hints that contradict each other or the name. Source: server/tools, ToolAnnotations."""
    name = text_in(tool, "name")
    annotations = tool.get("annotations")
    declared = annotations if isinstance(annotations, dict) else {}
    if declared.get("readOnlyHint") is True:
        if declared.get("destructiveHint") is True:
            yield warning(
                "contradicting-hints",
                f"Tool {name!r} is annotated both as read-only and as destructive.",
                "Keep the hint that is true.",
            )
        if _CHANGES.search(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()):
            yield advice(
                "read-only-name",
                f"Tool {name!r} is annotated as read-only, but its name suggests a change.",
                "Correct the hint or the name.",
            )


def missing_hints(tools: Sequence[Json]) -> Iterator[Finding]:
    """Find the tools without a hint whether they change anything."""
    silent = [text_in(tool, "name") for tool in tools if not _is_hinted(tool.get("annotations"))]
    if silent:
        names = ", ".join(silent[:_NAMED]) + (", ..." if len(silent) > _NAMED else "")
        yield advice(
            "missing-hints",
            f"Clients assume that these tools are destructive, since they have no hints: {names}.",
            'Give `annotations={"readOnlyHint": True}`, or `metadata=ToolMetadata(behavior=Behavior(...))`.',
            'Give each `annotations`, such as `{"readOnlyHint": true}`.',
        )


def refused_values(tool: Json) -> Iterator[Finding]:
    """Find defaults and examples that the schema itself rejects."""
    name = text_in(tool, "name")
    for place, schema in placed_subschemas(schema_of(tool)):
        given: list[Any] = [schema["default"]] if "default" in schema else []
        examples = schema.get("examples")
        given += examples if isinstance(examples, list) else []
        if given and not all(_fits(value, schema, schema_of(tool)) for value in given):
            yield warning(
                "refused-value",
                f"Tool {name!r}: the default or an example of {describe_place(place)} does not match its schema.",
                "Correct the value or the type.",
            )


def _is_hinted(annotations: Any) -> bool:
    return isinstance(annotations, dict) and any(hint in annotations for hint in ("readOnlyHint", "destructiveHint"))


def _fits(value: Any, schema: dict[str, Any], whole: dict[str, Any]) -> bool:
    from workbench.model.forms.validator import validator_for

    definitions = {keyword: whole[keyword] for keyword in DEFINITIONS if keyword in whole}
    validator = validator_for({**definitions, **schema})
    return validator is None or validator.is_valid(value)
