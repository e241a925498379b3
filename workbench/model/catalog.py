"""The response to `catalog/get` as the terminal shows it: the offers of a server, and the state of the last load.

Servers write the definitions, so every member may be missing or have a type that the specification forbids.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from workbench.model.json_members import object_in, objects_in, text_in
from workbench.model.short_text import first_paragraph


class OfferKind(StrEnum):
    """The values are shown on the screen."""

    TOOL = "tool"
    RESOURCE = "resource"
    TEMPLATE = "template"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool, resource, template or prompt."""

    kind: OfferKind
    name: str  # in the protocol; the URI of a resource or template
    title: str  # the name if it has no title
    description: str
    definition: dict[str, Any] = field(repr=False, compare=False)  # as received

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.name

    @property
    def label(self) -> str:
        """What it is called in lists: resources have a name beside their URI."""
        return self.title if self.kind in (OfferKind.RESOURCE, OfferKind.TEMPLATE) else self.name

    @property
    def note(self) -> str:
        """What lists show beside the label: the URI of a resource, and the first paragraph of the description."""
        uri = self.name if self.label != self.name else ""
        return " · ".join(text for text in (uri, first_paragraph(self.description)) if text)

    @property
    def schema(self) -> dict[str, Any]:
        match self.kind:
            case OfferKind.TOOL:
                schema = self.definition.get("inputSchema")
                return schema if isinstance(schema, dict) else {"type": "object"}
            case OfferKind.TEMPLATE:
                # Imported late: the terminal imports this module before its first paint, for `load_state`.
                from server_core.protocol.uri_templates import UriTemplate

                names = dict.fromkeys(UriTemplate(self.name).variables)
                return _text_form([{"name": name, "required": True} for name in names])
            case OfferKind.PROMPT:
                return _text_form(objects_in(self.definition, "arguments"))
            case OfferKind.RESOURCE:
                return _text_form([])

    @property
    def examples(self) -> list[dict[str, Any]]:
        return objects_in(self.schema, "examples")

    @property
    def reference(self) -> dict[str, Any] | None:
        """The reference for `completion/complete`; None without completion. Source: server/utilities/completion."""
        match self.kind:
            case OfferKind.PROMPT:
                return {"type": "ref/prompt", "name": self.name}
            case OfferKind.TEMPLATE:
                return {"type": "ref/resource", "uri": self.name}
            case _:
                return None


def offers(catalog: dict[str, Any]) -> list[Offer]:
    """Return the offers in a response to `catalog/get`: tools, resources, templates, prompts, in the server's order."""
    return [
        _offer(kind, item, name_of)
        for kind, part, name_of in (
            (OfferKind.TOOL, "tools", "name"),
            (OfferKind.RESOURCE, "resources", "uri"),
            (OfferKind.TEMPLATE, "templates", "uriTemplate"),
            (OfferKind.PROMPT, "prompts", "name"),
        )
        for item in objects_in(catalog, part)
    ]


def is_destructive(definition: Mapping[str, Any]) -> bool:
    """Return whether a tool may destroy data. Source: schema, ToolAnnotations: the hint is void if it only reads."""
    annotations = object_in(definition, "annotations")
    return annotations.get("destructiveHint") is True and annotations.get("readOnlyHint") is not True


OWN_MEMBERS = frozenset({"source", "short_name", "secrets", "account", "metadata_keys", "timeout", "retries", "ui"})
"""The members of a definition that are not in the protocol: our core adds them for its terminals."""


def without_own_members(definition: dict[str, Any]) -> dict[str, Any]:
    """Return a definition of another server as it may be used.

    Its `source` would be a file of this machine that the editor opens, and its `secrets` those of this project.
    """
    return {name: value for name, value in definition.items() if name not in OWN_MEMBERS}


def _offer(kind: OfferKind, definition: dict[str, Any], name_of: str) -> Offer:
    name = text_in(definition, name_of)
    title = text_in(definition, "title") or text_in(definition, "name") or name
    return Offer(kind, name, title, text_in(definition, "description"), definition)


def _text_form(arguments: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of arguments that are all strings, as for prompts and templates."""
    properties = {}
    for argument in arguments:
        notes = {key: argument[key] for key in ("title", "description") if isinstance(argument.get(key), str)}
        properties[text_in(argument, "name")] = {"type": "string"} | notes
    required = [text_in(argument, "name") for argument in arguments if argument.get("required") is True]
    return {"type": "object", "properties": properties, "required": required}


def is_stale(catalog: Mapping[str, Any]) -> bool:
    """Return whether a reload failed so that previous tools are still served; files that never loaded do not count."""
    changes = catalog["changes"] or {}
    is_new = bool(catalog["reloaded"]) or any(names for kinds in changes.values() for names in kinds.values())
    return not catalog["ok"] and catalog["generation"] > 1 and not is_new


def load_state(catalog: Mapping[str, Any]) -> str:
    """Return the state of the last load: "ready", "failed" (nothing is served), "stale" (old tools) or "partial"."""
    if not any(catalog.get(part) for part in ("tools", "resources", "templates", "prompts")):
        has_errors = any(problem["severity"] == "error" for problem in catalog.get("problems") or ())
        return "failed" if has_errors else "ready"
    if catalog.get("ok", True):
        return "ready"
    return "stale" if is_stale(catalog) else "partial"
