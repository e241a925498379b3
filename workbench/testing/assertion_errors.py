"""The failures of a test: each is an AssertionError, and its message contains all that the test's author needs.

Messages are for the user who runs the tests, not for agents: they contain developer messages and tracebacks.
"""

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from server_core.auth.account_errors import MISSING_CLIENT
from server_core.errors import WorkbenchError
from server_core.execution.requirements import MISSING_METADATA
from server_core.secrets.secret_errors import MISSING_SECRET
from workbench.model.describe import json_line
from workbench.model.error_texts import error_hint

if TYPE_CHECKING:
    from server_core.catalog.problems import Problem
    from workbench.testing.asked_question import Asked
    from workbench.testing.results import ToolResult


_GIVEN_BY_TESTS = {
    MISSING_SECRET: "In a test, secrets are only those of the fixture `workbench_secrets` or of Client(secrets={...}).",
    MISSING_CLIENT: "In a test, an account is a token among the secrets that it sets, under the name above.",
    MISSING_METADATA: "In a test, pass it as Client(meta={...}) or call_tool(..., meta={...}).",
}
"""The beginning of a message about a missing requirement -> how a test provides it."""


class Unmet(AssertionError):
    """An expectation of a test was not met."""


class ToolFailed(Unmet):
    """A tool was called and failed."""

    def __init__(self, result: "ToolResult") -> None:
        super().__init__(_failure(result))
        self.result = result

    @property
    def error_kind(self) -> str:
        """The kind of error, such as TOOL_RUNTIME_RETRY."""
        return self.result.error_kind

    @property
    def can_retry(self) -> bool | None:
        """Whether another try may succeed."""
        return self.result.can_retry


class RequestFailed(Unmet):
    """The server answered a request with a JSON-RPC error.

    Args:
        method: of the request.
        code: of the error.
        message: of the error.
        data: of the error.
        developer_message: further details for the server's author; empty for none.
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
    """The server asked a question without a prepared answer.

    Args:
        asked: the question.
        left: the prepared answers, which do not match.
    """

    def __init__(self, asked: "Asked", left: Sequence[str] = ()) -> None:
        lines = [
            f"the server sent a request that the test has no answer for: {asked}",
            f"Answer it before the call: {asked.advice}",
        ]
        lines += [f"This prepared answer does not match: {answer}" for answer in left]
        super().__init__("\n".join(lines))
        self.asked = asked


class AnswersLeft(Unmet):
    """Prepared answers were not used."""

    def __init__(self, left: Sequence[str]) -> None:
        super().__init__("\n".join(["these answers were not requested; remove them, or check why:", *left]))


class TookTooLong(Unmet):
    """There was no answer within the timeout."""


class ProblemsFound(Unmet):
    """The tools to be served have problems."""

    def __init__(self, problems: "Sequence[Problem]") -> None:
        super().__init__("\n".join(_problem(problem) for problem in problems))
        self.problems = tuple(problems)


def closed() -> Unmet:
    """Return the exception for using a client that is not open."""
    return Unmet("the client is not open; use it inside of `with Client(...)` or `async with Client(...)`")


class ShortTraceback:
    """Marks a call from a test: an error inside is reported at the line of the test alone."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        if isinstance(error, Unmet | WorkbenchError):
            raise error.with_traceback(None) from None


def _failure(result: "ToolResult") -> str:
    failure = result.failure
    lines = [f"{result.tool} failed: {result.text}"]
    if failure is not None and failure.kind:
        advice = f" ({failure.advice})" if failure.advice and failure.hint not in result.text else ""
        lines.append(f"kind: {failure.kind}{advice}")
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
