"""The core: one server with its records, its capture and its link; wiring and life cycle only.

A core serves a project (a folder or file of tools), an app object, or a relay to another server; everything else is the
same for the three. Its constructor reads the identity of the server, which is all that the first response needs; the
author's code, the capture and the link follow in :meth:`Core.start`.

Only light modules are imported at the top, and the others where they are used, so that the first response on stdio does
not wait for them.
"""

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from server_core.errors import ConfigurationError, ConnectionFailed
from server_core.execution.observation import observe_calls
from server_core.link.backlog import Backlog
from server_core.records.capture.archive import LiveArchive
from server_core.records.capture.capture_store import CaptureStore
from server_core.records.tap import Direction, Tap
from server_core.runtime.background import spawn
from server_core.runtime.console import DONE, write
from server_core.runtime.processes import on_fork
from server_core.runtime.threads import Threads
from server_core.runtime.upstream_options import UpstreamOptions
from server_core.runtime.version import VERSION
from server_core.serving.backend import Backend, RelayBackend, app_folder, serve_app, serve_project
from server_core.serving.tool_backend import ToolBackend
from server_core.settings import Settings
from server_core.transports.source import TERMINAL

if TYPE_CHECKING:
    from server_core.auth.broker.broker import Broker
    from server_core.authoring.declared_app import DeclaredApp
    from server_core.catalog.identity import Identity
    from server_core.holding.holds import Holds
    from server_core.link.link_server import LinkServer
    from server_core.loading.project import Generation
    from server_core.process.early_handshake import EarlyHandshake
    from server_core.process.stdio_guard import StdioGuard
    from server_core.secrets import SecretStore
    from server_core.secrets.secret_store import Place
    from server_core.serving.relay import Relay
    from server_core.serving.server import Server
    from server_core.transports.channel import Outlet
    from server_core.transports.http_port import HttpPort
    from server_core.transports.source import ServingSession

T = TypeVar("T")

# Seconds that a core on stdio waits for its tools to load before it opens the link for terminals.
LOADING_TIMEOUT = 3.0
_CLIENT_MODES = frozenset({"stdio", "http"})
"""The modes of a core that serves clients; in these the settings may enable reloading."""


