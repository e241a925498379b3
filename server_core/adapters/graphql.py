"""Convert exceptions of the GraphQL client `gql`.

A GraphQL service responds with HTTP status 200 and a list of errors; the codes of these errors determine the status of
our exception. The agent gets the codes; the messages may contain anything, so only the author gets them.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from server_core.adapters.adapter import attribute, describe_error, find_entry
from server_core.adapters.http import request_facts, status_and_headers, tls_failure_or
from server_core.adapters.outcomes import (
    UNREACHABLE,
    Facts,
    Outcome,
    error_code,
    fatal_error,
    network_failure,
    response_error,
)
from server_core.errors import ToolRuntimeError, is_http_status
from server_core.runtime.safe_text import call_safely

MAX_ERRORS = 50
"""How many errors of a response are read."""
UNKNOWN_STATUS = 422
"""The status for errors without a known code: the service understood the request but refused it."""

STATUSES = {
    "UNAUTHENTICATED": 401,
    "NOT_AUTHENTICATED": 401,
    "FORBIDDEN": 403,
    "ACCESS_DENIED": 403,
    "NOT_FOUND": 404,
    "BAD_USER_INPUT": 400,
    "GRAPHQL_VALIDATION_FAILED": 400,
    "GRAPHQL_PARSE_FAILED": 400,
    "RATE_LIMITED": 429,
    "THROTTLED": 429,
    "INTERNAL_SERVER_ERROR": 500,
}
"""The code of an error -> the equivalent status. For several errors the highest is used, as in Arcade's framework."""


class GraphQLAdapter:
    slug = "_graphql"

    def from_exception(self, error: BaseException) -> ToolRuntimeError | None:
        outcome = find_entry(error, _OUTCOMES)
        return None if outcome is None else outcome(error, describe_error(error), {"service": self.slug})


def _query_error(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    codes = _codes(error)
    status = max((STATUSES[name] for name in codes if name in STATUSES), default=UNKNOWN_STATUS)
    if codes:
        facts = {**facts, "gql_error_codes": codes}
    subject = f"Upstream GraphQL error ({', '.join(codes)})" if codes else "Upstream GraphQL error"
    return response_error(subject, status, None, detail, facts)


def _server_error(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    status, headers = status_and_headers(error)
    if status is None:
        return _CONNECTION_LOST(error, detail, facts)
    cause = attribute(error, "__cause__", "__context__")
    facts = facts if cause is None else {**facts, **request_facts(cause)}
    # The exception of `gql` has only the status; the exception of the HTTP client behind it has the headers.
    headers = status_and_headers(cause)[1] if headers is None and cause is not None else headers
    suffix = f" with status code {status}" if is_http_status(status) else ""
    return response_error(f"Upstream GraphQL request failed{suffix}", status, headers, detail, facts)


def _codes(error: BaseException) -> list[str]:
    """Return the different codes in a response; none when an object in it raises while it is read."""
    return call_safely(lambda: list(dict.fromkeys(filter(None, map(_code, _errors(error))))), lambda _: [])


def _errors(error: BaseException) -> list[Any]:
    """Return the errors of a response; a value that is no list counts as one error."""
    errors = attribute(error, "errors")
    if not isinstance(errors, Iterable) or isinstance(errors, str | bytes | Mapping):
        return [errors]
    return list(islice(errors, MAX_ERRORS))


def _code(entry: Any) -> str:
    """Return the code of an error, from its `extensions` or, as GitHub sends it, its `type`; empty if it has none."""
    if not isinstance(entry, Mapping):  # An object, such as a GraphQLError.
        extensions = getattr(entry, "extensions", None)
        return error_code(extensions.get("code")) if isinstance(extensions, Mapping) else ""
    extensions = entry.get("extensions")
    code = extensions.get("code") if isinstance(extensions, Mapping) else None
    return error_code(code) or error_code(entry.get("type"))


_CONNECTION_LOST = tls_failure_or(
    network_failure(UNREACHABLE, "GraphQL request failed before a complete response was received.")
)
_BAD_QUERY = fatal_error("GraphQL query is invalid: it does not match the schema of the service.")
_CLOSED = fatal_error("GraphQL client was closed, or was already connected.")

_GQL = "gql.transport.exceptions"
# `TransportError` is the base class of the others of `gql`, and stands for those that are not listed.
_OUTCOMES: dict[str, Outcome] = {
    f"{_GQL}.TransportQueryError": _query_error,
    f"{_GQL}.TransportServerError": _server_error,
    f"{_GQL}.TransportClosed": _CLOSED,
    f"{_GQL}.TransportAlreadyConnected": _CLOSED,
    f"{_GQL}.TransportError": _server_error,
    "graphql.error.graphql_error.GraphQLError": _BAD_QUERY,
}
