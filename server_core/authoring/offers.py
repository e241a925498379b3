"""What an app offers of one kind, to be changed while it is served: `app.tools`, `app.resources` and `app.prompts`.

Every change counts at once for the next request, and clients are told. Calls that run go on with what they began with.
Each method has done its work when it returns; what it returns may be awaited all the same, as Arcade's have to be.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from server_core.catalog.declarations import (
    Declaration,
    ResourceDeclaration,
    ToolDeclaration,
    attach,
    declared_on,
    written_here,
)
from server_core.catalog.decorator_arguments import Declarer

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp
    from server_core.authoring.tool_catalog import MaterializedTool
    from server_core.catalog.catalog import Catalog
    from server_core.catalog.offered import Offered
    from server_core.types.wire_object import WireObject

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Json: TypeAlias = dict[str, Any]

# The options of a decorator that go by another name in the declaration.
_FIELDS = {"requires_secrets": "secrets"}


class Settled(Generic[T_co]):
    """What has happened already; awaiting it gives its value at once.

    Attributes:
        value: what it came to.
    """

    def __init__(self, value: T_co) -> None:
        self.value = value

    def __await__(self) -> Generator[None, None, T_co]:
        """Return the value without waiting."""
        yield from ()
        return self.value


class Listing(tuple[T, ...]):
    """What there is; awaiting it gives the same."""

    __slots__ = ()

    def __await__(self) -> "Generator[None, None, Listing[T]]":
        """Return the listing without waiting."""
        yield from ()
        return self


class Offers:
    """What an app offers of one kind; safe on any thread.

    Args:
        app: whose offers these are.
        what: the kind, for people.
        kind: the kind of declaration.
        declarer: makes what notes down a function, of the arguments of the decorator.
        listed: takes those of this kind out of a catalog.
    """

    def __init__(
        self,
        app: "MCPApp",
        what: str,
        kind: type[Declaration],
        declarer: Callable[..., Declarer],
        listed: "Callable[[Catalog], tuple[Any, ...]]",
    ) -> None:
        self._app = app
        self._what = what
        self._kind = kind
        self._declarer = declarer
        self._listed = listed

    def add(self, function: Any, handler: Callable[..., Any] | None = None, **options: Any) -> Settled[None]:
        """Offer a function, whether a decorator declared it already or not.

        Args:
            function: the function; or what it offers, as on the wire, where `handler` is the function.
            handler: the function, when the first argument is what it offers.
            options: as for the decorator (a resource needs its `uri`); they go over what the decorator was told.
        """
        declaration = self._declaration(function, handler, options)
        attach(declaration.function, declaration)
        self._app.declare(declaration)
        return Settled(None)

    def update(self, function: Any, handler: Callable[..., Any] | None = None, **options: Any) -> Settled[None]:
        """Offer a function in the place of what has its name, or address; the arguments are those of :meth:`add`.

        Raises:
            ValueError: when the app offers no such thing.
        """
        declaration = self._declaration(function, handler, options)
        self._app.declare(declaration, instead_of=lambda offered: self._matching(declaration.key, offered))
        attach(declaration.function, declaration)
        return Settled(None)

    def remove(self, key: str) -> Settled[Declaration]:
        """Offer something no longer.

        Args:
            key: the name of a tool or prompt, any that it goes by; the address of a resource, or the template of its
                addresses.

        Returns:
            What it was declared with.

        Raises:
            ValueError: when the app offers no such thing.
        """
        found = self._matching(key, self._app.declarations)
        self._app.withdraw(found)
        return Settled(found[0])

    def list(self) -> Listing[Any]:
        """Return what is offered, as clients are told of it, in the order of adding.

        What cannot be served because of a mistake is left out.
        """
        return Listing(map(_on_the_wire, self._listed(self._app.build()[0])))

    def _matching(self, key: str, offered: Sequence[Declaration]) -> Sequence[Declaration]:
        of_kind = [one for one in offered if isinstance(one, self._kind)]
        found = [one for one in of_kind if key in self._keys(one)]
        if not found:
            raise ValueError(f"{self._app.name} has no {self._what} {key!r}; see `list()`.")
        return found

    def _keys(self, declaration: Declaration) -> set[str]:
        if isinstance(declaration, ResourceDeclaration):
            from server_core.catalog.resource_uris import uri_of

            return {declaration.key, uri_of(declaration, None)}
        if not isinstance(declaration, ToolDeclaration):
            return {declaration.key}
        names = self._app.naming.names_of(declaration)
        return {declaration.key, names.wire, names.qualified}

    def _declaration(self, given: Any, handler: Callable[..., Any] | None, options: Json) -> Declaration:
        function, told = self._function(given, handler)
        options = told | options
        declared = declared_on(function)
        if not isinstance(declared, self._kind) or options.get("uri", declared.key) != declared.key:
            # Of one function there may be several resources, which have nothing else in common.
            declared = self._declarer(**options)(function)
        elif options:
            declared = _merged_declaration(
                declared, self._declarer(**_with_address(declared, options))(function), options
            )
        return self._app.owned(declared)

    def _function(self, given: Any, handler: Callable[..., Any] | None) -> tuple[Callable[..., Any], Json]:
        """Return the function and the options that stand for what was given."""
        if handler is not None or not callable(given):
            raise TypeError(f"A {self._what} is added as a function, not as {type(given).__name__}.")
        return given, {}


class ToolOffers(Offers):
    """The tools that an app offers."""

    def _declaration(self, given: Any, handler: Callable[..., Any] | None, options: Json) -> Declaration:
        # A tool of a catalog stays in the toolkit that it was put in there.
        if (materialized := _materialized(given)) is not None:
            return materialized.declaration
        return super()._declaration(given, handler, options)


class ResourceOffers(Offers):
    """The resources that an app offers."""

    def updated(self, uri: str) -> None:
        """Tell every client that wants to know it that a resource has new contents; safe on any thread.

        Args:
            uri: its address.
        """
        self._app.notify_updated(uri)

    def _function(self, given: Any, handler: Callable[..., Any] | None) -> tuple[Callable[..., Any], Json]:
        if not isinstance(given, Mapping):
            return super()._function(given, handler)
        uri = given.get("uri") or given.get("uriTemplate")
        if handler is None and "{" in str(uri):
            raise TypeError("A template needs a handler, the function that reads what has such an address.")
        function, _ = super()._function(handler or _empty(), None)
        return function, _of_wire(given) | {"uri": uri}


class PromptOffers(Offers):
    """The prompts that an app offers."""

    def _function(self, given: Any, handler: Callable[..., Any] | None) -> tuple[Callable[..., Any], Json]:
        if not isinstance(given, Mapping):
            return super()._function(given, handler)
        options = _of_wire(given)
        told = {name: options[name] for name in options if name in _OF_PROMPTS}
        return handler or _default_handler(given), {"arguments": given.get("arguments") or (), **told}


def _on_the_wire(offered: "Offered") -> "WireObject":
    from server_core import types
    from server_core.catalog.definitions import Prompt, Resource, ResourceTemplate, Tool

    kinds: dict[type[Offered], type[WireObject]] = {
        Tool: types.MCPTool,
        Resource: types.Resource,
        ResourceTemplate: types.ResourceTemplate,
        Prompt: types.Prompt,
    }
    return kinds[type(offered)](offered.definition)


_WIRE_NAMES = {"mimeType": "mime_type", "_meta": "meta"}
_OF_PROMPTS = frozenset({"name", "title", "description", "meta", "icons"})
_OF_OFFERS = _OF_PROMPTS | {"mime_type", "annotations", "size"}


def _of_wire(given: Mapping[str, Any]) -> Json:
    """The options of a decorator that say the same as a definition on the wire."""
    options = {_WIRE_NAMES.get(name, name): value for name, value in given.items()}
    return {name: value for name, value in options.items() if name in _OF_OFFERS and value is not None}


def _empty() -> Callable[..., str]:
    """What reads a resource that has no handler."""
    from server_core.catalog.building.resource_building import NoContents

    return written_here(NoContents())


def _default_handler(prompt: Mapping[str, Any]) -> Callable[..., str]:
    """What makes a prompt that has no handler: it says what it is."""
    text = str(prompt.get("description") or f"Prompt: {prompt.get('name')}")

    def say(arguments: dict[str, str]) -> str:
        return text

    return say


def _materialized(given: Any) -> "MaterializedTool | None":
    if callable(given):
        return None
    from server_core.authoring.tool_catalog import MaterializedTool

    return given if isinstance(given, MaterializedTool) else None


def _with_address(declared: Declaration, options: Json) -> Json:
    uri = getattr(declared, "uri", None)
    return options if uri is None else {"uri": uri, **options}


def _merged_declaration(declared: Declaration, more: Declaration, options: Json) -> Declaration:
    """What a decorator was told, with what it is told now over it."""
    known = {one.name for one in fields(declared)}
    changed = {field: getattr(more, field) for name in options if (field := _FIELDS.get(name, name)) in known}
    return replace(declared, **changed, options=declared.options | more.options)
