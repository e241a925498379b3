"""The errors that an exception can become: an error response, a network failure, or a wrong request.

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

# An error code of a service: a machine-readable word, which cannot contain prose or a secret.
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.]{0,63}")


def network_failure(kind: ErrorKind, message: str, *, can_retry: bool = True) -> Outcome:
    """Return an outcome for a service that could not be reached, or a connection that was lost."""

    def outcome(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        return NetworkTransportError(
            message, detail, kind=kind, can_retry=can_retry, extra=_with_error_type(error, facts)
        )

    return outcome


def fatal_error(message: str) -> Outcome:
    """Return an outcome for a mistake of the tool itself, so that trying again will not help."""

    def outcome(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        return FatalToolError(message, detail, extra=_with_error_type(error, facts))

    return outcome


def refusal(message: str, status: int) -> Outcome:
    """Return an outcome for a service, or its library, that refused the request; `status` is the equivalent status."""

    def outcome(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        return UpstreamError(message, status, detail, extra=_with_error_type(error, facts))

    return outcome


def response_error(
    subject: str, status: Any, headers: Any, detail: str, facts: Facts, *, is_limit: bool = False
) -> ToolRuntimeError:
    """Return the error for a response of a service.

    Args:
        subject: the start of the message for the agent.
        status: the HTTP status; any object, because it is an attribute of another library.
        headers: the headers of the response; any object, too.
        detail: the text for the author.
        facts: see :data:`Facts`.
        is_limit: whether the service signalled a rate limit other than by status and headers.
    """
    if not is_http_status(status):
        message = f"{subject}: the response has an invalid HTTP status."
        return NetworkTransportError(
            message, f"status {describe_value(status)}; {detail}", can_retry=False, extra=facts
        )
    lower_case = lower_case_headers(headers)
    if not (is_limit or is_rate_limit(status, lower_case)):
        return UpstreamError(f"{subject}.", status, detail, extra=facts)
    wait = retry_after_ms(lower_case)
    error = UpstreamRateLimitError(f"{subject}.{_wait_text(wait)}", wait, detail, extra=facts)
    # A service may signal a rate limit with 403 or 503; orchestrators get the original status.
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
    group = _GROUPS.get(status // 100)
    return f"{name}, {group}" if group else name


def error_code(value: Any) -> str:
    """Return the error code of a service; empty if it is not safe to repeat to agents."""
    if not isinstance(value, str) or not _CODE.fullmatch(value):
        return ""
    return value if describe_value(value) == value else ""


_GROUPS = {3: "redirection", 4: "client error", 5: "server error"}


def _with_error_type(error: BaseException, facts: Facts) -> Facts:
    return {**facts, "error_type": type(error).__name__}


def _wait_text(wait: int | None) -> str:
    if wait is None:
        return ""
    return f" Retry after {-(-wait // 1000)} second(s)." if wait else " Rate limit encountered."
