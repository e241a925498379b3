"""The tools of a project or of an app object, as a core serves them: loaded, and loaded again when they change.

The identity of the server has to be known at once, because clients ask for it first; so it is read before, and nothing
else. The author's code is imported later, by :meth:`ToolBackend.run`, on a thread.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.catalog.identity import Identity
from server_core.errors import ConfigurationError
from server_core.records.tap import Tap
from server_core.runtime.background import spawn, start
from server_core.runtime.threads import Threads, limit_shared_threads
from server_core.secrets import SecretStore
from server_core.serving.app_changes import AppChanges
from server_core.settings import Settings

if TYPE_CHECKING:
    from server_core.auth.broker.broker import Broker
    from server_core.loading.project import Generation, Project
    from server_core.serving.lifespan import Lifespans


class ToolBackend:
    """The tools of a project or of an app object; changes of an app while it is served apply at once.

    The identity is that before the first load; `open_project` is called on a thread, because it imports much.
    """

    def __init__(
        self,
        tap: Tap,
        settings: Settings,
        *,
        title: str,
        identity: Identity,
        folder: Path,
        open_project: "Callable[[], Project]",
    ) -> None:
        from server_core.serving.server import Server

        self.title = title
        self.secrets = SecretStore(folder)
        self.server = Server(tap, settings, self._secret_values, identity)
        limit_shared_threads(settings.thread_count)
        self.server.open_broker = lambda: self.broker
        self._broker: Broker | None = None
        self._tap = tap
        self._folder = folder
        self._open_project = open_project
        self._project: Project | None = None
        # One thread, so that no two files are imported at the same time.
        self._thread = Threads(1)
        # Held while a generation is loaded.
        self._lock = asyncio.Lock()
        self._app_changes = AppChanges(self._hold_requests, self.server.resource_updated)
        self._lifespans: Lifespans | None = None
        # Held while the lifespans of a generation are entered, so that generations are served in order.
        self._adoption_lock = asyncio.Lock()
        # The calls that were running when the core was closed.
        self._last_calls: list[asyncio.Task[None]] = []

    @property
    def identity(self) -> Identity:
        return self.server.identity

    @property
    def broker(self) -> "Broker":
        """The broker of tokens for people's accounts; created on first use."""
        if self._broker is None:
            from server_core.auth.broker import open_broker

            self._broker = open_broker(self._folder, self.secrets, self.server.settings, self._tap)
        return self._broker

    @property
    def generation(self) -> "Generation | None":
        """The current generation; None before the first load."""
        return self.server.generation

    @property
    def is_loaded(self) -> bool:
        """Whether there is something to serve already."""
        return self.generation is not None

    async def loaded(self) -> None:
        """Wait until there is something to serve."""
        await self.server.loaded.wait()

    async def run(self, follow: bool, stop: asyncio.Event) -> None:
        """Load the tools until cancelled or stopped; with `follow`, watch the files and reload those that change."""
        refreshing = spawn(self._refresh(), "serve what apps are changed to")
        try:
            await self._load_first()
            if follow and self._project is not None:
                from server_core.loading.reload import watch

                await watch(self._project, self._adopt_soon, stop)
            await stop.wait()
        finally:
            refreshing.cancel()
            self._app_changes.follow(())

    async def _load_first(self) -> None:
        try:
            await self.reload()
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # Including SystemExit, which an author's object may raise when it is inspected.
            # The project could be read when the core was created, and no longer can. An empty generation is served, so
            # that no request waits for ever.
            from server_core.loading.project import empty_generation
            from server_core.runtime.safe_text import safe_str

            self._tap.emit_event("load_failed", error=safe_str(error))
            await self._adopt(empty_generation(self._folder, self.identity, error))

    async def _refresh(self) -> None:
        """Serve the definitions of the apps anew, each time they may have changed."""
        while True:
            await self._app_changes.wait()
            async with self._lock:
                try:
                    generation = None if self._project is None else await self._thread.run(self._project.refresh)
                    if generation is not None:
                        await self._adopt(generation)
                finally:
                    if self.is_loaded and not self._app_changes.is_pending:
                        self.server.loaded.set()

    def _hold_requests(self) -> None:
        """Hold requests until the change of an app is served; while files are loaded, they need not wait."""
        if self.is_loaded and self._project is not None and not self._project.is_busy:
            self.server.loaded.clear()

    async def stop_background_work(self) -> None:
        """Stop the work that belongs to no session, after a grace period; sessions may still be open."""
        self._last_calls = self.server.calls
        await self.server.close_resource_watcher()
        await self.server.close_tasks()
        if self._broker is not None:
            await self._broker.close()

    async def close(self) -> None:
        """Close the lifespans of the apps, and undo the effects of imports on this process."""
        if self._lifespans is not None:
            await self._lifespans.leave_all_but((), self._last_calls, self.server.settings.shutdown_grace)
        if self._project is not None:
            self._project.source.leave()
        self._thread.end()

    async def reload(self) -> "Generation":
        """Load every file, whether it changed or not, and serve the result."""
        async with self._lock:
            generation = await self._thread.run(self._load)
            return await self._adopt(generation)

    def _load(self) -> "Generation":
        if self._project is None:
            self._project = self._open_project()
            self._mask_before_import(self._project.source.discovery.tools)
            return self._project.load()
        return self._project.reload(self._project.source.files.watched)

    def _adopt_soon(self, generation: "Generation") -> None:
        start(self._adopt(generation), "serve a generation")

    async def _adopt(self, generation: "Generation") -> "Generation":
        """Serve a generation once the lifespans of its apps are entered, and return it with their problems."""
        async with self._adoption_lock:
            if self._lifespans is None and not any(app.lifespan for app in generation.apps):
                return self._swap(generation)
            if self._lifespans is None:
                from server_core.serving.lifespan import Lifespans

                self._lifespans = Lifespans(self._tap)
            problems = await self._lifespans.enter(generation.apps)
            generation = replace(generation, problems=(*generation.problems, *problems))
            self.server.lifespan = self._lifespans.opened
            calls = self.server.calls
            generation = self._swap(generation)
        leaving = self._lifespans.leave_all_but(generation.apps, calls, self.server.settings.shutdown_grace)
        start(leaving, "leave the lifespans of the generation before")
        return generation

    def _swap(self, generation: "Generation") -> "Generation":
        """Serve a generation from now on, in one assignment, and return it with the secrets in its problems masked."""
        first = self.generation is None
        if self._project is not None:
            self._app_changes.follow(self._project.apps)
        # The root of the project may have changed, and with it the folders of `.env` files.
        self.secrets.forget_folders()
        self._mask_declared(generation.catalog.secrets)
        # A problem may quote an exception of the author's code, and is shown on terminals and on stderr.
        problems = tuple(problem.masked(self._tap.masker.mask_text) for problem in generation.problems)
        generation = replace(generation, problems=problems)
        self.server.swap(generation)
        self._tap.emit_event(
            "loaded" if first else "reloaded" if generation.ok else "reload_failed",
            generation=generation.number,
            ok=generation.ok,
            changes=generation.changes.to_json(),
            reloaded=list(generation.reloaded),
            duration_ms=generation.duration_ms,
            problems=len(generation.problems),
        )
        return generation

    async def _secret_values(self, keys: Iterable[str]) -> Mapping[str, str]:
        """Return the values that a call may use; they are masked in every record before the call has them."""
        try:
            values = await self.secrets.values_async(keys)
        except ConfigurationError as error:
            return self._report_unreadable(error)
        self._tap.masker.set(values)
        return values

    def _mask_before_import(self, files: Iterable[Path]) -> None:
        """Mask the secrets that the author's code may print while it is imported."""
        from server_core.secrets.declared_secrets import readable_variables, values_before_import

        try:
            self._tap.masker.set_passwords(readable_variables(self.secrets))
            self._tap.masker.set(values_before_import(files, self.secrets))
        except ConfigurationError as error:
            self._report_unreadable(error)

    def _mask_declared(self, keys: Iterable[str]) -> None:
        try:
            self._tap.masker.set(self.secrets.values(filter(self.secrets.is_readable_now, keys)))
        except ConfigurationError as error:
            self._report_unreadable(error)

    def _report_unreadable(self, error: ConfigurationError) -> Mapping[str, str]:
        self._tap.emit_event("secrets_unreadable", error=str(error))
        return {}
