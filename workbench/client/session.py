"""One MCP session on the client's side: its start and its typed requests, whatever its revision."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from server_core.errors import ConnectionFailed, ProtocolError
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.protocol.jsonrpc import Notification, Params, RequestId
from server_core.protocol.revisions import LATEST, Revision
from server_core.runtime.background import spawn
from server_core.runtime.version import VERSION
from server_core.transports.channel import Channel
from workbench.client.deadline import DEFAULT_LIMITS, NO_LIMITS, Limits
from workbench.client.dialogue import Dialogue
from workbench.client.era_probe import PROBE_SECONDS, ProbeEndedServer
from workbench.client.multi_round_request import MultiRoundRequest
from workbench.client.questions import PendingQuestions
from workbench.client.session_handshake import ClientDescription
from workbench.client.subscription import list_changes, resources_in
from workbench.client.tasks import OnState
from workbench.client.tool_call import CallProgress, ToolCall
from workbench.client.url_elicitations import MAX_WAITS

CLIENT_INFO = {"name": "workbench", "title": "Workbench", "version": VERSION}

# Long enough for a package runner that has to download the server.
HANDSHAKE_SECONDS = 60.0


class ClientSession:
    """One session with one server; created by :meth:`open`."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self._tokens = 0

    @classmethod
    async def open(
        cls,
        channel: Channel,
        *,
        questions: PendingQuestions | None = None,
        client_info: dict[str, Any] | None = None,
        capabilities: dict[str, Any] | None = None,
        revision: Revision | None = LATEST,
        roots: Sequence[dict[str, Any]] = (),
        on_notification: Callable[[Notification], None] | None = None,
        timeout: float = HANDSHAKE_SECONDS,
        probe_timeout: float = PROBE_SECONDS,
        listen: bool = False,
        discover: bool = True,
        max_waits: int = MAX_WAITS,
    ) -> "ClientSession":
        """Start a session over the channel: perform the handshake, or discover the server if there is no handshake.

        Args:
            channel: owned by the session from now on, and closed if this fails.
            questions: receives the requests of the server; by default they wait in `session.questions`.
            capabilities: the declared capabilities; by default everything that the revision has.
            revision: the revision to request; None for the newest that the server supports.
            timeout: seconds for the server's first response, of which the probe of the era has `probe_timeout`.
            listen: whether to subscribe to list changes on servers that require a subscription for them.
            discover: whether to send `server/discover` to a server without a handshake; no other method needs it.
            max_waits: how often a request that requires the user to open a URL is retried.

        Raises:
            ConnectionFailed: when the server does not answer, ends, or supports none of our revisions.
            ProbeEndedServer: when it ends during the probe of its era; connect again with an explicit revision.
        """
        client = ClientDescription(client_info or CLIENT_INFO, capabilities)
        asked = PendingQuestions() if questions is None else questions
        session = cls(Dialogue(channel, client, asked, roots, on_notification, max_waits))
        try:
            async with asyncio.timeout(timeout):
                await session._dialogue.begin_session(revision, probe_timeout, discover)
        except TimeoutError:
            await session.close()
            method = "server/discover" if revision is not None and revision.stateless else "initialize"
            reason = f"The server did not answer {method} within {timeout:g} seconds. Is it an MCP server?"
            raise ConnectionFailed(session._with_last_failure(reason)) from None
        except ProbeEndedServer:
            # Raised unchanged, since callers connect again after this kind of ConnectionFailed.
            await session.close()
            raise
        except ConnectionFailed as error:
            await session.close()
            raise ConnectionFailed(session._with_last_failure(str(error))) from error
        except BaseException:
            await session.close()
            raise
        if listen:
            spawn(session._listen_to_lists(), "listen to lists")
        return session

    @property
    def revision(self) -> Revision:
        return self._dialogue.handshake.revision

    @property
    def handshake(self) -> dict[str, Any]:
        """The server's result of `initialize`, or of `server/discover`."""
        return self._dialogue.handshake.result

    @property
    def server_info(self) -> dict[str, Any]:
        return self._dialogue.handshake.server_info

    @property
    def capabilities(self) -> dict[str, Any]:
        return self._dialogue.handshake.capabilities

    @property
    def instructions(self) -> str:
        return self._dialogue.handshake.instructions

    @property
    def questions(self) -> PendingQuestions:
        return self._dialogue.questions

    @property
    def roots(self) -> list[dict[str, Any]]:
        """The result of `roots/list`."""
        return self._dialogue.roots

    async def set_roots(self, roots: Sequence[dict[str, Any]]) -> None:
        """Change the result of `roots/list`, and notify a server with a session of it."""
        self._dialogue.roots = list(roots)
        if not self.revision.stateless:
            await self.notify("notifications/roots/list_changed")

    @property
    def probe_timed_out(self) -> bool:
        """Whether the server did not answer the probe, so that the session started with a delay."""
        return self._dialogue.handshake.probe_timed_out

    @property
    def on_notification(self) -> Callable[[Notification], None] | None:
        """Called with each notification of the server; must not block or raise."""
        return self._dialogue.on_notification

    @on_notification.setter
    def on_notification(self, called: Callable[[Notification], None] | None) -> None:
        self._dialogue.on_notification = called

    @property
    def uncallable_tools(self) -> Mapping[str, str]:
        return self._dialogue.lists.uncallable_tools

    @property
    def closed(self) -> asyncio.Event:
        """Set when the server has ended or the session was closed."""
        return self._dialogue.connection.closed

    @property
    def message_failures(self) -> int:
        """How many messages could not be read or delivered."""
        return self._dialogue.connection.message_failures

    @property
    def last_message_failure(self) -> str:
        """What was wrong with the last of these messages."""
        return self._dialogue.connection.last_message_failure

    async def list_tools(self, *, fresh: bool = False) -> list[dict[str, Any]]:
        """Return all tools that can be called; `fresh`, here and below, ignores lists in the cache."""
        return await self._dialogue.lists.tools(fresh=fresh)

    async def list_resources(self, *, fresh: bool = False) -> list[dict[str, Any]]:
        return await self._dialogue.lists.resources(fresh=fresh)

    async def list_resource_templates(self, *, fresh: bool = False) -> list[dict[str, Any]]:
        return await self._dialogue.lists.resource_templates(fresh=fresh)

    async def list_prompts(self, *, fresh: bool = False) -> list[dict[str, Any]]:
        return await self._dialogue.lists.prompts(fresh=fresh)

    def call_tool(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        on_progress: Callable[[CallProgress], None] | None = None,
        on_task: OnState | None = None,
        limits: Limits = NO_LIMITS,
        task: dict[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> ToolCall:
        """Start a call of a tool, and return it at once; await its result. The functions must not block or raise.

        Args:
            on_task: called with each state of the task that the server creates for the call, if any.
            task: asks the server to run it as a task, as `{"ttl": ...}`, where clients ask for that (2025-11-25).
            meta: additional members for the `_meta` of the request, such as the caller's attributes.
        """
        self._tokens += 1
        token = f"progress-{self._tokens}"
        params: Params = {"name": name, "arguments": arguments, "_meta": {**(meta or {}), "progressToken": token}}
        # Tools that only run as tasks refuse every other call.
        if self.revision.core_tasks and (task is not None or name in self._dialogue.lists.tasks_only):
            params["task"] = task or {}
        call = ToolCall(
            name, arguments, MultiRoundRequest(self._dialogue, "tools/call", params, limits), on_progress, on_task
        )
        self._dialogue.register_call(token, call)
        return call

    async def read_resource(self, uri: str, *, fresh: bool = False) -> dict[str, Any]:
        return await self._dialogue.lists.fetch("resources/read", {"uri": uri}, fresh=fresh)

    async def get_prompt(self, name: str, arguments: dict[str, str] | None = None) -> dict[str, Any]:
        return await self.request("prompts/get", {"name": name, "arguments": arguments or {}})

    async def complete(
        self, ref: dict[str, Any], argument: dict[str, Any], known: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """Return the CompleteResult for the text typed in one argument of a prompt or resource template."""
        params: Params = {"ref": ref, "argument": argument}
        if known:
            params["context"] = {"arguments": known}
        return await self.request("completion/complete", params)

    async def ping(self) -> None:
        await self.request("server/discover" if self.revision.stateless else "ping")

    async def set_log_level(self, level: str) -> None:
        """Request log messages of this level and above."""
        if not self.revision.stateless:
            await self.request("logging/setLevel", {"level": level})
        self._dialogue.log_level = level

    async def subscribe(self, uri: str) -> None:
        """Subscribe to updates of a resource, for `on_notification`; ProtocolError if the server sends none for it."""
        if not self.revision.stateless:
            await self.request("resources/subscribe", {"uri": uri})
        elif uri not in resources_in(await self._dialogue.subscriptions.open(uri, {"resourceSubscriptions": [uri]})):
            self._dialogue.subscriptions.end(uri)
            raise ProtocolError(INTERNAL_ERROR, f"The server does not support updates of {uri}.")
        self._dialogue.subscribed.add(uri)

    async def unsubscribe(self, uri: str) -> None:
        self._dialogue.subscribed.discard(uri)
        if self.revision.stateless:
            self._dialogue.subscriptions.end(uri)
        else:
            await self.request("resources/unsubscribe", {"uri": uri})

    async def request(
        self, method: str, params: Params | None = None, limits: Limits = DEFAULT_LIMITS
    ) -> dict[str, Any]:
        """Send a request and return its result; the errors are those of :meth:`MultiRoundRequest.result`."""
        return await MultiRoundRequest(self._dialogue, method, params, limits).result()

    async def request_once(self, method: str, params: Params | None = None) -> dict[str, Any]:
        """Send a request and return the first response to it, even if that asks for more input."""
        return await self._dialogue.request_once(method, params)

    async def notify(self, method: str, params: Params | None = None) -> None:
        await self._dialogue.connection.notify(method, params)

    def draft(self, method: str, params: Params | None = None) -> Params:
        """Return a request as this session would send it, with an unused id, for :meth:`send_raw`."""
        members = {"jsonrpc": "2.0", "id": self.unused_id(), "method": method}
        params = self._dialogue.with_envelope(params)
        return members if params is None else {**members, "params": params}

    def unused_id(self) -> RequestId:
        """Return an id for a request in :meth:`send_raw`, which the session will not use itself."""
        return self._dialogue.connection.unused_id()

    async def send_raw(self, data: bytes) -> None:
        """Send bytes as they are, valid or not; the session ignores the response.

        Raises:
            ConnectionFailed: when the channel does not accept them.
        """
        await self._dialogue.connection.send_raw(data)

    def hand_over(
        self,
        questions: PendingQuestions,
        roots: Sequence[dict[str, Any]],
        on_notification: Callable[[Notification], None],
    ) -> None:
        """Have another owner answer the server from now on; the arguments are those of :meth:`open`."""
        self._dialogue.hand_over(questions, roots)
        self._dialogue.on_notification = on_notification
        spawn(self._listen_to_lists(), "listen to lists")

    async def close(self) -> None:
        """Close the session; pending requests fail with ConnectionFailed. Safe to call twice."""
        await self._dialogue.close()

    async def _listen_to_lists(self) -> None:
        wanted = list_changes(self.capabilities) if self.revision.stateless else {}
        if wanted:
            await self._dialogue.subscriptions.open("lists", wanted)

    def _with_last_failure(self, reason: str) -> str:
        # A program that is no MCP server often prints an explanation.
        return f"{reason} It sent an invalid message: {self.last_message_failure}" if self.message_failures else reason
