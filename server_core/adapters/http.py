"""Convert exceptions of HTTP clients: httpx, requests, urllib3, aiohttp, urllib, and timeouts of the standard library.

The table at the end is the whole mapping: the first class in an exception's MRO that has an entry determines the error.
No message contains a query string or the credentials of a URL.
"""

import ssl
from collections.abc import Iterator
from typing import Any

from server_core.adapters.adapter import attribute, describe_error, describe_value, find_entry
from server_core.adapters.outcomes import (
    TIMEOUT,
    UNMAPPED,
    UNREACHABLE,
    Facts,
    Outcome,
    fatal_error,
    network_failure,
    response_error,
    status_phrase,
)
from server_core.errors import ToolRuntimeError
from server_core.runtime.safe_text import safe_str

MAX_CAUSES = 50
"""How many causes of an exception are searched for a failed TLS handshake; the libraries wrap it several times."""


class HttpAdapter:
    """Converts the exceptions of HTTP clients, and names the service behind the tool."""

    def __init__(self, service: str = "_http") -> None:
        self.slug = service

    def from_exception(self, error: BaseException) -> ToolRuntimeError | None:
        outcome = find_entry(error, _OUTCOMES)
        if outcome is None:
            return None
        return outcome(error, describe_error(error), {"service": self.slug, **request_facts(error)})


def request_facts(error: BaseException) -> Facts:
    """Return `endpoint` and `http_method` of the request behind an exception, where known."""
    response = attribute(error, "response")
    request = attribute(error, "request")
    if request is None:
        request = attribute(response, "request")
    if request is None:
        request = attribute(error, "request_info")
    url = next(
        (value for holder in (request, error, response) if (value := attribute(holder, "url")) is not None), None
    )
    method = attribute(request, "method")
    facts: Facts = {}
    if url is not None:
        facts["endpoint"] = describe_value(url)
    if method is not None:
        facts["http_method"] = safe_str(method).upper()
    return facts


def status_and_headers(error: BaseException) -> tuple[Any, Any]:
    """Return the status and the headers of the response behind an exception, from the response or the exception."""
    # Compared with None, since an error response of `requests` is falsy.
    holders = (attribute(error, "response"), error)
    status = next((value for holder in holders if (value := attribute(holder, *_STATUSES)) is not None), None)
    headers = next((value for holder in holders if (value := attribute(holder, "headers")) is not None), None)
    return status, headers


