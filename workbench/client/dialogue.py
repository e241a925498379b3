"""The conversation of a client with a server: everything that its revision requires of every request and notification.

Requests are sent with the required `_meta`; where an error can be resolved, the request is sent again. Requests of the
server become questions, and its progress notifications are passed to their calls. The methods for each request of MCP,
such as `list_tools`, are those of `ClientSession` in `session.py`.
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
from workbench.client.connection import Answer, PeerConnection
from workbench.client.era_probe import PROBE_SECONDS, detect_era
from workbench.client.input_requests import InputRequests
from workbench.client.questions import KINDS, PendingQuestions, Question, QuestionOrigin
from workbench.client.requester import RecoverableError
from workbench.client.server_lists import ServerLists
from workbench.client.session_handshake import ClientDescription, HandshakeResult, discover, initialize
from workbench.client.subscription import ClientSubscriptions
from workbench.client.tool_call import CallProgress, ToolCall
from workbench.client.url_elicitations import MAX_WAITS, UrlElicitations

Respond = Callable[[dict[str, Any]], None]
Fail = Callable[[int, str], None]


class Dialogue:
    """The client's side of one conversation, which owns the channel; `on_notification` must not block or raise.

    `max_waits` is how often a request that requires the user to open a URL is retried.
    """

    def __init__(
        self,
        channel: Channel,
        client: ClientDescription,
        questions: PendingQuestions,
        roots: Sequence[dict[str, Any]] = (),
        on_notification: Callable[[Notification], None] | None = None,
        max_waits: int = MAX_WAITS,
    ) -> None:
        self.handshake = HandshakeResult(LATEST)  # of the current session
        self.log_level: str | None = None  # the minimum severity of log messages; None for the server's default
        self.subscribed: set[str] = set()  # the URIs of resources, by `resources/subscribe`
        self.questions = questions
        self.roots = list(roots)
        self.on_notification = on_notification
        self.lists = ServerLists(self, channel)
        self.subscriptions = ClientSubscriptions(self, self._on_notification)
        self.connection = PeerConnection(channel, self)
        self._client = client
        self._input_requests = InputRequests(questions)
        self._url_elicitations = UrlElicitations()
        self._max_waits = max_waits
        self._calls: dict[str, ToolCall] = {}
        # By the ids of the server's requests; closing the stack resumes the calls that the question has paused.
        self._open_questions: dict[RequestId, tuple[Question, ExitStack]] = {}
        self._session_lock = asyncio.Lock()

    async def begin_session(
        self, revision: Revision | None, probe_timeout: float = PROBE_SECONDS, discovers: bool = True
    ) -> None:
        """Start a session, with a handshake or without; without a revision, in the newest that the server has.

        The probe for a stateless server has a timeout, and is only sent where no revision is given; `discovers` is
        whether to send `server/discover` to a server without a handshake.
        """
        if revision is None:
            self.handshake = await detect_era(self.connection, self._client, probe_timeout)
        elif not revision.stateless:
            self.handshake = await initialize(self.connection, revision, self._client)
        elif discovers:
            self.handshake = await discover(self.connection, revision, self._client)
        else:
            self.handshake = HandshakeResult(revision)
        self.connection.set_revision(self.handshake.revision)

    def register_call(self, token: str, call: ToolCall) -> None:
        """Pass progress with this token to a call, until the call is done."""
        self._calls[token] = call
        call.on_done(lambda: self._calls.pop(token))

    def hand_over(self, questions: PendingQuestions, roots: Sequence[dict[str, Any]]) -> None:
        """Ask others from now on; what is open stays where it was asked."""
        self.questions, self.roots = questions, list(roots)
        self._input_requests = InputRequests(questions)

    async def close(self) -> None:
        await self.subscriptions.close()
        await self.connection.close()

    # The methods of `Requester`, which describes them.

    def start_request(self, method: str, params: Params | None) -> tuple[RequestId, Answer]:
        return self.connection.start_request(method, self.with_envelope(params))

    async def request_once(self, method: str, params: Params | None) -> dict[str, Any]:
        return await self.connection.request(method, self.with_envelope(params))

    def abandon(self, request_id: RequestId, reason: str) -> None:
        self.connection.abandon(request_id, reason)

    async def pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self.connection.closed.wait()
        except TimeoutError:
            return
        raise ConnectionFailed("The connection to the server is closed.")

    async def request_input(self, requests: Mapping[str, Any], call: RequestId) -> dict[str, Any]:
        def ask(request_id: str, kind: str, params: Params, respond: Respond, fail: Fail) -> Question:
            calls = [running for running in self._calls.values() if running.first_id == call]
            return self._new_question(request_id, kind, params, json.dumps(call), calls, respond, fail)

        return await self._input_requests.request_input(requests, ask)

    async def recover(
        self, method: str, error: RecoverableError, attempts: int, handshake: HandshakeResult, call: RequestId
    ) -> bool:
        if isinstance(error, RemoteError) and error.code == URL_ELICITATION_REQUIRED:
            if not self.handshake.revision.elicitation_ids or attempts >= self._max_waits:
                return False
            request_input = partial(self.request_input, call=call)
            return await self._url_elicitations.wait_for_completion(error.data, request_input, agreed=attempts > 0)
        if attempts:
            return False
        if isinstance(error, SessionGone):
            await self._start_another_session(handshake)
            return True
        if error.code == HEADER_MISMATCH and method == "tools/call":
            # The arguments that headers repeat may have changed since the tools were listed.
            await self.lists.tools(fresh=True)
            return True
        return False

    # The methods of `Handler` in `connection.py`, which describes them.

    def handle_request(self, request: Request) -> None:
        if request.method not in KINDS:
            # 2025-11-25 lets clients run tasks as well; this client declares no support.
            self.connection.fail(request.id, METHOD_NOT_FOUND, f"Method not found: {request.method}")
            return
        question = self._question_from(request)
        revision = self.handshake.revision
        if question.mode == "url" and not revision.url_elicitation:
            # client/elicitation: a mode that was not declared is answered with -32602.
            question.refuse(INVALID_PARAMS, f"Revision {revision.date} has no elicitation in URL mode.")
            return
        # The request does not name its call: every running call may be waiting for the user.
        pauses = ExitStack()
        for call in self._calls.values():
            pauses.enter_context(call.paused())
        self._open_questions[request.id] = question, pauses
        self.questions.ask(question)

    def handle_notification(self, notification: Notification) -> None:
        if self.subscriptions.handle(notification):
            return  # A subscription passes the changes that it reports to `_on_notification`.
        if notification.method == "notifications/progress":
            call = self._calls.get(str(notification.params.get("progressToken")))
            progress = CallProgress.from_params(notification.params)
            if call is not None and progress is not None:
                call.report(progress)
        self._on_notification(notification)

    def handle_cancellation(self, request_id: RequestId, reason: str = "") -> None:
        if (question := self._remove_question(request_id)) is not None:
            question.withdraw(reason)

    def handle_end(self) -> None:
        self._input_requests.fail(ConnectionFailed("The session was closed while requests of the server were open."))
        for request_id in list(self._open_questions):
            self.handle_cancellation(request_id)

    def _remove_question(self, request_id: RequestId) -> Question | None:
        """Remove an open question, resume the calls that it paused, and return it; None if it is not open."""
        question, pauses = self._open_questions.pop(request_id, (None, ExitStack()))
        pauses.close()
        return question

    def _on_notification(self, notification: Notification) -> None:
        self.lists.invalidate(notification)
        self._url_elicitations.handle(notification)
        if self.on_notification is not None:
            self.on_notification(notification)

    def with_envelope(self, params: Params | None) -> Params | None:
        """Return the params of a request with what its revision requires in them."""
        revision = self.handshake.revision
        return with_envelope(params, self._client.meta(revision, self.log_level)) if revision.stateless else params

    async def _start_another_session(self, lost: HandshakeResult) -> None:
        """Start another session on the same channel, unless another request has already done so."""
        async with self._session_lock:
            if self.handshake is not lost:
                return
            await self.begin_session(lost.revision)
            # The new session has none of the settings of the lost session.
            if self.log_level is not None:
                await self.request_once("logging/setLevel", {"level": self.log_level})
            for uri in self.subscribed:
                await self.request_once("resources/subscribe", {"uri": uri})

    def _question_from(self, request: Request) -> Question:
        request_id = request.id

        def respond(result: dict[str, Any]) -> None:
            self._remove_question(request_id)
            self.connection.respond(request_id, result)

        def fail(code: int, message: str) -> None:
            self._remove_question(request_id)
            self.connection.fail(request_id, code, message)

        # The wire does not link a request to a call: that is certain only if a single call is running.
        calls = list(self._calls.values())
        call = json.dumps(calls[0].first_id) if len(calls) == 1 else ""
        return self._new_question(request_id, KINDS[request.method], request.params, call, calls, respond, fail)

    def _new_question(
        self,
        request_id: RequestId,
        kind: str,
        params: Params,
        call: str,
        calls: Sequence[ToolCall],
        respond: Respond,
        fail: Fail,
    ) -> Question:
        revision = self.handshake.revision
        origin = QuestionOrigin(
            calls[0].name if len(calls) == 1 else "",
            tuple(json.dumps(running.first_id) for running in calls),
            str(self._client.client_info.get("name", "")),
            revision.date,
            revision.stateless,
        )
        return Question(
            request_id,
            kind,
            params,
            session=str(self.handshake.server_info.get("name", "")),
            call=call,
            respond=respond,
            fail=fail,
            suggestion={"roots": self.roots} if kind == "roots" else None,
            origin=origin,
        )
