"""What Google's clients raise (`googleapiclient`, `google.auth`, `google.api_core`) -> errors of ours."""

from typing import Any

from server_core.adapters.adapter import described, known
from server_core.adapters.http import answer_behind
from server_core.adapters.outcomes import (
    TIMEOUT,
    UNMAPPED,
    UNREACHABLE,
    Facts,
    Outcome,
    answered,
    network,
    phrase,
    refused,
)
from server_core.adapters.redaction import without_secrets
from server_core.errors import ToolRuntimeError

LIMIT_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
"""With status 403 these mean that there were too many calls."""


class GoogleAdapter:
    """Knows the exceptions of Google's clients."""

    slug = "_google_api_client"

    def from_exception(self, error: BaseException) -> ToolRuntimeError | None:
        """Return the error that says the same in our words; None when no client of Google's raised it."""
        outcome = known(error, _OUTCOMES)
        return None if outcome is None else outcome(error, described(error), {"service": self.slug})


def _http_error(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    response: Any = getattr(error, "resp", None)
    uri = getattr(error, "uri", None)
    if uri:
        facts = {**facts, "endpoint": without_secrets(str(uri))}
    is_limit = any(isinstance(one, dict) and one.get("reason") in LIMIT_REASONS for one in _details(error))
    # httplib2: the response is a mapping of its headers.
    return _answered(getattr(response, "status", None), response, detail, facts, error, is_limit=is_limit)


def _details(error: BaseException) -> list[Any]:
    found = getattr(error, "error_details", None)
    return found if isinstance(found, list) else []


def _call_error(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    status, _ = answer_behind(error)
    headers = getattr(getattr(error, "response", None), "headers", None)
    return _answered(getattr(error, "code", None) or status, headers, detail, facts, error)


def _answered(
    status: Any, headers: Any, detail: str, facts: Facts, error: BaseException, *, is_limit: bool = False
) -> ToolRuntimeError:
    if status is None:
        return _INCOMPLETE(error, detail, facts)
    subject = f"Upstream Google API error ({phrase(status)})"
    return answered(subject, status, headers, detail, facts, is_limit=is_limit)


_INCOMPLETE = network(UNMAPPED, "Google API request failed before a complete response was received.")
_BAD_CALL = refused("Upstream Google API error: the request was made wrongly.", 400)
_NOT_ALLOWED = refused("Upstream Google API error: the credentials are missing, expired or refused.", 401)

_LIBRARIES: dict[str, dict[str, Outcome]] = {
    "googleapiclient.errors": {
        "HttpError": _http_error,
        "InvalidJsonError": refused("Upstream Google API error: the answer is not valid JSON.", 502),
        "UnknownApiNameOrVersion": refused("Upstream Google API error: no such API or version.", 404),
        "UnacceptableMimeTypeError": _BAD_CALL,
        "MediaUploadSizeError": _BAD_CALL,
        "InvalidChunkSizeError": _BAD_CALL,
        "InvalidNotificationError": _BAD_CALL,
        "Error": refused("Upstream Google API error: the client library failed.", 500),
    },
    "google.auth.exceptions": {
        "TransportError": network(UNREACHABLE, "Google's authorization was not reached."),
        "TimeoutError": network(TIMEOUT, "Google's authorization timed out."),
        "GoogleAuthError": _NOT_ALLOWED,
    },
    "google.api_core.exceptions": {
        "GoogleAPICallError": _call_error,
        "RetryError": network(TIMEOUT, "Google API request timed out, tried several times."),
        "GoogleAPIError": refused("Upstream Google API error: the client library failed.", 500),
    },
}
_OUTCOMES = {f"{module}.{name}": outcome for module, names in _LIBRARIES.items() for name, outcome in names.items()}
