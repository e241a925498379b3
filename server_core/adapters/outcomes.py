"""What may become of an exception: a service answered with an error, was not reached, or was asked wrongly.

The agent reads fixed sentences and names of statuses; what a service or a library wrote is for the author alone.
"""

import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from itertools import islice
from typing import Any, TypeAlias

from server_core.adapters.redaction import without_secrets
from server_core.adapters.retry_after import number, retry_after_ms
from server_core.errors import (
    ErrorKind,
    FatalToolError,
    NetworkTransportError,
    ToolRuntimeError,
    UpstreamError,
    UpstreamRateLimitError,
    is_http_status,
)
from server_core.runtime.safe_text import readable

Facts: TypeAlias = dict[str, Any]
Outcome: TypeAlias = Callable[[BaseException, str, Facts], ToolRuntimeError]
"""Makes the error from the exception, its text for the author, and what else is known."""

TIMEOUT = ErrorKind.NETWORK_TRANSPORT_RUNTIME_TIMEOUT
UNREACHABLE = ErrorKind.NETWORK_TRANSPORT_RUNTIME_UNREACHABLE
UNMAPPED = ErrorKind.NETWORK_TRANSPORT_RUNTIME_UNMAPPED

# What services call an error by: a word for machines, which holds neither prose nor a secret.
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.]{0,63}")
MOST_HEADERS = 1000


def network(kind: ErrorKind, message: str, *, can_retry: bool = True) -> Outcome:
    """Return what says that a service was not reached, or the connection broke."""

    def outcome(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        return NetworkTransportError(message, detail, kind=kind, can_retry=can_retry, extra=_with_type(error, facts))

    return outcome


def fatal(message: str) -> Outcome:
    """Return what says that the tool itself is wrong, so that trying again is of no use."""

    def outcome(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        return FatalToolError(message, detail, extra=_with_type(error, facts))

    return outcome


def refused(message: str, status: int) -> Outcome:
    """Return what says that a service, or its library, refused the call in the sense of a status."""

    def outcome(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
        return UpstreamError(message, status, detail, extra=_with_type(error, facts))

    return outcome


def answered(
    subject: str, status: Any, headers: Any, detail: str, facts: Facts, *, is_limit: bool = False
) -> ToolRuntimeError:
    """Return the error for an answer of a service.

    Args:
        subject: what failed, as the agent reads it: the beginning of a sentence.
        status: that of HTTP.
        headers: of the answer; a mapping, or None.
        detail: for the author.
        facts: more for the author.
        is_limit: the service says by other means that there were too many calls.
    """
    if not is_http_status(status):
        message = f"{subject}: the answer has a status that HTTP does not know."
        said = without_secrets(readable(status))
        return NetworkTransportError(message, f"status {said}; {detail}", can_retry=False, extra=facts)
    known = _lower_case(headers)
    if not (is_limit or _is_rate_limit(status, known)):
        return UpstreamError(f"{subject}.", status, detail, extra=facts)
    wait = retry_after_ms(known)
    limited = UpstreamRateLimitError(f"{subject}.{_wait_text(wait)}", wait, detail, extra=facts)
    # A service may say it with 403 or 503: orchestrators see what it said.
    limited.status_code = int(status)
    return limited


def phrase(status: Any) -> str:
    """Return a status in words: `Not Found, client error`."""
    if not is_http_status(status):
        return "Unknown Status"
    try:
        name = HTTPStatus(status).phrase
    except ValueError:
        name = "Unknown Status"
    group = _GROUPS.get(status // 100)
    return f"{name}, {group}" if group else name


def code(value: Any) -> str:
    """Return the word by which a service names an error; empty when it is none that may be repeated to agents."""
    if not isinstance(value, str) or not _CODE.fullmatch(value):
        return ""
    return value if without_secrets(value) == value else ""


_GROUPS = {3: "redirection", 4: "client error", 5: "server error"}


def _with_type(error: BaseException, facts: Facts) -> Facts:
    return {**facts, "error_type": type(error).__name__}


def _is_rate_limit(status: int, headers: Mapping[str, str]) -> bool:
    if status != 403:
        return status == 429
    limits = {name: value for name, value in headers.items() if "ratelimit" in name or "rate-limit" in name}
    spent = any(name.endswith("remaining") and number(value) == 0 for name, value in limits.items())
    return spent or (number(headers.get("retry-after") or "0") != 0 and bool(limits))


def _lower_case(headers: Any) -> dict[str, str]:
    try:
        return {_text(name).lower(): _first(value) for name, value in islice(headers.items(), MOST_HEADERS)}
    except BaseException:  # None, or an object whose own code fails: it says nothing then.
        return {}


def _first(value: Any) -> str:
    """The value of a header; some libraries keep a list of them."""
    if isinstance(value, list | tuple | set | frozenset):
        value = next(iter(value), "")
    return _text(value)


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else readable(value)


def _wait_text(wait: int | None) -> str:
    if wait is None:
        return ""
    return f" Retry after {-(-wait // 1000)} second(s)." if wait else " Rate limit encountered."
