"""Exceptions of HTTP clients: what the agent gets, whether it may retry, and what is hidden."""

import ssl
import urllib.error
from email.message import Message
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from server_core.adapters.http import HttpAdapter
from server_core.errors import FatalToolError, NetworkTransportError, UpstreamError, UpstreamRateLimitError
from tests.server_core.adapters.families import of
from tests.tables import each_row

pytestmark = pytest.mark.promises("error adapters")


URL = "https://user:pw@api.example.com:8443/v1/x?token=SECRET#f"
REQUEST = httpx.Request("GET", URL)
adapt: Any = HttpAdapter().from_exception


def answered(status: int, headers: dict[str, str] | None = None) -> httpx.HTTPStatusError:
    response = httpx.Response(status, headers=headers, request=REQUEST)
    return httpx.HTTPStatusError(f"{status} for url {URL}", request=REQUEST, response=response)


def of_requests(name: str, *parents: type[BaseException], **members: Any) -> BaseException:
    """Return an exception as `requests` raises it; the library is not a dependency, so a class with its name."""
    made = type(name, parents or (OSError,), {"__module__": "requests.exceptions"})(f"failed for {URL}")
    for member, value in members.items():
        setattr(made, member, value)
    return made


class Response:
    def __init__(self, status: int, **headers: str) -> None:
        self.status_code = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.request = REQUEST


@each_row("library", ["httpx", "requests", "urllib"])
def test_an_error_status_becomes_its_error(library: str) -> None:
    for status, kind, can_retry, phrase in (
        (301, "UPSTREAM_RUNTIME_UNMAPPED", False, "Moved Permanently, redirection"),
        (400, "UPSTREAM_RUNTIME_BAD_REQUEST", False, "Bad Request, client error"),
        (401, "UPSTREAM_RUNTIME_AUTH_ERROR", False, "Unauthorized, client error"),
        (403, "UPSTREAM_RUNTIME_AUTH_ERROR", False, "Forbidden, client error"),
        (404, "UPSTREAM_RUNTIME_NOT_FOUND", False, "Not Found, client error"),
        (422, "UPSTREAM_RUNTIME_VALIDATION_ERROR", False, None),
        (500, "UPSTREAM_RUNTIME_SERVER_ERROR", True, "Internal Server Error, server error"),
        (503, "UPSTREAM_RUNTIME_SERVER_ERROR", True, "Service Unavailable, server error"),
        (599, "UPSTREAM_RUNTIME_SERVER_ERROR", True, "Unknown Status, server error"),
    ):
        made = {
            "httpx": answered(status),
            "requests": of_requests("HTTPError", response=Response(status)),
            "urllib": urllib.error.HTTPError(URL, status, "no", Message(), None),
        }[library]
        error = adapt(made)
        assert isinstance(error, UpstreamError)
        assert (error.kind, error.can_retry, error.status_code) == (kind, can_retry, status)
        assert phrase is None or error.message == f"Upstream HTTP request failed ({phrase})."
        assert error.extra is not None
        assert error.extra["endpoint"] == "https://api.example.com:8443/v1/x"


def test_too_many_requests_have_the_time_to_retry() -> None:
    error = adapt(answered(429, {"Retry-After": "60"}))
    assert isinstance(error, UpstreamRateLimitError)
    assert error.message == "Upstream HTTP request failed (Too Many Requests, client error). Retry after 60 second(s)."
    assert (error.retry_after_ms, error.can_retry) == (60_000, True)


def test_the_case_of_header_names_does_not_matter() -> None:
    error = adapt(of_requests("HTTPError", response=Response(429, Retry_After="2")))
    assert error.retry_after_ms == 2000


def test_too_many_requests_without_a_time_have_none() -> None:
    error = adapt(answered(429))
    assert error.retry_after_ms is None
    assert error.message == "Upstream HTTP request failed (Too Many Requests, client error)."


def test_a_retry_time_of_zero_is_described_without_a_number() -> None:
    assert adapt(answered(429, {"retry-after": "0"})).message.endswith(" Rate limit encountered.")


