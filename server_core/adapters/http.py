"""What HTTP clients raise -> errors of ours: httpx, requests, urllib3, aiohttp, urllib, and the library's own timeouts.

The table at the end is the whole of it: the first class of an exception's ancestry that stands in the table decides.
No message holds a query string or a user's name and password.
"""

import ssl
from collections.abc import Iterator
from typing import Any

from server_core.adapters.adapter import attribute, described, known
from server_core.adapters.outcomes import (
    TIMEOUT,
    UNMAPPED,
    UNREACHABLE,
    Facts,
    Outcome,
    answered,
    fatal,
    network,
    phrase,
)
from server_core.adapters.redaction import without_secrets
from server_core.errors import ToolRuntimeError
from server_core.runtime.safe_text import readable

MOST_CAUSES = 50


class HttpAdapter:
    """Knows the exceptions of HTTP clients.

    Args:
        service: what is behind the tool, as orchestrators and authors read it.
    """

    def __init__(self, service: str = "_http") -> None:
        self.slug = service

    def from_exception(self, error: BaseException) -> ToolRuntimeError | None:
        """Return the error that says the same in our words; None when no HTTP client raised it."""
        outcome = known(error, _OUTCOMES)
        if outcome is None:
            return None
        return outcome(error, described(error), {"service": self.slug, **request_facts(error)})


def request_facts(error: BaseException) -> Facts:
    """Return `endpoint` and `http_method` of the request behind an exception, as far as it knows them."""
    response = attribute(error, "response")
    request = attribute(error, "request")  # httpx raises where it knows none.
    if request is None:
        request = attribute(response, "request")
    if request is None:
        request = attribute(error, "request_info")
    url = next((found for one in (request, error, response) if (found := attribute(one, "url")) is not None), None)
    method = attribute(request, "method")
    facts: Facts = {}
    if url is not None:
        facts["endpoint"] = without_secrets(readable(url))
    if method is not None:
        facts["http_method"] = readable(method).upper()
    return facts


def answer_behind(error: BaseException) -> tuple[Any, Any]:
    """Return status and headers of the answer behind an exception, wherever its library keeps them; None for neither.

    A response that is falsy stands for its status in `requests`, so only None means that there is none.
    """
    holders = (attribute(error, "response"), error)
    status = next((found for one in holders if (found := attribute(one, *_STATUSES)) is not None), None)
    headers = next((found for one in holders if (found := attribute(one, "headers")) is not None), None)
    return status, headers


