"""The catalog: an immutable snapshot of everything that a server offers, and the difference between two of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from server_core.catalog.definitions import (
    Completions,
    PromptDefinition,
    ResourceDefinition,
    ResourceTemplateDefinition,
    Tool,
)
from server_core.errors import ProtocolError, ResourceNotFound
from server_core.protocol.codes import INVALID_PARAMS
from server_core.runtime.suggestions import closest_name


@dataclass(frozen=True, eq=False)
class Catalog:
    """Everything that a server offers."""

    tools: Mapping[str, Tool] = field(default_factory=dict)  # by their wire names, in the order of declaration
    resources: Mapping[str, ResourceDefinition] = field(default_factory=dict)  # by their fixed URIs
    templates: tuple[ResourceTemplateDefinition, ...] = ()  # the first that matches a URI serves it
    prompts: Mapping[str, PromptDefinition] = field(default_factory=dict)

    @cached_property
    def secrets(self) -> Mapping[str, tuple[str, ...]]:
        """The declared secrets, each with the names of the tools that need it."""
        needed: dict[str, tuple[str, ...]] = {}
        for tool in self.tools.values():
            for key in tool.secrets:
                needed[key] = (*needed.get(key, ()), tool.name)
        return MappingProxyType(dict(sorted(needed.items())))

    @cached_property
    def _tools_by_other_names(self) -> Mapping[str, Tool]:
        qualified = {tool.qualified_name: tool for tool in self.tools.values() if tool.qualified_name}
        versioned = {f"{name}@{tool.toolkit.version}": tool for name, tool in qualified.items() if tool.toolkit}
        return qualified | versioned

    def tool(self, name: str) -> Tool | None:
        """Return the tool with this wire name or qualified name, or None."""
        return self.tools.get(name) or self._tools_by_other_names.get(name)

    def find_tool(self, name: str) -> Tool:
        """Return the tool with a wire or qualified name: `Toolkit.Tool@1.0.0`. Source: server/tools, error handling."""
        # The lookup of `tool` again: this is on the path of each call.
        tool = self.tools.get(name) or self._tools_by_other_names.get(name)
        if tool is None:
            raise _unknown_name("tool", name, self.tools)
        return tool

    def has_resource(self, uri: str) -> bool:
        """Return whether a resource has this URI, or a template matches it."""
        return uri in self.resources or any(template.match(uri) is not None for template in self.templates)

    def find_resource(self, uri: str) -> tuple[ResourceDefinition | ResourceTemplateDefinition, dict[str, str]]:
        """Return the resource, else the template, for a URI, and the values of the template's parts.

        Source: server/resources, error handling.
        """
        resource = self.resources.get(uri)
        if resource is not None:
            return resource, {}
        for template in self.templates:
            if (parts := template.match(uri)) is not None:
                return template, parts
        raise ResourceNotFound(f"Resource not found: {uri}", uri)

    def find_prompt(self, name: str) -> PromptDefinition:
        """Return the prompt with this name. Source: server/prompts, error handling."""
        prompt = self.prompts.get(name)
        if prompt is None:
            raise _unknown_name("prompt", name, self.prompts)
        return prompt

    def find_completions(self, ref: dict[str, Any]) -> Completions:
        """Return the completions by argument for a `ref` as on the wire, to a prompt or a template.

        Source: server/utilities/completion.
        """
        match ref:
            case {"type": "ref/prompt", "name": str(name)}:
                return self.find_prompt(name).completions
            case {"type": "ref/resource", "uri": str(uri)}:
                for template in self.templates:
                    # Clients may refer to a template by itself, or by a URI that matches it.
                    if template.uri_template == uri or template.match(uri) is not None:
                        return template.completions
                if uri in self.resources:
                    return {}
                raise ProtocolError(INVALID_PARAMS, f"Unknown resource template: {uri}", {"uri": uri})
        raise ProtocolError(INVALID_PARAMS, 'Invalid params: "ref" must be a ref/prompt or a ref/resource')


EMPTY = Catalog()


def _unknown_name(kind: Literal["tool", "prompt"], name: str, known: Iterable[str]) -> ProtocolError:
    close = closest_name(name, known)
    hint = f"; did you mean {close!r}?" if close else f"; ask {kind}s/list for the names."
    return ProtocolError(INVALID_PARAMS, f"Unknown {kind}: {name!r}{hint}")


@dataclass(frozen=True)
class Difference:
    """The names that were added, removed, or whose definitions changed."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


@dataclass(frozen=True)
class Changes:
    """The differences between two catalogs for clients; true when there are any."""

    tools: Difference = field(default_factory=Difference)
    resources: Difference = field(default_factory=Difference)
    prompts: Difference = field(default_factory=Difference)

    def __bool__(self) -> bool:
        return bool(self.tools or self.resources or self.prompts)

    def to_json(self) -> dict[str, dict[str, list[str]]]:
        return {
            part: {
                "added": list(difference.added),
                "removed": list(difference.removed),
                "changed": list(difference.changed),
            }
            for part, difference in (("tools", self.tools), ("resources", self.resources), ("prompts", self.prompts))
        }


def diff(old: Catalog, new: Catalog) -> Changes:
    """Return what changes for clients when one catalog replaces another."""
    return Changes(
        _difference(_definitions(old.tools.values()), _definitions(new.tools.values())),
        _difference(_resources(old), _resources(new)),
        _difference(_definitions(old.prompts.values()), _definitions(new.prompts.values())),
    )


def _definitions(entries: Iterable[Tool | PromptDefinition]) -> dict[str, Any]:
    return {entry.name: entry.definition for entry in entries}


def _resources(catalog: Catalog) -> dict[str, Any]:
    fixed = {uri: resource.definition for uri, resource in catalog.resources.items()}
    return fixed | {template.uri_template: template.definition for template in catalog.templates}


def _difference(old: dict[str, Any], new: dict[str, Any]) -> Difference:
    return Difference(
        tuple(name for name in new if name not in old),
        tuple(name for name in old if name not in new),
        tuple(name for name in new if name in old and new[name] != old[name]),
    )