def _status_error(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    status, headers = status_and_headers(error)
    if status is None:
        return _INCOMPLETE(error, detail, facts)
    return response_error(f"Upstream HTTP request failed ({status_phrase(status)})", status, headers, detail, facts)


_STATUSES = ("status_code", "status", "code")

_TIMED_OUT = network_failure(TIMEOUT, "HTTP request timed out before a complete response was received.")
_UNREACHED = network_failure(UNREACHABLE, "HTTP request failed before reaching the upstream service.")
_CONNECTION_LOST = network_failure(UNREACHABLE, "HTTP request failed before a complete response was received.")
_INCOMPLETE = network_failure(UNMAPPED, "HTTP request failed before a complete response was received.")
_UNDECODABLE = network_failure(UNMAPPED, "HTTP response from upstream could not be decoded.")
_TOO_MANY_REDIRECTS = network_failure(
    UNMAPPED, "HTTP redirect limit exceeded before a final response was received.", can_retry=False
)
_ODD_TYPE = network_failure(UNMAPPED, "HTTP response from upstream has an unexpected content type.", can_retry=False)
_NOT_JSON = fatal_error("HTTP response from upstream is not valid JSON.")
_BODY_NOT_JSON = fatal_error("HTTP request body cannot be written as JSON.")
_BAD_URL = fatal_error("HTTP request URL is invalid or malformed.")
_BAD_SCHEME = fatal_error("HTTP request URL uses an unsupported scheme (expected http or https).")
_NO_SCHEME = fatal_error("HTTP request URL is missing a scheme (expected http:// or https://).")
_NO_URL = fatal_error("HTTP request requires a URL but none was provided.")
_BAD_HEADER = fatal_error("HTTP request contains an invalid header name or value.")
_BAD_PROXY = fatal_error("HTTP proxy URL is invalid or malformed.")
_BAD_REQUEST = fatal_error("HTTP request violated the HTTP protocol before it was sent (malformed headers or body).")
_TLS = fatal_error("TLS handshake failed — likely a local certificate or trust configuration issue.")
_STDLIB_TIMEOUT = network_failure(TIMEOUT, "The operation timed out before it was complete.")


def tls_failure_or(outcome: Outcome) -> Outcome:
    """Wrap an outcome so that a failed TLS handshake among the causes of the exception takes precedence."""

    def outcome_of(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        is_tls = any(isinstance(cause, ssl.SSLError) for cause in _causes(error))
        return (_TLS if is_tls else outcome)(error, detail, facts)

    return outcome_of


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen and len(seen) < MAX_CAUSES:
        yield cause
        seen.add(id(cause))
        cause = attribute(cause, "__cause__", "__context__")


def _url_error(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    reason = attribute(error, "reason")
    if isinstance(reason, ssl.SSLError):
        return _TLS(error, detail, facts)
    if isinstance(reason, str) and reason.startswith("unknown url type"):
        return _BAD_SCHEME(error, detail, facts)
    return (_TIMED_OUT if isinstance(reason, TimeoutError) else _UNREACHED)(error, detail, facts)


def _max_retries(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    reason = attribute(error, "reason")
    entry = find_entry(reason, _OUTCOMES) if isinstance(reason, BaseException) else None
    return (_UNREACHED if entry is None or entry is _max_retries else entry)(error, detail, facts)


_HTTPX: dict[str, Outcome] = {
    "HTTPStatusError": _status_error,
    "TimeoutException": _TIMED_OUT,
    "ConnectError": tls_failure_or(_UNREACHED),
    "NetworkError": _CONNECTION_LOST,
    "RemoteProtocolError": _UNREACHED,
    "ProxyError": _UNREACHED,
    "LocalProtocolError": _BAD_REQUEST,
    "UnsupportedProtocol": _BAD_SCHEME,
    "DecodingError": _UNDECODABLE,
    "TooManyRedirects": _TOO_MANY_REDIRECTS,
    "RequestError": _INCOMPLETE,
    "InvalidURL": _BAD_URL,
}
_LIBRARIES: dict[str, dict[str, Outcome]] = {
    "httpx": _HTTPX,
    "httpx2": _HTTPX,
    "requests.exceptions": {
        "HTTPError": _status_error,
        "Timeout": _TIMED_OUT,
        "ConnectTimeout": _TIMED_OUT,
        "SSLError": _TLS,
        "ConnectionError": tls_failure_or(_UNREACHED),
        "ContentDecodingError": _UNDECODABLE,
        "JSONDecodeError": _NOT_JSON,
        "InvalidJSONError": _BODY_NOT_JSON,
        "TooManyRedirects": _TOO_MANY_REDIRECTS,
        "MissingSchema": _NO_SCHEME,
        "InvalidSchema": _BAD_SCHEME,
        "InvalidProxyURL": _BAD_PROXY,
        "InvalidURL": _BAD_URL,
        "URLRequired": _NO_URL,
        "InvalidHeader": _BAD_HEADER,
        "RequestException": _INCOMPLETE,
    },
    "aiohttp.client_exceptions": {
        "ClientResponseError": _status_error,
        "ContentTypeError": _ODD_TYPE,
        "TooManyRedirects": _TOO_MANY_REDIRECTS,
        "ServerTimeoutError": _TIMED_OUT,
        "ClientSSLError": _TLS,
        "ServerFingerprintMismatch": _TLS,
        "ClientConnectorError": tls_failure_or(_UNREACHED),
        "ClientConnectionError": _CONNECTION_LOST,
        "NonHttpUrlClientError": _BAD_SCHEME,
        "InvalidURL": _BAD_URL,
        "ClientError": _INCOMPLETE,
    },
    "urllib3.exceptions": {
        "TimeoutError": _TIMED_OUT,
        "NewConnectionError": _UNREACHED,
        "MaxRetryError": _max_retries,
        "SSLError": _TLS,
        "ProxyError": _UNREACHED,
        "ProtocolError": _CONNECTION_LOST,
        "DecodeError": _UNDECODABLE,
        "URLSchemeUnknown": _BAD_SCHEME,
        "LocationValueError": _BAD_URL,
        "InvalidHeader": _BAD_HEADER,
        "HTTPError": _INCOMPLETE,
    },
    "urllib.error": {"HTTPError": _status_error, "URLError": _url_error},
    "http.client": {
        "RemoteDisconnected": _UNREACHED,
        "InvalidURL": _BAD_URL,
        "ImproperConnectionState": _BAD_REQUEST,
        "HTTPException": _INCOMPLETE,
    },
    "builtins": {"TimeoutError": _STDLIB_TIMEOUT},
}
_OUTCOMES = {f"{module}.{name}": outcome for module, names in _LIBRARIES.items() for name, outcome in names.items()}
