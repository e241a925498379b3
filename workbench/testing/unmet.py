"""How a test fails: each of these is an AssertionError, and its message is all that its author needs to know.

Messages go to whoever runs the tests, not to agents: they hold developer messages and tracebacks.
"""

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from server_core.auth.messages import MISSING_CLIENT
from server_core.errors import WorkbenchError
from server_core.execution.requirements import MISSING_METADATA
from server_core.secrets.messages import MISSING_SECRET
from workbench.model.describe import error_hint, json_line

if TYPE_CHECKING:
    from server_core.catalog.problems import Problem
    from workbench.testing.answers import Asked
    from workbench.testing.results import ToolResult


_GIVEN_BY_TESTS = {
    MISSING_SECRET: "In a test, secrets are only those of the fixture `workbench_secrets` or of Client(secrets={...}).",
    MISSING_CLIENT: "In a test, an account is a token among the secrets that it sets, under the name above.",
    MISSING_METADATA: "In a test, it is told by Client(meta={...}), or by call_tool(..., meta={...}).",
}
"""How a text about what a call needs begins -> how a test gives it."""


class Unmet(AssertionError):
    """What a test expects did not come about."""


class ToolFailed(Unmet):
    """A tool was called and failed.

    Args:
        result: what it gave, with `isError`.
    """

    def __init__(self, result: "ToolResult") -> None:
        super().__init__(_failure(result))
        self.result = result

    @property
    def error_kind(self) -> str:
        """The kind of error, such as TOOL_RUNTIME_RETRY."""
        return self.result.error_kind

    @property
    def can_retry(self) -> bool | None:
        """Whether another try may work."""
        return self.result.can_retry


class RequestFailed(Unmet):
    """The server answered a request with an error of JSON-RPC.

    Args:
        method: of the request.
        code: of the error.
        message: of the error.
        data: of the error.
        developer_message: what the server's author is told besides; empty for nothing.
    """

    def __init__(self, method: str, code: int, message: str, data: Any = None, developer_message: str = "") -> None:
        lines = [f"{method} was answered with error {code}: {message}"]
        if data is not None:
            lines.append(f"data: {json_line(data, 400)}")
        lines += [line for line in (error_hint(code, data), developer_message) if line]
        super().__init__("\n".join(lines))
        self.method = method
        self.code = code
        self.message = message
        self.data = data


class Unanswered(Unmet):
    """The server asked what the test has no answer for.

    Args:
        asked: what it asked.
        left: the answers that are there, and do not fit.
    """

    def __init__(self, asked: "Asked", left: Sequence[str] = ()) -> None:
        lines = [f"the server asked, and the test has no answer: {asked}", f"Answer it before the call: {asked.advice}"]
        lines += [f"This answer is there and does not fit: {answer}" for answer in left]
        super().__init__("\n".join(lines))
        self.asked = asked


class AnswersLeft(Unmet):
    """Answers were prepared that nobody asked for.

    Args:
        left: what was prepared.
    """

    def __init__(self, left: Sequence[str]) -> None:
        super().__init__("\n".join(["the server never asked for these answers; leave them out, or see why:", *left]))


class TookTooLong(Unmet):
    """There was no answer in the time that the test gives."""


class ProblemsFound(Unmet):
    """What is to be served has problems.

    Args:
        problems: all that were found.
    """

    def __init__(self, problems: "Sequence[Problem]") -> None:
        super().__init__("\n".join(_problem(problem) for problem in problems))
        self.problems = tuple(problems)


def closed() -> Unmet:
    """Return what the use of a client fails with that is not open."""
    return Unmet("the client is not open; use it inside of `with Client(...)` or `async with Client(...)`")


class Plainly:
    """Where a test has called something of ours: what fails within is told at the line of the test alone."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        if isinstance(error, Unmet | WorkbenchError):
            raise error.with_traceback(None) from None


def _failure(result: "ToolResult") -> str:
    facts = result.failure
    lines = [f"{result.tool} failed: {result.text}"]
    if facts is not None and facts.kind:
        advice = f" ({facts.advice})" if facts.advice and facts.hint not in result.text else ""
        lines.append(f"kind: {facts.kind}{advice}")
    lines += [advice for missing, advice in _GIVEN_BY_TESTS.items() if result.text.startswith(missing)]
    if result.developer_message:
        lines.append(f"developer message: {result.developer_message}")
    if result.traceback:
        lines.append(result.traceback.rstrip())
    return "\n".join(lines)


def _problem(problem: "Problem") -> str:
    place = f"{problem.file}:{problem.line}: " if problem.line else f"{problem.file}: " if problem.file else ""
    source = f"\n    {problem.source_line}" if problem.source_line else ""
    fix = f"\n    {problem.fix}" if problem.fix else ""
    return f"{place}{problem.severity}: {problem.message}{source}{fix}"