@each_row(
    "headers",
    [
        {"x-ratelimit-remaining": "0"},
        {"x-app-rate-limit-remaining": "0.0"},
        {"retry-after": "1", "x-rate-limit-limit": "10"},
        {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT", "x-rate-limit-limit": "10"},
    ],
)
def test_forbidden_may_mean_too_many_requests_and_keeps_its_status(headers: dict[str, str]) -> None:
    error = adapt(answered(403, headers))
    assert isinstance(error, UpstreamRateLimitError)
    assert error.status_code == 403


@each_row(
    "headers",
    [
        {"x-ratelimit-remaining": "1"},
        {"x-ratelimit-remaining": "none"},
        {"retry-after": "60"},
        {"retry-after": "0", "x-ratelimit-limit": "10"},
        {"retry-after": "", "x-ratelimit-limit": "10"},
    ],
)
def test_forbidden_is_not_a_rate_limit_if_requests_remain(headers: dict[str, str]) -> None:
    assert not isinstance(adapt(answered(403, headers)), UpstreamRateLimitError)


def test_the_url_of_the_response_is_used_when_the_request_is_unknown() -> None:
    response = SimpleNamespace(status_code=500, headers={}, request=None, url=URL)
    error = adapt(of_requests("HTTPError", response=response))
    assert error.extra == {"service": "_http", "endpoint": "https://api.example.com:8443/v1/x"}


def test_the_request_method_is_shown_in_capitals() -> None:
    error = adapt(of_requests("Timeout", request=SimpleNamespace(url=URL, method="post")))
    assert error.extra["http_method"] == "POST"


def test_an_exception_without_a_text_is_described_by_its_name() -> None:
    assert adapt(httpx.ConnectError("")).developer_message == "ConnectError (no exception message)"


def of_urllib3(name: str, **members: Any) -> BaseException:
    return of("urllib3.exceptions", name, f"failed for {URL}", **members)


def test_exceptions_of_urllib3_are_recognised() -> None:
    for raised, kind, can_retry in (
        (of_urllib3("ReadTimeoutError"), "NETWORK_TRANSPORT_RUNTIME_TIMEOUT", True),
        (of_urllib3("NameResolutionError"), "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", True),
        (of_urllib3("ProtocolError"), "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", True),
        (of_urllib3("SSLError"), "TOOL_RUNTIME_FATAL", False),
        (of_urllib3("LocationParseError"), "TOOL_RUNTIME_FATAL", False),
        (of_urllib3("DecodeError"), "NETWORK_TRANSPORT_RUNTIME_UNMAPPED", True),
        (of_urllib3("PoolError"), "NETWORK_TRANSPORT_RUNTIME_UNMAPPED", True),
        (of_urllib3("MaxRetryError", reason=None), "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", True),
        (
            of_urllib3("MaxRetryError", reason=of_urllib3("ConnectTimeoutError")),
            "NETWORK_TRANSPORT_RUNTIME_TIMEOUT",
            True,
        ),
        (of_urllib3("MaxRetryError", reason=of_urllib3("SSLError")), "TOOL_RUNTIME_FATAL", False),
        (
            of_urllib3("MaxRetryError", reason=of_urllib3("MaxRetryError")),
            "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE",
            True,
        ),
    ):
        error = adapt(raised)
        assert (error.kind, error.can_retry) == (kind, can_retry)
        assert "SECRET" not in f"{error.message}{error.developer_message}{error.extra}"


def test_an_error_of_requests_without_a_response_can_be_retried() -> None:
    error = adapt(of_requests("HTTPError", response=None))
    assert isinstance(error, NetworkTransportError)
    assert (error.kind, error.can_retry) == ("NETWORK_TRANSPORT_RUNTIME_UNMAPPED", True)


TIMEOUT = "NETWORK_TRANSPORT_RUNTIME_TIMEOUT"
UNREACHABLE = "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE"
UNMAPPED = "NETWORK_TRANSPORT_RUNTIME_UNMAPPED"
FATAL = "TOOL_RUNTIME_FATAL"


def test_a_failed_request_is_described_by_its_cause() -> None:
    for raised, kind, can_retry, message in (
        (httpx.ReadTimeout("x"), TIMEOUT, True, "HTTP request timed out before a complete response was received."),
        (httpx.PoolTimeout("x"), TIMEOUT, True, "HTTP request timed out before a complete response was received."),
        (httpx.ConnectError("x"), UNREACHABLE, True, "HTTP request failed before reaching the upstream service."),
        (httpx.ProxyError("x"), UNREACHABLE, True, "HTTP request failed before reaching the upstream service."),
        (
            httpx.RemoteProtocolError("x"),
            UNREACHABLE,
            True,
            "HTTP request failed before reaching the upstream service.",
        ),
        (httpx.ReadError("x"), UNREACHABLE, True, "HTTP request failed before a complete response was received."),
        (httpx.DecodingError("x"), UNMAPPED, True, "HTTP response from upstream could not be decoded."),
        (
            httpx.TooManyRedirects("x"),
            UNMAPPED,
            False,
            "HTTP redirect limit exceeded before a final response was received.",
        ),
        (httpx.RequestError("x"), UNMAPPED, True, "HTTP request failed before a complete response was received."),
        (httpx.InvalidURL("x"), FATAL, False, "HTTP request URL is invalid or malformed."),
        (
            httpx.UnsupportedProtocol("x"),
            FATAL,
            False,
            "HTTP request URL uses an unsupported scheme (expected http or https).",
        ),
        (
            httpx.LocalProtocolError("x"),
            FATAL,
            False,
            "HTTP request violated the HTTP protocol before it was sent (malformed headers or body).",
        ),
        (of_requests("Timeout"), TIMEOUT, True, "HTTP request timed out before a complete response was received."),
        (
            of_requests("ConnectionError"),
            UNREACHABLE,
            True,
            "HTTP request failed before reaching the upstream service.",
        ),
        (
            of_requests("MissingSchema"),
            FATAL,
            False,
            "HTTP request URL is missing a scheme (expected http:// or https://).",
        ),
        (
            of_requests("InvalidSchema"),
            FATAL,
            False,
            "HTTP request URL uses an unsupported scheme (expected http or https).",
        ),
        (of_requests("URLRequired"), FATAL, False, "HTTP request requires a URL but none was provided."),
        (of_requests("InvalidHeader"), FATAL, False, "HTTP request contains an invalid header name or value."),
        (of_requests("InvalidProxyURL"), FATAL, False, "HTTP proxy URL is invalid or malformed."),
        (of_requests("JSONDecodeError", ValueError), FATAL, False, "HTTP response from upstream is not valid JSON."),
        (of_requests("RetryError", type(of_requests("RequestException"))), UNMAPPED, True, None),
        (
            urllib.error.URLError("refused"),
            UNREACHABLE,
            True,
            "HTTP request failed before reaching the upstream service.",
        ),
        (
            urllib.error.URLError(TimeoutError()),
            TIMEOUT,
            True,
            "HTTP request timed out before a complete response was received.",
        ),
        (urllib.error.URLError("unknown url type: foo"), FATAL, False, None),
        (TimeoutError(), TIMEOUT, True, "The operation timed out before it was complete."),
    ):
        error = adapt(raised)
        assert (error.kind, error.can_retry) == (kind, can_retry)
        assert message is None or error.message == message


@each_row("library", ["httpx", "requests", "urllib"])
def test_a_failed_handshake_is_fatal_with_every_library(library: str) -> None:
    cause = ssl.SSLCertVerificationError("self-signed certificate")
    below = httpx.ConnectError("x")
    below.__cause__ = OSError()
    below.__cause__.__context__ = cause
    made = {"httpx": below, "requests": of_requests("SSLError"), "urllib": urllib.error.URLError(cause)}[library]
    error = adapt(made)
    assert isinstance(error, FatalToolError)
    assert error.message.startswith("TLS handshake failed")


@each_row("raised", [answered(500), of_requests("HTTPError", response=Response(500)), of_requests("ConnectionError")])
def test_neither_query_nor_user_nor_password_is_in_the_error(raised: BaseException) -> None:
    error = adapt(raised)
    text = f"{error.message} {error.developer_message} {error.extra}"
    assert "SECRET" not in text
    assert "pw" not in text


@each_row("raised", [ValueError("x"), ConnectionResetError(), OSError(), httpx.StreamConsumed()])
def test_other_exceptions_are_not_recognised(raised: BaseException) -> None:
    assert adapt(raised) is None
