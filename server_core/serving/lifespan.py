"""The lifespans of apps: resources that are opened before an app is served, and closed afterwards.

Rule 1: a lifespan is entered before the first call of its app, and exited after the last call, or after the grace
period that calls have when a server shuts down.
Rule 2: it is entered and exited by the same task, since what it opens may require that.
Rule 3: an app whose lifespan fails is served nevertheless, and the failure is reported to the author.
"""

import asyncio
import contextlib
import inspect
from collections.abc import Collection, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.catalog.definitions import Source
from server_core.catalog.problems import Problem, problem_at
from server_core.errors import ErrorKind
from server_core.execution.run import ends_the_task
from server_core.execution.tracebacks import traceback_of
from server_core.records.tap import Tap
from server_core.runtime.background import spawn
from server_core.runtime.safe_text import safe_str

if TYPE_CHECKING:
    from server_core.authoring.declared_app import DeclaredApp

Opened: TypeAlias = Mapping[str, Any]


class _Open:
    """One entered lifespan; a failure at its exit is recorded by the tap."""

    def __init__(self, app: "DeclaredApp", tap: Tap) -> None:
        self.opened: asyncio.Future[Opened] = asyncio.get_running_loop().create_future()
        self._app = app
        self._tap = tap
        self._end = asyncio.Event()
        self._task = spawn(self._run(), f"lifespan of {app.identity.name}")

    async def close(self, calls: Collection["asyncio.Task[Any]"], grace: float) -> None:
        """Exit it once these calls have ended. The calls have `grace` seconds, and so has the exit itself."""
        if calls:
            await asyncio.wait(calls, timeout=grace)
        self._end.set()
        _, late = await asyncio.wait({self._task}, timeout=grace)
        if late:
            self._failed(f"it did not end within {grace:g} s.")
            self._task.cancel()

    def cancel(self) -> None:
        """Cancel it before it is entered."""
        self._task.cancel()

    async def _run(self) -> None:
        try:
            async with _entered(self._app) as given:
                self._enter(given)
                await self._end.wait()
        except BaseException as error:
            if ends_the_task(error):
                raise
            if self.opened.done():
                self._failed(f"{type(error).__name__}: {safe_str(error)}", traceback_of(error))
            else:
                reason = f"raised {type(error).__name__}: {safe_str(error)}"
                self.opened.set_exception(LifespanFailed(self._app, reason))

    def _enter(self, given: object) -> None:
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"it returned a value of type {type(given).__name__}, not a dict")
        self.opened.set_result({} if given is None else given)

    def _failed(self, message: str, traceback: str = "") -> None:
        self._tap.emit_event("lifespan_failed", app=self._app.identity.name, message=message, traceback=traceback)


class LifespanFailed(Exception):
    """The lifespan of an app could not be entered."""

    def __init__(self, app: "DeclaredApp", reason: str) -> None:
        super().__init__(f"The lifespan of {app.identity.name!r} {reason}.")
        self.app = app

    @property
    def problem(self) -> Problem:
        """The failure as a problem for the author."""
        code = getattr(inspect.unwrap(self.app.lifespan), "__code__", None) if self.app.lifespan is not None else None
        source = Source(code.co_filename, code.co_firstlineno) if code is not None else None
        fix = "Correct it and save; until then `context.lifespan` is empty."
        return problem_at(source, str(self), fix, kind=ErrorKind.TOOLKIT_LOAD_FAILED)


class Lifespans:
    """The lifespans of the apps that are served; their failures are recorded by the tap."""

    def __init__(self, tap: Tap) -> None:
        self._tap = tap
        self._open: dict[DeclaredApp, _Open] = {}

    async def enter(self, apps: "Iterable[DeclaredApp]") -> list[Problem]:
        """Enter the lifespans of these apps that are not entered yet, and return their problems."""
        problems: list[Problem] = []
        for app in apps:
            if app.lifespan is None or app in self._open:
                continue
            lifespan = self._open[app] = _Open(app, self._tap)
            try:
                await lifespan.opened
            except LifespanFailed as failed:
                problems.append(failed.problem)
                del self._open[app]
            except asyncio.CancelledError:
                lifespan.cancel()
                del self._open[app]
                raise
        return problems

    @property
    def opened(self) -> dict[str, Any]:
        """The merged values of all lifespans; the later one takes precedence."""
        return {name: value for lifespan in self._open.values() for name, value in lifespan.opened.result().items()}

    async def leave_all_but(
        self, apps: "Collection[DeclaredApp]", calls: Collection["asyncio.Task[Any]"], grace: float
    ) -> None:
        """Exit the lifespans of all other apps, after the calls that may use them, or after `grace` seconds."""
        ended = [app for app in self._open if app not in apps]
        # The latest first, since a later lifespan may depend on an earlier one.
        for lifespan in reversed([self._open.pop(app) for app in ended]):
            await lifespan.close(calls, grace)


def _entered(app: "DeclaredApp") -> AbstractAsyncContextManager[Opened | None]:
    lifespan: Any = app.lifespan
    if inspect.isasyncgenfunction(lifespan):
        lifespan = contextlib.asynccontextmanager(lifespan)
    made: AbstractAsyncContextManager[Opened | None] = lifespan(app)
    return made
