"""`MCPApp`: a server as an object, with decorators for tools, resources and prompts, and `run` to serve it."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Unpack, overload

from server_core.authoring.declared_app import DeclaredApp, apps_run_while_loading
from server_core.authoring.decorators import Declarer, ToolDecorator
from server_core.authoring.offers import PromptOffers, ResourceOffers, ToolOffers
from server_core.authoring.run_options import LOG_LEVELS
from server_core.catalog.declarations import (
    CompletionDeclaration,
    PromptDeclaration,
    ResourceDeclaration,
    attach,
    record_position,
)
from server_core.catalog.decorator_options import MoreToolOptions, PromptOptions, ResourceOptions, UriResourceOptions
from server_core.catalog.identity import (
    DEFAULT_NAME,
    DEFAULT_VERSION,
    Identity,
    are_icons,
    checked_name,
    checked_version,
)
from server_core.protocol.headers import normalise_origins

# Everything else is imported in functions: each file of an author imports this module, and clients wait for its load.
if TYPE_CHECKING:
    from server_core.middleware.middleware import Middleware
    from server_core.process.asgi_app import MountedApp
    from server_core.resource_server import ResourceServerValidator
    from server_core.resource_server.admission import Admission

Json: TypeAlias = dict[str, Any]
F = TypeVar("F", bound=Callable[..., Any])
Lifespan: TypeAlias = "Callable[[MCPApp], AbstractAsyncContextManager[Mapping[str, Any] | None]]"
"""Receives the app and returns a context manager, whose value is `context.lifespan` in tools."""

_log = logging.getLogger(__name__)


class MCPApp(DeclaredApp):
    """A server: its name, and its tools, resources and prompts.

    These can be changed while it is served, on any thread: added with the decorators, and added, replaced or removed
    with `tools`, `resources` and `prompts`.

    Args:
        name: its name for clients: letters, digits, hyphens and single underscores. It prefixes the names of its tools.
        version: its semantic version; `1` and `v1.2` are completed.
        title: its display name; defaults to the name.
        instructions: what a model should know to use it.
        log_level: the level from which `run` writes messages of Python's `logging` to standard error.
        transport: how `run` serves it: "stdio" or "http".
        host: the address that `run` listens on for HTTP.
        port: the port that `run` listens on for HTTP.
        reload: whether `run` reloads the file when it changes.
        auth: validates the tokens of clients over HTTP, such as a `ResourceServerAuth`; None for no validation.
        icons: as on the wire.
        description: what it is for.
        website_url: the URL of its website.
        allowed_origins: the origins of web pages that may use it over HTTP, like "https://app.example.com"; "*" for
            all.
        middleware: the middleware that processes every message; the first is the outermost.
        lifespan: a context manager that is entered before the app is served, and exited afterwards.
        toolkit: the prefix for the names of its tools instead of its own name; empty for plain names.
        auth_disabled: accepted for servers written for Arcade, and ignored, like the next two.
        arcade_api_key: ignored; there is no cloud.
        arcade_api_url: ignored.

    Raises:
        TypeError: when the name or version is not a string, or the icons, origins, middleware or `auth` have a wrong
            type.
        ValueError: when the name, the version or the log level is invalid.
    """

    def __init__(
        self,
        name: str = DEFAULT_NAME,
        version: str = DEFAULT_VERSION,
        title: str | None = None,
        instructions: str | None = None,
        log_level: str = "INFO",
        transport: str = "stdio",
        host: str = "127.0.0.1",
        port: int = 8000,
        reload: bool = False,
        auth: "ResourceServerValidator | None" = None,
        icons: Sequence[Json] | None = None,
        description: str | None = None,
        website_url: str | None = None,
        allowed_origins: Sequence[str] | None = None,
        # `_POSITIONAL` in catalog/identity.py repeats the order so far, to read calls from the source.
        *,
        middleware: "Sequence[Middleware]" = (),
        lifespan: "Lifespan | None" = None,
        toolkit: str | None = None,
        auth_disabled: bool | None = None,
        arcade_api_key: str | None = None,
        arcade_api_url: str | None = None,
    ) -> None:
        of_arcade = {
            "auth_disabled": auth_disabled,
            "arcade_api_key": arcade_api_key,
            "arcade_api_url": arcade_api_url,
        }
        for argument, value in of_arcade.items():
            if value is not None:
                _log.warning("MCPApp's %s has no effect, because there is no cloud service here. Remove it.", argument)
        name, version, icons = checked_name(name), checked_version(version), () if icons is None else icons
        if not are_icons(icons):
            raise TypeError('MCPApp\'s icons must be a list such as [{"src": "https://example.com/icon.png"}]')
        if log_level not in LOG_LEVELS:
            raise ValueError(f"MCPApp's log_level must be one of {', '.join(LOG_LEVELS)}, got {log_level!r}")
        for item in middleware:
            if not callable(item) or isinstance(item, type):
                raise TypeError(f"MCPApp's middleware must be objects such as MyMiddleware(), not {item!r}")
        super().__init__(
            Identity(
                name,
                version,
                title or name,
                instructions,
                description,
                website_url,
                tuple(icons),
                bool(middleware),
                auth is not None,
            ),
            toolkit=name if toolkit is None else toolkit,
            middleware=tuple(middleware),
            lifespan=lifespan,
            allowed_origins=normalise_origins(allowed_origins),
            gate=None if auth is None else _gate_of(auth),
        )
        self.tool = ToolDecorator(self._decorator)
        """Declares a function as a tool of this server, with the arguments of :data:`server_core.tool`."""
        self.tools = ToolOffers(self)
        self.resources = ResourceOffers(self)
        self.prompts = PromptOffers(self)
        self.log_level = log_level
        self.transport, self.host, self.port, self.reload = transport, host, port, reload

    def resource(self, uri: str = "", **options: Unpack[ResourceOptions]) -> Callable[[F], F]:
        """Declare a function as a resource of this server; the arguments are those of :func:`server_core.resource`."""
        decorator: Callable[[F], F] = self._decorator(ResourceDeclaration.declarer({"uri": uri, **options}), None)
        return decorator

    @overload
    def prompt(self, function: F, /) -> F: ...
    @overload
    def prompt(self, /, **options: Unpack[PromptOptions]) -> Callable[[F], F]: ...
    def prompt(self, function: Any = None, /, **options: Unpack[PromptOptions]) -> Any:
        """Declare a function as a prompt of this server; the arguments are those of :func:`server_core.prompt`."""
        return self._decorator(PromptDeclaration.declarer(options), function)

    def completion(self, subject: str, argument: str) -> Callable[[F], F]:
        """Declare a function that proposes values for an argument.

        It receives the text typed so far, optionally the arguments known already, and returns the proposals.

        Args:
            subject: the name of a prompt, or a resource template.
            argument: the argument of the prompt, or the part of the template.
        """

        def declare(function: F) -> F:
            self.declare(CompletionDeclaration(function, {}, {}, subject, argument))
            return function

        return declare

    def add_tool(
        self, function: F, desc: str | None = None, name: str | None = None, **options: Unpack[MoreToolOptions]
    ) -> F:
        """Add a function as a tool and return it; the options override those of its decorator."""
        self.tools.add(function, desc=desc, name=name, **options)
        return function

    def add_tools_from_module(self, module: ModuleType) -> None:
        """Add every function with `@tool` or `@resource` in a module, or in the modules of a package.

        Raises:
            ToolkitLoadError: when it has no tool, or a module of the package cannot be imported.
        """
        from server_core.authoring.module_tools import resources_in, tools_in

        for function in tools_in(module):
            self.tools.add(function)
        for function in resources_in(module):
            self.resources.add(function)

    def add_resource(
        self, uri: str, *, handler: Callable[..., Any] | None = None, **options: Unpack[UriResourceOptions]
    ) -> None:
        """Add a resource whose contents a function returns; without a handler it is listed, but empty."""
        set_options: Json = {name: value for name, value in options.items() if value is not None}
        self.resources.add({"uri": uri}, handler, **{"name": uri, **set_options, "uri": uri})

    def add_text_resource(self, uri: str, *, text: str, **options: Unpack[UriResourceOptions]) -> None:
        """Add a resource with a constant text; the options are those of the decorator.

        Its MIME type is `text/plain` when not given.

        Raises:
            ValueError: when the URI is a template.
        """
        _reject_template(uri, "static text")
        options.setdefault("mime_type", "text/plain")
        self.add_resource(uri, handler=record_position(lambda: text), **options)

    def add_file_resource(self, uri: str, *, path: str | Path, **options: Unpack[UriResourceOptions]) -> None:
        """Add a resource with the current content of a file: text if it is UTF-8, else bytes.

        Subscribed clients are notified when the file changes. Its MIME type is guessed from the file extension when not
        given.

        Args:
            uri: its URI.
            path: the file; a relative path is resolved against the current working directory.
            options: those of the decorator.

        Raises:
            ValueError: when the URI is a template.
        """
        from server_core.catalog.content import FileContents

        _reject_template(uri, "file")
        self.add_resource(uri, handler=record_position(FileContents(Path(path).absolute())), **options)

    def add_prompt(
        self, prompt: Any, handler: Callable[..., Any] | None = None, **options: Unpack[PromptOptions]
    ) -> None:
        """Add a prompt: a function, or a prompt as on the wire with the function that returns its messages."""
        self.prompts.add(prompt, handler, **options)

    def http_app(self, hosts: Collection[str] = ()) -> "MountedApp":
        """Return this server as an ASGI application, to mount in another one or to run with any ASGI server.

        Its endpoint is `/mcp` below the path where it is mounted. Pass its `lifespan` to the outer application.

        Args:
            hosts: the host names that requests may use, besides loopback names; others are rejected.
        """
        from server_core.process.asgi_app import MountedApp

        return MountedApp(self, hosts)

    def run(
        self,
        host: str | None = None,
        port: int | None = None,
        reload: bool | None = None,
        transport: str | None = None,
    ) -> None:
        """Serve until the client disconnects (stdio) or the process is stopped (HTTP).

        The settings (`ARCADE_SERVER_TRANSPORT`, `ARCADE_SERVER_HOST`, `ARCADE_SERVER_PORT`, `ARCADE_SERVER_RELOAD`)
        take precedence over these arguments, and these over those of the constructor. While a workbench loads this
        file, `run` does nothing.

        Args:
            host: the address to listen on for HTTP.
            port: the port to listen on for HTTP.
            reload: reload the file when it changes.
            transport: "stdio" or "http"; "streamable-http" and "streamable" are synonyms of "http".

        Raises:
            ConfigurationError: when there is no such transport.
            SystemExit: with the exit code of the server, unless that is 0; with 1 when it has nothing to offer, and
                with 2 when a setting is invalid.
        """
        if (called := apps_run_while_loading.get()) is not None:
            called.append(self)
            return
        from server_core.process.serve_app import run_app

        run_app(self, {"transport": transport, "host": host, "port": port, "reload": reload})

    def _decorator(self, declare: Declarer, function: Any) -> Any:
        def decorate(function: F) -> F:
            declaration = self.with_own_toolkit(declare(function))
            self.declare(declaration)
            return attach(function, declaration)

        return decorate if function is None else decorate(function)


def _gate_of(auth: object) -> "Admission":
    """Return the admission rules for the argument `auth` of an app."""
    from server_core.resource_server.admission import Admission, ResourceServerValidator

    if not isinstance(auth, ResourceServerValidator):
        raise TypeError(f"MCPApp's auth must be a token validator such as ResourceServerAuth(...), not {auth!r}")
    return Admission(auth)


def _reject_template(uri: str, kind: str) -> None:
    if "{" in uri:
        raise ValueError(
            f"Template URIs are not supported for {kind} resources: '{uri}'. "
            "Use add_resource() with a handler that accepts template parameters instead."
        )
