"""The session of this terminal with the server of its core: its protocol revision, and how it switches to another.

Rule 1: each revision has its own session; the old session stays open until the new one has started, so a server
that does not support the revision changes nothing.
Rule 2: a setting of the session (the log level, the roots) also applies to the next session.
Rule 3: a session that ends without being closed here has lost its server; the core knows how the server ended.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from server_core.errors import ConnectionFailed, ProtocolError, RemoteError, WorkbenchError
from server_core.protocol.jsonrpc import Notification
from server_core.protocol.methods import LOG_LEVELS
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, REVISIONS, Revision
from server_core.runtime.background import spawn
from workbench.client.questions import PendingQuestions
from workbench.client.session import ClientSession
from workbench.model.core_use import TERMINAL
from workbench.model.personas import WORKBENCH, Persona
from workbench.workspace.relayed_lists import RelayedLists

if TYPE_CHECKING:
    from workbench.link.link import Link


class OwnSession:
    """The terminal's session, at most one at a time.

    Args:
        revision: the protocol revision; None for the newest that the server supports.
        on_lost: called when the server has ended.
    """

    def __init__(
        self,
        link: "Link",
        questions: PendingQuestions,
        roots: tuple[dict[str, Any], ...],
        on_notification: Callable[[Notification], None],
        revision: Revision | None,
        on_lost: Callable[[], None],
    ) -> None:
        # None before it has started, and for a terminal with the role "viewer"
        self.session: ClientSession | None = None
        self.lost = ""  # how the server ended, followed by the last lines of its stderr; empty while it runs
        self.persona = WORKBENCH  # the client that the server sees
        self.log_level = LOG_LEVELS[0]  # the minimum severity of log messages
        self._link = link
        self._questions = questions
        self.roots = roots
        self._on_notification = on_notification
        self._revision = revision
        self._on_lost = on_lost
        self._began = 0.0
        self._lists = RelayedLists()

    async def begin(self) -> None:
        """Start a session; if that fails with ConnectionFailed or RemoteError, the server counts as lost."""
        try:
            self._set_session(await self._begin(self._revision))
        except WorkbenchError as error:
            self.lost = str(error)
            raise

    async def switch_revision(self, revision: Revision | None) -> None:
        await self._switch(revision, self.persona)

    async def switch_persona(self, persona: Persona) -> None:
        """Become another client, in its revision."""
        await self._switch(REVISIONS.get(persona.revision), persona)

    async def _switch(self, revision: Revision | None, persona: Persona) -> None:
        earlier, self.persona = self.persona, persona
        try:
            session = await self._begin(revision)
        except BaseException:
            self.persona = earlier
            raise
        before, self._revision = self.session, revision
        self._set_session(session)
        if before is not None:
            await before.close()

    async def adopt(self, session: ClientSession, opened: float) -> None:
        """Continue in a session that was opened for another purpose, so many seconds since the epoch."""
        session.hand_over(self._questions, self.roots, self._on_notification)
        before, self._revision, self._began = self.session, session.revision, opened
        self._set_session(session)
        if before is not None:
            await before.close()

    async def restart(self) -> None:
        """Close the session and start another in the same revision; a relayed server is restarted for it."""
        # Closed first, so that the relay stops the old server before it starts another.
        before, self.session = self.session, None
        if before is not None:
            await before.close()
        await self.begin()

    async def check_server_lost(self) -> bool:
        """Return whether the core reports that the server of this session has ended; if so, close the session."""
        lost = await self._find_loss(self._began)
        if lost:
            self.lost = lost
            await self.close()
        return bool(lost)

    async def set_log_level(self, level: str) -> None:
        if self.session is not None:
            await self.session.set_log_level(level)
        self.log_level = level

    async def set_roots(self, roots: tuple[dict[str, Any], ...]) -> None:
        self.roots = roots
        if self.session is not None:
            await self.session.set_roots(roots)

    async def list_offers(self) -> dict[str, Any]:
        """Return the offers of the server, as in a catalog; empty without a session."""
        if self.session is None:
            return {}
        offers = await self._lists.fetch(self.session)
        # The core answers in the place of a server that has ended.
        return {} if offers["problems"] and await self.check_server_lost() else offers

    def handle_list_change(self, method: str) -> bool:
        """Handle a notification; return whether `list_offers` will request a list again because of it."""
        return self._lists.handle(method)

    async def close(self) -> None:
        before, self.session = self.session, None
        if before is not None:
            await before.close()

    def _set_session(self, session: ClientSession) -> None:
        self.session, self.lost, self._lists = session, "", RelayedLists()
        spawn(self._watch(session), "watch the session")

    async def _watch(self, session: ClientSession) -> None:
        await session.closed.wait()
        if session is not self.session:
            return  # It was closed or replaced here.
        # If the core has ended as well, the link reports that instead.
        with suppress(ConnectionFailed):
            lost = await self._find_loss(self._began)
            if session is self.session:
                self.lost = lost or "The server has closed the connection."
                self._on_lost()

    async def _find_loss(self, since: float) -> str:
        """Return how the core reports that the server ended since then; empty if it does not."""
        sessions = (await self._link.request("sessions/list"))["sessions"]
        ours = (entry for entry in reversed(sessions) if entry.get("peer") == TERMINAL and entry["opened"] >= since)
        return next(filter(None, (entry.get("upstream_lost") for entry in ours)), "")

    async def _begin(self, revision: Revision | None) -> ClientSession:
        began = time.time()
        try:
            session = await self._open(revision)
        except (ConnectionFailed, RemoteError) as error:
            # The relay answers messages to a server that has ended, and knows more about that end than its answer
            # contains.
            if lost := await self._find_loss(began):
                raise ConnectionFailed(lost) from error
            raise
        self._began = began
        # Up to 2025-11-25, servers send all levels unless a level was set.
        if session.revision.stateless or self.log_level != LOG_LEVELS[0]:
            # Not every server supports logging.
            with suppress(ProtocolError):
                await session.set_log_level(self.log_level)
        return session

    async def _open(self, revision: Revision | None) -> ClientSession:
        if revision is not None:
            return await self._open_in(revision)
        if self._link.info.get("mode") != "relay":
            return await self._open_in(LATEST_STATELESS)
        try:
            return await self._open_in(None)
        except (ConnectionFailed, RemoteError):
            # Some servers exit on the first message that they do not expect.
            return await self._open_in(LATEST)

    async def _open_in(self, revision: Revision | None) -> ClientSession:
        return await ClientSession.open(
            await self._link.open_session(),
            questions=self._questions,
            roots=self.roots if self.persona.roots is None else self.persona.roots,
            on_notification=self._on_notification,
            revision=revision,
            client_info=self.persona.client_info or None,
            capabilities=self.persona.capabilities,
            listen=True,
        )
