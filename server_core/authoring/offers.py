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
    declared_on,
    written_here,
)
from server_core.catalog.decorator_options import AllResourceOptions, PromptOptions, ToolOptions

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp
    from server_core.authoring.tool_catalog import MaterializedTool
    from server_core.catalog.catalog import Catalog
    from server_core.catalog.offered import Offered
    from server_core.types.wire_object import WireObject

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Json: TypeAlias = dict[str, Any]


class Settled(Generic[T_co]):
    """An awaitable with a value that is available already.

    Attributes:
        value: the value.
    """

    def __init__(self, value: T_co) -> None:
        self.value = value

    def __await__(self) -> Generator[None, None, T_co]:
        """Return the value without waiting."""
        yield from ()
        return self.value


class Listing(tuple[T, ...]):
    """A tuple that can be awaited; awaiting it returns the tuple itself."""

    __slots__ = ()

    def __await__(self) -> "Generator[None, None, Listing[T]]":
        """Return the listing without waiting."""
        yield from ()
        return self


class AppOffers:
    """The tools, resources or prompts of an app; thread-safe.

    Attributes:
        kind: the class of their declarations.

    Args:
        app: the app.
    """

    kind: ClassVar[type[OfferDeclaration]]

    def __init__(self, app: "MCPApp") -> None:
        self._app = app

    def _add(self, function: Any, handler: Callable[..., Any] | None, options: Mapping[str, Any]) -> Settled[None]:
        declaration = self._declaration(function, handler, options)
        attach(declaration.function, declaration)
        self._app.declare(declaration)
        return Settled(None)

    def _update(self, function: Any, handler: Callable[..., Any] | None, options: Mapping[str, Any]) -> Settled[None]:
        declaration = self._declaration(function, handler, options)
        self._app.declare(declaration, instead_of=lambda offered: self._matching(declaration.key, offered))
        attach(declaration.function, declaration)
        return Settled(None)

    def remove(self, key: str) -> Settled[Declaration]:
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
        return Settled(matches[0])

    def list(self) -> Listing[Any]:
        """Return the entries as they are listed for clients, in the order in which they were added.

        Entries with errors, which cannot be served, are left out.
        """
        return Listing(map(_on_the_wire, self._listed(self._app.build()[0])))

    def _listed(self, catalog: "Catalog") -> "tuple[Offered, ...]":
        raise NotImplementedError

    def _matching(self, key: str, offered: Sequence[Declaration]) -> Sequence[Declaration]:
        of_kind = [declaration for declaration in offered if isinstance(declaration, self.kind)]
        matches = [declaration for declaration in of_kind if key in self._keys(declaration)]
        if not matches:
            raise ValueError(f"{self._app.name} has no {self.kind.decorator} {key!r}; see `list()`.")
        return matches

    def _keys(self, declaration: Declaration) -> set[str]:
        if isinstance(declaration, ResourceDeclaration):
            from server_core.catalog.resource_uris import uri_of

            return {declaration.key, uri_of(declaration, None)}
        if not isinstance(declaration, ToolDeclaration):
            return {declaration.key}
        names = self._app.naming.names_of(declaration)
        return {declaration.key, names.wire, names.qualified}

    def _declaration(
        self, given: Any, handler: Callable[..., Any] | None, options: Mapping[str, Any]
    ) -> OfferDeclaration:
        function, function_options = self._function(given, handler)
        options = {**function_options, **options}
        declared = declared_on(function)
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
        return self._app.owned(declared)

    def _function(self, given: Any, handler: Callable[..., Any] | None) -> tuple[Callable[..., Any], Json]:
        """Return the function, and the options from the definition."""
        if handler is not None or not callable(given):
            raise TypeError(f"A {self.kind.decorator} is added as a function, not as {type(given).__name__}.")
        return given, {}


class ToolOffers(AppOffers):
    """The tools of an app."""

    kind = ToolDeclaration

    def add(
        self, function: Any, handler: Callable[..., Any] | None = None, **options: Unpack[ToolOptions]
    ) -> Settled[None]:
        """Add a function, with or without `@tool`.

        Args:
            function: the function.
            handler: not for tools.
            options: those of the decorator, which they override.
        """
        return self._add(function, handler, options)

    def update(
        self, function: Any, handler: Callable[..., Any] | None = None, **options: Unpack[ToolOptions]
    ) -> Settled[None]:
        """Replace the tool with the same name by a function; the arguments are those of :meth:`add`.

        Raises:
            ValueError: when the app has no such tool.
        """
        return self._update(function, handler, options)

    def _listed(self, catalog: "Catalog") -> "tuple[Offered, ...]":
        return tuple(catalog.tools.values())

    def _declaration(
        self, given: Any, handler: Callable[..., Any] | None, options: Mapping[str, Any]
    ) -> OfferDeclaration:
        # A tool from a ToolCatalog belongs to the toolkit that it has there.
        if (materialized := _materialized(given)) is not None:
            return materialized.declaration
        return super()._declaration(given, handler, options)