class Core:
    """One server, with everything that a workbench needs.

    Args:
        project: a folder or file of tools to serve.
        app: an app object to serve instead.
        upstream: the URL, or the command, of another server to relay instead.
        upstream_options: its environment, headers and folder.
        settings: by default from the environment and the project's `.env`.
        reload: reload files that change on disk.
        capture: store every record on disk.
        link: let terminals attach.
        id: unique among the running cores; random by default.
        mode: its purpose, shown to people: "stdio", "http", "link" or "in-process"; the mode of a relay is "relay".

    Raises:
        ConfigurationError: when there is not exactly one thing to serve, or it cannot be served.
    """

    def __init__(
        self,
        *,
        project: Path | None = None,
        app: "DeclaredApp | None" = None,
        upstream: list[str] | str | None = None,
        upstream_options: UpstreamOptions | None = None,
        settings: Settings | None = None,
        reload: bool = False,
        capture: bool = True,
        link: bool = True,
        id: str = "",
        mode: str = "in-process",
    ) -> None:
        self.id = id or os.urandom(4).hex()
        self.purpose = mode
        """Its purpose; also for a relay."""
        self.mode = mode if upstream is None else "relay"
        self.started = time.time()
        self.settings = settings or _settings(project, app)
        self.tap = Tap()
        self.is_detached = False
        """Whether it continues to run without users, on request."""
        self.stop_requested = asyncio.Event()
        """Set to request a stop; the process that runs the core waits for it."""
        self.stopped = asyncio.Event()
        """Set when it has stopped."""
        self._backend = _make_backend(project, app, upstream, self.tap, self.settings, upstream_options)
        self._tools = self._backend if isinstance(self._backend, ToolBackend) else None
        self.store = self._make_store() if capture else None
        self.backlog = Backlog(self.tap, LiveArchive(self.store) if self.store is not None else None)
        self._serves_clients = mode in _CLIENT_MODES
        self._reloads = reload or (self.mode in _CLIENT_MODES and self.settings.server_reload is True)
        self._has_link = link
        self._link: LinkServer | None = None
        # Two, so that a slow disk, keyring or collector does not delay everything else.
        self._threads = Threads(2)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_stopping = False
        self._is_end_recorded = False
        self._unregister_fork_action: Callable[[], None] = lambda: None
        self._observation = contextlib.ExitStack()

    @property
    def title(self) -> str:
        """The name of what it serves, for people."""
        return self._backend.title

    @property
    def identity(self) -> "Identity":
        return self._backend.identity

    @property
    def server(self) -> "Server | Relay":
        """The server, which opens sessions."""
        return self._backend.server

    @property
    def sessions(self) -> "list[ServingSession]":
        """All open sessions, and the most recently closed ones."""
        sessions: Mapping[str, ServingSession] = self.server.sessions
        return list(sessions.values())

    @cached_property
    def http(self) -> "HttpPort":
        from server_core.transports.http_port import HttpPort

        return HttpPort(self.id, self.server, self.settings, self._spawn, self._publish_http)

    @cached_property
    def holds(self) -> "Holds":
        """Which messages wait for an operator; created for the first one."""
        from server_core.holding.holds import Holds

        loop = asyncio.get_running_loop()
        return Holds(self.tap, lambda seconds, callback: loop.call_later(seconds, callback).cancel)

    @property
    def is_in_use(self) -> bool:
        """Whether there is a terminal or an open session, or it serves HTTP, or it was detached."""
        if self.is_detached or self.http.url is not None or self.terminals:
            return True
        return any(session.describe()["closed"] is None for session in self.sessions)

    @property
    def clients(self) -> int:
        """The number of open sessions of clients other than terminals."""
        descriptions = [session.describe() for session in self.sessions]
        return sum(session["closed"] is None and session["peer"] != TERMINAL for session in descriptions)

    @property
    def terminals(self) -> int:
        """The number of terminals that are attached over the link."""
        return 0 if self._link is None else self._link.terminals

    @property
    def secrets(self) -> "SecretStore":
        """The secrets of the tools; an error if another server is relayed, which has its own."""
        return self._local_tools("set its secrets where it runs").secrets

    @property
    def broker(self) -> "Broker":
        """The broker of tokens for the accounts that the tools use; an error if another server is relayed."""
        return self._local_tools("log in where it runs").broker

    @property
    def generation(self) -> "Generation | None":
        """The current generation; None before the first load, and for a relay."""
        return None if self._tools is None else self._tools.generation

    @property
    def is_loaded(self) -> bool:
        """Whether there is something to serve already."""
        return self._tools is None or self._tools.is_loaded

    async def wait_loaded(self) -> None:
        """Wait until there is something to serve."""
        if self._tools is not None:
            await self._tools.loaded()

    async def start(self, head_start: float = 0.0) -> None:
        """Start to serve; return before the author's code is imported.

        Args:
            head_start: wait up to so many seconds for the first response to a client before anything else is started,
                since that would delay it.

        Raises:
            ConfigurationError: when the link cannot be opened; a core that serves clients only reports this.
        """
        exit_later = partial(_exit_forked_loop, asyncio.get_running_loop(), threading.get_ident())
        self._unregister_fork_action = on_fork(exit_later)
        if self.settings.record_details:
            self._observation.enter_context(observe_calls())
        self.tap.emit_event("core_started", id=self.id, mode=self.mode, project=self.title, version=VERSION)
        self.backlog.start()
        if head_start:
            self._spawn(self._start_after_response(_FirstResponse(self.tap), head_start), "start")
            return
        self._start_store()
        if self._serves_clients:
            await self._try_to_start_link()
        else:
            await self._start_link()
        self._start_loading()

    async def stop(self) -> None:
        """Stop everything, and write the remaining records; safe to call twice."""
        if self._is_stopping:
            return
        self._is_stopping = True
        self.stop_requested.set()
        if self._link is not None:
            # First, so that no terminal attaches to a core that is stopping.
            self._link.withdraw()
        for task in self._tasks.copy():
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._tools is not None:
            await self._tools.stop_background_work()
        for session in self.sessions:
            session.close()
        await self._backend.close()
        # The link and the capture are closed last: they also get the records of the end.
        self._record_end()
        self.backlog.close()
        if self._link is not None:
            await self._link.stop()
        if self.store is not None:
            await self.run_on_thread(self.store.close)
        self._unregister_fork_action()
        self._observation.close()
        self.stopped.set()

    def close_capture(self) -> None:
        """Record the end and close the capture, on any thread; for a process that is about to be killed."""
        self._record_end()
        if self.store is not None:
            self.store.close()

    def open_session(
        self, outlet: "Outlet", transport: str, *, peer_name: str = "", principal: str = "", id: str = ""
    ) -> "ServingSession":
        """Open a session for a terminal, with secrets masked; other clients get their sessions from the server."""
        from server_core.link.masked_outlet import MaskedOutlet

        masked = MaskedOutlet(outlet, self.tap.masker)
        return self.server.open_session(masked, transport, peer_name=peer_name, principal=principal, id=id)

    async def serve_stdio(self, stdio_guard: "StdioGuard", early: "EarlyHandshake | None" = None) -> None:
        """Serve one client on this process's own standard streams, until the client closes its side.

        Args:
            early: the bytes that were read and written already.

        Raises:
            ConnectionFailed: when a relayed server has ended before the client has disconnected.
        """
        from server_core.transports.stdio import serve_stdio

        received, already_sent = early or (b"", b"")
        session = await serve_stdio(
            self.server,
            stdin_fd=stdio_guard.wire_in,
            stdout_fd=stdio_guard.wire_out,
            settings=self.settings,
            received=received,
            already_sent=already_sent,
        )
        if reason := session.describe().get("upstream_lost"):
            raise ConnectionFailed(reason)

    async def run_on_thread(self, work: Callable[[], T]) -> T:
        """Run a function on a thread that does not keep the process alive."""
        return await self._threads.run(work)

    async def reload_now(self) -> "Generation":
        """Reload every file that was loaded, changed or not; return the new generation, which is served already."""
        return await self._local_tools("there are no tools to reload").reload()

    def _local_tools(self, advice: str) -> ToolBackend:
        """Return the tools; raise ConfigurationError with the advice if another server is relayed."""
        if self._tools is None:
            raise ConfigurationError(f"This core relays another server; {advice}.")
        return self._tools

    def set_secret(self, key: str, value: str, place: "Place" = "env-file") -> None:
        """Store the value of a secret for this project; from now on it is masked in all records."""
        secrets = self.secrets
        # Before it is stored: an error of the store may contain it.
        self.tap.masker.set({key: value})
        secrets.set(key, value, place)
        self.tap.emit_event("secrets_changed", key=key)

    def unset_secret(self, key: str) -> None:
        """Delete the value of a secret of this project; it is still masked in records."""
        self.secrets.unset(key)
        self.tap.emit_event("secrets_changed", key=key)

    def _record_end(self) -> None:
        if not self._is_end_recorded:
            self._is_end_recorded = True
            self.tap.emit_event("core_stopped", id=self.id)

    async def prune_captures(self) -> None:
        """Delete captures beyond the limits, once the tools are loaded, which this must not delay."""
        await self.wait_loaded()
        from server_core.records.capture.pruning import prune_to_limits

        try:
            pruned = await self.run_on_thread(partial(prune_to_limits, self.settings.capture_limits))
        except (ConfigurationError, OSError) as error:
            self.tap.emit_event("captures_not_pruned", error=str(error))
            return
        if pruned.paths:
            self.tap.emit_event("captures_pruned", count=len(pruned.paths), bytes=pruned.bytes)
        if pruned.problem:
            self.tap.emit_event("captures_not_pruned", error=pruned.problem)

    def _make_store(self) -> CaptureStore:
        identity = self.identity
        return CaptureStore(
            self.tap,
            core_id=self.id,
            project=identity.name,
            server=identity.version,
            started=self.started,
            queue_bytes=self.settings.capture_queue_bytes,
            max_bytes=self.settings.max_capture_bytes,
        )

    def _start_store(self) -> None:
        if self.store is not None:
            self.store.start()
            self._spawn(self.prune_captures(), "prune captures")

    def _start_loading(self) -> None:
        if self._tools is not None:
            self._spawn(self._tools.run(self._reloads, self.stop_requested), "load")

    async def _start_link(self) -> None:
        if not self._has_link:
            return
        from server_core.link.link_server import LinkServer

        self._link = LinkServer(self)
        await self._link.start()

    async def _start_after_response(self, response: "_FirstResponse", head_start: float) -> None:
        """Start everything else once the first client has its response: first the tools, which it requests next."""
        await response.wait(head_start)
        self._start_store()
        self._start_loading()
        # The link opens even if the tools never finish loading, since a terminal helps to find out why.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.wait_loaded(), LOADING_TIMEOUT)
        # On a thread, because importing it would block the event loop while the client waits for its next response.
        await self.run_on_thread(_import_link)
        await self._try_to_start_link()

    async def _try_to_start_link(self) -> None:
        try:
            await self._start_link()
        except ConfigurationError as error:
            # Clients are served nevertheless; the message explains to the user why no terminal can attach.
            self.tap.emit_event("link_failed", error=str(error))
            write(f"workbench: no terminal can attach to this server: {error}")

    def _publish_http(self) -> None:
        url = self.http.url
        self.tap.emit_event("http_listening" if url else "http_stopped", url=url)
        if self._link is not None:
            self._link.publish()

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = spawn(work, f"core {self.id}: {name}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _settings(project: Path | None, app: "DeclaredApp | None") -> Settings:
    if project is None and app is None:
        return Settings.from_environment()
    return Settings.of_project(app_folder() if project is None else project)


def _make_backend(
    project: Path | None,
    app: "DeclaredApp | None",
    upstream: list[str] | str | None,
    tap: Tap,
    settings: Settings,
    upstream_options: UpstreamOptions | None,
) -> Backend:
    if sum(source is not None for source in (project, app, upstream)) != 1:
        raise ConfigurationError("A core serves exactly one of: a project, an app, an upstream server.")
    if project is not None:
        return serve_project(project, tap, settings)
    if app is not None:
        return serve_app(app, tap, settings)
    assert upstream is not None
    return RelayBackend(tap, upstream, upstream_options)


def _exit_forked_loop(loop: asyncio.AbstractEventLoop, thread: int) -> None:
    """In a process that was forked on the event loop's thread: exit it at the next iteration of the loop."""
    if threading.get_ident() == thread and not loop.is_closed():
        loop.call_soon(os._exit, DONE)


def _import_link() -> None:
    import server_core.link.link_server  # noqa: F401


class _FirstResponse:
    """Detects the first message to a client, by its record."""

    def __init__(self, tap: Tap) -> None:
        self._tap = tap
        self._loop = asyncio.get_running_loop()
        self._sent = asyncio.Event()
        self._records = tap.subscribe(None, self._check_soon)

    async def wait(self, timeout: float) -> None:
        """Wait until it has left the process, at most so many seconds."""
        try:
            await asyncio.wait_for(self._sent.wait(), timeout)
            # The transport writes at the end of an iteration of the event loop.
            await asyncio.sleep(0.001)
        except TimeoutError:
            pass  # There was no response in time.
        finally:
            self._tap.unsubscribe(self._records)

    def _check_soon(self) -> None:
        # Records are emitted on any thread, with the lock of the tap held.
        self._loop.call_soon_threadsafe(self._check)

    def _check(self) -> None:
        if any(record.direction is Direction.OUT for record in self._records.drain()):
            self._sent.set()
