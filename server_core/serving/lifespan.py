"""What apps open before they are served, and close when they no longer are.

Rule 1: a lifespan is entered before the first call of the app that it belongs to, and left after its last, or after the
grace that calls have when a server ends.
Rule 2: it is entered and left by the same task, as what it opens may want it.
Rule 3: an app whose lifespan fails is served all the same, and the author is told.
"""

import asyncio
import contextlib
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.catalog.definitions import Source
from server_core.catalog.problems import Problem, problem_at
from server_core.errors import ErrorKind
from server_core.execution.failures import traceback_of
from server_core.execution.run import ends_the_task
from server_core.records.tap import Tap
from server_core.runtime.background import spawn
from server_core.runtime.safe_text import readable

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp

Opened: TypeAlias = Mapping[str, Any]
Lifespan: TypeAlias = "Callable[[MCPApp], AbstractAsyncContextManager[Opened | None]]"
"""Given the app, returns what is entered: it gives what tools find in `context.lifespan`."""


class _Open:
    """One lifespan, from its beginning to its end.

    Args:
        app: whose it is.
        tap: where a failure at its end is recorded.
    """

    def __init__(self, app: "MCPApp", tap: Tap) -> None:
        self.opened: asyncio.Future[Opened] = asyncio.get_running_loop().create_future()
        self._app = app
        self._tap = tap
        self._end = asyncio.Event()
        self._task = spawn(self._run(), f"lifespan of {app.identity.name}")

    async def close(self, calls: Collection["asyncio.Task[Any]"], grace: float) -> None:
        """Leave it once these calls are over, which have so many seconds, and it has as many itself."""
        if calls:
            await asyncio.wait(calls, timeout=grace)
        self._end.set()
        _, late = await asyncio.wait({self._task}, timeout=grace)
        if late:
            self._failed(f"it has not ended within {grace:g} s.")
            self._task.cancel()

    def cancel(self) -> None:
        """Give it up before it is entered."""
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
                self._failed(f"{type(error).__name__}: {readable(error)}", traceback_of(error))
            else:
                reason = f"raised {type(error).__name__}: {readable(error)}"
                self.opened.set_exception(LifespanFailed(self._app, reason))

    def _enter(self, given: object) -> None:
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"it gave a value of type {type(given).__name__}, where a dict is wanted")
        self.opened.set_result({} if given is None else given)

    def _failed(self, message: str, traceback: str = "") -> None:
        self._tap.lifecycle("lifespan_failed", app=self._app.identity.name, message=message, traceback=traceback)


class LifespanFailed(Exception):
    """What an app opens could not be opened.

    Args:
        app: the app.
        reason: what its lifespan did.
    """

    def __init__(self, app: "MCPApp", reason: str) -> None:
        super().__init__(f"The lifespan of {app.identity.name!r} {reason}.")
        self.app = app

    @property
    def problem(self) -> Problem:
        """The same, as authors are shown it."""
        code = getattr(inspect.unwrap(self.app.lifespan), "__code__", None) if self.app.lifespan is not None else None
        source = Source(code.co_filename, code.co_firstlineno) if code is not None else None
        fix = "Correct it and save; until then `context.lifespan` is empty."
        return problem_at(source, str(self), fix, kind=ErrorKind.TOOLKIT_LOAD_FAILED)


class Lifespans:
    """The lifespans of the apps that are served.

    Args:
        tap: where failures are recorded.
    """

    def __init__(self, tap: Tap) -> None:
        self._tap = tap
        self._open: dict[MCPApp, _Open] = {}

    async def enter(self, apps: "Iterable[MCPApp]") -> list[Problem]:
        """Enter the lifespans of these apps that are not entered yet, and return what is wrong with them."""
        problems: list[Problem] = []
        for app in apps:
            if app.lifespan is None or app in self._open:
                continue
            one = self._open[app] = _Open(app, self._tap)
            try:
                await one.opened
            except LifespanFailed as failed:
                problems.append(failed.problem)
                del self._open[app]
            except asyncio.CancelledError:
                one.cancel()
                del self._open[app]
                raise
        return problems

    @property
    def opened(self) -> dict[str, Any]:
        """What all of them gave; where two gave something under the same name, the later one counts."""
        return {name: value for one in self._open.values() for name, value in one.opened.result().items()}

    async def leave_all_but(
        self, apps: "Collection[MCPApp]", calls: Collection["asyncio.Task[Any]"], grace: float
    ) -> None:
        """Leave the lifespans of all other apps.

        Args:
            apps: those that are still served.
            calls: the calls that may use what was opened; they are waited for.
            grace: for at most so many seconds.
        """
        gone = [app for app in self._open if app not in apps]
        # The latest first, as one that was entered later may build on an earlier one.
        for one in reversed([self._open.pop(app) for app in gone]):
            await one.close(calls, grace)


def _entered(app: "MCPApp") -> AbstractAsyncContextManager[Opened | None]:
    lifespan: Any = app.lifespan
    if inspect.isasyncgenfunction(lifespan):
        lifespan = contextlib.asynccontextmanager(lifespan)
    made: AbstractAsyncContextManager[Opened | None] = lifespan(app)
    return made
