"""A client that a running tool may reach, for tests: it gives scripted answers, and keeps what it was sent."""

from collections.abc import Callable, Mapping
from typing import Any

from server_core.authoring.app import MCPApp
from server_core.catalog.catalog import Catalog
from server_core.catalog.definitions import Tool
from server_core.execution.context.client_port import CallingClient
from server_core.execution.context.context import Context
from server_core.execution.run import run_tool
from server_core.protocol.jsonrpc import RequestId
from server_core.protocol.revisions import LATEST, Revision


class FakePort:
    """The client of one call.

    Args:
        capabilities: what the client declared.
        answer: what it answers to requests; a function of method and params, or the result itself.
        revision: the revision that was negotiated.
    """

    def __init__(
        self,
        capabilities: dict[str, Any] | None = None,
        answer: dict[str, Any] | Callable[[str, dict[str, Any]], Any] | None = None,
        revision: Revision = LATEST,
    ) -> None:
        info = {"name": "fake", "version": "1"}
        self.client = CallingClient("s1", "the-session", "", False, revision, capabilities or {}, info, "debug")
        self.is_reachable = True
        self.is_full = False
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.notifications: list[tuple[str, dict[str, Any]]] = []
        self._answer = answer if answer is not None else {}

    async def request(
        self, method: str, params: dict[str, Any], *, related: RequestId, timeout: float, key: str = ""
    ) -> dict[str, Any]:
        self.asked.append((method, params))
        if callable(self._answer):
            answer = self._answer(method, params)
            return await answer if hasattr(answer, "__await__") else answer
        return self._answer

    def notify(self, method: str, params: dict[str, Any], *, related: RequestId | None) -> None:
        self.notifications.append((method, params))

    async def drain(self) -> None:
        return None

    def close_stream(self, *, related: RequestId, retry_ms: int) -> None:
        self.notifications.append(("close_stream", {"related": related, "retry_ms": retry_ms}))


class Call:
    """One call of a tool, and all that came of it.

    Args:
        function: the author's function.
        secrets: the secrets that are set.
        port: the client.
        catalog: what the server offers.
        options: of `@tool`.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        secrets: Mapping[str, str] | None = None,
        port: FakePort | None = None,
        catalog: Catalog | None = None,
        **options: Any,
    ) -> None:
        self.tool = tool_of(function, **options)
        self.port = port or FakePort()
        self.reports: list[tuple[str, dict[str, Any]]] = []
        self.context = Context(self.port, 7, "token", secrets or {}, catalog, self._hear)

    @property
    def failures(self) -> list[dict[str, Any]]:
        """The report of its failure for its author."""
        return [facts for event, facts in self.reports if event == "tool_failed"]

    def _hear(self, event: str, facts: dict[str, Any]) -> None:
        self.reports.append((event, facts))

    async def run(self, **arguments: Any) -> dict[str, Any]:
        """Run the tool and return its result."""
        return await run_tool(self.tool, arguments, self.context)


def tool_of(function: Callable[..., Any], **options: Any) -> Tool:
    """Return the tool that a function makes; it must have no problem but a missing description."""
    app = MCPApp("test", toolkit="")
    app.tool(**options)(function)
    catalog, problems = app.build()
    assert [problem.message for problem in problems if problem.severity == "error"] == []
    return next(iter(catalog.tools.values()))


def problems_of(function: Callable[..., Any], **options: Any) -> list[str]:
    """Return the messages of the errors that keep a function from being a tool."""
    app = MCPApp("test", toolkit="")
    app.tool(**options)(function)
    catalog, problems = app.build()
    errors = [problem.message for problem in problems if problem.severity == "error"]
    assert bool(errors) == (not catalog.tools)
    return errors


def text_of(result: dict[str, Any]) -> str:
    """Return the text of a result that is one block of text."""
    (block,) = result["content"]
    return str(block["text"])
