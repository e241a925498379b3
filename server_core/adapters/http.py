"""What HTTP clients raise (httpx, requests, urllib) and timeouts of the standard library -> errors of ours.

The table below is the whole of it: the first class of an exception's ancestry that stands in the table decides.
No message holds a query string or a user's name and password.
"""

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeAlias

from server_core.adapters.redaction import without_secrets
from server_core.adapters.retry_after import retry_after_ms
from server_core.errors import (
    ErrorKind,
    FatalToolError,
    NetworkTransportError,
    ToolRuntimeError,
    UpstreamError,
    UpstreamRateLimitError,
)

Facts: TypeAlias = dict[str, Any]
Outcome: TypeAlias = Callable[[BaseException, str, Facts], ToolRuntimeError]


class HttpAdapter:
    """Knows the exceptions of HTTP clients."""

    slug = "_http"

    def from_exception(self, error: BaseException) -> ToolRuntimeError | None:
        """Return the error that says the same in our words; None when no HTTP client raised it."""
        for ancestor in type(error).__mro__:
            outcome = _OUTCOMES.get(f"{ancestor.__module__}.{ancestor.__qualname__}")
            if outcome is not None:
                detail = without_secrets(f"{type(error).__name__}: {error}")
                return outcome(error, detail, _facts(error))
        return None


