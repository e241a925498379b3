"""What a client and a server say to each other, below the requests that people know: whatever its revision wants.

A request goes out with all that it has to carry; what keeps it from being served is mended where that can be done; what
the server asks becomes a question, and what it tells reaches the call that it is about.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from server_core.errors import ConnectionFailed, RemoteError
from server_core.protocol.codes import HEADER_MISMATCH, INVALID_PARAMS, METHOD_NOT_FOUND, URL_ELICITATION_REQUIRED
from server_core.protocol.envelope import with_envelope
from server_core.protocol.jsonrpc import Notification, Params, Request, RequestId
from server_core.protocol.revisions import LATEST, Revision
from server_core.transports.channel import Channel, SessionGone
from workbench.client.call import Call, Progress
from workbench.client.connection import Answer, Connection
from workbench.client.era_probe import PROBE_SECONDS, find_out
from workbench.client.handshake import Greeting, Ourselves, discover, initialize
from workbench.client.input_requests import Inquiries
from workbench.client.offers import Offers
from workbench.client.requester import Trouble
from workbench.client.server_requests import KINDS, Question, Questions
from workbench.client.subscription import Listenings
from workbench.client.url_elicitations import MOST_WAITS, UrlElicitations

Respond = Callable[[dict[str, Any]], None]
Fail = Callable[[int, str], None]


class Dialogue:
    """A client's side of one conversation.

    Args:
        channel: the way to the server; owned by the dialogue from now on.
        ourselves: who we say we are.
        questions: takes what the server asks.
        roots: what `roots/list` is answered with: objects with `uri` and perhaps `name`.
        on_notification: called with what the server tells; it must not wait or raise.
        most_waits: how often a request that takes a visit by a person is sent again until it is served.
    """

    def __init__(
        self,
        channel: Channel,
        ourselves: Ourselves,
        questions: Questions,
        roots: Sequence[dict[str, Any]] = (),
        on_notification: Callable[[Notification], None] | None = None,
        most_waits: int = MOST_WAITS,
    ) -> None:
        self.greeting = Greeting(LATEST)
        """What the server said of itself when the session began."""
        self.log_level: str | None = None
        """The least severe log message that is wanted; None when nobody said."""
        self.subscribed: set[str] = set()
        """The resources whose changes are wanted."""
        self.questions = questions
        self.roots = list(roots)
        self.on_notification = on_notification
        self.offers = Offers(self, channel)
        self.listenings = Listenings(self, self._on_notification)
        self.connection = Connection(channel, self)
        self._ourselves = ourselves
        self._inquiries = Inquiries(questions)
        self._url_elicitations = UrlElicitations()
        self._most_waits = most_waits
        self._calls: dict[str, Call] = {}
        self._asked: dict[RequestId, tuple[Question, ExitStack]] = {}
        self._beginning = asyncio.Lock()

    async def begin_session(
        self, revision: Revision | None, probe_timeout: float = PROBE_SECONDS, discovers: bool = True
    ) -> None:
        """Begin, with a handshake or without.

        Args:
            revision: the one that we ask for; None for the newest that the server speaks.
            probe_timeout: seconds for the question what it speaks, where it is asked.
            discovers: whether a server without a handshake is asked what it is.

        Raises:
            ConnectionFailed: when the server goes away, or speaks none of our revisions.
            ProbeEndedServer: when it goes away while it is found out what it speaks.
            RemoteError: when the server answers with an error.
        """
        if revision is None:
            self.greeting = await find_out(self.connection, self._ourselves, probe_timeout)
        elif not revision.stateless:
            self.greeting = await initialize(self.connection, revision, self._ourselves)
        elif discovers:
            self.greeting = await discover(self.connection, revision, self._ourselves)
        else:
            self.greeting = Greeting(revision)
        self.connection.agreed(self.greeting.revision)

    def follow(self, token: str, call: Call) -> None:
        """Hand the progress with this token to a call, until the call is done."""
        self._calls[token] = call
        call.on_done(lambda: self._calls.pop(token))

    async def close(self) -> None:
        """End it; what is still in flight fails with ConnectionFailed. Safe to call twice."""
        await self.listenings.close()
        await self.connection.close()

    # What requests take of their dialogue.

    def begin(self, method: str, params: Params | None) -> tuple[RequestId, Answer]:
        """Send a request; return its id and what resolves to its result."""
        return self.connection.ask(method, self._with_envelope(params))

    async def once(self, method: str, params: Params | None) -> dict[str, Any]:
        """Send a request and return the first answer to it."""
        return await self.connection.request(method, self._with_envelope(params))

    def abandon(self, id: RequestId, reason: str) -> None:
        """Stop waiting for an answer, and tell the server so."""
        self.connection.abandon(id, reason)

    async def pause(self, seconds: float) -> None:
        """Wait a while.

        Raises:
            ConnectionFailed: when the server goes away meanwhile.
        """
        try:
            async with asyncio.timeout(seconds):
                await self.connection.closed.wait()
        except TimeoutError:
            return
        raise ConnectionFailed("The connection to the server is closed.")

    async def inquire(self, requests: Mapping[str, Any], call: RequestId) -> dict[str, Any]:
        """Ask all that the server wants to know for a call, and return the answers by their keys."""

        def ask(id: str, kind: str, params: Params, respond: Respond, fail: Fail) -> Question:
            return self._question(id, kind, params, json.dumps(call), respond, fail)

        return await self._inquiries.inquire(requests, ask)

    async def mend(self, method: str, error: Trouble, before: int, greeting: Greeting, call: RequestId) -> bool:
        """Do what makes it worth sending a request again; False when there is nothing to do."""
        if isinstance(error, RemoteError) and error.code == URL_ELICITATION_REQUIRED:
            if not self.greeting.revision.elicitation_ids or before >= self._most_waits:
                return False
            inquire = partial(self.inquire, call=call)
            return await self._url_elicitations.completed(error.data, inquire, agreed=before > 0)
        if before:
            return False
        if isinstance(error, SessionGone):
            await self._begin_again(greeting)
            return True
        if error.code == HEADER_MISMATCH and method == "tools/call":
            # Which arguments headers repeat may have changed since the tools were listed.
            await self.offers.tools(fresh=True)
            return True
        return False

    # What the server starts.

    def requested(self, request: Request) -> None:
        """Make a question of a request of the server."""
        if request.method not in KINDS:
            # 2025-11-25 lets clients run tasks as well; we declare none.
            self.connection.fail(request.id, METHOD_NOT_FOUND, f"Method not found: {request.method}")
            return
        question = self._question_of(request)
        revision = self.greeting.revision
        if question.mode == "url" and not revision.url_elicitation:
            # client/elicitation: a mode that was not declared is answered with -32602.
            question.refuse(INVALID_PARAMS, f"Revision {revision.date} has no elicitation in URL mode.")
            return
        pauses = ExitStack()
        for call in self._calls.values():
            pauses.enter_context(call.paused())
        self._asked[request.id] = question, pauses
        self.questions.ask(question)

    def notified(self, notification: Notification) -> None:
        """Hand progress to its call, and everything that is no matter of our own to `on_notification`."""
        if self.listenings.take(notification):
            return
        if notification.method == "notifications/progress":
            call = self._calls.get(str(notification.params.get("progressToken")))
            progress = Progress.from_params(notification.params)
            if call is not None and progress is not None:
                call.report(progress)
        self._on_notification(notification)

    def request_cancelled(self, id: RequestId) -> None:
        """Withdraw the question whose answer the server no longer wants."""
        if (question := self._settled(id)) is not None:
            question.withdraw()

    def ended(self) -> None:
        """Withdraw every question: nobody waits for the answers."""
        self._inquiries.fail(ConnectionFailed("The session ended while the server's questions were open."))
        for id in list(self._asked):
            self.request_cancelled(id)

    def _settled(self, id: RequestId) -> Question | None:
        question, pauses = self._asked.pop(id, (None, ExitStack()))
        pauses.close()
        return question

    def _on_notification(self, notification: Notification) -> None:
        self.offers.outdate(notification)
        self._url_elicitations.take(notification)
        if self.on_notification is not None:
            self.on_notification(notification)

    def _with_envelope(self, params: Params | None) -> Params | None:
        revision = self.greeting.revision
        return with_envelope(params, self._ourselves.meta(revision, self.log_level)) if revision.stateless else params

    async def _begin_again(self, lost: Greeting) -> None:
        """Begin another session on the same channel, unless another request has done so already."""
        async with self._beginning:
            if self.greeting is not lost:
                return
            await self.begin_session(lost.revision)
            if self.log_level is not None:
                await self.once("logging/setLevel", {"level": self.log_level})
            for uri in self.subscribed:
                await self.once("resources/subscribe", {"uri": uri})

    def _question_of(self, request: Request) -> Question:
        id = request.id

        def respond(result: dict[str, Any]) -> None:
            self._settled(id)
            self.connection.respond(id, result)

        def fail(code: int, message: str) -> None:
            self._settled(id)
            self.connection.fail(id, code, message)

        # The wire does not say which call a question belongs to: it is certain only when there is one.
        calls = list(self._calls.values())
        call = json.dumps(calls[0].first_id) if len(calls) == 1 else ""
        return self._question(id, KINDS[request.method], request.params, call, respond, fail)

    def _question(self, id: RequestId, kind: str, params: Params, call: str, respond: Respond, fail: Fail) -> Question:
        return Question(
            id,
            kind,
            params,
            session=str(self.greeting.server_info.get("name", "")),
            call=call,
            respond=respond,
            fail=fail,
            suggestion={"roots": self.roots} if kind == "roots" else None,
        )
