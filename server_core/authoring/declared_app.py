"""An app as servers use it: its identity, its current declarations, and what calls of its tools need."""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from server_core.catalog.declarations import (
    Declaration,
    OfferDeclaration,
    ResourceDeclaration,
    ToolDeclaration,
    detach,
)
from server_core.catalog.identity import Identity, checked_name, checked_version
from server_core.catalog.toolkit import Toolkit

# Everything else is imported in functions: each file of an author imports this module, and clients wait for its load.
if TYPE_CHECKING:
    from server_core.catalog.catalog import Catalog
    from server_core.catalog.naming import Naming
    from server_core.catalog.problems import Problem
    from server_core.middleware.middleware import Middleware
    from server_core.resource_server.admission import Admission
    from server_core.serving.lifespan import Opened
    from server_core.serving.server import Server

Json: TypeAlias = dict[str, Any]
T = TypeVar("T")

apps_run_while_loading: ContextVar[list["DeclaredApp"] | None] = ContextVar("apps_run_while_loading", default=None)
"""While a project imports its files: the apps whose `run` was called; `run` does nothing then."""


class _IdentityField(Generic[T]):
    """An attribute of an app that reads and replaces the field of the same name in its identity."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, app: "DeclaredApp", owner: type) -> T:
        value: T = getattr(app.identity, self._name)
        return value

    def __set__(self, app: "DeclaredApp", value: T) -> None:
        changed: dict[str, Any] = {self._name: value}
        app.identity = replace(app.identity, **changed)


class DeclaredApp:
    """What a server uses of an `MCPApp`; its declarations may change on any thread, also while it is served."""

    title = _IdentityField[str | None]()
    instructions = _IdentityField[str | None]()
    description = _IdentityField[str | None]()
    website_url = _IdentityField[str | None]()
    icons = _IdentityField[tuple[Json, ...]]()

    def __init__(
        self,
        identity: Identity,
        *,
        toolkit: str,
        middleware: "tuple[Middleware, ...]",
        lifespan: "Callable[[Any], AbstractAsyncContextManager[Opened | None]] | None",
        allowed_origins: frozenset[str],
        gate: "Admission | None",
    ) -> None:
        self.identity = identity
        """Its identity for clients."""
        self.middleware = middleware
        self.lifespan = lifespan
        self.allowed_origins = allowed_origins
        """The origins of web pages that may use it over HTTP, besides those of this machine."""
        self.gate = gate
        """Decides which clients are admitted over HTTP; None to admit all."""
        self.declarations: tuple[Declaration, ...] = ()
        """Its current declarations, in source order; the tuple is replaced on each change, so reading needs no lock."""
        self.listeners: list[Callable[[], None]] = []
        """Called when a declaration is added or removed, on the thread that does so."""
        self.update_listeners: list[Callable[[str], None]] = []
        """Called with the URI of a resource that has new contents, on the thread that reports it."""
        self.server: Server | None = None
        """The server that serves it, or the last that did."""
        self._toolkit = toolkit
        self._naming: Naming | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Its name for clients; setting it does not rename its tools."""
        return self.identity.name

    @name.setter
    def name(self, name: str) -> None:
        self.identity = replace(self.identity, name=checked_name(name))

    @property
    def version(self) -> str:
        return self.identity.version

    @version.setter
    def version(self, version: str) -> None:
        self.identity = replace(self.identity, version=checked_version(version))

    @property
    def toolkit(self) -> Toolkit:
        return Toolkit(self._toolkit, self.version, self.instructions)

    @property
    def naming(self) -> "Naming":
        if self._naming is None:
            from server_core.catalog.naming import Naming
            from server_core.settings import Settings

            self._naming = Naming.from_settings(Settings.from_environment())
        return self._naming

    def with_own_toolkit(self, declaration: OfferDeclaration) -> OfferDeclaration:
        """Return a declaration in the toolkit of this app, if it declares a tool or a resource."""
        if not isinstance(declaration, ToolDeclaration | ResourceDeclaration) or declaration.toolkit == self.toolkit:
            return declaration
        return replace(declaration, toolkit=self.toolkit)

    def declare(
        self,
        declaration: Declaration,
        find_replaced: Callable[[Sequence[Declaration]], Sequence[Declaration]] = lambda offered: (),
    ) -> None:
        """Add a declaration, in the place of the first that it replaces; if `find_replaced` raises, nothing changes."""
        with self._lock:
            before = self.declarations
            replaced = find_replaced(before)
            place = before.index(replaced[0]) if replaced else len(before)
            remaining = [item for item in before if item not in replaced]
            self.declarations = (*remaining[:place], declaration, *remaining[place:])
        self._notify()

    def withdraw(self, declarations: Iterable[Declaration]) -> None:
        """Remove declarations; unknown ones are ignored."""
        withdrawn = frozenset(declarations)
        if not withdrawn:
            return
        with self._lock:
            self.declarations = tuple(item for item in self.declarations if item not in withdrawn)
        for declaration in withdrawn:
            detach(declaration)
        self._notify()

    def notify_updated(self, uri: str) -> None:
        """Notify the servers of this app that a resource has new contents."""
        # Copies: a listener may be added or removed while others are called, on any thread.
        for listener in tuple(self.update_listeners):
            listener(uri)

    def build(self) -> "tuple[Catalog, tuple[Problem, ...]]":
        from server_core.catalog.building.assembly import Assembler

        return Assembler(self.naming).assemble(self.declarations)

    def _notify(self) -> None:
        for listener in tuple(self.listeners):
            listener()
