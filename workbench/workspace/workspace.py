"""What one terminal works on: a link to a core, a session of the mock client, and what both have told so far.

Rule 1: everything here runs on one event loop; nothing here draws.
Rule 2: records are taken by polling, within a budget of time, so that traffic can never starve the keyboard.
Rule 3: what the core knows better (catalog, secrets, sessions) is fetched again when a lifecycle record says so.
"""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from server_core.errors import ConnectionFailed, ProtocolError, WorkbenchError
from server_core.protocol.jsonrpc import Notification
from server_core.protocol.revisions import Revision
from server_core.records.tap import Kind, Record
from server_core.runtime.background import spawn
from workbench.client.server_requests import Questions
from workbench.client.session import ClientSession
from workbench.model.core_use import CoreUse
from workbench.model.history import CallRun, History
from workbench.model.traffic import failure_details
from workbench.model.traffic.entry import parse_object
from workbench.model.traffic.timeline import Timeline
from workbench.workspace.logins import Login, Logins
from workbench.workspace.own_session import OwnSession
from workbench.workspace.tool_calls import ToolCalls

if TYPE_CHECKING:
    from workbench.link.link import Link

PARTS = ("catalog", "secrets", "accounts", "caller", "problems", "sessions", "questions", "history", "link", "timeline")
"""What may change at a workspace."""

_BATCH = 512
# Seconds that a core has for its good-bye.
_PATIENCE = 2.0
# Seconds that a core has for a question that a dialog waits for.
_SOON = 0.5

# Which parts an event of the core makes stale; what the problems show comes with the catalog.
_STALE = {
    "loaded": ("catalog", "secrets", "accounts"),
    "reloaded": ("catalog", "secrets", "accounts"),
    "reload_failed": ("catalog",),
    # A client of a service is a secret, too.
    "secrets_changed": ("secrets", "accounts"),
    "authorized": ("accounts",),
    "authorization_renewed": ("accounts",),
    "authorization_refused": ("accounts",),
    "authorization_forgotten": ("accounts",),
    "session_opened": ("sessions",),
    "session_initialized": ("sessions",),
    "session_closed": ("sessions",),
    "http_listening": ("sessions",),
}
# What is said of a core that has announced its end with such an event; the first one counts.
_ORDERLY_ENDS = {
    "stop_ordered": "The core was stopped, with `workbench stop` or from another terminal.",
    "core_stopped": "The core ended in order: its client or its server has gone, or a signal asked it to.",
}
_ENDS_OF_LOGINS = ("authorized", "authorization_failed")


class CoreProcess(Protocol):
    """The process that the core runs in, where that is not ours."""

    def post_mortem(self) -> str:
        """Return how the process ended, with the last lines that it wrote to stderr; empty while it runs.

        It may wait for a moment.
        """

    async def stop(self) -> None:
        """End the process: ask the core over a link, then by signals.

        Raises:
            ConnectionFailed: when it goes on all the same.
        """


