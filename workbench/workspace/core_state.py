"""What the core has described to this terminal, each part fetched again when a lifecycle record reports a change."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from server_core.errors import ConnectionFailed
from server_core.runtime.background import spawn
from workbench.model.json_members import object_in, objects_in
from workbench.model.traffic.entry import parse_object
from workbench.workspace.definition_checks import DefinitionChecks
from workbench.workspace.definition_history import DefinitionHistory
from workbench.workspace.logins import Login, Logins

if TYPE_CHECKING:
    from workbench.link.link import Link

FETCHED = ("catalog", "secrets", "accounts", "sessions")
# The parts that an event of the core makes stale; problems are fetched with the catalog.
_STALE = {
    "loaded": ("catalog", "secrets", "accounts"),
    "reloaded": ("catalog", "secrets", "accounts"),
    "reload_failed": ("catalog",),
    # The client credentials of a service are secrets, too.
    "secrets_changed": ("secrets", "accounts"),
    "authorized": ("accounts",),
    "authorization_renewed": ("accounts",),
    "authorization_refused": ("accounts",),
    "authorization_forgotten": ("accounts",),
    "session_opened": ("sessions",),
    "session_initialized": ("sessions",),
    "session_closed": ("sessions",),
    "http_listening": ("sessions",),
    "http_stopped": ("sessions",),
    "capture_failed": ("sessions",),
    "capture_full": ("sessions",),
    "capture_resumed": ("sessions",),
}
# The kind of the problem of a folder that is not searched: see `server_core.loading.load_problems`.
_NOT_SEARCHED = "FOLDER_NOT_SEARCHED"
_MISSED_S = 1.0
"""The pause before parts are fetched again that missed records may have made stale."""
_ENDS_OF_LOGINS = ("authorized", "authorization_failed")


class CoreState:
    """The data of the core, as last fetched; a method that changes the core raises `RemoteError` if it refuses.

    Args:
        list_relayed: returns the offers of a relayed server, which its core does not know.
        on_change: called with one of :data:`workbench.workspace.workspace.PARTS`.
    """

    def __init__(
        self, link: "Link", list_relayed: Callable[[], Awaitable[dict[str, Any]]], on_change: Callable[[str], None]
    ) -> None:
        self.info = link.info  # the latest response to `core/info`
        self.catalog: dict[str, Any] = {}  # the latest response to `catalog/get`; empty before the first
        self.definitions = DefinitionHistory()
        self.checks = DefinitionChecks(lambda: on_change("problems"))
        self.secrets: list[dict[str, Any]] = []
        self.accounts: list[dict[str, Any]] = []
        self.sessions: list[dict[str, Any]] = []
        self.captures: list[dict[str, Any]] = []
        self.reloading = False
        self._link = link
        self._list_relayed = list_relayed
        self._on_change = on_change
        self._logins = Logins()
        self._stale: set[str] = set()
        self._refreshing: set[str] = set()
        self._has_missed = False

    @property
    def problems(self) -> list[dict[str, Any]]:
        return self.catalog.get("problems") or []

    @property
    def warned(self) -> frozenset[tuple[str, str]]:
        """The keys of the offers about which the checks have a warning."""
        return frozenset() if self.checks.report is None else self.checks.report.warned

    @property
    def is_relay(self) -> bool:
        """Whether the core relays another server, instead of serving a folder of tools."""
        return self.info.get("mode") == "relay"

    @property
    def is_in_process(self) -> bool:
        """Whether the core runs in this process, and ends with it."""
        return self.info.get("pid") == os.getpid()

    @property
    def capture(self) -> str:
        """The path of the capture that stores the records; empty if there is none, or it has a problem."""
        return "" if self.capture_problem else str(self.info.get("capture") or "")

    @property
    def capture_problem(self) -> str:
        """Why the core records nothing at the moment; empty if it records, or was not to."""
        return str(self.info.get("capture_problem") or "")

    @property
    def is_loaded(self) -> bool:
        """Whether the tools have been loaded at least once."""
        return bool(self.catalog.get("generation")) or self.is_relay

    @property
    def has_tools(self) -> bool:
        """Whether the core serves anything; also True while that is not known yet."""
        if self.is_relay or not self.is_loaded:
            return True
        if any(problem.get("kind") != _NOT_SEARCHED for problem in self.catalog.get("problems") or ()):
            return True
        return any(self.catalog.get(part) for part in ("tools", "resources", "templates", "prompts"))

    def task_support(self, tool: str) -> str:
        """Return whether a tool runs as a task (2025-11-25): "forbidden", "optional" or "required"."""
        return str(object_in(self.tool(tool), "execution").get("taskSupport", "forbidden"))

    def tool(self, name: str) -> dict[str, Any]:
        """Return the definition of a tool; empty if there is none."""
        return next((tool for tool in objects_in(self.catalog, "tools") if tool.get("name") == name), {})

    async def refresh(self, part: str) -> None:
        """Fetch one of :data:`FETCHED` again; others need no fetching."""
        if part == "catalog":
            catalog = await self._link.request("catalog/get")
            if self.is_relay:
                # Until the server has listed its offers, those before are shown.
                catalog = catalog | await self._list_relayed()
            before, self.catalog = self.catalog, catalog
            await self.definitions.update(before, self.catalog)
            self._on_change("catalog")
            self._on_change("problems")
            self.checks.start(self.catalog)
        elif part == "secrets":
            self.secrets = (await self._link.request("secrets/list"))["secrets"]
            self._on_change("secrets")
        elif part == "accounts":
            self.accounts = (await self._link.request("accounts/list"))["accounts"]
            self._on_change("accounts")
        elif part == "sessions":
            self.info = await self._link.request("core/info")
            self.sessions = (await self._link.request("sessions/list"))["sessions"]
            self.captures = (await self._link.request("captures/list"))["captures"]
            self._on_change("sessions")

    def refresh_soon(self, part: str) -> None:
        """Fetch a part in the background, once for all changes until then, and never twice at the same time."""
        self._stale.add(part)
        if part not in self._refreshing:
            self._refreshing.add(part)
            spawn(self._refresh_stale(part), f"refresh {part}")

    def refresh_after_missed_records(self) -> None:
        """Fetch all parts again after a pause, once for all records that are missed until then."""
        if not self._has_missed:
            self._has_missed = True
            spawn(self._refresh_all(), "refresh after missed records")

    async def _refresh_all(self) -> None:
        await asyncio.sleep(_MISSED_S)
        self._has_missed = False
        # A relayed server reports changes of its lists to the session, not in records.
        for part in ("secrets", "accounts", "sessions") if self.is_relay else FETCHED:
            self.refresh_soon(part)

    def handle_event(self, name: str, data: bytes) -> None:
        """Handle an event of the core, from a lifecycle record with this data."""
        for part in _STALE.get(name, ()):
            self.refresh_soon(part)
        if name in _ENDS_OF_LOGINS:
            self._logins.handle_event(parse_object(data) or {})

    def mark_ended(self, now: float) -> None:
        """Update data that cannot be true any more without the core."""
        self.info = self.info | {"http_url": None}
        self.sessions = [
            session | {"closed": session.get("closed") or now, "in_flight": []} for session in self.sessions
        ]
        self.captures = [
            capture | {"ended": capture["ended"] or now} if capture["path"] == self.info.get("capture") else capture
            for capture in self.captures
        ]

    async def set_secret(self, key: str, value: str, place: str = "") -> None:
        """Store the value of a secret: in `.env`, unless another place is given."""
        params = {"key": key, "value": value}
        await self._link.request("secrets/set", params | {"place": place} if place else params)
        await self.refresh("secrets")

    async def unset_secret(self, key: str) -> None:
        await self._link.request("secrets/unset", {"key": key})
        await self.refresh("secrets")

    async def log_in(self, account: str, *, by_device: bool = False) -> Login:
        """Start a login at a service, optionally with a code for another device; the user opens the URL in it."""
        return self._logins.begin(
            account, await self._link.request("accounts/login", {"account": account, "device": by_device})
        )

    async def log_out(self, account: str) -> bool:
        """Remove an account, and return whether the service has revoked its token."""
        answer = await self._link.request("accounts/logout", {"account": account})
        await self.refresh("accounts")
        return bool(answer["given_back"])

    async def reload(self) -> None:
        self.reloading = True
        self._on_change("link")
        try:
            await self._link.request("core/reload")
            await self.refresh("catalog")
        finally:
            self.reloading = False
            self._on_change("link")

    async def serve_http(self, port: int = 0) -> str:
        """Have the core serve HTTP as well, unless it already does, and return the URL; port 0 is any free one."""
        if url := self.info.get("http_url"):
            return str(url)
        url = str((await self._link.request("core/http", {"port": port}))["url"])
        await self.refresh("sessions")
        return url

    async def stop_http(self) -> None:
        await self._link.request("core/stop_http")
        await self.refresh("sessions")

    async def _refresh_stale(self, part: str) -> None:
        try:
            while part in self._stale:
                # Whatever becomes stale from here on has to be fetched once more.
                self._stale.discard(part)
                began = time.perf_counter()
                # The workspace reports a lost link to the user.
                with suppress(ConnectionFailed):
                    await self.refresh(part)
                if part in self._stale:
                    # A server that reports changes without a pause leaves time for the keys.
                    await asyncio.sleep(time.perf_counter() - began)
        finally:
            self._stale.discard(part)
            self._refreshing.discard(part)
