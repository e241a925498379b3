"""The pending tool calls of one terminal; separate from `runs`, which is imported before there is a session."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from server_core.errors import WorkbenchError
from server_core.runtime.background import spawn
from workbench.client.session import ClientSession
from workbench.client.tool_call import CallCancelled, CallProgress, ToolCall
from workbench.model.history import CallRun


class ToolCalls:
    """The pending tool calls; `on_change` is called when a run has changed."""

    def __init__(self, clock: Callable[[], float], on_change: Callable[[], None]) -> None:
        self._clock = clock
        self._on_change = on_change
        self._waiting: dict[int, ToolCall] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def begin(
        self,
        run: CallRun,
        session: ClientSession,
        meta: dict[str, str],
        *,
        as_task: bool,
        resolve: Callable[[], Awaitable[dict[str, Any]]] | None = None,
    ) -> None:
        """Send the call of a new run, and keep the run up to date; `resolve` returns the arguments to send instead."""
        send = partial(self._send, run, session, meta, as_task=as_task)
        if resolve is None:
            send(run.arguments)
        else:
            spawn(self._resolve_and_send(run, resolve, send), f"resolve the arguments of {run.tool}")

    async def _resolve_and_send(
        self,
        run: CallRun,
        resolve: Callable[[], Awaitable[dict[str, Any]]],
        send: Callable[[dict[str, Any]], None],
    ) -> None:
        try:
            arguments = await resolve()
            if run.is_running:
                send(arguments)
        except WorkbenchError as error:
            run.fail(str(error), self._clock())
            self._on_change()

    def _send(
        self, run: CallRun, session: ClientSession, meta: dict[str, str], arguments: dict[str, Any], *, as_task: bool
    ) -> None:
        call = session.call_tool(
            run.tool,
            arguments,
            on_progress=lambda step: self._advance(run, step),
            on_task=lambda state: self._follow(run, state),
            meta=meta,
            task={} if as_task else None,
        )
        run.request_id = call.id
        self._waiting[run.number] = call
        spawn(self._finish(run, call), f"call {run.tool}")

    def cancel(self, run: CallRun) -> None:
        if (call := self._waiting.get(run.number)) is not None:
            run.cancelling = True
            call.cancel("The user of the workbench cancelled it.")
        elif run.is_running:
            # Its arguments are still being resolved.
            run.cancel(self._clock())
            self._on_change()

    def _advance(self, run: CallRun, step: CallProgress) -> None:
        run.advance(step.progress, step.total, step.message or "", self._clock())
        self._on_change()

    def _follow(self, run: CallRun, state: dict[str, Any]) -> None:
        run.update_task(str(state.get("status")), state.get("statusMessage"))
        self._on_change()

    async def _finish(self, run: CallRun, call: ToolCall) -> None:
        try:
            run.finish(await call.result(), self._clock())
        except CallCancelled:
            run.cancel(self._clock())
        except WorkbenchError as error:
            run.fail(str(error), self._clock())
        finally:
            del self._waiting[run.number]
            self._on_change()
