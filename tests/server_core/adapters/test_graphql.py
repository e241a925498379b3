"""Exceptions of the GraphQL client: their codes determine the error, and only the author gets the texts."""

import ssl
from types import SimpleNamespace
from typing import Any

import pytest

from server_core.adapters.graphql import GraphQLAdapter
from server_core.errors import FatalToolError, NetworkTransportError, UpstreamError, UpstreamRateLimitError
from tests.server_core.adapters.families import of
from tests.tables import each_row

pytestmark = pytest.mark.promises("error adapters")

GQL = "gql.transport.exceptions"
adapt: Any = GraphQLAdapter().from_exception


def query_error(errors: Any) -> BaseException:
    return of(GQL, "TransportQueryError", "the secret text of the service", errors=errors)


def with_code(code: Any) -> dict[str, Any]:
    return {"message": "hunter2", "extensions": {"code": code}}


@each_row(
    ("codes", "status", "kind"),
    [
        (["UNAUTHENTICATED"], 401, "UPSTREAM_RUNTIME_AUTH_ERROR"),
        (["FORBIDDEN", "NOT_FOUND"], 404, "UPSTREAM_RUNTIME_NOT_FOUND"),
        (["BAD_USER_INPUT", "INTERNAL_SERVER_ERROR"], 500, "UPSTREAM_RUNTIME_SERVER_ERROR"),
        (["SOMETHING_NEW"], 422, "UPSTREAM_RUNTIME_VALIDATION_ERROR"),
        (["FORBIDDEN", "SOMETHING_NEW"], 403, "UPSTREAM_RUNTIME_AUTH_ERROR"),
    ],
)
def test_the_codes_of_the_errors_determine_the_status(codes: list[str], status: int, kind: str) -> None:
    error = adapt(query_error([with_code(code) for code in codes]))
    assert isinstance(error, UpstreamError)
    assert (error.status_code, error.kind) == (status, kind)
    assert error.message == f"Upstream GraphQL error ({', '.join(codes)})."
    assert error.extra == {"service": "_graphql", "gql_error_codes": codes}
    assert "hunter2" not in error.message


def test_a_rate_limit_is_recognised_by_its_code_in_any_member() -> None:
    error = adapt(query_error([{"type": "RATE_LIMITED", "message": "hunter2"}]))
    assert isinstance(error, UpstreamRateLimitError)
    assert error.retry_after_ms is None


def test_errors_of_any_shape_are_reported_without_a_code() -> None:
    for errors in (
        None,
        "text",
        {"message": "one"},
        5,
        [],
        ["text", None, 5],
        iter([{"message": "x"}]),
        [{"extensions": "text"}],
        [with_code("Bearer hunter2 and more prose")],
        [with_code(7)],
        [SimpleNamespace(extensions=None)],
    ):
        error = adapt(query_error(errors))
        assert (error.status_code, error.message) == (422, "Upstream GraphQL error.")
        assert error.extra == {"service": "_graphql"}


def test_errors_as_objects_are_read_too() -> None:
    assert adapt(query_error([SimpleNamespace(extensions={"code": "NOT_FOUND"})])).status_code == 404


def test_a_refusal_is_described_by_its_status_and_headers() -> None:
    cause = of("requests.exceptions", "HTTPError")
    cause.response = SimpleNamespace(  # type: ignore[attr-defined]
        status_code=429,
        headers={"Retry-After": "3"},
        request=SimpleNamespace(url="https://u:p@h/x?t=SECRET", method="POST"),
    )
    raised = of(GQL, "TransportServerError", "429 for https://u:p@h/x?t=SECRET", code=429)
    raised.__cause__ = cause
    error = adapt(raised)
    assert isinstance(error, UpstreamRateLimitError)
    assert error.message == "Upstream GraphQL request failed with status code 429. Retry after 3 second(s)."
    assert error.extra == {"service": "_graphql", "endpoint": "https://h/x", "http_method": "POST"}
    assert "SECRET" not in str(error.developer_message)


@each_row(
    "raised",
    [
        of(GQL, "TransportConnectionFailed"),
        of(GQL, "TransportProtocolError"),
        of(GQL, "TransportServerError", code=None),
        of(GQL, "TransportServerError"),
    ],
)
def test_a_failed_connection_can_be_retried(raised: BaseException) -> None:
    error = adapt(raised)
    assert isinstance(error, NetworkTransportError)
    assert (error.kind, error.can_retry) == ("NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", True)
    assert error.message == "GraphQL request failed before a complete response was received."


@pytest.mark.parametrize(
    "raised", [of(GQL, "TransportClosed"), of("graphql.error.graphql_error", "GraphQLError", "hunter2")]
)
def test_a_mistake_of_the_tool_is_fatal(raised: BaseException) -> None:
    error = adapt(raised)
    assert isinstance(error, FatalToolError)
    assert "hunter2" not in error.message


def test_other_exceptions_are_not_recognised() -> None:
    assert adapt(ValueError("x")) is None


def test_the_headers_may_be_those_of_the_server_error_itself() -> None:
    response = SimpleNamespace(headers={"retry-after": "5"})
    error = adapt(of(GQL, "TransportServerError", code=429, response=response))
    assert isinstance(error, UpstreamRateLimitError)
    assert error.retry_after_ms == 5000


def test_a_transport_failure_with_a_status_is_described_by_it() -> None:
    error = adapt(of(GQL, "TransportError", code=503))
    assert (error.status_code, error.message) == (503, "Upstream GraphQL request failed with status code 503.")


def test_a_failed_tls_handshake_is_not_retried() -> None:
    raised = of(GQL, "TransportConnectionFailed")
    raised.__cause__ = ssl.SSLError("hunter2")
    error = adapt(raised)
    assert isinstance(error, FatalToolError)
    assert "hunter2" not in error.message
