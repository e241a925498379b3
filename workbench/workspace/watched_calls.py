"""Saved calls that are run again after each reload, each compared with its first result."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from workbench.client.questions import Question
from workbench.model.catalog import OfferKind
from workbench.model.difference import ValueChange
from workbench.model.history import CallRun, RunStatus
from workbench.model.json_members import object_in, objects_in, text_in
from workbench.model.run_difference import run_difference
from workbench.model.saved_calls import SavedCall
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from workbench.model.definitions.change import DefinitionChange

Prepare: TypeAlias = Callable[[SavedCall, dict[str, Any]], dict[str, Any]]
"""Returns the arguments of a call that are sent to a tool with this input schema."""


@dataclass(frozen=True, slots=True)
class WatchedResult:
    """What became of a call that was run again."""

    call: SavedCall
    run: CallRun
    changes: Sequence[ValueChange]  # against the first result; empty for that itself
    schema: str  # the verdict on the changes of the tool's definition by the last reload; empty without any

    @property
    def problem(self) -> str:
        """Why the call has failed; empty if it has a result."""
        if self.run.status is RunStatus.OK:
            return ""
        texts = (text_in(item, "text") for item in objects_in(self.run.result or {}, "content"))
        return self.run.error or next(filter(None, texts), self.run.status.value)

    @property
    def is_green(self) -> bool:
        return not self.problem and not self.changes

    @property
    def seconds(self) -> float:
        return (self.run.ended or self.run.started) - self.run.started


class WatchedCalls:
    """Runs saved calls of tools, one after the other, on a workspace that nothing else uses.

    Args:
        workspace: the workspace on the core; its questions are declined, as no user is there to answer.
        calls: the calls to run.
        prepare: returns their arguments.
        timeout: the seconds for each call.
    """

    def __init__(self, workspace: Workspace, calls: Sequence[SavedCall], prepare: Prepare, timeout: float) -> None:
        self._workspace = workspace
        self._calls = [call for call in calls if call.kind is OfferKind.TOOL]
        self._prepare = prepare
        self._timeout = timeout
        self._first: dict[str, CallRun] = {}
        self._seen = self._state()
        self._catalog: dict[str, Any] = {}  # at the last run
        self._changed = asyncio.Event()
        workspace.questions.automatic.append(Question.decline)
        workspace.on_change = lambda part: self._changed.set()
        workspace.link.on_records = self._read_soon
        self._read_soon()

    def __len__(self) -> int:
        return len(self._calls)

    async def until_reload(self) -> bool:
        """Wait until the tools were loaded since the last run, or could not be; return False if the core was lost."""
        return await self.until(lambda: self._state() != self._seen)

    async def until(self, is_reached: Callable[[], bool]) -> bool:
        """Wait for a state of the workspace; return False if the core was lost meanwhile."""
        while not is_reached():
            if not self._workspace.connected:
                return False
            self._changed.clear()
            await self._changed.wait()
        return True

    async def run(self) -> list[WatchedResult]:
        """Run all calls, and compare each with the first of its runs that had a result."""
        # Imported when it is needed, as by the workspace itself.
        from workbench.model.definitions.offer_changes import catalog_changes

        self._seen, before = self._state(), self._catalog
        self._catalog = dict(self._workspace.core.catalog)
        changes = await asyncio.to_thread(catalog_changes, before or self._catalog, self._catalog)
        return [await self._run(call, changes.get(call.key, ())) for call in self._calls]

    def _state(self) -> tuple[object, ...]:
        core = self._workspace.core
        return core.catalog.get("generation"), [text_in(problem, "message") for problem in core.problems]

    async def _run(self, call: SavedCall, definition: "Sequence[DefinitionChange]") -> WatchedResult:
        from workbench.model.definitions.change import verdict_text

        workspace = self._workspace
        schema = object_in(workspace.core.tool(call.target), "inputSchema")
        run = workspace.call(call.target, self._prepare(call, schema))
        try:
            async with asyncio.timeout(self._timeout):
                await self.until(lambda: not run.is_running)
        except TimeoutError:
            workspace.cancel(run)
            run.fail(f"It took longer than {self._timeout:g} s.", workspace.clock())
        first = self._first.get(call.name)
        if first is None and run.status is RunStatus.OK:
            self._first[call.name] = run
        changes = run_difference(run, first).result if first is not None and run.status is RunStatus.OK else []
        return WatchedResult(call, run, changes, verdict_text(definition))

    def _read_soon(self) -> None:
        asyncio.get_running_loop().call_soon(self._read)

    def _read(self) -> None:
        # The rest of many records is read in the next turn.
        if self._workspace.poll():
            self._read_soon()
