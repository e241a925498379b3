"""Calls of tools that are run again after each reload, each compared with its first result.

Rule 1: the calls are made one after the other, in a session of their own: a request of a tool for input is certainly of
the call that runs. It is declined unless a rule answers it, since no user waits for it.
Rule 2: after a reload that has failed nothing is called: it would run the code before, and be taken for the new.
Rule 3: a tool that may destroy data is called only if the user has agreed to that call.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from server_core.errors import ConnectionFailed, WorkbenchError
from server_core.runtime.background import spawn
from workbench.client.questions import PendingQuestions, Question
from workbench.client.session import ClientSession
from workbench.model.catalog import OfferKind, is_destructive, load_state
from workbench.model.history import CallRun, History, RunStatus
from workbench.model.json_members import object_in, text_in
from workbench.model.run_difference import run_difference
from workbench.model.saved_calls import SavedCall
from workbench.model.watched_result import WatchedResult
from workbench.workspace.resolving import resolving
from workbench.workspace.tool_calls import ToolCalls
from workbench.workspace.value_files import with_files

if TYPE_CHECKING:
    from workbench.responder.responder import RuleReport
    from workbench.workspace.workspace import Workspace

TIMEOUT_S = 30.0
"""The seconds for each call, by default."""
MAX_CALLS = 50
_MAX_RUNS = 200
_NOT_RUN = "not run: the tool may destroy data (destructiveHint)"


@dataclass(eq=False, slots=True)
class WatchedCall:
    """A call that is run again."""

    call: SavedCall  # without a name if it is not in workbench.yaml
    may_destroy: bool = False  # whether the user has agreed to repeat a call that may destroy data
    first: CallRun | None = None  # the run with which later ones are compared
    result: WatchedResult | None = None  # of the last run
    schema: str = ""  # the verdict on what the last reload changed in the definition of the tool

    @property
    def label(self) -> str:
        return self.call.name or self.call.note


class WatchedCalls:
    """The calls that one workspace watches; it notifies its listeners when one was added, removed or run.

    Args:
        timeout: the seconds for each call.
    """

    def __init__(self, workspace: "Workspace", timeout: float = TIMEOUT_S) -> None:
        self.calls: list[WatchedCall] = []
        self.running: WatchedCall | None = None
        self._questions = PendingQuestions(otherwise=[self._decline])
        self._rules = workspace.rules.responder_for(self._questions, self._note_rule)
        self._questions.responder = self._rules
        self._workspace = workspace
        self._timeout = timeout
        # Of their own: what is run at each save would displace the calls of the user.
        self._history = History(workspace.clock, _MAX_RUNS)
        self._run_changed = asyncio.Event()
        self._tool_calls = ToolCalls(workspace.clock, self._run_changed.set)
        self._session: ClientSession | None = None
        # Of the call that runs: the requests that were declined, and what rules have done with others.
        self._asked: list[str] = []
        self._ruled: list[str] = []
        self._queue: list[WatchedCall] = []
        self._worker: asyncio.Task[None] | None = None
        self._seen: object = None
        self._catalog: Mapping[str, Any] = {}  # at the last reload

    @property
    def is_due(self) -> bool:
        """Whether the tools were loaded since the last run, or could not be."""
        workspace = self._workspace
        return workspace.core.is_loaded and workspace.session is not None and self._state() != self._seen

    @property
    def is_stale(self) -> bool:
        """Whether the last reload has failed, so that the results are of the code before."""
        return load_state(self._workspace.core.catalog) == "stale"

    @property
    def red(self) -> int:
        """How many calls have failed or differ."""
        return sum(call.result is not None and call.result.is_red for call in self.calls)

    def find(self, call: SavedCall) -> WatchedCall | None:
        """Return the watched call with the same name; of a call without a name, that with the same arguments."""
        return next((each for each in self.calls if _is_same(each.call, call)), None)

    def add(self, call: SavedCall, *, may_destroy: bool = False, first: CallRun | None = None) -> WatchedCall:
        """Watch a call of a tool; `first` is the run with which others are compared, by default the next."""
        watched = WatchedCall(call, may_destroy, first)
        if first is not None:
            watched.result = WatchedResult(call, first, first=first)
        self.calls.append(watched)
        if len(self.calls) == 1:
            self._begin()
        self._notify()
        return watched

    def remove(self, call: WatchedCall) -> None:
        self.calls.remove(call)
        if call in self._queue:
            self._queue.remove(call)
        # Without calls, this closes the session.
        self.run_soon()

    def accept(self, call: WatchedCall) -> None:
        """Compare with the last result of a call from now on."""
        if call.result is not None and call.result.run is not None and call.result.run.status is RunStatus.OK:
            call.first = call.result.run
            call.result = WatchedResult(call.call, call.first, schema=call.schema, first=call.first)
            self._notify()

    def update_saved(self, saved: Sequence[SavedCall]) -> None:
        """Use the saved calls as they are now: a changed one is run, and later ones are compared with that."""
        calls = {call.name: call for call in saved if call.kind is OfferKind.TOOL}
        for watched in [*self.calls]:
            now = calls.get(watched.call.name)
            if not watched.call.name:
                # It may have been saved meanwhile.
                watched.call = next((call for call in saved if _is_same(call, watched.call)), watched.call)
            elif now is None:
                self.remove(watched)
            elif now != watched.call:
                # What the user has agreed to was another call.
                watched.may_destroy = watched.may_destroy and now.target == watched.call.target
                watched.call, watched.first = now, None
                self.run_soon(watched)

    def note_change(self) -> None:
        """Run the calls if the tools were loaded since the last run."""
        if self.calls and self.is_due:
            self.run_soon(*self.calls)

    def run_soon(self, *calls: WatchedCall) -> None:
        """Run calls, after those that wait."""
        self._queue += [call for call in calls if call not in self._queue]
        if self._worker is None or self._worker.done():
            self._worker = spawn(self._work(), "watched calls")
        self._notify()

    async def run(self) -> list[WatchedResult]:
        """Run all calls, and return their results."""
        self.run_soon(*self.calls)
        if self._worker is not None:
            await self._worker
        return [call.result for call in self.calls if call.result is not None]

    def continue_from(self, previous: "WatchedCalls") -> None:
        """Watch the calls of an earlier workspace on the same project, and run them: its core was started again."""
        self.calls, self._catalog = previous.calls, previous._catalog
        self.run_soon(*self.calls)

    async def close(self) -> None:
        self.calls, self._queue = [], []
        if self._worker is not None:
            self._worker.cancel()
        await self._rules.close()
        if self._session is not None:
            await self._session.close()

    def _state(self) -> tuple[object, ...]:
        core = self._workspace.core
        return core.catalog.get("generation"), [text_in(problem, "message") for problem in core.problems]

    def _begin(self) -> None:
        self._seen, self._catalog = self._state(), dict(self._workspace.core.catalog)

    async def _work(self) -> None:
        while self.calls:
            if self.is_due:
                await self._begin_round()
            # Until the first load it is unknown what a tool does; all calls are due after it.
            if not self._queue or not self._workspace.core.is_loaded:
                break
            await self._run(self._queue.pop(0))
        if not self.calls and self._session is not None:
            session, self._session = self._session, None
            await session.close()

    async def _begin_round(self) -> None:
        # Imported when it is needed, as by the workspace itself.
        from workbench.model.definitions.change import verdict_text
        from workbench.model.definitions.offer_changes import catalog_changes

        if self.is_stale:
            # The next reload is compared with the last that did not fail.
            self._seen, self._queue = self._state(), []
            return
        before = self._catalog
        self._begin()
        now = self._catalog
        # Before the first load there is nothing to compare with.
        changes = await asyncio.to_thread(catalog_changes, before if before.get("generation") else now, now)
        for call in self.calls:
            call.schema = verdict_text(changes.get(call.call.key, ()))
        self._queue = [*self.calls]

    async def _run(self, watched: WatchedCall) -> None:
        call = watched.call
        if is_destructive(self._workspace.core.tool(call.target)) and not watched.may_destroy:
            watched.result = WatchedResult(call, schema=watched.schema, reason=_NOT_RUN)
            self._notify()
            return
        self.running = watched
        self._notify()
        try:
            run = await self._made(call)
        finally:
            self.running = None
        first = watched.first
        if first is None and run.status is RunStatus.OK:
            watched.first = run
        changes = run_difference(run, first).result if first is not None and run.status is RunStatus.OK else []
        watched.result = WatchedResult(
            call, run, changes, watched.schema, tuple(self._asked), tuple(self._ruled), first=first or run
        )
        self._notify()

    async def _made(self, call: SavedCall) -> CallRun:
        workspace, core = self._workspace, self._workspace.core
        self._asked.clear()
        self._ruled.clear()
        run = self._history.start(call.target, call.arguments)
        try:
            if not call.is_recorded:
                run.arguments = with_files(call.arguments, object_in(core.tool(call.target), "inputSchema"))
            self._tool_calls.begin(
                run,
                await self._open_session(),
                workspace.caller,
                as_task=core.task_support(call.target) == "required",
                resolve=resolving(workspace, run, self._history),
            )
            async with asyncio.timeout(self._timeout):
                while run.is_running:
                    self._run_changed.clear()
                    await self._run_changed.wait()
        except TimeoutError:
            self._tool_calls.cancel(run)
            run.fail(f"It took longer than {self._timeout:g} s.", workspace.clock())
        except WorkbenchError as error:
            run.fail(str(error), workspace.clock())
        return run

    async def _open_session(self) -> ClientSession:
        workspace = self._workspace
        if workspace.session is None:
            raise ConnectionFailed(workspace.why_not_sent)
        revision, session = workspace.session.revision, self._session
        if session is not None and session.revision is revision and not session.closed.is_set():
            return session
        if session is not None:
            await session.close()
        # A new session begins with the same ids.
        self._rules.begin_session()
        self._session = await ClientSession.open(
            await workspace.link.open_session(),
            questions=self._questions,
            roots=workspace.roots,
            revision=revision,
        )
        return self._session

    def _decline(self, question: Question) -> bool:
        self._asked.append(text_in(question.params, "message") or question.kind)
        question.decline()
        return True

    def _note_rule(self, report: "RuleReport") -> None:
        self._ruled.append(str(report))

    def _notify(self) -> None:
        self._workspace.note_watched()


def _is_same(call: SavedCall, other: SavedCall) -> bool:
    if call.name and other.name:
        return call.name == other.name
    return (call.key, call.arguments) == (other.key, other.arguments)
