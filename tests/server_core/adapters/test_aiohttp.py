"""Exceptions of aiohttp, http.client and the successor of httpx."""

import http.client
from types import SimpleNamespace
from typing import Any

import pytest

from server_core.adapters.http import HttpAdapter
from server_core.errors import NetworkTransportError, UpstreamError, UpstreamRateLimitError
from tests.server_core.adapters.families import names, of
from tests.tables import each_row

pytestmark = pytest.mark.promises("error adapters")

AIOHTTP = "aiohttp.client_exceptions"
URL = "https://user:pw@api.example.com/v1/x?token=SECRET"
adapt: Any = HttpAdapter().from_exception

TIMEOUT = "NETWORK_TRANSPORT_RUNTIME_TIMEOUT"
UNREACHABLE = "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE"
UNMAPPED = "NETWORK_TRANSPORT_RUNTIME_UNMAPPED"
FATAL = "TOOL_RUNTIME_FATAL"


def answered(status: int, headers: dict[str, str] | None = None) -> BaseException:
    info = SimpleNamespace(url=URL, method="GET")
    text = f"{status}, message='no', url='{URL}'"
    return of(AIOHTTP, "ClientResponseError", text, status=status, headers=headers, request_info=info)


def test_an_error_status_becomes_its_error() -> None:
    error = adapt(answered(404))
    assert isinstance(error, UpstreamError)
    assert error.message == "Upstream HTTP request failed (Not Found, client error)."
    assert error.extra == {"service": "_http", "endpoint": "https://api.example.com/v1/x", "http_method": "GET"}
    assert "SECRET" not in str(error.developer_message)


def test_too_many_requests_have_the_time_to_retry() -> None:
    error = adapt(answered(429, {"Retry-After": "7"}))
    assert isinstance(error, UpstreamRateLimitError)
    assert error.retry_after_ms == 7000


@each_row("status", [0, 42, 999])
def test_an_unknown_status_is_an_invalid_response(status: int) -> None:
    error = adapt(answered(status))
    assert isinstance(error, NetworkTransportError)
    assert (error.kind, error.can_retry) == (UNMAPPED, False)
    assert f"status {status}" in str(error.developer_message)


def test_a_failed_request_is_described_by_its_cause() -> None:
    for name, kind, can_retry in (
        ("SocketTimeoutError", TIMEOUT, True),
        ("ConnectionTimeoutError", TIMEOUT, True),
        ("ClientConnectorError", UNREACHABLE, True),
        ("ClientConnectorDNSError", UNREACHABLE, True),
        ("ClientProxyConnectionError", UNREACHABLE, True),
        ("ServerDisconnectedError", UNREACHABLE, True),
        ("ClientConnectionResetError", UNREACHABLE, True),
        ("ClientPayloadError", UNMAPPED, True),
        ("ContentTypeError", UNMAPPED, False),
        ("TooManyRedirects", UNMAPPED, False),
        ("ClientConnectorSSLError", FATAL, False),
        ("ClientConnectorCertificateError", FATAL, False),
        ("ServerFingerprintMismatch", FATAL, False),
        ("InvalidUrlClientError", FATAL, False),
        ("NonHttpUrlClientError", FATAL, False),
    ):
        error = adapt(of(AIOHTTP, name, f"failed at {URL}"))
        assert (error.kind, error.can_retry) == (kind, can_retry)
        assert "SECRET" not in f"{error.message}{error.developer_message}{error.extra}"


def test_every_exception_of_the_library_is_recognised() -> None:
    for name in names(AIOHTTP):
        assert adapt(of(AIOHTTP, name)) is not None


@each_row(
    ("raised", "kind"),
    [
        (http.client.RemoteDisconnected("gone"), UNREACHABLE),
        (http.client.IncompleteRead(b""), UNMAPPED),
        (http.client.InvalidURL("a b"), FATAL),
        (http.client.CannotSendRequest(), FATAL),
    ],
)
def test_exceptions_that_urllib_raises_of_other_modules_are_recognised(raised: BaseException, kind: str) -> None:
    assert adapt(raised).kind == kind
