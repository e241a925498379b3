"""`MCPApp`: a server as an object, with decorators for what it offers and `run` to serve it."""

import sys
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from server_core.catalog import declarations
from server_core.catalog.declarations import CompletionDeclaration, Declaration, ToolDeclaration
from server_core.catalog.discovery import Identity, are_icons
from server_core.catalog.naming import PLAIN, Toolkit
from server_core.offers import Offers, ResourceOffers

if TYPE_CHECKING:
    from server_core.adapters.adapter import ErrorAdapter
    from server_core.auth.requirement import AuthRequirement
    from server_core.catalog.catalog import Catalog
    from server_core.catalog.problems import Problem
    from server_core.metadata import ToolMetadata
    from server_core.middleware.middleware import Middleware
    from server_core.serving.lifespan import Lifespan
    from server_core.serving.mounting import MountedApp

Json: TypeAlias = dict[str, Any]
F = TypeVar("F", bound=Callable[..., Any])

loading: ContextVar[list["MCPApp"] | None] = ContextVar("loading", default=None)
"""While a project imports its files: the apps whose `run` was called, which then does nothing."""


class MCPApp:
    """A server: its name, and what it offers.

    What it offers may change while it is served, on any thread: by the decorators, and by `tools`, `resources` and
    `prompts`, which can also take away.

    Args:
        name: how it names itself to clients.
        version: its version.
        title: its name for people.
        instructions: what a model should know to use it.
        description: what it is for.
        website_url: where people read more.
        icons: as on the wire.
        transport: how `run` serves it: "stdio" or "http".
        host: the address that `run` listens on for HTTP.
        port: the port that `run` listens on for HTTP.
        reload: whether `run` loads the file anew when it changes.
        middleware: what every message passes on its way; the first is the outermost.
        lifespan: what is opened before the app is served, and closed when it no longer is.
        toolkit: the name that stands before those of its tools; the app's own when not given, and empty for plain names.

    Raises:
        TypeError: when the name or version is no text, or the icons or the middleware are none.
        ValueError: when one of them is empty.
    """

    def __init__(
        self,
        name: str,
        version: str = "0.1.0",
        title: str | None = None,
        instructions: str | None = None,
        *,
        description: str | None = None,
        website_url: str | None = None,
        icons: Sequence[Json] = (),
        transport: str = "stdio",
        host: str = "127.0.0.1",
        port: int = 8000,
        reload: bool = False,
        middleware: "Sequence[Middleware]" = (),
        lifespan: "Lifespan | None" = None,
        toolkit: str | None = None,
    ) -> None:
        for what, value in (("name", name), ("version", version)):
            if not isinstance(value, str):
                raise TypeError(f"MCPApp's {what} must be a string, not {type(value).__name__}")
            if not value.strip():
                raise ValueError(f"MCPApp's {what} cannot be empty")
        if not are_icons(icons):
            raise TypeError('MCPApp\'s icons must be a list like [{"src": "https://example.com/icon.png"}]')
        self.identity = Identity(
            name, version, title, instructions, description, website_url, tuple(icons), bool(middleware)
        )
        self.toolkit = Toolkit(name if toolkit is None else toolkit, version, instructions) if toolkit != "" else PLAIN
        """The group that its tools belong to."""
        self.declarations: tuple[Declaration, ...] = ()
        """What it offers now, in the order of writing; replaced on each change, never changed itself."""
        self.listeners: list[Callable[[], None]] = []
        """Called, on the thread that it happens on, when something is added to what the server offers or taken away."""
        self.readers: list[Callable[[str], None]] = []
        """Called, on the thread that it happens on, with the address of each resource that has new contents."""
        self.tools = Offers(self, "tool", declarations.ToolDeclaration, declarations.tool_declarer)
        self.resources = ResourceOffers(
            self, "resource", declarations.ResourceDeclaration, declarations.resource_declarer
        )
        self.prompts = Offers(self, "prompt", declarations.PromptDeclaration, declarations.prompt_declarer)
        self.middleware = tuple(middleware)
        for one in self.middleware:
            if not callable(one) or isinstance(one, type):
                raise TypeError(f"MCPApp's middleware must be objects like MyMiddleware(), not {one!r}")
        self.lifespan = lifespan
        self._lock = threading.Lock()
        self._transport = transport
        self._host = host
        self._port = port
        self._reload = reload

    @overload
    def tool(self, function: F, /) -> F: ...
    @overload
    def tool(
        self,
        /,
        *,
        name: str | None = None,
        title: str | None = None,
        desc: str | None = None,
        requires_secrets: Sequence[str] = (),
        annotations: Json | None = None,
        meta: Json | None = None,
        icons: Sequence[Json] | None = None,
        timeout: float | None = None,
        adapters: Sequence["ErrorAdapter"] = (),
        input_schema: Json | None = None,
        output_schema: Json | None = None,
        execution: Json | None = None,
        requires_auth: "AuthRequirement | None" = None,
        requires_metadata: Sequence[str] = (),
        metadata: "ToolMetadata | None" = None,
        ui: Any = None,
        retries: int = 0,
        examples: Sequence[Json] = (),
    ) -> Callable[[F], F]: ...
    def tool(self, function: Any = None, /, **options: Any) -> Any:
        """Declare a function as a tool of this server; the arguments are those of :func:`declarations.tool`."""
        return self._decorator(declarations.tool_declarer(**options), function)

    def resource(self, uri: str, **options: Any) -> Callable[[F], F]:
        """Declare a function as a resource of this server; the arguments are those of :func:`declarations.resource`."""
        decorator: Callable[[F], F] = self._decorator(declarations.resource_declarer(uri, **options), None)
        return decorator

    @overload
    def prompt(self, function: F, /) -> F: ...
    @overload
    def prompt(
        self,
        /,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        meta: Json | None = None,
        icons: Sequence[Json] | None = None,
        completions: Mapping[str, Callable[..., Any]] | None = None,
    ) -> Callable[[F], F]: ...
    def prompt(self, function: Any = None, /, **options: Any) -> Any:
        """Declare a function as a prompt of this server; the arguments are those of :func:`declarations.prompt`."""
        return self._decorator(declarations.prompt_declarer(**options), function)

    def completion(self, subject: str, argument: str) -> Callable[[F], F]:
        """Declare a function that proposes values for an argument.

        It takes the text typed so far and, if it wants, the arguments known already, and returns the proposals.

        Args:
            subject: the name of a prompt, or the address of a resource template.
            argument: the argument of the prompt, or the part of the address.
        """

        def declare(function: F) -> F:
            self.declare(CompletionDeclaration(function, {}, {}, subject, argument))
            return function

        return declare

    def add_tool(self, function: Callable[..., Any], **options: Any) -> None:
        """Add a function as a tool: short for `app.tools.add`."""
        self.tools.add(function, **options)

    def owned(self, declaration: Declaration) -> Declaration:
        """Return a declaration as that of something of this app: a tool belongs to the app's toolkit."""
        return replace(declaration, toolkit=self.toolkit) if isinstance(declaration, ToolDeclaration) else declaration

    def declare(self, declaration: Declaration) -> None:
        """Offer something from now on."""
        with self._lock:
            self.declarations = (*self.declarations, declaration)
        self._tell()

    def withdraw(self, gone: Iterable[Declaration]) -> None:
        """Offer these no longer; what is not offered anyway is left out."""
        withdrawn = frozenset(gone)
        if not withdrawn:
            return
        with self._lock:
            self.declarations = tuple(one for one in self.declarations if one not in withdrawn)
        for declaration in withdrawn:
            declarations.detach(declaration)
        self._tell()

    def build(self) -> "tuple[Catalog, tuple[Problem, ...]]":
        """Return what the server offers, and everything that is wrong with it."""
        from server_core.catalog.assembly import Assembler
        from server_core.catalog.naming import Naming
        from server_core.settings import Settings

        return Assembler(Naming.of(Settings.from_environment())).assemble(self.declarations)

    def http_app(self, hosts: Collection[str] = ()) -> "MountedApp":
        """Return this server as an ASGI application, to mount into any other or to run with any ASGI server.

        Its endpoint is `/mcp` under wherever it is mounted. Give its `lifespan` to the application around it.

        Args:
            hosts: the names under which people reach it, besides the loopback ones; others are refused.
        """
        from server_core.serving.mounting import MountedApp

        return MountedApp(self, hosts)

    def run(
        self,
        transport: str | None = None,
        host: str | None = None,
        port: int | None = None,
        reload: bool | None = None,
    ) -> None:
        """Serve until the client leaves (stdio) or the process is stopped (HTTP).

        What is not given is taken from the constructor. While a workbench loads this file, nothing happens.

        Args:
            transport: "stdio" or "http".
            host: the address to listen on for HTTP.
            port: the port to listen on for HTTP.
            reload: load the file anew when it changes.

        Raises:
            SystemExit: with the exit code of the server, unless that is 0.
        """
        if (called := loading.get()) is not None:
            called.append(self)
            return
        from server_core.serve_app import serve_app

        code = serve_app(
            self,
            transport=self._transport if transport is None else transport,
            host=self._host if host is None else host,
            port=self._port if port is None else port,
            file=_main_file() if (self._reload if reload is None else reload) else None,
        )
        if code:
            sys.exit(code)

    def _decorator(self, declare: declarations.Declarer, function: Any) -> Any:
        def decorate(function: F) -> F:
            declaration = self.owned(declare(function))
            self.declare(declaration)
            return declarations.attach(function, declaration)

        return decorate if function is None else decorate(function)

    def tell_updated(self, uri: str) -> None:
        """Tell whoever serves the app that a resource has new contents."""
        for reader in tuple(self.readers):
            reader(uri)

    def _tell(self) -> None:
        for listener in tuple(self.listeners):
            listener()


def _main_file() -> Path | None:
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return None if file is None else Path(file).resolve()
