"""The client for async tests: its requests are awaited."""

from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from workbench.testing import client_requests
from workbench.testing.assertion_errors import Unmet
from workbench.testing.base_client import BaseClient
from workbench.testing.conversation import Conversation, Json
from workbench.testing.loop_thread import LoopThread, loop_of_the_test
from workbench.testing.request_values import NameOrFunction
from workbench.testing.results import PromptResult, ResourceResult, ToolResult

T = TypeVar("T")


class AsyncClient(BaseClient):
    """A client of the server under test; `async with Client(...)` returns it."""

    def __init__(self, conversation: Conversation, server_loop: LoopThread | None = None) -> None:
        super().__init__(conversation)
        # None when the server runs on the loop of the test.
        self._server_loop = server_loop
        self._test_loop = loop_of_the_test() if server_loop is None else None

    async def call(self, tool: NameOrFunction, /, **arguments: Any) -> ToolResult:
        """Call a tool.

        Args:
            tool: its name, as on the wire or qualified; or its function.
            arguments: by name; values with a JSON form (models, dates, enums) are sent in that form.

        Raises:
            ToolFailed: when the tool failed; its message has the developer message and the traceback.
            RequestFailed: when the server answered with an error, for example because the tool does not exist.
            Unanswered: when the tool asked a question without a prepared answer.
            TookTooLong: when there was no answer in time.
        """
        __tracebackhide__ = True
        return await self._wait(self._conversation.call(tool, arguments))

    async def call_tool(
        self,
        tool: NameOrFunction,
        arguments: Mapping[str, Any] | None = None,
        *,
        meta: Mapping[str, Any] | None = None,
        check: bool = True,
        task: bool = False,
        timeout: float | None = None,
    ) -> ToolResult:
        """Call a tool; see :meth:`call`.

        Args:
            tool: its name, or its function.
            arguments: by name.
            meta: further members of `_meta` for this request, in addition to the client's own.
            check: raise ToolFailed when the tool failed; otherwise the result reports it.
            task: ask for a task, where clients ask for them (2025-11-25), and return its result. Implied for tools that
                only run as tasks.
            timeout: the seconds that it may take; the client's timeout if not given.
        """
        __tracebackhide__ = True
        return await self._wait(
            self._conversation.call(tool, arguments or {}, meta=meta, timeout=timeout, check=check, task=task)
        )

    async def list_tools(self) -> list[Json]:
        """Return the tools as defined by the server."""
        __tracebackhide__ = True
        return await self._wait(client_requests.list_tools(self._conversation))

    async def describe(self, tool: NameOrFunction) -> Json:
        """Return the definition of one tool."""
        __tracebackhide__ = True
        return await self._wait(client_requests.describe(self._conversation, tool))

    async def list_resources(self) -> list[Json]:
        """Return the resources as defined by the server."""
        __tracebackhide__ = True
        return await self._wait(client_requests.list_resources(self._conversation))

    async def list_resource_templates(self) -> list[Json]:
        """Return the resource templates as defined by the server."""
        __tracebackhide__ = True
        return await self._wait(client_requests.list_resource_templates(self._conversation))

    async def list_prompts(self) -> list[Json]:
        """Return the prompts as defined by the server."""
        __tracebackhide__ = True
        return await self._wait(client_requests.list_prompts(self._conversation))

    async def read_resource(self, uri: str) -> ResourceResult:
        """Return the contents of a resource.

        Raises:
            RequestFailed: when there is no such resource, or it cannot be read.
        """
        __tracebackhide__ = True
        return await self._wait(client_requests.read_resource(self._conversation, uri))

    async def get_prompt(self, prompt: NameOrFunction, /, **arguments: str) -> PromptResult:
        """Return the messages of a prompt.

        Args:
            prompt: its name, or its function.
            arguments: by name.

        Raises:
            RequestFailed: when there is no such prompt, or it cannot be made.
        """
        __tracebackhide__ = True
        return await self._wait(client_requests.get_prompt(self._conversation, prompt, arguments))

    async def complete(self, subject: str, argument: str, typed: str = "", /, **known: str) -> list[str]:
        """Return the completions for an argument.

        Args:
            subject: the name of a prompt, or the URI of a resource template.
            argument: the argument of the prompt, or the variable of the URI template.
            typed: the text so far.
            known: the other arguments that have a value.
        """
        __tracebackhide__ = True
        return await self._wait(client_requests.complete(self._conversation, subject, argument, typed, known))

    async def subscribe(self, uri: str) -> None:
        """Subscribe to updates of a resource; see :meth:`wait_for`."""
        __tracebackhide__ = True
        await self._wait(self._conversation.subscribe(uri))

    async def wait_for(self, method: str, *, count: int = 1, timeout: float | None = None) -> Json:
        """Return a notification, once the server has sent it.

        Args:
            method: like "notifications/tools/list_changed".
            count: the number of the notification among those of this method, from 1.
            timeout: the seconds that it may take; the client's timeout if not given.

        Raises:
            TookTooLong: when it was not received in time.
        """
        __tracebackhide__ = True
        return await self._wait(self._conversation.notification(method, count, timeout))

    async def request(self, method: str, params: Json | None = None, *, timeout: float | None = None) -> Json:
        """Send any request, and return its result as received.

        Raises:
            RequestFailed: when the server answered with an error.
        """
        __tracebackhide__ = True
        return await self._wait(self._conversation.request(method, params, timeout))

    async def assert_schema(self, tool: NameOrFunction, expected: Mapping[str, Any]) -> None:
        """Fail the test when the schema of a tool's arguments does not contain what is expected.

        Args:
            tool: its name, or its function.
            expected: a part of the schema: objects in it may omit members.
        """
        __tracebackhide__ = True
        await self._wait(client_requests.check_schema(self._conversation, tool, expected, "inputSchema"))

    async def assert_output_schema(self, tool: NameOrFunction, expected: Mapping[str, Any]) -> None:
        """Fail the test when the schema of a tool's result lacks what is expected; see :meth:`assert_schema`."""
        __tracebackhide__ = True
        await self._wait(client_requests.check_schema(self._conversation, tool, expected, "outputSchema"))

    async def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        __tracebackhide__ = True
        try:
            self._check_loop()
            return await (work if self._server_loop is None else self._server_loop.run_async(work))
        except Unmet as unmet:
            work.close()
            raise self._conversation.readable(unmet) from None

    def _check_loop(self) -> None:
        if self._test_loop not in (None, loop_of_the_test()):
            raise Unmet(
                "the client was opened on another event loop than this test's: open it in the test, "
                "let fixture and test share a loop (`loop_scope` of pytest-asyncio), or use `async_mcp_client`, which "
                "serves on another thread"
            )
