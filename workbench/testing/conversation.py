"""A session with the server under test: every request has a timeout, every failure is explained for the test's author.

Everything here runs on the event loop of the server, whichever loop or thread the test is on.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from server_core.catalog.catalog import Catalog
from server_core.errors import RemoteError
from server_core.protocol.methods import LOG_LEVELS
from server_core.transports.memory import MemoryChannel
from workbench.client.questions import PendingQuestions
from workbench.client.session import ClientSession
from workbench.client.tool_call import ToolCall
from workbench.model.short_text import escaped_lines
from workbench.responder.responder import Responder
from workbench.testing.answers import Answers
from workbench.testing.assertion_errors import AnswersLeft, RequestFailed, TookTooLong, ToolFailed, Unmet, closed
from workbench.testing.project_rules import read_rules
from workbench.testing.recorded import Recorded
from workbench.testing.request_deadlines import RequestDeadlines
from workbench.testing.request_values import NameOrFunction, json_form, name_of_prompt, name_of_tool
from workbench.testing.results import ToolResult
from workbench.testing.server_under_test import ClientOptions, ServerUnderTest

Json = dict[str, Any]


class Conversation:
    """Serves tools and holds a session with them, from :meth:`begin` to :meth:`end`."""

    def __init__(self, options: ClientOptions) -> None:
        self.answers = Answers()
        self._deadlines = RequestDeadlines(options.timeout)
        self.answers.on_failure = self._deadlines.fail
        self._options = options
        self._server = ServerUnderTest(options)
        self.recorded = Recorded(self._server.tap)
        self._session: ClientSession | None = None
        self._responder: Responder | None = None

    @property
    def session(self) -> ClientSession:
        """The session; Unmet when it has ended."""
        if self._session is None or self._session.closed.is_set():
            raise closed()
        return self._session

    @property
    def timeout(self) -> float:
        """The seconds that an answer may take, unless the request has its own timeout."""
        return self._options.timeout

    async def begin(self) -> None:
        """Start the server, and open the session."""
        await self._server.begin()
        session = self._session = await ClientSession.open(
            MemoryChannel(self._server.backend.server, peer_name="test"),
            questions=self._questions(),
            client_info=self._options.client_info,
            capabilities=self._options.capabilities,
            revision=self._options.protocol_revision,
            listen=True,
        )
        if session.revision.stateless:
            # Up to 2025-11-25, servers send all levels unless a level was set.
            await session.set_log_level(LOG_LEVELS[0])

    def _questions(self) -> PendingQuestions:
        questions = PendingQuestions([self.answers.respond], ask_roots=True, otherwise=[self.answers.fail])
        if self._options.rules:
            rules = read_rules(self._options.folder, self._options.rules)
            self._responder = Responder(questions, lambda: rules, self._options.folder, self.answers.reports.append)
            questions.responder = self._responder
        return questions

    async def end(self, *, checks: bool) -> None:
        """Close the session, and stop the server.

        Args:
            checks: fail the test when an error was not reported by any request, or prepared answers were not used.
        """
        try:
            if self._session is not None:
                await self._session.close()
            if self._responder is not None:
                await self._responder.close()
        finally:
            await self._server.end()
        if checks:
            self._check_end()

    def _check_end(self) -> None:
        self._deadlines.raise_unreported()
        if left := self.answers.left():
            raise AnswersLeft(left)
        if failed := next((event for event in self.recorded.events if event["event"] == "lifespan_failed"), None):
            message = f"the lifespan of {failed['app']!r} failed at its end: {failed['message']}\n{failed['traceback']}"
            raise self.readable(Unmet(message.rstrip()))

    def readable(self, unmet: Unmet) -> Unmet:
        """Return a failure for display: with secrets masked, and terminal escapes escaped.

        The traceback is dropped: only the line of the test helps its author.
        """
        unmet.args = (escaped_lines(self._server.tap.masker.mask_text(str(unmet))),)
        return unmet.with_traceback(None)

    def name_of(self, tool: NameOrFunction) -> str:
        return name_of_tool(tool, self._catalog)

    def name_of_prompt(self, prompt: NameOrFunction) -> str:
        return name_of_prompt(prompt, self._catalog)

    async def call(
        self,
        tool: NameOrFunction,
        arguments: Mapping[str, Any],
        *,
        meta: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        check: bool = True,
        task: bool = False,
    ) -> ToolResult:
        """Call a tool; see :meth:`AsyncClient.call_tool`."""
        name = self.name_of(tool)
        async with self._deadlines.within(timeout, name):
            call = self.session.call_tool(
                name,
                json_form(arguments),
                task={} if task or self._is_task_only(name) else None,
                meta={**self._options.meta, **(meta or {})},
            )
            try:
                raw = await call.result()
            except RemoteError as error:
                raise self._request_failed("tools/call", error) from None
            finally:
                call.cancel("the test does not wait any longer")
        result = self._result(call, raw)
        if check and result.is_error:
            raise ToolFailed(result)
        return result

    async def request(self, method: str, params: Json | None = None, timeout: float | None = None) -> Json:
        """Send any other request and return its result; see :meth:`AsyncClient.request`."""
        async with self._deadlines.within(timeout, method):
            try:
                return await self.session.request(method, None if params is None else json_form(params))
            except RemoteError as error:
                raise self._request_failed(method, error) from None

    async def listed(self, ask: Callable[[ClientSession], Any]) -> list[Json]:
        """Return a current list of the server."""
        async with self._deadlines.within(None, "the list"):
            listed: list[Json] = await ask(self.session)
            return listed

    async def subscribe(self, uri: str) -> None:
        """Subscribe to updates of a resource."""
        async with self._deadlines.within(None, "resources/subscribe"):
            try:
                await self.session.subscribe(uri)
            except RemoteError as error:
                raise self._request_failed("resources/subscribe", error) from None

    async def notification(self, method: str, count: int, timeout: float | None) -> Json:
        """Return the `count`th notification of this method, once it was received."""
        try:
            async with self._deadlines.within(timeout, method):
                while True:
                    matches = [
                        notification
                        for notification in self.recorded.notifications
                        if notification.get("method") == method
                    ]
                    if len(matches) >= count:
                        return matches[count - 1]
                    # Records are emitted on any thread, so there is no single event to wait for.
                    await asyncio.sleep(0.005)
        except TookTooLong:
            raise TookTooLong(self._missing_notification(method, count, timeout)) from None

    def _is_task_only(self, name: str) -> bool:
        tool = None if self._catalog is None else self._catalog.tool(name)
        return tool is not None and tool.task_support == "required"

    @property
    def _catalog(self) -> Catalog | None:
        generation = self._server.backend.generation
        return None if generation is None else generation.catalog

    def _missing_notification(self, method: str, count: int, timeout: float | None) -> str:
        received = Counter(str(notification.get("method")) for notification in self.recorded.notifications)
        summary = ", ".join(f"{name} ({times})" for name, times in received.items()) or "nothing"
        which = method if count == 1 else f"number {count} of {method}"
        seconds = self.timeout if timeout is None else timeout
        return f"{which} was not received within {seconds:g} seconds; notifications so far: {summary}"

    def _result(self, call: ToolCall, raw: Json) -> ToolResult:
        # A tool that asked a question may have been started by one request and answered in another.
        event = self._event("tool_failed", call.first_id, call.id) if raw.get("isError") is True else {}
        return ToolResult(
            call.name,
            raw,
            tuple(call.progress),
            str(event.get("developer_message") or ""),
            str(event.get("traceback") or ""),
        )

    def _request_failed(self, method: str, error: RemoteError) -> RequestFailed:
        events = [
            event for event in self.recorded.events if event["event"] == "request_failed" and event["method"] == method
        ]
        details = "\n".join(str(events[-1].get(key) or "") for key in ("message", "traceback")) if events else ""
        return RequestFailed(method, error.code, error.message, error.data, details.strip())

    def _event(self, name: str, *ids: int | str) -> Json:
        return next(
            (event for event in reversed(self.recorded.events) if event["event"] == name and event["id"] in ids), {}
        )