def _answered(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    status, headers = answer_behind(error)
    if status is None:
        return _INCOMPLETE(error, detail, facts)
    return answered(f"Upstream HTTP request failed ({phrase(status)})", status, headers, detail, facts)


_STATUSES = ("status_code", "status", "code")

_TIMED_OUT = network(TIMEOUT, "HTTP request timed out before a complete response was received.")
_UNREACHED = network(UNREACHABLE, "HTTP request failed before reaching the upstream service.")
_BROKEN_OFF = network(UNREACHABLE, "HTTP request failed before a complete response was received.")
_INCOMPLETE = network(UNMAPPED, "HTTP request failed before a complete response was received.")
_UNDECODABLE = network(UNMAPPED, "HTTP response from upstream could not be decoded.")
_REDIRECTED = network(UNMAPPED, "HTTP redirect limit exceeded before a final response was received.", can_retry=False)
_ODD_TYPE = network(UNMAPPED, "HTTP response from upstream has an unexpected content type.", can_retry=False)
_NOT_JSON = fatal("HTTP response from upstream is not valid JSON.")
_BODY_NOT_JSON = fatal("HTTP request body cannot be written as JSON.")
_BAD_URL = fatal("HTTP request URL is invalid or malformed.")
_BAD_SCHEME = fatal("HTTP request URL uses an unsupported scheme (expected http or https).")
_NO_SCHEME = fatal("HTTP request URL is missing a scheme (expected http:// or https://).")
_NO_URL = fatal("HTTP request requires a URL but none was provided.")
_BAD_HEADER = fatal("HTTP request contains an invalid header name or value.")
_BAD_PROXY = fatal("HTTP proxy URL is invalid or malformed.")
_BAD_REQUEST = fatal("HTTP request violated the HTTP protocol before it was sent (malformed headers or body).")
_TLS = fatal("TLS handshake failed — likely a local certificate or trust configuration issue.")
_STDLIB_TIMEOUT = network(TIMEOUT, "The operation timed out before it was complete.")


def unless_tls(outcome: Outcome) -> Outcome:
    """Return an outcome that looks for a failed handshake, which hides below the exception of the connection."""

    def chosen(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        is_tls = any(isinstance(cause, ssl.SSLError) for cause in _causes(error))
        return (_TLS if is_tls else outcome)(error, detail, facts)

    return chosen


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen and len(seen) < MOST_CAUSES:
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
    """What urllib3 raises when it gives up; the reason says over what."""
    reason = attribute(error, "reason")
    found = known(reason, _OUTCOMES) if isinstance(reason, BaseException) else None
    return (_UNREACHED if found is None or found is _max_retries else found)(error, detail, facts)


_HTTPX: dict[str, Outcome] = {
    "HTTPStatusError": _answered,
    "TimeoutException": _TIMED_OUT,
    "ConnectError": unless_tls(_UNREACHED),
    "NetworkError": _BROKEN_OFF,
    "RemoteProtocolError": _UNREACHED,
    "ProxyError": _UNREACHED,
    "LocalProtocolError": _BAD_REQUEST,
    "UnsupportedProtocol": _BAD_SCHEME,
    "DecodingError": _UNDECODABLE,
    "TooManyRedirects": _REDIRECTED,
    "RequestError": _INCOMPLETE,
    "InvalidURL": _BAD_URL,
}
_LIBRARIES: dict[str, dict[str, Outcome]] = {
    "httpx": _HTTPX,
    "httpx2": _HTTPX,
    "requests.exceptions": {
        "HTTPError": _answered,
        "Timeout": _TIMED_OUT,
        "ConnectTimeout": _TIMED_OUT,
        "SSLError": _TLS,
        "ConnectionError": unless_tls(_UNREACHED),
        "ContentDecodingError": _UNDECODABLE,
        "JSONDecodeError": _NOT_JSON,
        "InvalidJSONError": _BODY_NOT_JSON,
        "TooManyRedirects": _REDIRECTED,
        "MissingSchema": _NO_SCHEME,
        "InvalidSchema": _BAD_SCHEME,
        "InvalidProxyURL": _BAD_PROXY,
        "InvalidURL": _BAD_URL,
        "URLRequired": _NO_URL,
        "InvalidHeader": _BAD_HEADER,
        "RequestException": _INCOMPLETE,
    },
    "aiohttp.client_exceptions": {
        "ClientResponseError": _answered,
        "ContentTypeError": _ODD_TYPE,
        "TooManyRedirects": _REDIRECTED,
        "ServerTimeoutError": _TIMED_OUT,
        "ClientSSLError": _TLS,
        "ServerFingerprintMismatch": _TLS,
        "ClientConnectorError": unless_tls(_UNREACHED),
        "ClientConnectionError": _BROKEN_OFF,
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
        "ProtocolError": _BROKEN_OFF,
        "DecodeError": _UNDECODABLE,
        "URLSchemeUnknown": _BAD_SCHEME,
        "LocationValueError": _BAD_URL,
        "InvalidHeader": _BAD_HEADER,
        "HTTPError": _INCOMPLETE,
    },
    "urllib.error": {"HTTPError": _answered, "URLError": _url_error},
    "http.client": {
        "RemoteDisconnected": _UNREACHED,
        "InvalidURL": _BAD_URL,
        "ImproperConnectionState": _BAD_REQUEST,
        "HTTPException": _INCOMPLETE,
    },
    "builtins": {"TimeoutError": _STDLIB_TIMEOUT},
}
_OUTCOMES = {f"{module}.{name}": outcome for module, names in _LIBRARIES.items() for name, outcome in names.items()}
