"""The errors of tools that an exception of a client library is mapped to.

There are three: the service could not be reached, the tool made a mistake, or the service responded with an error.
The agent gets fixed sentences and the names of statuses; the texts of a service or a library are only for the author.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeAlias

from server_core.adapters.adapter import describe_value
from server_core.adapters.rate_limits import is_rate_limit, lower_case_headers, retry_after_ms
from server_core.errors import (
    ErrorKind,
    FatalToolError,
    NetworkTransportError,
    ToolRuntimeError,
    UpstreamError,
    UpstreamRateLimitError,
    is_http_status,
)

Facts: TypeAlias = dict[str, Any]
"""Facts for the author, such as `service` and `endpoint`."""
Outcome: TypeAlias = Callable[[BaseException, str, Facts], ToolRuntimeError]
"""Creates the error from the exception, its text for the author, and other facts."""

TIMEOUT = ErrorKind.NETWORK_TRANSPORT_RUNTIME_TIMEOUT
UNREACHABLE = ErrorKind.NETWORK_TRANSPORT_RUNTIME_UNREACHABLE
UNMAPPED = ErrorKind.NETWORK_TRANSPORT_RUNTIME_UNMAPPED

# A single word, so that an error code cannot contain prose; `error_code` also rejects words that look like secrets.
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.]{0,63}")
# The classes of HTTP statuses that a response with an error can have, by the first digit.
_STATUS_CLASSES = {3: "redirection", 4: "client error", 5: "server error"}


def network_failure(kind: ErrorKind, message: str, *, can_retry: bool = True) -> Outcome:
    """Return an outcome for a service that could not be reached, or a connection that was lost."""

    def outcome(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        return NetworkTransportError(
            message, detail, kind=kind, can_retry=can_retry, extra=_with_error_type(error, facts)
        )

    return outcome


def fatal_error(message: str) -> Outcome:
    """Return an outcome for a mistake of the tool itself: another try would fail in the same way."""

    def outcome(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        return FatalToolError(message, detail, extra=_with_error_type(error, facts))

    return outcome


def upstream_error(message: str, status: int) -> Outcome:
    """Return an outcome for an error without an HTTP status; `status` is the one that is closest in meaning."""

    def outcome(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        return UpstreamError(message, status, detail, extra=_with_error_type(error, facts))

    return outcome


def response_error(
    subject: str, status: Any, headers: Any, detail: str, facts: Facts, *, is_limit: bool = False
) -> ToolRuntimeError:
    """Return the error for a response of a service: a rate limit, another refusal, or an invalid response.

    `status` and `headers` may be any objects: they are attributes of another library's class. The `subject` begins the
    message for the agent, `detail` is for the author; `is_limit` if another sign than these was a rate limit.
    """
    if not is_http_status(status):
        message = f"{subject}: the response has an invalid HTTP status."
        return NetworkTransportError(
            message, f"status {describe_value(status)}; {detail}", can_retry=False, extra=facts
        )
    header_texts = lower_case_headers(headers)
    if not (is_limit or is_rate_limit(status, header_texts)):
        return UpstreamError(f"{subject}.", status, detail, extra=facts)
    wait_ms = retry_after_ms(header_texts)
    error = UpstreamRateLimitError(f"{subject}.{_wait_text(wait_ms)}", wait_ms, detail, extra=facts)
    # The class sets 429, but a service may signal a rate limit with 403 or 503; callers get the original status.
    error.status_code = int(status)
    return error


def status_phrase(status: Any) -> str:
    """Return a status in words: `Not Found, client error`."""
    if not is_http_status(status):
        return "Unknown Status"
    try:
        name = HTTPStatus(status).phrase
    except ValueError:
        name = "Unknown Status"
    status_class = _STATUS_CLASSES.get(status // 100)
    return f"{name}, {status_class}" if status_class else name


def error_code(value: Any) -> str:
    """Return the error code of a service; empty if it is not safe to repeat to agents."""
    if not isinstance(value, str) or not _CODE.fullmatch(value):
        return ""
    # A changed text means that a possible secret was removed from it.
    return value if describe_value(value) == value else ""


def _with_error_type(error: BaseException, facts: Facts) -> Facts:
    return {**facts, "error_type": type(error).__name__}


def _wait_text(wait_ms: int | None) -> str:
    """Return the sentence about the wait, rounded up to seconds; there is none if the service named no wait."""
    if wait_ms is None:
        return ""
    return f" Retry after {-(-wait_ms // 1000)} second(s)." if wait_ms else " Rate limit encountered."
