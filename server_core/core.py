"""The core: one server, its records, its capture and its link, put together; wiring and lifecycle only.

A core serves a project (a folder or file of tools), an app object, or a relay to another server, and everything
else is the same for the three. Its constructor finds out who the server is, which is all that a client has to be
told at first; the author's code, the capture and the link come behind that, in :meth:`Core.start`.

Nothing here is imported before it is used: the first answer on stdio must not wait for what it does not need.
"""

import asyncio
import os
import shlex
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from server_core.background import spawn
from server_core.errors import ConfigurationError
from server_core.link.backlog import Backlog
from server_core.settings import Settings
from server_core.tap import Direction, Tap
from server_core.threads import Threads
from server_core.version import VERSION

if TYPE_CHECKING:
    from server_core.app import MCPApp
    from server_core.capture.archive import LiveArchive
    from server_core.capture.store import CaptureStore
    from server_core.catalog.discovery import Identity
    from server_core.fence import Fence
    from server_core.link.serve import LinkServer
    from server_core.project import Generation, Project
    from server_core.relay import Relay
    from server_core.secrets import SecretStatus, SecretStore
    from server_core.server import Server
    from server_core.serving import ServingSession
    from server_core.transports.channel import Channel, Outlet

T = TypeVar("T")


class Core:
    """One server, with all that a workbench wants of it.

    Args:
        project: a folder or file of tools to serve.
        app: an app object to serve instead.
        upstream: the URL, or the command, of another server to relay instead.
        settings: limits and switches; from the environment when not given.
        reload: load anew what changes on disk.
        capture: keep every record on disk.
        link: let terminals attach.
        id: the name of this core among those that run; made up when not given.
        mode: what it was started for, shown to people: "stdio", "http", "link" or "in-process"; a relay is "relay".

    Raises:
        ConfigurationError: when there is not exactly one thing to serve, or it cannot be served.
    """

    def __init__(
        self,
        *,
        project: Path | None = None,
        app: "MCPApp | None" = None,
        upstream: list[str] | str | None = None,
        settings: Settings | None = None,
        reload: bool = False,
        capture: bool = True,
        link: bool = True,
        id: str = "",
        mode: str = "in-process",
    ) -> None:
        if sum(one is not None for one in (project, app, upstream)) != 1:
            raise ConfigurationError("A core serves exactly one of: a project, an app, an upstream server.")
        self.id = id or os.urandom(4).hex()
        self.mode = mode if upstream is None else "relay"
        self.started = time.time()
        self.settings = settings or Settings.from_environment()
        self.tap = Tap()
        self.http_url: str | None = None
        self.stop_requested = asyncio.Event()
        """Set when somebody wants this core to end; whoever runs it waits for that."""
        self.project = _open_project(project, app, self.settings)
        self.secrets = _open_secrets(self.project)
        self.identity, self.title = _who(self.project, upstream)
        self.server: Server | Relay = self._open_server(upstream)
        self.store: CaptureStore | None = self._open_store() if capture else None
        self.backlog = Backlog(self.tap, _archive(self.store))
        self._reload = reload
        self._with_link = link
        self._link: LinkServer | None = None
        self._threads = Threads(2)
        self._stop_watching = asyncio.Event()
        self._loading = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._stopped = False

    @property
    def generation(self) -> "Generation | None":
        """What is served now; None before the first load, and for a relay."""
        return getattr(self.server, "generation", None)

    @property
    def loaded(self) -> bool:
        """Whether there is something to serve already."""
        return self.project is None or self.generation is not None

    async def start(self, head_start: float = 0.0) -> None:
        """Begin to serve; return before the author's code is imported.

        Args:
            head_start: wait up to so many seconds for the first answer to a client before anything else is done,
                since the rest would slow it down.

        Raises:
            ConfigurationError: when the link cannot be opened; with a head start that is only recorded.
        """
        self.tap.lifecycle("core_started", id=self.id, mode=self.mode, project=self.title, version=VERSION)
        self.backlog.start()
        if head_start:
            self._spawn(self._start_behind(head_start), "core start")
            return
        self._start_store()
        await self._start_link()
        if self.project is not None:
            self._spawn(self._load_and_watch(self.project), "load")

    async def stop(self) -> None:
        """End everything that was begun, and write down what was recorded; safe to call twice."""
        if self._stopped:
            return
        self._stopped = True
        self.stop_requested.set()
        self._stop_watching.set()
        for task in self._tasks.copy():
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for session in list(self.server.sessions.values()):
            session.close()
        self.tap.lifecycle("core_stopped", id=self.id)
        self.backlog.close()
        if self._link is not None:
            await self._link.stop()
        if self.store is not None:
            await self.on_thread(self.store.close)

    def open_session(self, outlet: "Outlet", transport: str, *, peer_name: str = "") -> "ServingSession":
        """Open a session of the server that answers through the outlet."""
        return self.server.open_session(outlet, transport, peer_name=peer_name)

    async def serve_stdio(self, fence: "Fence") -> None:
        """Serve one client on this process's own standard streams, until it closes its end.

        Args:
            fence: keeps everybody else off those streams.
        """
        from server_core.transports.stdio import serve_stdio

        await serve_stdio(self.server, stdin_fd=fence.wire_in, stdout_fd=fence.wire_out, settings=self.settings)

    async def serve_http(self, host: str, port: int, on_ready: Callable[[str], None] | None = None) -> None:
        """Serve HTTP until cancelled.

        Args:
            host: the address to listen on.
            port: the port; 0 for any that is free.
            on_ready: told the URL once clients can connect.

        Raises:
            ConfigurationError: when the port is in use, or the address is none of this machine.
        """
        from server_core.transports.http import serve_http

        def ready(url: str) -> None:
            self._http_changed(url)
            if on_ready is not None:
                on_ready(url)

        try:
            await serve_http(self.server, host, port, self.settings, ready)
        finally:
            self._http_changed(None)

    async def open_http(self, host: str, port: int) -> str:
        """Serve HTTP beside what is served already, and return the URL.

        Args:
            host: the address to listen on.
            port: the port; 0 for any that is free.

        Raises:
            ConfigurationError: when the port is in use, or the address is none of this machine.
        """
        if self.http_url is not None:
            return self.http_url
        url: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def serve() -> None:
            try:
                await self.serve_http(host, port, url.set_result)
            except ConfigurationError as error:
                url.set_exception(error)

        self._spawn(serve(), "http")
        return await url

    async def on_thread(self, work: Callable[[], T]) -> T:
        """Run work beside the event loop, on a thread that does not keep the process alive."""
        return await self._threads.run(work)

    async def reload_now(self) -> "Generation":
        """Load anew every file that was loaded, whether it changed or not.

        Returns:
            The new generation, which is served already.

        Raises:
            ConfigurationError: when there is nothing to load, since another server is relayed.
        """
        if self.project is None:
            raise ConfigurationError("This core relays another server; there is nothing to load anew.")
        project = self.project
        async with self._loading:
            generation = await self.on_thread(lambda: project.reload(set(project.watched())))
            self._adopt(generation)
        return generation

    def secret_status(self, keys: list[str]) -> "list[SecretStatus]":
        """Return which of these secrets are set, and where."""
        return self.secrets.status(keys) if self.secrets is not None else []

    def set_secret(self, key: str, value: str) -> None:
        """Keep the value of a secret for this project; from here on no record shows it.

        Raises:
            ConfigurationError: when it cannot be kept, or there is no project to keep it for.
        """
        self.tap.masker.set({key: value})
        self._secrets_of_project().set(key, value)
        self.tap.lifecycle("secrets_changed", key=key)

    def unset_secret(self, key: str) -> None:
        """Forget the value of a secret of this project; records still do not show it.

        Raises:
            ConfigurationError: when the environment holds it, or there is no project that has it.
        """
        self._secrets_of_project().unset(key)
        self.tap.lifecycle("secrets_changed", key=key)

    def _open_server(self, upstream: list[str] | str | None) -> "Server | Relay":
        if upstream is not None:
            from server_core.relay import Relay

            return Relay(self.tap, lambda: _dial(upstream, self.tap))
        from server_core.server import Server

        return Server(self.tap, self.settings, self._secret_values, self.identity)

    def _open_store(self) -> "CaptureStore":
        from server_core.capture.store import CaptureStore

        return CaptureStore(
            self.tap, core_id=self.id, project=self.identity.name, server=self.identity.version, started=self.started
        )

    def _start_store(self) -> None:
        if self.store is not None:
            self.store.start()

    async def _start_link(self) -> None:
        if not self._with_link:
            return
        from server_core.link.serve import LinkServer

        self._link = LinkServer(self)
        await self._link.start()

    async def _start_behind(self, head_start: float) -> None:
        """Start all the rest once the first client has its answer: the tools first, which it asks for next."""
        await _first_answer(self.tap, head_start)
        self._start_store()
        if self.project is not None:
            self._spawn(self._load_and_watch(self.project), "load")
            await self._first_load()
        try:
            await self.on_thread(_import_link)
            await self._start_link()
        except ConfigurationError as error:
            self.tap.lifecycle("link_failed", error=str(error))

    async def _load_and_watch(self, project: "Project") -> None:
        async with self._loading:
            self._adopt(await self.on_thread(project.load))
        if self._reload:
            from server_core.reload import watch

            await watch(project, self._adopt, self._stop_watching)

    async def _first_load(self) -> None:
        loaded = getattr(self.server, "loaded", None)
        if loaded is not None:
            await loaded.wait()

    def _adopt(self, generation: "Generation") -> None:
        """Serve a generation from now on, in one step."""
        self._secret_values(generation.catalog.secrets)
        self.identity = generation.identity
        first = self.generation is None
        self.server.swap(generation)
        event = "loaded" if first else "reloaded" if generation.ok else "reload_failed"
        self.tap.lifecycle(
            event,
            generation=generation.number,
            ok=generation.ok,
            changes=generation.changes.to_json(),
            reloaded=list(generation.reloaded),
            duration_ms=generation.duration_ms,
            problems=len(generation.problems),
        )

    def _secret_values(self, keys: Iterable[str]) -> Mapping[str, str]:
        """The values that a call may use: masked before anybody has them."""
        values = self.secrets.values(keys) if self.secrets is not None else {}
        self.tap.masker.set(values)
        return values

    def _secrets_of_project(self) -> "SecretStore":
        if self.secrets is None:
            raise ConfigurationError("This core relays another server; set its secrets where it runs.")
        return self.secrets

    def _http_changed(self, url: str | None) -> None:
        if url == self.http_url:
            return
        self.http_url = url
        self.tap.lifecycle("http_listening" if url else "http_stopped", url=url)
        if self._link is not None:
            self._link.publish()

    def _spawn(self, coroutine: Any, name: str) -> asyncio.Task[Any]:
        task = spawn(coroutine, f"core {self.id}: {name}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _open_project(project: Path | None, app: "MCPApp | None", settings: Settings) -> "Project | None":
    if project is None and app is None:
        return None
    from server_core.project import Project

    return Project.from_app(app) if app is not None else Project(project, settings)  # type: ignore[arg-type]


def _open_secrets(project: "Project | None") -> "SecretStore | None":
    if project is None:
        return None
    from server_core.secrets import SecretStore

    return SecretStore(project.folder)


def _who(project: "Project | None", upstream: list[str] | str | None) -> "tuple[Identity, str]":
    """Who the server is, and what people are told is served."""
    from server_core.catalog.discovery import Identity

    if project is not None:
        return project.identity, str(project.path)
    title = upstream if isinstance(upstream, str) else shlex.join(upstream or [])
    return Identity(name=title, version="", title=None, instructions=None), title


async def _dial(upstream: list[str] | str, tap: Tap) -> "Channel":
    if isinstance(upstream, str):
        from server_core.transports.http_client import HttpChannel

        return HttpChannel(upstream)
    from server_core.transports.child import ChildChannel

    return await ChildChannel.spawn(upstream)


def _archive(store: "CaptureStore | None") -> "LiveArchive | None":
    if store is None:
        return None
    from server_core.capture.archive import LiveArchive

    return LiveArchive(store)


def _import_link() -> None:
    import server_core.link.serve  # noqa: F401


async def _first_answer(tap: Tap, patience: float) -> None:
    """Wait until something was sent to a client and has left the process, or until patience is at its end."""
    loop = asyncio.get_running_loop()
    answered = asyncio.Event()

    def look() -> None:
        if any(record.direction is Direction.OUT for record in records.drain()):
            answered.set()

    def look_soon() -> None:
        loop.call_soon_threadsafe(look)

    records = tap.subscribe(None, look_soon)
    try:
        await asyncio.wait_for(answered.wait(), patience)
        # The transport writes at the end of a turn of the loop.
        await asyncio.sleep(0.001)
    except TimeoutError:
        pass
    finally:
        tap.unsubscribe(records)
