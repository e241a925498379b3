"""The base class of tools, resources, templates and prompts: a definition, adapted to the revision of each client.

Source: the schemas of the five revisions: Tool, Resource, ResourceTemplate, Prompt, PromptArgument.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar, TypeAlias

from server_core.protocol.revisions import Revision

Json: TypeAlias = dict[str, Any]
Reviser: TypeAlias = Callable[[Any, Revision], Any]
"""The value of a member, and a revision -> the value for that revision, or None to leave the member out."""


def _only_if(has: Callable[[Revision], bool]) -> Reviser:
    return lambda value, revision: value if has(revision) else None


def _output_schema(schema: Json, revision: Revision) -> Json | None:
    # Before 2026-07-28 structured content is always an object, and so is the root of its schema.
    if revision.any_structured_content or (revision.structured_content and schema.get("type") == "object"):
        return schema
    return None


def _prompt_arguments(arguments: list[Json], revision: Revision) -> list[Json]:
    if revision.titles or not any("title" in argument for argument in arguments):
        return arguments
    return [{name: value for name, value in argument.items() if name != "title"} for argument in arguments]


_DISPLAY_MEMBERS: Mapping[str, Reviser] = {
    "title": _only_if(attrgetter("titles")),
    "icons": _only_if(attrgetter("icons")),
}

RESOURCE_MEMBERS = _DISPLAY_MEMBERS
PROMPT_MEMBERS: Mapping[str, Reviser] = {**_DISPLAY_MEMBERS, "arguments": _prompt_arguments}
TOOL_MEMBERS: Mapping[str, Reviser] = {
    **_DISPLAY_MEMBERS,
    "annotations": _only_if(attrgetter("annotations")),
    "outputSchema": _output_schema,
    "execution": _only_if(attrgetter("core_tasks")),
}


class CatalogEntry:
    members: ClassVar[Mapping[str, Reviser]]  # the members of its definition that not every revision has

    @property
    def definition(self) -> Json:
        """The entry of the list with all of its members, except those that are not set."""
        raise NotImplementedError

    def definition_for(self, revision: Revision) -> Json:
        """Return the entry of the list for a client of this revision; cached."""
        entry = self._definitions.get(revision.date)
        if entry is None:
            entry = self._definitions[revision.date] = revise(self.definition, self.members, revision)
        return entry

    @cached_property
    def _definitions(self) -> dict[str, Json]:
        return {}


def revise(definition: Json, members: Mapping[str, Reviser], revision: Revision) -> Json:
    """Return a definition with the members that a revision has; the same object if it has all of them."""
    revised_members = {
        name: members[name](value, revision) if name in members else value for name, value in definition.items()
    }
    if all(revised_members[name] is value for name, value in definition.items()):
        return definition
    return {name: value for name, value in revised_members.items() if value is not None}