def _network(kind: ErrorKind, message: str, *, can_retry: bool = True) -> Outcome:
    def outcome(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        return NetworkTransportError(message, detail, kind=kind, can_retry=can_retry, extra=facts)

    return outcome


def _fatal(message: str) -> Outcome:
    def outcome(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        return FatalToolError(message, detail, extra=facts)

    return outcome


_TIMED_OUT = _network(
    ErrorKind.NETWORK_TRANSPORT_RUNTIME_TIMEOUT, "HTTP request timed out before a complete response was received."
)
_UNREACHED = _network(
    ErrorKind.NETWORK_TRANSPORT_RUNTIME_UNREACHABLE, "HTTP request failed before reaching the upstream service."
)
_BROKEN_OFF = _network(
    ErrorKind.NETWORK_TRANSPORT_RUNTIME_UNREACHABLE, "HTTP request failed before a complete response was received."
)
_INCOMPLETE = _network(
    ErrorKind.NETWORK_TRANSPORT_RUNTIME_UNMAPPED, "HTTP request failed before a complete response was received."
)
_UNDECODABLE = _network(
    ErrorKind.NETWORK_TRANSPORT_RUNTIME_UNMAPPED, "HTTP response from upstream could not be decoded."
)
_NOT_JSON = _network(
    ErrorKind.NETWORK_TRANSPORT_RUNTIME_UNMAPPED, "HTTP response from upstream is not valid JSON.", can_retry=False
)
_REDIRECTED = _network(
    ErrorKind.NETWORK_TRANSPORT_RUNTIME_UNMAPPED,
    "HTTP redirect limit exceeded before a final response was received.",
    can_retry=False,
)
_BAD_URL = _fatal("HTTP request URL is invalid or malformed.")
_BAD_SCHEME = _fatal("HTTP request URL uses an unsupported scheme (expected http or https).")
_NO_SCHEME = _fatal("HTTP request URL is missing a scheme (expected http:// or https://).")
_NO_URL = _fatal("HTTP request requires a URL but none was provided.")
_BAD_HEADER = _fatal("HTTP request contains an invalid header name or value.")
_BAD_PROXY = _fatal("HTTP proxy URL is invalid or malformed.")
_BAD_REQUEST = _fatal("HTTP request violated the HTTP protocol before it was sent (malformed headers or body).")
_TLS = _fatal("TLS handshake failed — likely a local certificate or trust configuration issue.")
_STDLIB_TIMEOUT = _network(
    ErrorKind.NETWORK_TRANSPORT_RUNTIME_TIMEOUT, "The operation timed out before it was complete."
)


def _unless_tls(outcome: Outcome) -> Outcome:
    """A failed handshake hides below the exception of the connection; trying it again is of no use."""

    def chosen(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        return (_TLS if _caused_by_tls(error) else outcome)(error, detail, facts)

    return chosen


def _url_error(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    reason = getattr(error, "reason", None)
    if isinstance(reason, ssl.SSLError):
        return _TLS(error, detail, facts)
    if isinstance(reason, str) and reason.startswith("unknown url type"):
        return _BAD_SCHEME(error, detail, facts)
    return (_TIMED_OUT if isinstance(reason, TimeoutError) else _UNREACHED)(error, detail, facts)


def _answered(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None) if response is not None else getattr(error, "code", None)
    if type(status) is not int:
        return _INCOMPLETE(error, detail, facts)
    found: Any = getattr(response if response is not None else error, "headers", None) or {}
    headers = {str(name).lower(): str(value) for name, value in found.items()}
    message = f"Upstream HTTP request failed ({_phrase(status)})."
    if not _is_rate_limit(status, headers):
        return UpstreamError(message, status, detail, extra=facts)
    wait = retry_after_ms(headers)
    limited = UpstreamRateLimitError(f"{message}{_told(wait)}", wait, detail, extra=facts)
    limited.status_code = status
    return limited


def _is_rate_limit(status: int, headers: Mapping[str, str]) -> bool:
    if status != 403:
        return status == 429
    limits = {name: value for name, value in headers.items() if "ratelimit" in name or "rate-limit" in name}
    spent = any(name.endswith("remaining") and value.strip() == "0" for name, value in limits.items())
    return spent or ("retry-after" in headers and bool(limits))


def _phrase(status: int) -> str:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown Status"
    group = {3: "redirection", 4: "client error", 5: "server error"}.get(status // 100)
    return f"{phrase}, {group}" if group else phrase


def _told(wait: int | None) -> str:
    if wait is None:
        return ""
    return f" Retry after {-(-wait // 1000)} second(s)." if wait else " Rate limit encountered."


def _facts(error: BaseException) -> Facts:
    facts: Facts = {"service": HttpAdapter.slug, "error_type": type(error).__name__}
    request = _request(error)
    url = getattr(request, "url", None) or getattr(error, "url", None)
    if url is not None:
        facts["endpoint"] = without_secrets(str(url))
    if (method := getattr(request, "method", None)) is not None:
        facts["http_method"] = str(method)
    return facts


def _request(error: BaseException) -> Any:
    try:
        found = getattr(error, "request", None)
    except RuntimeError:  # httpx: "The .request property has not been set."
        return None
    return found if found is not None else getattr(getattr(error, "response", None), "request", None)


def _caused_by_tls(error: BaseException) -> bool:
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        if isinstance(cause, ssl.SSLError):
            return True
        seen.add(id(cause))
        cause = cause.__cause__ or cause.__context__
    return False


@dataclass(frozen=True)
class _Library:
    module: str
    outcomes: Mapping[str, Outcome]


_OUTCOMES: dict[str, Outcome] = {
    f"{library.module}.{name}": outcome
    for library in (
        _Library(
            "httpx",
            {
                "HTTPStatusError": _answered,
                "TimeoutException": _TIMED_OUT,
                "ConnectError": _unless_tls(_UNREACHED),
                "NetworkError": _BROKEN_OFF,
                "RemoteProtocolError": _UNREACHED,
                "ProxyError": _UNREACHED,
                "LocalProtocolError": _BAD_REQUEST,
                "UnsupportedProtocol": _BAD_SCHEME,
                "DecodingError": _UNDECODABLE,
                "TooManyRedirects": _REDIRECTED,
                "RequestError": _INCOMPLETE,
                "InvalidURL": _BAD_URL,
            },
        ),
        _Library(
            "requests.exceptions",
            {
                "HTTPError": _answered,
                "Timeout": _TIMED_OUT,
                "SSLError": _TLS,
                "ConnectionError": _unless_tls(_UNREACHED),
                "ContentDecodingError": _UNDECODABLE,
                "JSONDecodeError": _NOT_JSON,
                "TooManyRedirects": _REDIRECTED,
                "MissingSchema": _NO_SCHEME,
                "InvalidSchema": _BAD_SCHEME,
                "InvalidProxyURL": _BAD_PROXY,
                "InvalidURL": _BAD_URL,
                "URLRequired": _NO_URL,
                "InvalidHeader": _BAD_HEADER,
                "RequestException": _INCOMPLETE,
            },
        ),
        _Library("urllib.error", {"HTTPError": _answered, "URLError": _url_error}),
        _Library("builtins", {"TimeoutError": _STDLIB_TIMEOUT}),
    )
    for name, outcome in library.outcomes.items()
}