class ResourceOffers(AppOffers):
    """The resources of an app."""

    kind = ResourceDeclaration

    def add(
        self, function: Any, handler: Callable[..., Any] | None = None, **options: Unpack[AllResourceOptions]
    ) -> Settled[None]:
        """Add a function, with or without `@resource`, or a resource as on the wire.

        Args:
            function: the function; or a resource as on the wire, with the function as `handler`.
            handler: the function, when the first argument is a resource.
            options: those of the decorator, which they override; a function without one needs the `uri`.
        """
        return self._add(function, handler, options)

    def update(
        self, function: Any, handler: Callable[..., Any] | None = None, **options: Unpack[AllResourceOptions]
    ) -> Settled[None]:
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

    def _listed(self, catalog: "Catalog") -> "tuple[Offered, ...]":
        return (*catalog.resources.values(), *catalog.templates)

    def _function(self, given: Any, handler: Callable[..., Any] | None) -> tuple[Callable[..., Any], Json]:
        if not isinstance(given, Mapping):
            return super()._function(given, handler)
        uri = given.get("uri") or given.get("uriTemplate")
        if handler is None and "{" in str(uri):
            raise TypeError("A template needs a handler, the function that reads the resources with matching URIs.")
        function, _ = super()._function(handler or _empty(), None)
        return function, _of_wire(given) | {"uri": uri}


class PromptOffers(AppOffers):
    """The prompts of an app."""

    kind = PromptDeclaration

    def add(
        self, function: Any, handler: Callable[..., Any] | None = None, **options: Unpack[PromptOptions]
    ) -> Settled[None]:
        """Add a function, with or without `@prompt`, or a prompt as on the wire.

        Args:
            function: the function; or a prompt as on the wire, with the function as `handler`.
            handler: the function, when the first argument is a prompt.
            options: those of the decorator, which they override.
        """
        return self._add(function, handler, options)

    def update(
        self, function: Any, handler: Callable[..., Any] | None = None, **options: Unpack[PromptOptions]
    ) -> Settled[None]:
        """Replace the prompt with the same name; the arguments are those of :meth:`add`.

        Raises:
            ValueError: when the app has no such prompt.
        """
        return self._update(function, handler, options)

    def _listed(self, catalog: "Catalog") -> "tuple[Offered, ...]":
        return tuple(catalog.prompts.values())

    def _function(self, given: Any, handler: Callable[..., Any] | None) -> tuple[Callable[..., Any], Json]:
        if not isinstance(given, Mapping):
            return super()._function(given, handler)
        options = _of_wire(given)
        prompt_options = {name: options[name] for name in options if name in _OF_PROMPTS}
        return handler or _default_handler(given), {"arguments": given.get("arguments") or (), **prompt_options}


def _on_the_wire(offered: "Offered") -> "WireObject":
    from server_core import types
    from server_core.catalog.definitions import PromptDefinition, ResourceDefinition, ResourceTemplateDefinition, Tool

    kinds: dict[type[Offered], type[WireObject]] = {
        Tool: types.MCPTool,
        ResourceDefinition: types.Resource,
        ResourceTemplateDefinition: types.ResourceTemplate,
        PromptDefinition: types.Prompt,
    }
    return kinds[type(offered)](offered.definition)


_WIRE_NAMES = {"mimeType": "mime_type", "_meta": "meta"}
_OF_PROMPTS = frozenset({"name", "title", "description", "meta", "icons"})
_OF_OFFERS = _OF_PROMPTS | {"mime_type", "annotations", "size"}


def _of_wire(given: Mapping[str, Any]) -> Json:
    """Return a definition on the wire as options of a decorator."""
    options = {_WIRE_NAMES.get(name, name): value for name, value in given.items()}
    return {name: value for name, value in options.items() if name in _OF_OFFERS and value is not None}


def _empty() -> Callable[..., str]:
    """Return the handler of a resource that has none."""
    from server_core.catalog.building.resource_building import NoContents

    return written_here(NoContents())


def _default_handler(prompt: Mapping[str, Any]) -> Callable[..., str]:
    """Return the handler of a prompt that has none: its text is the description."""
    text = str(prompt.get("description") or f"Prompt: {prompt.get('name')}")

    def describe(arguments: dict[str, str]) -> str:
        return text

    return describe


def _materialized(given: Any) -> "MaterializedTool | None":
    if callable(given):
        return None
    from server_core.authoring.tool_catalog import MaterializedTool

    return given if isinstance(given, MaterializedTool) else None
