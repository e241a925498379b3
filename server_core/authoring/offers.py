"""`app.tools`, `app.resources` and `app.prompts`: change what an app offers while it is served.

Every change takes effect with the next request, and clients are notified. Running calls are not affected.
The methods are synchronous, but their results can be awaited too, since Arcade's methods are coroutines.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar, Unpack

from server_core.catalog.declarations import (
    Declaration,
    OfferDeclaration,
    PromptDeclaration,
    ResourceDeclaration,
    ToolDeclaration,
    attach,
    declaration_of,
    record_position,
)
from server_core.catalog.decorator_options import AllResourceOptions, PromptOptions, ToolOptions

if TYPE_CHECKING:
    from server_core.authoring.declared_app import DeclaredApp
    from server_core.authoring.materialized_tool import MaterializedTool
    from server_core.catalog.catalog import Catalog
    from server_core.catalog.catalog_entry import CatalogEntry
    from server_core.types.wire_object import WireObject

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Json: TypeAlias = dict[str, Any]

# Members of definitions whose names differ from those of the options.
_WIRE_NAMES = {"mimeType": "mime_type", "_meta": "meta"}
# The options that a definition on the wire has as members.
_PROMPT_OPTIONS = frozenset({"name", "title", "description", "meta", "icons"})
_DEFINITION_OPTIONS = _PROMPT_OPTIONS | {"mime_type", "annotations", "size"}


class ImmediateResult(Generic[T_co]):
    """An awaitable whose value is available already."""

    def __init__(self, value: T_co) -> None:
        self.value = value

    def __await__(self) -> Generator[None, None, T_co]:
        yield from ()
        return self.value


class Listing(tuple[T, ...]):
    """A tuple that can be awaited; awaiting it returns the tuple itself."""

    __slots__ = ()

    def __await__(self) -> "Generator[None, None, Listing[T]]":
        yield from ()
        return self


class AppOffers:
    """The tools, resources or prompts of an app; thread-safe."""

    kind: ClassVar[type[OfferDeclaration]]

    def __init__(self, app: "DeclaredApp") -> None:
        self._app = app

    def _add(
        self, function: Any, handler: Callable[..., Any] | None, options: Mapping[str, Any]
    ) -> ImmediateResult[None]:
        declaration = self._declaration(function, handler, options)
        attach(declaration.function, declaration)
        self._app.declare(declaration)
        return ImmediateResult(None)

    def _update(
        self, function: Any, handler: Callable[..., Any] | None, options: Mapping[str, Any]
    ) -> ImmediateResult[None]:
        declaration = self._declaration(function, handler, options)
        self._app.declare(declaration, find_replaced=lambda current: self._matching(declaration.key, current))
        # Last: when there is nothing to replace, the function remains as it was.
        attach(declaration.function, declaration)
        return ImmediateResult(None)

    def remove(self, key: str) -> ImmediateResult[Declaration]:
        """Remove an entry.

        Args:
            key: any name of a tool, the name of a prompt, the URI of a resource, or a URI template.

        Returns:
            Its declaration.

        Raises:
            ValueError: when the app has no such entry.
        """
        matches = self._matching(key, self._app.declarations)
        self._app.withdraw(matches)
        return ImmediateResult(matches[0])

    def list(self) -> Listing[Any]:
        """Return the entries as they are listed for clients, in the order in which they were added.

        Entries with errors, which cannot be served, are left out.
        """
        return Listing(map(_to_wire_object, self._entries_of(self._app.build()[0])))

    def _entries_of(self, catalog: "Catalog") -> "tuple[CatalogEntry, ...]":
        raise NotImplementedError

    def _matching(self, key: str, declarations: Sequence[Declaration]) -> Sequence[Declaration]:
        of_kind = [declaration for declaration in declarations if isinstance(declaration, self.kind)]
        matches = [declaration for declaration in of_kind if key in self._keys(declaration)]
        if not matches:
            raise ValueError(f"{self._app.name} has no {self.kind.decorator} {key!r}; see `list()`.")
        return matches

    def _keys(self, declaration: Declaration) -> set[str]:
        if isinstance(declaration, ResourceDeclaration):
            return {declaration.key, declaration.uri_in(None)}
        if not isinstance(declaration, ToolDeclaration):
            return {declaration.key}
        names = self._app.naming.names_of(declaration)
        return {declaration.key, names.wire, names.qualified}

    def _declaration(
        self, item: Any, handler: Callable[..., Any] | None, options: Mapping[str, Any]
    ) -> OfferDeclaration:
        function, function_options = self._function_and_options(item, handler)
        options = {**function_options, **options}
        declared = declaration_of(function)
        if not isinstance(declared, self.kind) or options.get("uri", declared.key) != declared.key:
            # Several resources may share a function; options of one do not apply to the others.
            declared = self.kind.declarer(options)(function)
        elif options:
            added = self.kind.declarer(options)(function)
            declared = replace(
                declared,
                options={**declared.options, **added.options},
                unknown=tuple(dict.fromkeys((*declared.unknown, *added.unknown))),
            )
        return self._app.with_own_toolkit(declared)

    def _function_and_options(self, item: Any, handler: Callable[..., Any] | None) -> tuple[Callable[..., Any], Json]:
        """Return the function, and the options from a definition on the wire."""
        if handler is not None or not callable(item):
            raise TypeError(f"A {self.kind.decorator} is added as a function, not as {type(item).__name__}.")
        return item, {}


class ToolOffers(AppOffers):
    kind = ToolDeclaration

    def add(
        self, function: Any, handler: Callable[..., Any] | None = None, **options: Unpack[ToolOptions]
    ) -> ImmediateResult[None]:
        """Add a function, with or without `@tool`.

        Args:
            function: the function.
            handler: not for tools.
            options: those of the decorator, which they override.
        """
        return self._add(function, handler, options)

    def update(
        self, function: Any, handler: Callable[..., Any] | None = None, **options: Unpack[ToolOptions]
    ) -> ImmediateResult[None]:
        """Replace the tool with the same name by a function; the arguments are those of :meth:`add`.

        Raises:
            ValueError: when the app has no such tool.
        """
        return self._update(function, handler, options)

    def _entries_of(self, catalog: "Catalog") -> "tuple[CatalogEntry, ...]":
        return tuple(catalog.tools.values())

    def _declaration(
        self, item: Any, handler: Callable[..., Any] | None, options: Mapping[str, Any]
    ) -> OfferDeclaration:
        # A tool from a ToolCatalog belongs to the toolkit that it has there.
        if (materialized := _materialized_tool(item)) is not None:
            return materialized.declaration
        return super()._declaration(item, handler, options)


class ResourceOffers(AppOffers):
    kind = ResourceDeclaration

    def add(
        self, function: Any, handler: Callable[..., Any] | None = None, **options: Unpack[AllResourceOptions]
    ) -> ImmediateResult[None]:
        """Add a function, with or without `@resource`, or a resource as on the wire.

        Args:
            function: the function; or a resource as on the wire, with the function as `handler`.
            handler: the function, when the first argument is a resource.
            options: those of the decorator, which they override; a function without one needs the `uri`.
        """
        return self._add(function, handler, options)

    def update(
        self, function: Any, handler: Callable[..., Any] | None = None, **options: Unpack[AllResourceOptions]
    ) -> ImmediateResult[None]:
        """Replace the resource with the same URI; the arguments are those of :meth:`add`.

        Raises:
            ValueError: when the app has no such resource.
        """
        return self._update(function, handler, options)

    def updated(self, uri: str) -> None:
        """Notify every subscribed client that a resource has new contents; thread-safe.

        Args:
            uri: its URI.
        """
        self._app.notify_updated(uri)

    def _entries_of(self, catalog: "Catalog") -> "tuple[CatalogEntry, ...]":
        return (*catalog.resources.values(), *catalog.templates)

    def _function_and_options(self, item: Any, handler: Callable[..., Any] | None) -> tuple[Callable[..., Any], Json]:
        if not isinstance(item, Mapping):
            return super()._function_and_options(item, handler)
        uri = item.get("uri") or item.get("uriTemplate")
        if handler is None and "{" in str(uri):
            raise TypeError("A template needs a handler, the function that reads the resources with matching URIs.")
        function, _ = super()._function_and_options(handler or _empty_handler(), None)
        return function, _options_from_wire(item) | {"uri": uri}


class PromptOffers(AppOffers):
    kind = PromptDeclaration

    def add(
        self, function: Any, handler: Callable[..., Any] | None = None, **options: Unpack[PromptOptions]
    ) -> ImmediateResult[None]:
        """Add a function, with or without `@prompt`, or a prompt as on the wire.

        Args:
            function: the function; or a prompt as on the wire, with the function as `handler`.
            handler: the function, when the first argument is a prompt.
            options: those of the decorator, which they override.
        """
        return self._add(function, handler, options)

    def update(
        self, function: Any, handler: Callable[..., Any] | None = None, **options: Unpack[PromptOptions]
    ) -> ImmediateResult[None]:
        """Replace the prompt with the same name; the arguments are those of :meth:`add`.

        Raises:
            ValueError: when the app has no such prompt.
        """
        return self._update(function, handler, options)

    def _entries_of(self, catalog: "Catalog") -> "tuple[CatalogEntry, ...]":
        return tuple(catalog.prompts.values())

    def _function_and_options(self, item: Any, handler: Callable[..., Any] | None) -> tuple[Callable[..., Any], Json]:
        if not isinstance(item, Mapping):
            return super()._function_and_options(item, handler)
        options = _options_from_wire(item)
        prompt_options = {name: options[name] for name in options if name in _PROMPT_OPTIONS}
        return handler or _default_handler(item), {"arguments": item.get("arguments") or (), **prompt_options}


def _to_wire_object(entry: "CatalogEntry") -> "WireObject":
    from server_core import types
    from server_core.catalog.definitions import PromptDefinition, ResourceDefinition, ResourceTemplateDefinition, Tool

    kinds: dict[type[CatalogEntry], type[WireObject]] = {
        Tool: types.MCPTool,
        ResourceDefinition: types.Resource,
        ResourceTemplateDefinition: types.ResourceTemplate,
        PromptDefinition: types.Prompt,
    }
    return kinds[type(entry)](entry.definition)


def _options_from_wire(definition: Mapping[str, Any]) -> Json:
    """Return a definition on the wire as options of a decorator."""
    options = {_WIRE_NAMES.get(name, name): value for name, value in definition.items()}
    return {name: value for name, value in options.items() if name in _DEFINITION_OPTIONS and value is not None}


def _empty_handler() -> Callable[..., str]:
    from server_core.catalog.building.resource_building import NoContents

    return record_position(NoContents())


def _default_handler(prompt: Mapping[str, Any]) -> Callable[..., str]:
    text = str(prompt.get("description") or f"Prompt: {prompt.get('name')}")

    def describe(arguments: dict[str, str]) -> str:
        return text

    return describe


def _materialized_tool(item: Any) -> "MaterializedTool | None":
    if callable(item):
        return None
    from server_core.authoring.materialized_tool import MaterializedTool

    return item if isinstance(item, MaterializedTool) else None
