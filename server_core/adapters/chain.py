"""Which adapters are tried for an exception of a tool, and in which order.

First the author's adapters, then that of the service whose account the tool uses, then GraphQL and HTTP; of each type
only the first is used. Errors of HTTP clients in a tool with an account name that service.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from server_core.adapters.adapter import ErrorAdapter, describe_error
from server_core.adapters.google import GoogleAdapter
from server_core.adapters.graphql import GraphQLAdapter
from server_core.adapters.http import HttpAdapter
from server_core.adapters.microsoft import MicrosoftAdapter, PowerBiAdapter
from server_core.adapters.slack import SlackAdapter
from server_core.errors import ToolRuntimeError
from server_core.runtime.safe_text import call_safely

if TYPE_CHECKING:
    from server_core.catalog.definitions import Tool

PROVIDER_ADAPTERS: dict[str, Callable[[], ErrorAdapter]] = {
    "google": GoogleAdapter,
    "microsoft": MicrosoftAdapter,
    "microsoft-powerbi": PowerBiAdapter,
    "slack": SlackAdapter,
}
"""The service of an account -> the adapter for its client library; other services are used over plain HTTP."""


def adapters_for(tool: "Tool") -> tuple[ErrorAdapter, ...]:
    """Return the adapters to try for an exception of a tool, in order."""
    service = "" if tool.requires_auth is None else tool.requires_auth.provider_id or tool.requires_auth.id or ""
    provider_adapter = PROVIDER_ADAPTERS.get(service)
    of_provider = [] if provider_adapter is None else [provider_adapter()]
    chain = [*tool.adapters, *of_provider, GraphQLAdapter(), HttpAdapter(service or "_http")]
    first_of_each: dict[type[ErrorAdapter], ErrorAdapter] = {}
    for adapter in chain:
        first_of_each.setdefault(type(adapter), adapter)
    return tuple(first_of_each.values())


def convert_error(
    error: BaseException, adapters: Iterable[ErrorAdapter], problems: list[str] | None = None
) -> ToolRuntimeError | None:
    """Return the error of the first adapter that recognises the exception.

    An adapter that raises, or returns anything else, is skipped, and a line for the author is appended to `problems`.
    """
    for adapter in adapters:
        result = call_safely(partial(adapter.from_exception, error), partial(_report_failure, problems, adapter))
        if isinstance(result, ToolRuntimeError):
            return result
        if result is not None:
            _report_problem(problems, adapter, f"returned {type(result).__name__} instead of a ToolRuntimeError")
    return None


def _report_failure(problems: list[str] | None, adapter: ErrorAdapter, failure: BaseException) -> None:
    _report_problem(problems, adapter, f"raised {describe_error(failure)}")


def _report_problem(problems: list[str] | None, adapter: ErrorAdapter, problem: str) -> None:
    if problems is not None:
        problems.append(f"The error adapter {type(adapter).__name__} was skipped: it {problem}.")