class Workspace:
    """One terminal's place at a core.

    Args:
        link: the connection to the core, which the workspace closes.
        process: the process of the core, where that is not ours.
        roots: what the mock client answers `roots/list` with.
        revision: the one that the mock client speaks; None for the newest that the server speaks.
        clock: seconds since the epoch.
    """

    def __init__(
        self,
        link: "Link",
        *,
        process: CoreProcess | None = None,
        roots: tuple[dict[str, Any], ...] = (),
        revision: Revision | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.link = link
        self.timeline = Timeline()
        self.questions = Questions()
        self.history = History(clock)
        self.caller: dict[str, str] = {}
        """What calls of tools tell of their caller, in `_meta`."""
        self.catalog: dict[str, Any] = {}
        """The latest answer to `catalog/get`; empty before the first."""
        self.secrets: list[dict[str, Any]] = []
        self.accounts: list[dict[str, Any]] = []
        self.sessions: list[dict[str, Any]] = []
        self.captures: list[dict[str, Any]] = []
        self.info: dict[str, Any] = {}
        """The latest answer to `core/info`."""
        self.notice = ""
        """What the person is told about the core when the terminal opens."""
        self.connected = False
        self.reloading = False
        self.restarting = False
        self.post_mortem: str | None = None
        """How the core ended, when this terminal has not asked for that."""
        self.stopped = ""
        """Why the core ended in order, as it has announced it; empty before that, and where it was lost."""
        self.on_change: Callable[[str], None] | None = None
        """Called on the event loop with one of :data:`PARTS`."""
        self.clock = clock
        self._process = process
        self._own = OwnSession(link, self.questions, roots, self._notice, revision, lambda: self._changed("link"))
        self._calls = ToolCalls(clock, lambda: self._changed("history"))
        self._logins = Logins()
        self._stale: set[str] = set()
        self._leaving = False
        self.questions.on_change = lambda: self._changed("questions")

    @property
    def session(self) -> ClientSession | None:
        """The session of the mock client; None where this terminal may only look."""
        return self._own.session

    @property
    def server_lost(self) -> str:
        """How the server of a core that goes on has ended, with its last lines of stderr; empty while it is there."""
        return self._own.lost

    @property
    def log_level(self) -> str:
        """The least severe log message that the mock client wants."""
        return self._own.log_level

    @property
    def running(self) -> int:
        """How many calls of tools wait for their result."""
        return len(self._calls)

    @property
    def identity(self) -> dict[str, Any]:
        """The name, version and title of the server."""
        told = self.session.server_info if self.session is not None else {}
        return told or self.catalog.get("identity") or {}

    @property
    def problems(self) -> list[dict[str, Any]]:
        """What is wrong with the tools."""
        return self.catalog.get("problems") or []

    @property
    def is_relay(self) -> bool:
        """Whether the core stands between us and another server, instead of serving a folder of tools."""
        return self.info.get("mode") == "relay"

    @property
    def is_in_process(self) -> bool:
        """Whether the core runs in this process, and ends with it."""
        return self.info.get("pid") == os.getpid()

    @property
    def is_loaded(self) -> bool:
        """Whether the tools have been loaded once."""
        return bool(self.catalog.get("generation")) or self.is_relay

    @property
    def has_tools(self) -> bool:
        """Whether the core serves anything; True as well while that is not known yet."""
        if self.is_relay or not self.is_loaded:
            return True
        return any(self.catalog.get(part) for part in ("tools", "resources", "templates", "prompts", "problems"))

    async def open(self) -> None:
        """Subscribe to the records, open the session of the mock client, and fetch what there is.

        A relayed server that cannot be reached is lost from the start: the core goes on, and f5 starts it again.

        Raises:
            ConnectionFailed: when the core went away meanwhile.
        """
        self.info = self.link.info
        await self.link.subscribe()
        self.connected = True
        spawn(self._watch_link(), "watch the link")
        if self.info.get("role") != "viewer":
            try:
                await self._own.begin()
            except WorkbenchError:
                if not self.is_relay or self.link.closed.is_set():
                    raise
        await asyncio.gather(self._list_offers(), self.refresh("secrets"), self.refresh("sessions"))
        # The vault that they are kept in takes its time, and nothing on the first screen waits for it.
        self._outdate("accounts")

    async def _list_offers(self) -> None:
        """Fetch the catalog; a relayed server may end right after its first answer."""
        try:
            await self.refresh("catalog")
        except WorkbenchError:
            if not self.is_relay or self.link.closed.is_set() or not await self._own.notice_loss():
                raise

    def poll(self, budget_s: float = 0.012) -> bool:
        """Take the records that have come, for about so many seconds; True when there were any."""
        deadline = time.perf_counter() + budget_s
        took = False
        while records := self.link.drain(_BATCH):
            took = True
            self.timeline.extend(records)
            for record in records:
                if record.kind is Kind.LIFECYCLE:
                    self._note(record)
            if time.perf_counter() >= deadline:
                break
        if took:
            self._changed("timeline")
        return took

    async def speak(self, revision: Revision | None) -> None:
        """Let the mock client speak another revision from now on; calls that run fail, so look at `running` first.

        Args:
            revision: the one to speak; None for the newest that the server speaks.

        Raises:
            ConnectionFailed: when the server is gone, or does not speak it; everything stays as it was.
            RemoteError: when it refuses for another reason; the same holds.
        """
        await self._own.speak(revision)
        self._changed("link")
        if self.is_relay:
            await self.refresh("catalog")

    async def want_logs(self, level: str) -> None:
        """Ask for log messages of this level and above.

        Raises:
            ConnectionFailed: when the server is gone.
            RemoteError: when it has no log messages.
        """
        await self._own.want_logs(level)

    def call(self, tool: str, arguments: dict[str, Any], *, as_task: bool = False) -> CallRun:
        """Call a tool and return its run, which tells how it goes.

        Args:
            tool: its name.
            arguments: JSON values, sent as they are.
            as_task: ask the server to run it as a task, in revisions in which clients ask for that; a tool that runs
                as a task alone is called as one anyway.
        """
        run = self.history.start(tool, arguments)
        if not self.connected or (self.session is None and not self.server_lost):
            run.fail("Not connected to the core; f5 starts it again.", self.clock())
        elif self.server_lost:
            run.fail(f"{self.server_lost}\nStart it again with f5.", self.clock())
        elif self.session is not None:
            as_task = as_task or self.task_support(tool) == "required"
            self._calls.begin(run, self.session, self.caller, as_task=as_task)
        self._changed("history")
        return run

    def describe_caller(self, facts: dict[str, str]) -> None:
        """Tell these facts of the caller with every call of a tool from now on."""
        self.caller = facts
        self._changed("caller")

    def task_support(self, tool: str) -> str:
        """Return whether a tool runs as a task (2025-11-25): "forbidden", "optional" or "required"."""
        for one in self.catalog.get("tools") or []:
            if one.get("name") == tool and isinstance(execution := one.get("execution"), dict):
                return str(execution.get("taskSupport", "forbidden"))
        return "forbidden"

    def cancel(self, run: CallRun) -> None:
        """Tell the server that the answer of a run is no longer wanted."""
        self._calls.cancel(run)

    async def refresh(self, part: str) -> None:
        """Fetch one part from the core again: "catalog", "secrets", "accounts", "sessions"; others need no fetching."""
        if part == "catalog":
            self.catalog = await self.link.request("catalog/get")
            if self.is_relay and self.session is not None:
                self.catalog |= await _list_all(self.session)
            self._changed("catalog")
            self._changed("problems")
        elif part == "secrets":
            self.secrets = (await self.link.request("secrets/list"))["secrets"]
            self._changed("secrets")
        elif part == "accounts":
            self.accounts = (await self.link.request("accounts/list"))["accounts"]
            self._changed("accounts")
        elif part == "sessions":
            self.info = await self.link.request("core/info")
            self.sessions = (await self.link.request("sessions/list"))["sessions"]
            self.captures = (await self.link.request("captures/list"))["captures"]
            self._changed("sessions")

    async def body(self, seq: int) -> bytes:
        """Return the bytes of a record that the timeline has let go.

        Raises:
            ProtocolError: when the core has it no more.
        """
        records = (await self.link.request("records/get", {"seqs": [seq]}))["records"]
        if not records:
            raise ProtocolError(-32602, f"The core has no record {seq} any more.")
        return Record.from_wire(records[0]).data

    async def set_secret(self, key: str, value: str, place: str = "") -> None:
        """Keep the value of a secret: in `.env`, unless another place is named.

        Raises:
            RemoteError: when the core refuses; its message says why.
        """
        params = {"key": key, "value": value}
        await self.link.request("secrets/set", params | {"place": place} if place else params)
        await self.refresh("secrets")

    async def unset_secret(self, key: str) -> None:
        """Remove a secret.

        Raises:
            RemoteError: when the core refuses; its message says why.
        """
        await self.link.request("secrets/unset", {"key": key})
        await self.refresh("secrets")

    async def log_in(self, account: str, *, by_device: bool = False) -> Login:
        """Begin to log in at a service, and return where the person has to go.

        Args:
            account: its name.
            by_device: by a code that is typed in on another device.

        Raises:
            RemoteError: when the core refuses; its message says why.
        """
        return self._logins.begin(
            account, await self.link.request("accounts/login", {"account": account, "device": by_device})
        )

    async def log_out(self, account: str) -> bool:
        """Forget an account, and return whether the service has taken its token back.

        Raises:
            RemoteError: when the core refuses; its message says why.
        """
        answer = await self.link.request("accounts/logout", {"account": account})
        await self.refresh("accounts")
        return bool(answer["given_back"])

    async def reload(self) -> None:
        """Load the tools again now.

        Raises:
            RemoteError: when the core cannot reload; its message says why.
        """
        self.reloading = True
        self._changed("link")
        try:
            await self.link.request("core/reload")
            await self.refresh("catalog")
        finally:
            self.reloading = False
            self._changed("link")

    async def restart_server(self) -> None:
        """End the session with a relayed server, begin another with one that is started anew, and list what it offers.

        Raises:
            ConnectionFailed: when it cannot be reached, or goes away again.
            RemoteError: when it refuses.
        """
        self.restarting = True
        self._changed("link")
        try:
            await self._own.restart()
            await self.refresh("catalog")
        finally:
            self.restarting = False
            self._changed("link")

    async def serve_http(self) -> str:
        """Let the core serve HTTP too, if it does not yet, and return the address.

        Raises:
            RemoteError: when the core cannot; its message says why.
        """
        if url := self.info.get("http_url"):
            return str(url)
        url = str((await self.link.request("core/http"))["url"])
        await self.refresh("sessions")
        return url

    async def use(self) -> CoreUse:
        """Return who else uses the core, as of now where it answers soon."""
        with suppress(WorkbenchError, TimeoutError):
            async with asyncio.timeout(_SOON):
                await self.refresh("sessions")
        return CoreUse.of(self.info, self.sessions)

    async def stop(self) -> None:
        """Stop the core and leave.

        Raises:
            ConnectionFailed: when it goes on all the same.
        """
        self._leaving = True
        if self._process is None:
            # It may stop before it can answer.
            with suppress(WorkbenchError, TimeoutError):
                async with asyncio.timeout(_PATIENCE):
                    await self.link.request("core/stop")
        await self.close()
        if self._process is not None:
            await self._process.stop()

    async def detach(self, *, serve_http: bool = False) -> str:
        """Leave, let the core go on, and return how to find it again.

        Args:
            serve_http: let it serve clients over HTTP as well.

        Raises:
            WorkbenchError: when HTTP cannot be served; then nothing has changed.
        """
        id = self.info.get("id", "")
        where = f" at {await self.serve_http()}" if serve_http else ""
        # A core that is gone, or that this terminal may only watch, needs no such order.
        with suppress(WorkbenchError):
            await self.link.request("core/keep")
        await self.close()
        return f"The core {id} goes on{where}. Come back with: workbench attach {id}"

    async def close(self) -> None:
        """End the session and the link."""
        self._leaving = True
        with suppress(WorkbenchError, TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await self._own.close()
                await self.link.close()

    def _changed(self, part: str) -> None:
        if self.on_change is not None:
            self.on_change(part)

    def _note(self, record: Record) -> None:
        entry = self.timeline.by_seq(record.seq)
        if entry is None:
            return
        for part in _STALE.get(entry.method, ()):
            self._outdate(part)
        self.stopped = self.stopped or _ORDERLY_ENDS.get(entry.method, "")
        if entry.method in _ENDS_OF_LOGINS:
            self._logins.note(parse_object(record.data) or {})
        failure = (
            failure_details.read(parse_object(record.data) or {}) if entry.method == failure_details.EVENT else None
        )
        if failure is not None and self.history.add_details(failure):
            self._changed("history")

    def _notice(self, notification: Notification) -> None:
        # What a project serves is told by its core, with more detail.
        if self.is_relay and notification.method.endswith("/list_changed"):
            self._outdate("catalog")

    def _outdate(self, part: str) -> None:
        if part not in self._stale:
            self._stale.add(part)
            spawn(self._catch_up(part), f"refresh {part}")

    async def _catch_up(self, part: str) -> None:
        # What is stale from here on has to be fetched once more.
        self._stale.discard(part)
        # When the link is lost, the watch over it tells the person.
        with suppress(ConnectionFailed):
            await self.refresh(part)

    async def _watch_link(self) -> None:
        await self.link.closed.wait()
        self.connected = False
        self._correct_facts()
        while self.poll():
            pass  # The last records say whether it was stopped.
        if not self._leaving and self.stopped:
            self.post_mortem = self.stopped
        elif not self._leaving:
            ended = "" if self._process is None else await asyncio.to_thread(self._process.post_mortem)
            self.post_mortem = ended or "The connection to the core is lost."
        self._changed("link")

    def _correct_facts(self) -> None:
        """Note of what was fetched last what cannot be true any more without the core."""
        now = self.clock()
        self.info = self.info | {"http_url": None}
        self.sessions = [one | {"closed": one.get("closed") or now, "in_flight": []} for one in self.sessions]
        self.captures = [
            one | {"ended": one["ended"] or now} if one["path"] == self.info.get("capture") else one
            for one in self.captures
        ]


async def _list_all(session: ClientSession) -> dict[str, Any]:
    """What a relayed server offers; its core does not know."""
    lists = {
        "tools": session.list_tools,
        "resources": session.list_resources,
        "templates": session.list_resource_templates,
        "prompts": session.list_prompts,
    }
    offered = {"resources": "resources", "templates": "resources"}
    return {
        part: await fetch() if offered.get(part, part) in session.capabilities else [] for part, fetch in lists.items()
    }
