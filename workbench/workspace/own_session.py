"""The session of this terminal with the server of its core: the revision that it speaks, and how it takes up another.

Rule 1: another revision is another session; the one before goes on until the new one has begun, so that a server that
does not speak it leaves things as they were.
Rule 2: what was chosen for the session (the log level) holds in the next one too.
Rule 3: a session that ends before it is closed has lost its server; how the server ended is known to the core.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from server_core.errors import ConnectionFailed, ProtocolError, RemoteError, WorkbenchError
from server_core.protocol.jsonrpc import Notification
from server_core.protocol.methods import LOG_LEVELS
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from server_core.runtime.background import spawn
from workbench.client.server_requests import Questions
from workbench.client.session import ClientSession
from workbench.model.core_use import TERMINAL

if TYPE_CHECKING:
    from workbench.link.link import Link


class OwnSession:
    """One session at a time.

    Args:
        link: leads to the core.
        questions: takes what the server asks.
        roots: what `roots/list` is answered with.
        on_notification: called with everything that the server tells.
        revision: the one to speak; None for the newest that the server speaks.
        on_lost: called when the server has ended.
    """

    def __init__(
        self,
        link: "Link",
        questions: Questions,
        roots: tuple[dict[str, Any], ...],
        on_notification: Callable[[Notification], None],
        revision: Revision | None,
        on_lost: Callable[[], None],
    ) -> None:
        self.session: ClientSession | None = None
        """None before it has begun, and for a terminal that may only look."""
        self.lost = ""
        """How the server ended, with the last lines of its standard error below; empty while it is there."""
        self.log_level = LOG_LEVELS[0]
        """The least severe log message that is wanted."""
        self._link = link
        self._questions = questions
        self._roots = roots
        self._on_notification = on_notification
        self._revision = revision
        self._on_lost = on_lost
        self._began = 0.0

    async def begin(self) -> None:
        """Begin a session; where that fails, the server counts as lost.

        Raises:
            ConnectionFailed: when the server is gone, or does not speak the revision.
            RemoteError: when it refuses for another reason.
        """
        try:
            self._take(await self._begin(self._revision))
        except WorkbenchError as error:
            self.lost = str(error)
            raise

    async def speak(self, revision: Revision | None) -> None:
        """Go on in another revision.

        Args:
            revision: the one to speak; None for the newest that the server speaks.

        Raises:
            ConnectionFailed: when the server is gone, or does not speak it; the session stays as it was.
            RemoteError: when it refuses for another reason; the same holds.
        """
        begun = await self._begin(revision)
        before, self._revision = self.session, revision
        self._take(begun)
        if before is not None:
            await before.close()

    async def restart(self) -> None:
        """End the session, and begin another in the same revision: with a relayed server that is started anew.

        Raises:
            ConnectionFailed: when the server is gone, or does not speak the revision.
            RemoteError: when it refuses for another reason.
        """
        before, self.session = self.session, None
        if before is not None:
            await before.close()
        await self.begin()

    async def notice_loss(self) -> bool:
        """Return whether the core says that the server of this session has ended; if so, close the session.

        Raises:
            ConnectionFailed: when the core is gone as well.
        """
        lost = await self._find_loss(self._began)
        if lost:
            self.lost = lost
            await self.close()
        return bool(lost)

    async def want_logs(self, level: str) -> None:
        """Ask for log messages of this level and above, in this session and in those that follow.

        Raises:
            ConnectionFailed: when the server is gone.
            RemoteError: when it has no log messages.
        """
        if self.session is not None:
            await self.session.set_log_level(level)
        self.log_level = level

    async def close(self) -> None:
        """End the session."""
        before, self.session = self.session, None
        if before is not None:
            await before.close()

    def _take(self, session: ClientSession) -> None:
        self.session, self.lost = session, ""
        spawn(self._watch(session), "watch the session")

    async def _watch(self, session: ClientSession) -> None:
        await session.closed.wait()
        if session is not self.session:
            return
        # When the core is gone as well, that is what the person is told.
        with suppress(ConnectionFailed):
            lost = await self._find_loss(self._began)
            if session is self.session:
                self.lost = lost or "The server has closed the connection."
                self._on_lost()

    async def _find_loss(self, since: float) -> str:
        """Return how the core says that the server of a session ended; empty where it does not.

        Args:
            since: the session was opened then or later, in seconds since the epoch.
        """
        sessions = (await self._link.request("sessions/list"))["sessions"]
        ours = (one for one in reversed(sessions) if one.get("peer") == TERMINAL and one["opened"] >= since)
        return next(filter(None, (one.get("upstream_lost") for one in ours)), "")

    async def _begin(self, revision: Revision | None) -> ClientSession:
        began = time.time()
        try:
            session = await self._open(revision)
        except (ConnectionFailed, RemoteError) as error:
            # A relay answers what was sent to a server that has ended, and knows more of that end than the answer says.
            if lost := await self._find_loss(began):
                raise ConnectionFailed(lost) from error
            raise
        self._began = began
        # Up to 2025-11-25, servers tell everything unless they are asked for less.
        if session.revision.stateless or self.log_level != LOG_LEVELS[0]:
            # A server that has no log messages has none of any level.
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
            # Some servers end at the first message that they do not expect.
            return await self._open_in(LATEST)

    async def _open_in(self, revision: Revision | None) -> ClientSession:
        return await ClientSession.open(
            await self._link.open_session(),
            questions=self._questions,
            roots=self._roots,
            on_notification=self._on_notification,
            revision=revision,
            listen=True,
        )
