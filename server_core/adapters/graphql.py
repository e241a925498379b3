"""What the GraphQL client `gql` raises -> errors of ours.

A GraphQL service answers 200 and names its errors inside: their codes decide the status. The agent reads the codes;
what the service wrote beside them may hold anything, and is for the author alone.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from server_core.adapters.adapter import attribute, described, known
from server_core.adapters.http import answer_behind, request_facts, unless_tls
from server_core.adapters.outcomes import UNREACHABLE, Facts, Outcome, answered, code, fatal, network
from server_core.errors import ToolRuntimeError, is_http_status

MOST_ERRORS = 50
UNKNOWN_STATUS = 422
"""For errors of which no code is known: the service understood the request, and did not do it."""

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
"""The code of an error -> the status that means the same; of several errors the highest counts."""


class GraphQLAdapter:
    """Knows the exceptions of `gql`."""

    slug = "_graphql"

    def from_exception(self, error: BaseException) -> ToolRuntimeError | None:
        """Return the error that says the same in our words; None when `gql` did not raise it."""
        outcome = known(error, _OUTCOMES)
        return None if outcome is None else outcome(error, described(error), {"service": self.slug})


def _query_failed(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    codes = _codes(error)
    status = max((STATUSES[one] for one in codes if one in STATUSES), default=UNKNOWN_STATUS)
    if codes:
        facts = {**facts, "gql_error_codes": codes}
    subject = f"Upstream GraphQL error ({', '.join(codes)})" if codes else "Upstream GraphQL error"
    return answered(subject, status, None, detail, facts)


def _server_failed(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    status, headers = answer_behind(error)
    if status is None:
        return _BROKEN_OFF(error, detail, facts)
    cause = attribute(error, "__cause__", "__context__")
    facts = facts if cause is None else {**facts, **request_facts(cause)}
    # `gql` keeps the status alone; what it has from the HTTP client knows the headers.
    headers = answer_behind(cause)[1] if headers is None and cause is not None else headers
    said = f" with status code {status}" if is_http_status(status) else ""
    return answered(f"Upstream GraphQL request failed{said}", status, headers, detail, facts)


def _codes(error: BaseException) -> list[str]:
    try:
        return list(dict.fromkeys(filter(None, map(_code, _errors(error)))))
    except BaseException:  # Objects whose own code fails: they name no code then.
        return []


def _errors(error: BaseException) -> list[Any]:
    found = attribute(error, "errors")
    if found is None or isinstance(found, str | bytes | Mapping):
        return [found]
    return [one for one, _ in zip(found, range(MOST_ERRORS), strict=False)] if isinstance(found, Iterable) else [found]


def _code(one: Any) -> str:
    """The code of an error: in its extensions as a rule, beside its message at GitHub."""
    if not isinstance(one, Mapping):
        extensions = getattr(one, "extensions", None)
        return code(extensions.get("code")) if isinstance(extensions, Mapping) else ""
    extensions = one.get("extensions")
    return code(extensions.get("code") if isinstance(extensions, Mapping) else None) or code(one.get("type"))


_BROKEN_OFF = unless_tls(network(UNREACHABLE, "GraphQL request failed before a complete response was received."))
_BAD_QUERY = fatal("GraphQL query is invalid: it does not fit the schema of the service.")
_CLOSED = fatal("GraphQL client was used while it was closed, or connected twice.")

_GQL = "gql.transport.exceptions"
_OUTCOMES: dict[str, Outcome] = {
    f"{_GQL}.TransportQueryError": _query_failed,
    f"{_GQL}.TransportServerError": _server_failed,
    f"{_GQL}.TransportClosed": _CLOSED,
    f"{_GQL}.TransportAlreadyConnected": _CLOSED,
    f"{_GQL}.TransportError": _server_failed,
    "graphql.error.graphql_error.GraphQLError": _BAD_QUERY,
}
