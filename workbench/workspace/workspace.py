"""The state of one terminal: a link to a core, a session of the mock client, and all data received from both.

Rule 1: everything here runs on one event loop; nothing here draws.
Rule 2: records are read by polling, within a time budget, so that traffic can never block the keyboard.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.errors import ProtocolError, WorkbenchError
from server_core.protocol.jsonrpc import Notification
from server_core.protocol.revisions import Revision
from server_core.records.tap import Kind, Record
from server_core.runtime.background import spawn
from workbench.client.questions import PendingQuestions
from workbench.client.session import ClientSession
from workbench.model.core_use import CoreUse
from workbench.model.history import CallRun, History
from workbench.model.personas import Persona, Personas
from workbench.model.restart_schedule import RestartSchedule
from workbench.model.saved_calls import SavedCalls
from workbench.model.traffic.entry import Entry, parse_object
from workbench.model.traffic.failure_details import FAILURE_EVENT, read_failure_details
from workbench.model.traffic.timeline import Timeline
from workbench.workspace.automatic_restart import AutomaticRestart
from workbench.workspace.core_end import AttachedProcess, CoreEnd
from workbench.workspace.core_state import CoreState
from workbench.workspace.expired_questions import END_EVENTS, end_question
from workbench.workspace.held_messages import HeldMessages
from workbench.workspace.own_session import OwnSession
from workbench.workspace.project_file import folder_of, read_personas
from workbench.workspace.project_rules import ProjectRules
from workbench.workspace.resolving import resolving
from workbench.workspace.resource_updates import ResourceUpdates
from workbench.workspace.saved_calls_file import SavedCallsFile, StoredCalls
from workbench.workspace.shared_questions import SharedQuestions
from workbench.workspace.tool_calls import ToolCalls

if TYPE_CHECKING:
    from workbench.link.link import Link
    from workbench.workspace.sent_messages import SentMessages
    from workbench.workspace.watched_calls import WatchedCalls

# The parts of a workspace that listeners are notified about.
PARTS = (
    *("catalog", "secrets", "accounts", "caller", "problems", "sessions"),
    *("questions", "held", "history", "resources", "saved", "rules", "watched", "link", "timeline"),
)

_MAX_RECORDS = 128  # Read at a time, before the time budget is checked.
_CLOSE_SECONDS = 2.0
_DIALOG_SECONDS = 0.5  # For the answer to a request that a dialog waits for.


class Workspace:
    """The state of one terminal that is attached to a core.

    Args:
        link: the connection to the core, which the workspace closes.
        process: the process of the core; None where it is this process.
        roots: the mock client's result of `roots/list`.
        revision: the mock client's protocol revision; None for the newest that the server supports.
        clock: seconds since the epoch.
    """

    def __init__(
        self,
        link: "Link",
        *,
        process: AttachedProcess | None = None,
        roots: tuple[dict[str, Any], ...] = (),
        revision: Revision | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.link = link
        self.timeline = Timeline(read_capture=_read_capture)
        self.questions = PendingQuestions()
        self._shared_questions = SharedQuestions(link, self.questions)
        self.held = HeldMessages(link, lambda: self._notify("held"), clock)
        self.history = History(clock)
        self._missed = 0  # Records that the link has dropped.
        self.caller: dict[str, str] = {}  # the caller's attributes that tool calls send in `_meta`
        self.notice = ""  # a message about the core for the user when the terminal opens
        self.restart_hint = "Restart it."  # how the user restarts what was lost
        self.connected = False
        self.restarting = False
        self.on_change: Callable[[str], None] | None = None  # called on the event loop with one of PARTS
        self.clock = clock
        self.opened = clock()
        self.end = CoreEnd(process)
        self._process = process
        self._own_session = OwnSession(
            link, self.questions, roots, self._handle_notification, revision, self._handle_server_lost
        )
        self.core = CoreState(link, self._own_session.list_offers, self._notify)
        self.restarts = AutomaticRestart(
            self._restart_server,
            lambda: bool(self.server_lost),
            lambda: self._notify("link"),
            clock,
            RestartSchedule(is_endless=str(link.info.get("project")).startswith(("http://", "https://"))),
        )
        self.resources = ResourceUpdates(lambda: self.session, lambda: self._notify("resources"), clock)
        self._calls = ToolCalls(clock, lambda: self._notify("history"))
        self._is_leaving = False
        self._is_watching = False
        self.questions.responder = self.rules
        self.questions.on_change = self._handle_questions

    @property
    def session(self) -> ClientSession | None:
        """The session of the mock client; None if this terminal has the role "viewer"."""
        return self._own_session.session

    @property
    def server_lost(self) -> str:
        """How the server of a running core ended, with its last lines of stderr; empty while it runs."""
        return self._own_session.lost

    @property
    def why_not_sent(self) -> str:
        """Why nothing can be sent to the server, and what to do; empty if it can."""
        if not self.connected:
            return f"The core is lost. {self.restart_hint}"
        if self.server_lost:
            return f"{self.server_lost}\n{self.restart_hint}"
        return "" if self.session is not None else f"Not connected to the core. {self.restart_hint}"

    @property
    def log_level(self) -> str:
        return self._own_session.log_level

    @property
    def roots(self) -> list[dict[str, Any]]:
        """The mock client's result of `roots/list`."""
        return list(self._own_session.roots)

    @property
    def running(self) -> int:
        return len(self._calls)

    @property
    def identity(self) -> dict[str, Any]:
        """The name, version and title of the server."""
        server_info = self.session.server_info if self.session is not None else {}
        return server_info or self.core.catalog.get("identity") or {}

    async def open(self) -> None:
        """Subscribe to the records, open the session of the mock client, and fetch all parts.

        A relayed server that cannot be reached counts as lost: the core keeps running, and `restart_server` starts the
        server again.

        Raises:
            ConnectionFailed: when the core ended meanwhile.
        """
        await self.link.subscribe()
        self.connected = True
        spawn(self._watch_link(), "watch the link")
        if self.core.info.get("role") != "viewer":
            try:
                await self._own_session.begin()
            except WorkbenchError:
                if not self.core.is_relay or self.link.closed.is_set():
                    raise
        await asyncio.gather(
            self._list_offers(),
            self.core.refresh("secrets"),
            self.core.refresh("sessions"),
            self._shared_questions.refresh(),
        )
        if self.session is not None:
            self.restarts.note_connected()
        # Reading the vault with the accounts takes a while, and the first screen does not need them.
        self.core.refresh_soon("accounts")

    async def _list_offers(self) -> None:
        """Fetch the catalog; a relayed server may end right after its first response."""
        try:
            await self.core.refresh("catalog")
        except WorkbenchError:
            if not self.core.is_relay or self.link.closed.is_set() or not await self._own_session.check_server_lost():
                raise

    def poll(self, budget_s: float = 0.012) -> bool:
        """Read the received records, for about so many seconds; True when there were any."""
        deadline = time.perf_counter() + budget_s
        has_new = False
        self.timeline.set_capture(self.core.capture)
        while records := self.link.drain(_MAX_RECORDS):
            has_new = True
            self.timeline.extend(records)
            self._shared_questions.note(records)
            for record in records:
                if record.kind is Kind.LIFECYCLE:
                    self._handle_event(record)
            if time.perf_counter() >= deadline:
                break
        if self._missed != (missed := self.link.dropped):
            self._missed = missed
            self._shared_questions.refresh_soon()
            self.core.refresh_after_missed_records()
        if has_new:
            self._notify("timeline")
        return has_new

    async def switch_revision(self, revision: Revision | None) -> None:
        """Switch the mock client to another protocol revision; None is the newest that the server supports.

        Running calls fail, so check `running` first.

        Raises:
            ConnectionFailed: when the server has ended, or does not support it; everything stays as it was.
            RemoteError: when it refuses for another reason; everything stays as it was.
        """
        await self._own_session.switch_revision(revision)
        await self._renew_session()

    async def _renew_session(self) -> None:
        self.rules.begin_session()
        await self.resources.renew()
        self._notify("link")
        if self.core.is_relay:
            await self.core.refresh("catalog")

    async def adopt_session(self, session: ClientSession, opened: float) -> None:
        """Continue in a session of the core that was opened for a replay; running calls fail, so check `running`."""
        await self._own_session.adopt(session, opened)
        await self.resources.renew()
        self._notify("link")
        if self.core.is_relay:
            await self.core.refresh("catalog")

    @property
    def persona(self) -> Persona:
        """The client that the server sees."""
        return self._own_session.persona

    async def personas(self) -> Personas:
        """Return the known personas, and those of the project."""
        return await asyncio.to_thread(read_personas, self._folder)

    async def switch_persona(self, persona: Persona) -> None:
        """Become another client, in a new session; running calls fail, and errors are as in :meth:`switch_revision`."""
        await self._own_session.switch_persona(persona)
        await self._renew_session()

    async def set_log_level(self, level: str) -> None:
        """Request log messages of this level and above."""
        await self._own_session.set_log_level(level)

    async def set_roots(self, roots: list[dict[str, Any]]) -> None:
        """Change the result of `roots/list`, of this session and the next."""
        await self._own_session.set_roots(tuple(roots))
        self._notify("sessions")

    def call(self, tool: str, arguments: dict[str, Any], *, as_task: bool = False) -> CallRun:
        """Call a tool and return its run, which holds the progress and the result.

        Args:
            tool: its name.
            arguments: JSON values, sent as they are.
            as_task: ask the server to run it as a task, in revisions in which clients ask for that; implied for tools
                that only run as tasks.
        """
        run = self.history.start(tool, arguments)
        if (reason := self.why_not_sent) or self.session is None:
            run.fail(reason, self.clock())
        else:
            as_task = as_task or self.core.task_support(tool) == "required"
            self._calls.begin(run, self.session, self.caller, as_task=as_task, resolve=resolving(self, run))
        self._notify("history")
        return run

    def add_earlier_runs(self, runs: list[CallRun]) -> None:
        """Add the runs of earlier sessions to the history."""
        self.history.add_earlier(runs)
        self._notify("history")

    @cached_property
    def sent_messages(self) -> "SentMessages":
        """The messages that the user sends from the inspector."""
        # Imported when it is first used: the first paint does not need it.
        from workbench.workspace.sent_messages import SentMessages

        return SentMessages(self)

    @cached_property
    def saved_calls(self) -> StoredCalls:
        """The saved calls in the folder of the project."""
        return StoredCalls(SavedCallsFile(self._folder), SavedCalls(), lambda: self._notify("saved"))

    @cached_property
    def watched_calls(self) -> "WatchedCalls":
        """The calls that are run again after each reload."""
        from workbench.workspace.watched_calls import WatchedCalls

        self._is_watching = True
        return WatchedCalls(self)

    @property
    def is_watching(self) -> bool:
        """Whether there are watched calls."""
        return self._is_watching and bool(self.watched_calls.calls)

    def note_watched(self) -> None:
        """Notify the listeners that the watched calls have changed."""
        self._notify("watched")

    @cached_property
    def rules(self) -> ProjectRules:
        """The rules in the folder of the project, which answer questions of tools."""
        return ProjectRules(self.link, self.questions, self._folder, lambda: self._notify("rules"))

    @property
    def _folder(self) -> Path:
        return folder_of(str(self.core.info.get("project") or ""), is_relay=self.core.is_relay)

    async def continue_from(self, previous: "Workspace") -> None:
        """Keep the runs, records and settings of an earlier workspace on the same project or server.

        Call this before records are read: the numbers of runs and records continue.
        """
        before, now = previous.core.info, self.core.info
        if any(before.get(key) != now.get(key) for key in ("mode", "project")):
            return
        capture = str(before.get("capture") or "")
        self.history, self.timeline = previous.history, previous.timeline
        self.history.set_capture(capture)
        # A terminal may also reconnect to the core that it has lost.
        if any(before.get(key) != now.get(key) for key in ("id", "started")):
            self.timeline.begin_core(self.clock(), capture)
        if previous.is_watching:
            self.watched_calls.continue_from(previous.watched_calls)
        # The server may have ended again, and not every server supports logging.
        with suppress(WorkbenchError):
            if self.persona != previous.persona:
                await self.switch_persona(previous.persona)
            if self.roots != previous.roots:
                await self.set_roots(previous.roots)
            if self.log_level != previous.log_level:
                await self.set_log_level(previous.log_level)

    def set_caller_attributes(self, attributes: dict[str, str]) -> None:
        """Send these attributes of the caller with every tool call from now on."""
        self.caller = attributes
        self._notify("caller")

    def cancel(self, run: CallRun) -> None:
        self._calls.cancel(run)

    async def body(self, entry: Entry) -> bytes:
        """Return the bytes of a record that the timeline no longer stores, from its core or the capture of that.

        Raises:
            WorkbenchError: when it is no longer stored there either.
        """
        core = self.timeline.core_of(entry)
        seq = entry.seq - core.offset
        if core is not self.timeline.newest_core:
            from workbench.workspace.capture_files import captured_body

            return await asyncio.to_thread(captured_body, core.capture, seq)
        records = (await self.link.request("records/get", {"seqs": [seq]}))["records"]
        if not records:
            raise ProtocolError(-32602, f"The core no longer has record {entry.seq}.")
        return Record.from_wire(records[0]).data

    async def restart_server(self) -> None:
        """Close the session with a relayed server, restart the server with another session, and list its offers.

        If the server cannot be started, restarts without the user follow.
        """
        self.restarts.stop()
        try:
            await self._restart_server()
        except WorkbenchError:
            if self.server_lost:
                self.restarts.begin_again()
            raise

    async def _restart_server(self) -> None:
        self.restarting = True
        self._notify("link")
        try:
            await self._own_session.restart()
            self.rules.begin_session()
            await self.core.refresh("catalog")
            await self.resources.renew()
            self.restarts.note_connected()
        finally:
            self.restarting = False
            self._notify("link")

    async def core_use(self) -> CoreUse:
        """Return who else uses the core; up to date if the core answers soon."""
        with suppress(WorkbenchError, TimeoutError):
            async with asyncio.timeout(_DIALOG_SECONDS):
                await self.core.refresh("sessions")
        return CoreUse.of(self.core.info, self.core.sessions)

    async def stop(self) -> None:
        """Stop the core and close the workspace."""
        self._is_leaving = True
        # Where there is a process, its `stop` sends the request, and signals if that has no effect.
        if self._process is None:
            # The core may stop before it can answer.
            with suppress(WorkbenchError, TimeoutError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await self.link.request("core/stop")
        # Closed first: otherwise the session would report the end of its server as a loss.
        await self.close()
        if self._process is not None:
            await self._process.stop()

    async def detach(self, *, serve_http: bool = False) -> str:
        """Close the workspace, keep the core running, and return how to attach to it again.

        Args:
            serve_http: have the core serve clients over HTTP as well.

        Raises:
            WorkbenchError: when HTTP cannot be served; then nothing has changed.
        """
        core_id = self.core.info.get("id", "")
        where = f" at {await self.core.serve_http()}" if serve_http else ""
        # A core that has ended, or that this terminal may only view, needs no such request.
        with suppress(WorkbenchError):
            await self.link.request("core/keep")
        await self.close()
        return f"The core {core_id} keeps running{where}. Reconnect with: workbench attach {core_id}"

    async def close(self) -> None:
        self._is_leaving = True
        self.restarts.close()
        await self.rules.close()
        with suppress(WorkbenchError, TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                if self._is_watching:
                    await self.watched_calls.close()
                await self._own_session.close()
                await self.link.close()

    def _notify(self, part: str) -> None:
        if part == "problems" and self.is_watching:
            self.watched_calls.note_change()
        if self.on_change is not None:
            self.on_change(part)

    def _handle_event(self, record: Record) -> None:
        entry = self.timeline.entry_of(record)
        if entry is None:
            return
        self.core.handle_event(entry.method, record.data)
        self.end.note_event(entry.method)
        self.held.handle_event(entry.method)
        if entry.method in END_EVENTS:
            end_question(self, record)
        failure = read_failure_details(parse_object(record.data) or {}) if entry.method == FAILURE_EVENT else None
        if failure is not None and self.history.add_details(failure):
            self._notify("history")

    def _handle_questions(self) -> None:
        self._shared_questions.note_ended()
        self._notify("questions")

    def _handle_server_lost(self) -> None:
        may_restart = self.connected and not self._is_leaving
        if not (may_restart and self.restarts.begin()):
            self._notify("link")

    def _handle_notification(self, notification: Notification) -> None:
        self.resources.handle(notification)
        # For a project, the core reports changes in more detail.
        if self.core.is_relay and self._own_session.handle_list_change(notification.method):
            self.core.refresh_soon("catalog")

    async def _watch_link(self) -> None:
        await self.link.closed.wait()
        self.connected = False
        self.restarts.close()
        self.core.mark_ended(self.clock())
        self._shared_questions.close()
        self.held.close()
        while self.poll():
            pass  # The last records contain the reason if it was stopped.
        if not self._is_leaving:
            await self.end.examine()
        self._notify("link")


def _read_capture(path: str, seqs: range, limit: int) -> dict[int, bytes]:
    # Imported when the first body is read: SQLite takes a while.
    from workbench.workspace.capture_files import captured_bodies

    return captured_bodies(path, seqs, limit)
