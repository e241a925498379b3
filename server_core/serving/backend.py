"""What a core serves: the tools of a project or of an app object, or another server that it relays."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from server_core.catalog.identity import Identity, identity_with
from server_core.loading.file_discovery import discover
from server_core.records.masking import Masker
from server_core.records.tap import Tap
from server_core.runtime.upstream_options import UpstreamOptions
from server_core.serving.tool_backend import ToolBackend
from server_core.settings import Settings

if TYPE_CHECKING:
    from server_core.authoring.declared_app import DeclaredApp
    from server_core.loading.project import Project
    from server_core.serving.relay import Relay
    from server_core.serving.server import Server
    from server_core.transports.channel import Channel

CHILD_STEP_TIMEOUT = 1.0
"""Seconds that a relayed child gets for each step of its shutdown; all of them must fit into the shutdown of a core."""

Upstream: TypeAlias = list[str] | str
"""Another server: its command, or its URL."""


class Backend(Protocol):
    """What a core serves, and its name for people."""

    title: str

    @property
    def identity(self) -> Identity:
        """Who the server is."""

    @property
    def server(self) -> "Server | Relay":
        """The server, which opens sessions."""

    async def close(self) -> None:
        """Close the resources that calls use, once every session has ended."""


class RelayBackend:
    """Another server, behind our tap; `upstream` is its command or its URL."""

    def __init__(self, tap: Tap, upstream: Upstream, options: UpstreamOptions | None = None) -> None:
        from server_core.runtime.command_text import command_text, url_text
        from server_core.serving.relay import Relay

        # It is shown, recorded, and stored in the names and descriptions of captures.
        self.title = url_text(upstream) if isinstance(upstream, str) else command_text(upstream)
        self.identity = Identity(self.title, "")
        chosen = options or UpstreamOptions()
        words = [upstream] if isinstance(upstream, str) else upstream
        tap.masker.set_passwords({**os.environ, **chosen.env, **{f"word {n}": word for n, word in enumerate(words, 1)}})
        tap.masker.set(chosen.secrets)
        self.server = Relay(tap, lambda: _dial(upstream, tap.masker, chosen))

    async def close(self) -> None:
        """Wait until the connections to the other server are closed and the processes that we started have ended."""
        await self.server.wait_closed()


def serve_project(path: Path, tap: Tap, settings: Settings, *, shares_modules: bool = False) -> ToolBackend:
    """Return the backend for a folder or file; `shares_modules` uses what this process imported already."""
    path = path.resolve()
    if settings.tool_package or settings.discover_installed:
        return _serve_packages(path, tap, settings)

    def open_project() -> "Project":
        from server_core.loading.file_source import FileSource
        from server_core.loading.project import Project

        return Project(FileSource(path, settings, shares_modules=shares_modules))

    identity = identity_with(settings, discover(path).identity)
    folder = path.parent if path.is_file() else path
    return ToolBackend(tap, settings, title=str(path), identity=identity, folder=folder, open_project=open_project)


def _serve_packages(path: Path, tap: Tap, settings: Settings) -> ToolBackend:
    from server_core.loading.package_source import PackageSource
    from server_core.loading.project import Project

    source = PackageSource(path, settings)
    project = Project(source)
    return ToolBackend(
        tap,
        settings,
        title=source.title,
        identity=project.identity,
        folder=source.folder,
        open_project=lambda: project,
    )


def serve_app(app: "DeclaredApp", tap: Tap, settings: Settings) -> ToolBackend:
    """Return the backend of a core for an app object."""

    def open_project() -> "Project":
        from server_core.loading.project import Project
        from server_core.loading.project_source import AppSource

        return Project(AppSource(app, settings))

    identity = identity_with(settings, app.identity)
    return ToolBackend(
        tap, settings, title=identity.name, identity=identity, folder=app_folder(), open_project=open_project
    )


def app_folder() -> Path:
    """Return the folder of the main file of this process, which serves as the project folder of an app object."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    return Path(main).resolve().parent if main else Path.cwd()


async def _dial(upstream: Upstream, masker: Masker, options: UpstreamOptions) -> "Channel":
    if isinstance(upstream, str):
        from server_core.oauth import oauth_for
        from server_core.transports.http_client.http_any_client import AnyHttpChannel

        # No user can log in from here: only stored tokens and the environment are used; or an explicit credential.
        is_authorized = any(name.lower() == "authorization" for name in options.headers)
        authorization = None if is_authorized else oauth_for(upstream)
        return AnyHttpChannel(upstream, dict(options.headers), authorization=authorization)
    from server_core.transports.child import ChildChannel

    return await ChildChannel.spawn(
        upstream,
        env=options.command_environment,
        cwd=options.folder or None,
        step_timeout=CHILD_STEP_TIMEOUT,
        masker=masker,
    )
