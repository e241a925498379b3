"""The annotations and the `_meta` of a tool: hints for clients, and facts for orchestrators.

Requirements and metadata are in `_meta.arcade`, where orchestrators for Arcade's servers expect them.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from server_core.auth.requirement import AuthRequirement
from server_core.metadata import ToolMetadata

Json: TypeAlias = dict[str, Any]


def annotations_of(title: str | None, metadata: ToolMetadata | None, given: Json | None) -> Json | None:
    """Return the annotations of a tool; None when there are none.

    Args:
        title: its display name, which clients of 2025-03-26 read from the annotations.
        metadata: its behavior determines the hints.
        given: the annotations that its author wrote, which take precedence.

    Source: server/tools, ToolAnnotations.
    """
    behavior = metadata.behavior if metadata is not None else None
    title_member = {"title": title} if title else {}
    return {**title_member, **(behavior.hints() if behavior else {}), **(given or {})} or None


def meta_of(
    given: Json | None,
    *,
    auth: AuthRequirement | None,
    secrets: Sequence[str],
    metadata_keys: Sequence[str],
    metadata: ToolMetadata | None,
    ui: str | None,
) -> Json | None:
    """Return the `_meta` of a tool; None when it is empty.

    Args:
        given: the `_meta` that its author wrote.
        auth: the account that it acts with.
        secrets: the keys of the secrets that it declares.
        metadata_keys: the keys of the caller's metadata that it declares.
        metadata: its classification and behavior.
        ui: the URI of the resource that displays it.
    """
    requirements = _given_members(
        authorization=auth and _without_none(auth.to_json()),
        secrets=[{"key": key} for key in secrets],
        metadata=[{"key": key} for key in metadata_keys],
    )
    arcade = _given_members(requirements=requirements, metadata=metadata and metadata.to_json())
    meta = {**(given or {}), **_given_members(arcade=arcade)}
    if ui is not None:
        own = meta.get("ui")
        meta["ui"] = {**(own if isinstance(own, dict) else {}), "resourceUri": ui}
    return meta or None


def _given_members(**members: Any) -> Json:
    return {name: value for name, value in members.items() if value}


def _without_none(value: Json) -> Json:
    return {name: member for name, member in value.items() if member is not None}
