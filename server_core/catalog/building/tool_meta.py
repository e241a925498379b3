"""What clients are told of a tool besides its schemas: hints for them, and facts for whoever orchestrates tools.

Requirements and metadata stand under `_meta.arcade`, where orchestrators that know Arcade's servers look for them.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from server_core.auth.requirement import AuthRequirement
from server_core.metadata import ToolMetadata

Json: TypeAlias = dict[str, Any]


def annotations_of(title: str | None, metadata: ToolMetadata | None, given: Json | None) -> Json | None:
    """Return the annotations of a tool; None when there is nothing to tell.

    Args:
        title: its name for people; where clients of 2025-03-26 look for it.
        metadata: its behavior says the hints.
        given: what its author gave as annotations, which counts before the others.

    Source: server/tools, ToolAnnotations.
    """
    behavior = metadata.behavior if metadata is not None else None
    told = {"title": title} if title else {}
    return {**told, **(behavior.hints() if behavior else {}), **(given or {})} or None


def meta_of(
    given: Json | None,
    *,
    auth: AuthRequirement | None,
    secrets: Sequence[str],
    metadata_keys: Sequence[str],
    metadata: ToolMetadata | None,
    ui: str | None,
) -> Json | None:
    """Return the `_meta` of a tool; None when there is nothing to tell.

    Args:
        given: what its author gave as `_meta`.
        auth: the account that it acts with.
        secrets: the keys of the secrets that it declares.
        metadata_keys: the keys of the facts about the caller that it declares.
        metadata: what it is about and what it does.
        ui: the address of the resource that shows it to people.
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
    return {name: one for name, one in value.items() if one is not None}
