"""Errors of a service behind a tool: it answers with an error, or cannot be reached."""

from typing import Any

from server_core.errors.tools import ErrorKind, ToolExecutionError


class UpstreamError(ToolExecutionError):
    """A service behind the tool answered with an error.

    Args:
        message: the message for the agent.
        status_code: the HTTP status of the response, 100 to 599; it determines the kind.
        developer_message: the message for the author, shown in the workbench.
        extra: more facts for the developer, JSON-safe.

    Raises:
        ValueError: when it is not an HTTP status.

    Source: RFC 9110 section 15.
    """

    def __init__(
        self,
        message: str,
        status_code: int,
        developer_message: str | None = None,
        *,
        extra: dict[str, Any] | None = None,
    ) -> None:
        if not is_http_status(status_code):
            raise ValueError(f"{status_code!r} is not an HTTP status; give UpstreamError an int from 100 to 599.")
        super().__init__(message, developer_message, extra=extra)
        self.status_code = int(status_code)
        self.kind = _kind_of_status(status_code)
        self.can_retry = status_code == 429 or status_code >= 500


class UpstreamRateLimitError(UpstreamError):
    """A service behind the tool refused a call because there were too many.

    Args:
        message: the message for the agent.
        retry_after_ms: how long to wait before the next attempt, in milliseconds; None if not specified.
        developer_message: the message for the author, shown in the workbench.
        extra: more facts for the developer, JSON-safe.
    """

    def __init__(
        self,
        message: str,
        retry_after_ms: int | None,
        developer_message: str | None = None,
        *,
        extra: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message, 429, developer_message, extra=extra)
        self.retry_after_ms = retry_after_ms


class NetworkTransportError(ToolExecutionError):
    """A service behind the tool could not be reached, or the connection was lost.

    Args:
        message: the message for the agent.
        developer_message: the message for the author, shown in the workbench.
        kind: one of the NETWORK_TRANSPORT kinds.
        can_retry: whether another attempt may succeed.
        extra: more facts for the developer, JSON-safe.

    Raises:
        ValueError: when the kind is not a NETWORK_TRANSPORT kind.
    """

    def __init__(
        self,
        message: str,
        developer_message: str | None = None,
        *,
        kind: ErrorKind = ErrorKind.NETWORK_TRANSPORT_RUNTIME_UNMAPPED,
        can_retry: bool = True,
        extra: dict[str, Any] | None = None,
    ) -> None:
        if not kind.startswith("NETWORK_TRANSPORT_"):
            raise ValueError(f"{kind} is not a network failure; use a kind that starts with NETWORK_TRANSPORT_.")
        super().__init__(message, developer_message, extra=extra)
        self.kind = kind
        self.can_retry = can_retry


def is_http_status(value: object) -> bool:
    """Return whether a value is an HTTP status code. Source: RFC 9110 section 15."""
    return isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600


def _kind_of_status(status: int) -> ErrorKind:
    return _UPSTREAM_KINDS.get(status) or _UPSTREAM_GROUPS.get(status // 100, ErrorKind.UPSTREAM_RUNTIME_UNMAPPED)


_UPSTREAM_GROUPS = {4: ErrorKind.UPSTREAM_RUNTIME_BAD_REQUEST, 5: ErrorKind.UPSTREAM_RUNTIME_SERVER_ERROR}
_UPSTREAM_KINDS = {
    401: ErrorKind.UPSTREAM_RUNTIME_AUTH_ERROR,
    403: ErrorKind.UPSTREAM_RUNTIME_AUTH_ERROR,
    404: ErrorKind.UPSTREAM_RUNTIME_NOT_FOUND,
    422: ErrorKind.UPSTREAM_RUNTIME_VALIDATION_ERROR,
    429: ErrorKind.UPSTREAM_RUNTIME_RATE_LIMIT,
}
