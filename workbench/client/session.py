"""One MCP session, seen from the client: how it begins, the requests with their types, and the server's questions.

A session speaks one revision, with a handshake or without; what differs is in :mod:`~workbench.client.greeting` and
:mod:`~workbench.client.rounds`, and in what each request carries.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from server_core.errors import HEADER_MISMATCH, INTERNAL_ERROR, INVALID_PARAMS, ConnectionFailed, ProtocolError
from server_core.protocol.envelope import with_envelope
from server_core.protocol.jsonrpc import Notification, Params, Request, RequestId
from server_core.protocol.revisions import LATEST, Revision
from server_core.transports.channel import Channel, RepeatsArguments, SessionGone
from server_core.version import VERSION
from workbench.client.call import Call, Progress
from workbench.client.connection import Answer, Connection
from workbench.client.deadline import AS_LONG_AS_IT_TAKES, Limits
from workbench.client.greeting import Greeting, Ourselves, discover, initialize
from workbench.client.inquiry import Inquiries
from workbench.client.kept import Kept
from workbench.client.probing import PROBE_SECONDS, ProbeEndedServer, find_out
from workbench.client.questions import KINDS, Question, Questions
from workbench.client.rounds import Rounds, Trouble

CLIENT_INFO = {"name": "workbench", "title": "Workbench", "version": VERSION}

# Long enough for a package runner that downloads the server first.
HANDSHAKE_SECONDS = 60.0
MOST_PAGES = 1000

Respond = Callable[[dict[str, Any]], None]
Fail = Callable[[int, str], None]


class ClientSession:
    """One session with one server; made by :meth:`open`.

    Args:
        channel: the way to the server; owned by the session from now on.
        ourselves: who we say we are.
        questions: takes what the server asks.
        roots: what `roots/list` is answered with: objects with `uri` and perhaps `name`.
    """

    def __init__(
        self,
        channel: Channel,
        ourselves: Ourselves,
        questions: Questions,
        roots: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.questions = questions
        self.roots = list(roots)
        self.greeting = Greeting(LATEST)
        """What the server said of itself when the session began."""
        self.on_notification: Callable[[Notification], None] | None = None
        """Called with everything that the server tells; it must not wait or raise."""
        self._ourselves = ourselves
        self._log_level: str | None = None
        self._inquiries = Inquiries(questions)
        self._calls: dict[str, Call] = {}
        self._asked: dict[RequestId, Question] = {}
        self._tokens = 0
        self._beginning = asyncio.Lock()
        self._kept = Kept()
        self._channel = channel
        self._connection = Connection(channel, self)

    @classmethod
    async def open(
        cls,
        channel: Channel,
        *,
        questions: Questions | None = None,
        client_info: dict[str, Any] | None = None,
        capabilities: dict[str, Any] | None = None,
        revision: Revision | None = LATEST,
        roots: Sequence[dict[str, Any]] = (),
        on_notification: Callable[[Notification], None] | None = None,
        timeout: float = HANDSHAKE_SECONDS,
        probe_timeout: float = PROBE_SECONDS,
    ) -> "ClientSession":
        """Begin a session over the channel: shake hands, or ask what the server is where there is no handshake.

        Args:
            channel: the way to the server; owned by the session, and closed when this fails.
            questions: takes what the server asks; without it, questions wait in `session.questions`.
            client_info: who we say we are.
            capabilities: what we say we can; without it, all that the revision has.
            revision: the revision of the protocol that we ask for; None for the newest that the server speaks.
            roots: what `roots/list` is answered with.
            on_notification: called with everything that the server tells.
            timeout: seconds that the server has for its first answer.
            probe_timeout: seconds of these for the question what it speaks, where it is asked.

        Returns:
            A session that is ready for requests.

        Raises:
            ConnectionFailed: when the server does not answer, goes away, or speaks none of our revisions.
            ProbeEndedServer: when it goes away while it is found out what it speaks; connect anew, and ask for one.
            RemoteError: when the server answers with an error.
        """
        ourselves = Ourselves(client_info or CLIENT_INFO, capabilities)
        session = cls(channel, ourselves, Questions() if questions is None else questions, roots)
        session.on_notification = on_notification
        try:
            async with asyncio.timeout(timeout):
                session.greeting = await session._begin(revision, probe_timeout)
        except TimeoutError:
            await session.close()
            asked = "server/discover" if revision is not None and revision.stateless else "initialize"
            reason = f"The server did not answer {asked} within {timeout:g} seconds. Is it an MCP server?"
            raise ConnectionFailed(session._with_noise(reason)) from None
        except ProbeEndedServer:
            await session.close()
            raise
        except ConnectionFailed as error:
            await session.close()
            raise ConnectionFailed(session._with_noise(str(error))) from error
        except BaseException:
            await session.close()
            raise
        return session

    @property
    def revision(self) -> Revision:
        """The revision that is spoken."""
        return self.greeting.revision

    @property
    def handshake(self) -> dict[str, Any]:
        """The server's answer to `initialize`, or to `server/discover`."""
        return self.greeting.result

    @property
    def server_info(self) -> dict[str, Any]:
        """Who the server says it is."""
        return self.greeting.server_info

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the server says it can."""
        return self.greeting.capabilities

    @property
    def instructions(self) -> str:
        """How the server wants to be used."""
        return self.greeting.instructions

    @property
    def closed(self) -> asyncio.Event:
        """Set when the server is gone or the session was closed."""
        return self._connection.closed

    @property
    def noise(self) -> int:
        """How many messages of the server were none, or could not come when they came."""
        return self._connection.noise

    @property
    def last_noise(self) -> str:
        """What was wrong with the last message that counts as noise."""
        return self._connection.last_noise

    @property
    def left_out(self) -> Mapping[str, str]:
        """The tools of the server that cannot be called over this channel, and why; known once they are listed."""
        return self._channel.refused_tools if isinstance(self._channel, RepeatsArguments) else {}

    async def list_tools(self, *, fresh: bool = False) -> list[dict[str, Any]]:
        """Return all tools of the server that can be called, as it describes them.

        Args:
            fresh: ask the server even when it said that an earlier answer still holds; for the other lists as well.
        """
        tools = await self._list("tools", "tools/list", "tools", fresh)
        return [tool for tool in tools if tool.get("name") not in self.left_out]

    async def list_resources(self, *, fresh: bool = False) -> list[dict[str, Any]]:
        """Return all resources of the server, as it describes them."""
        return await self._list("resources", "resources/list", "resources", fresh)

    async def list_resource_templates(self, *, fresh: bool = False) -> list[dict[str, Any]]:
        """Return all resource templates of the server, as it describes them."""
        return await self._list("resources", "resources/templates/list", "resourceTemplates", fresh)

    async def list_prompts(self, *, fresh: bool = False) -> list[dict[str, Any]]:
        """Return all prompts of the server, as it describes them."""
        return await self._list("prompts", "prompts/list", "prompts", fresh)

    def call_tool(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        on_progress: Callable[[Progress], None] | None = None,
        limits: Limits = AS_LONG_AS_IT_TAKES,
    ) -> Call:
        """Start a call of a tool.

        Args:
            name: the tool.
            arguments: JSON values, sent as they are.
            on_progress: called with each progress report; it must not wait or raise.
            limits: how long it may take.

        Returns:
            The call, which runs; await its result.

        Raises:
            ConnectionFailed: when the session is closed.
            TypeError, ValueError: when the arguments have no JSON form.
        """
        self._tokens += 1
        token = f"progress-{self._tokens}"
        params = {"name": name, "arguments": arguments, "_meta": {"progressToken": token}}
        rounds = Rounds(self, "tools/call", params, limits)
        call = self._calls[token] = Call(name, arguments, rounds, on_progress)
        call.on_done(lambda: self._calls.pop(token))
        return call

    async def read_resource(self, uri: str, *, fresh: bool = False) -> dict[str, Any]:
        """Return the ReadResourceResult of a resource.

        Args:
            uri: of the resource.
            fresh: ask the server even when it said that an earlier answer still holds.
        """
        return await self._fetch("resources/read", {"uri": uri}, fresh)

    async def get_prompt(self, name: str, arguments: dict[str, str] | None = None) -> dict[str, Any]:
        """Return the GetPromptResult of a prompt."""
        return await self.request("prompts/get", {"name": name, "arguments": arguments or {}})

    async def complete(
        self, ref: dict[str, Any], argument: dict[str, Any], known: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """Return the CompleteResult for one argument of a prompt or resource template.

        Args:
            ref: the prompt or template, as `{"type": "ref/prompt", "name": ...}`.
            argument: what was typed so far, as `{"name": ..., "value": ...}`.
            known: the other arguments that have a value.
        """
        params: Params = {"ref": ref, "argument": argument}
        if known:
            params["context"] = {"arguments": known}
        return await self.request("completion/complete", params)

    async def ping(self) -> None:
        """Ask whether the server is still there."""
        await self.request("server/discover" if self.revision.stateless else "ping")

    async def set_log_level(self, level: str) -> None:
        """Ask for log messages of this level and above."""
        if not self.revision.stateless:
            await self.request("logging/setLevel", {"level": level})
        self._log_level = level

    async def request(
        self, method: str, params: Params | None = None, limits: Limits = AS_LONG_AS_IT_TAKES
    ) -> dict[str, Any]:
        """Send a request and return its result; when the awaiting task is cancelled, so is the request.

        Args:
            method: its method.
            params: its params.
            limits: how long it may take.

        Raises:
            RemoteError: when the server answered with a JSON-RPC error.
            ProtocolError: when the server answered with what is no result.
            ConnectionFailed: when the server is gone, or went away before it answered.
            Refused: when something that the server asked for was refused.
            TimedOut: when it took too long.
        """
        return await Rounds(self, method, params, limits).result()

    async def request_once(self, method: str, params: Params | None = None) -> dict[str, Any]:
        """Send a request and return the first answer to it, even one that asks for more input.

        Raises:
            RemoteError: when the server answered with a JSON-RPC error.
            ConnectionFailed: when the server is gone, or went away before it answered.
        """
        return await self._connection.request(method, self._with_envelope(params))

    async def notify(self, method: str, params: Params | None = None) -> None:
        """Send a notification.

        Raises:
            ConnectionFailed: when the server is gone.
        """
        await self._connection.notify(method, params)

    async def close(self) -> None:
        """End the session; what is still in flight fails with ConnectionFailed. Safe to call twice."""
        await self._connection.close()

    # What requests take of their session: workbench.client.rounds.

    def begin(self, method: str, params: Params | None) -> tuple[RequestId, Answer]:
        """Send a request, with all that the revision wants it to carry."""
        return self._connection.ask(method, self._with_envelope(params))

    def abandon(self, id: RequestId, reason: str) -> None:
        """Stop waiting for an answer, and tell the server so."""
        self._connection.abandon(id, reason)

    async def inquire(self, requests: Mapping[str, Any], call: RequestId) -> dict[str, Any]:
        """Ask all that the server wants to know for a call, and return the answers by their keys."""

        def ask(id: str, kind: str, params: Params, respond: Respond, fail: Fail) -> Question:
            return self._question(id, kind, params, json.dumps(call), respond, fail)

        return await self._inquiries.inquire(requests, ask)

    async def mend(self, method: str, error: Trouble, greeting: Greeting) -> bool:
        """Do what makes it worth sending a request again; False when there is nothing to do."""
        if isinstance(error, SessionGone):
            await self._begin_again(greeting)
            return True
        if error.code == HEADER_MISMATCH and method == "tools/call":
            # Which arguments headers repeat may have changed since the tools were listed.
            await self.list_tools(fresh=True)
            return True
        return False

    # What the server starts.

    def requested(self, request: Request) -> None:
        """Make a question of a request of the server."""
        question = self._question_of(request)
        if question.mode == "url" and not self.revision.url_elicitation:
            # client/elicitation: a mode that was not declared is answered with -32602.
            question.refuse(INVALID_PARAMS, f"Revision {self.revision.date} has no elicitation in URL mode.")
            return
        self._asked[request.id] = question
        self.questions.ask(question)

    def notified(self, notification: Notification) -> None:
        """Hand progress to its call, and everything to `on_notification`."""
        self._kept.outdate(notification)
        if notification.method == "notifications/progress":
            call = self._calls.get(str(notification.params.get("progressToken")))
            progress = Progress.from_params(notification.params)
            if call is not None and progress is not None:
                call.report(progress)
        if self.on_notification is not None:
            self.on_notification(notification)

    def request_cancelled(self, id: RequestId) -> None:
        """Withdraw the question whose answer the server no longer wants."""
        if (question := self._asked.pop(id, None)) is not None:
            question.withdraw()

    def ended(self) -> None:
        """Withdraw every question: nobody waits for the answers."""
        self._inquiries.fail(ConnectionFailed("The session ended while the server's questions were open."))
        for id in list(self._asked):
            self.request_cancelled(id)

    async def _begin(self, revision: Revision | None, probe_timeout: float = PROBE_SECONDS) -> Greeting:
        if revision is None:
            return await find_out(self._connection, self._ourselves, probe_timeout)
        begin = discover if revision.stateless else initialize
        return await begin(self._connection, revision, self._ourselves)

    async def _begin_again(self, lost: Greeting) -> None:
        """Begin another session on the same channel, unless another request has done so already."""
        async with self._beginning:
            if self.greeting is lost:
                self.greeting = await self._begin(lost.revision)
                if self._log_level is not None:
                    await self._connection.request("logging/setLevel", {"level": self._log_level})

    def _with_noise(self, reason: str) -> str:
        # A program that is no MCP server often says so, in words.
        return f"{reason} It sent what is no message: {self.last_noise}" if self.noise else reason

    async def _list(self, capability: str, method: str, key: str, fresh: bool) -> list[dict[str, Any]]:
        if capability not in self.capabilities:
            return []
        items: list[dict[str, Any]] = []
        params: Params = {}
        for _ in range(MOST_PAGES):
            result = await self._fetch(method, params, fresh)
            page = result.get(key)
            if not isinstance(page, list) or not all(isinstance(item, dict) for item in page):
                raise ProtocolError(INTERNAL_ERROR, f"The server answered {method} without a list of {key}.")
            items += page
            if (cursor := result.get("nextCursor")) is None:
                return items
            params = {"cursor": cursor}
        raise ProtocolError(INTERNAL_ERROR, f"The server's {method} does not end after {MOST_PAGES} pages.")

    async def _fetch(self, method: str, params: Params, fresh: bool) -> dict[str, Any]:
        """Return the result of a request that may have one that still holds."""
        if not fresh and (known := self._kept.find(method, params)) is not None:
            return known
        rounds = Rounds(self, method, params, AS_LONG_AS_IT_TAKES)
        result = await rounds.result()
        # What was said to answers of ours holds for nothing else.
        if self.revision.cache_hints and rounds.id == rounds.first_id:
            self._kept.keep(method, params, result)
        return result

    def _with_envelope(self, params: Params | None) -> Params | None:
        if not self.revision.stateless:
            return params
        return with_envelope(params, self._ourselves.meta(self.revision, self._log_level))

    def _question_of(self, request: Request) -> Question:
        id = request.id

        def respond(result: dict[str, Any]) -> None:
            self._asked.pop(id, None)
            self._connection.respond(id, result)

        def fail(code: int, message: str) -> None:
            self._asked.pop(id, None)
            self._connection.fail(id, code, message)

        # The wire does not say which call a question belongs to: it is certain only when there is one.
        calls = list(self._calls.values())
        call = json.dumps(calls[0].first_id) if len(calls) == 1 else ""
        return self._question(id, KINDS[request.method], request.params, call, respond, fail)

    def _question(self, id: RequestId, kind: str, params: Params, call: str, respond: Respond, fail: Fail) -> Question:
        return Question(
            id,
            kind,
            params,
            session=str(self.server_info.get("name", "")),
            call=call,
            respond=respond,
            fail=fail,
            suggestion={"roots": self.roots} if kind == "roots" else None,
        )
