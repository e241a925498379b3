"""The annotations and the `_meta` of a tool: hints for clients, and facts for orchestrators.

Requirements and metadata are in `_meta.arcade`, where orchestrators for Arcade's servers expect them.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from server_core.auth.requirement import AuthRequirement
from server_core.metadata import ToolMetadata

Json: TypeAlias = dict[str, Any]


def annotations_of(title: str | None, metadata: ToolMetadata | None, written: Json | None) -> Json | None:
    """Return the annotations of a tool; None when there are none.

    Args:
        title: its display name, which clients of 2025-03-26 read from the annotations.
        written: the annotations that its author wrote, which take precedence.

    Source: server/tools, ToolAnnotations.
    """
    behavior = metadata.behavior if metadata is not None else None
    title_member = {"title": title} if title else {}
    return {**title_member, **(behavior.hints() if behavior else {}), **(written or {})} or None


def meta_of(
    written: Json | None,
    *,
    auth: AuthRequirement | None,
    secrets: Sequence[str],
    metadata_keys: Sequence[str],
    metadata: ToolMetadata | None,
    ui: str | None,
) -> Json | None:
    """Return the `_meta` of a tool; None when it is empty.

    Args:
        written: the `_meta` that its author wrote.
        ui: the URI of the resource that displays it.
    """
    requirements = _non_empty(
        authorization=auth and _without_none(auth.to_json()),
        secrets=[{"key": key} for key in secrets],
        metadata=[{"key": key} for key in metadata_keys],
    )
    arcade = _non_empty(requirements=requirements, metadata=metadata and metadata.to_json())
    meta = {**(written or {}), **_non_empty(arcade=arcade)}
    if ui is not None:
        ui_member = meta.get("ui")
        meta["ui"] = {**(ui_member if isinstance(ui_member, dict) else {}), "resourceUri": ui}
    return meta or None


def _non_empty(**members: Any) -> Json:
    return {name: value for name, value in members.items() if value}


def _without_none(value: Json) -> Json:
    return {name: member for name, member in value.items() if member is not None}
