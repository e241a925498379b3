"""A generation of a project as JSON values, for terminals: its definitions, with their sources."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from server_core.catalog.definitions import (
        PromptDefinition,
        ResourceDefinition,
        ResourceTemplateDefinition,
        Source,
        Tool,
    )
    from server_core.catalog.identity import Identity
    from server_core.loading.project import Generation

# The maximum number of skipped files in a description.
MAX_SKIPPED = 200


def describe_catalog(identity: "Identity", generation: "Generation | None") -> dict[str, Any]:
    """Return the result of `catalog/get`; `generation` is None before the first load, and for a relay."""
    if generation is None:
        return {
            "generation": 0,
            "ok": True,
            "identity": _identity(identity),
            **{part: [] for part in ("tools", "resources", "templates", "prompts", "problems", "reloaded", "skipped")},
            "changes": None,
            "duration_ms": 0.0,
        }
    catalog = generation.catalog
    return {
        "generation": generation.number,
        "ok": generation.ok,
        "identity": _identity(generation.identity),
        "tools": [_tool(tool) for tool in catalog.tools.values()],
        "resources": _definitions(catalog.resources.values()),
        "templates": _definitions(catalog.templates),
        "prompts": _definitions(catalog.prompts.values()),
        "problems": [problem.to_json() for problem in generation.problems],
        "changes": generation.changes.to_json(),
        "reloaded": list(generation.reloaded),
        "skipped": [{"file": str(path), "reason": reason} for path, reason in generation.skipped[:MAX_SKIPPED]],
        "duration_ms": generation.duration_ms,
    }


def _definitions(
    parts: "Iterable[ResourceDefinition | ResourceTemplateDefinition | PromptDefinition]",
) -> list[dict[str, Any]]:
    return [_definition(part) for part in parts]


def _tool(tool: "Tool") -> dict[str, Any]:
    return {
        **_definition(tool),
        "short_name": tool.short_name,
        "secrets": list(tool.secrets),
        "account": None if tool.requires_auth is None else tool.requires_auth.account,
        "metadata_keys": list(tool.requires_metadata),
        "timeout": tool.timeout,
        "retries": tool.retries,
        "ui": tool.ui,
    }


def _definition(part: "Tool | ResourceDefinition | ResourceTemplateDefinition | PromptDefinition") -> dict[str, Any]:
    return {**part.definition, "source": _source(part.source)}


def _source(source: "Source | None") -> dict[str, Any] | None:
    return None if source is None else {"file": source.file, "line": source.line}


def _identity(identity: "Identity") -> dict[str, Any]:
    return {
        "name": identity.name,
        "version": identity.version,
        "title": identity.title,
        "instructions": identity.instructions,
    }
