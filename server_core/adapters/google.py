"""Convert exceptions of Google's clients (`googleapiclient`, `httplib2`, `google.auth`, `google.api_core`)."""

from typing import Any

from server_core.adapters.adapter import attribute, describe_error, describe_value, find_entry
from server_core.adapters.http import status_and_headers
from server_core.adapters.outcomes import (
    TIMEOUT,
    UNMAPPED,
    UNREACHABLE,
    Facts,
    Outcome,
    network_failure,
    response_error,
    status_phrase,
    upstream_error,
)
from server_core.errors import ToolRuntimeError

LIMIT_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
"""With status 403, these reasons mean a rate limit."""


class GoogleAdapter:
    slug = "_google_api_client"

    def from_exception(self, error: BaseException) -> ToolRuntimeError | None:
        outcome = find_entry(error, _OUTCOMES)
        return None if outcome is None else outcome(error, describe_error(error), {"service": self.slug})


def _http_error(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    response = attribute(error, "resp")
    uri = attribute(error, "uri")
    if uri is not None:
        facts = {**facts, "endpoint": describe_value(uri)}
    # In httplib2 the response is a mapping of its headers.
    status = attribute(response, "status")
    return _response_error(status, response, detail, facts, error, is_limit=_names_a_limit(error))


def _names_a_limit(error: BaseException) -> bool:
    details = attribute(error, "error_details")
    reasons = [entry.get("reason") for entry in details if type(entry) is dict] if type(details) is list else []
    return any(isinstance(reason, str) and reason in LIMIT_REASONS for reason in reasons)


def _call_error(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    status, _ = status_and_headers(error)
    headers = attribute(attribute(error, "response"), "headers")
    code = attribute(error, "code")
    return _response_error(status if code is None else code, headers, detail, facts, error)


def _response_error(
    status: Any, headers: Any, detail: str, facts: Facts, error: BaseException, *, is_limit: bool = False
) -> ToolRuntimeError:
    if status is None:
        return _INCOMPLETE(error, detail, facts)
    subject = f"Upstream Google API error ({status_phrase(status)})"
    return response_error(subject, status, headers, detail, facts, is_limit=is_limit)


_INCOMPLETE = network_failure(UNMAPPED, "Google API request failed before a complete response was received.")
_UNAUTHORIZED = upstream_error("Upstream Google API error: the credentials are missing, expired or refused.", 401)

_LIBRARIES: dict[str, dict[str, Outcome]] = {
    "googleapiclient.errors": {
        "HttpError": _http_error,
        "InvalidJsonError": upstream_error("Upstream Google API error: the response is not valid JSON.", 502),
        "UnknownApiNameOrVersion": upstream_error("Upstream Google API error: unknown API or version.", 404),
        "UnacceptableMimeTypeError": upstream_error("Upstream Google API error: the media type is not accepted.", 400),
        "MediaUploadSizeError": upstream_error("Upstream Google API error: the file is too large.", 400),
        "InvalidChunkSizeError": upstream_error("Upstream Google API error: the chunk size is invalid.", 400),
        "InvalidNotificationError": upstream_error("Upstream Google API error: the notification is invalid.", 400),
        "Error": upstream_error("Upstream Google API error: the client library failed.", 500),
    },
    "httplib2.error": {
        "ServerNotFoundError": network_failure(UNREACHABLE, "Google API request failed before reaching the service."),
        "RedirectLimit": network_failure(UNMAPPED, "Google API request was redirected too often.", can_retry=False),
        "HttpLib2Error": _INCOMPLETE,
    },
    "google.auth.exceptions": {
        "TransportError": network_failure(UNREACHABLE, "Google's authorization server could not be reached."),
        "TimeoutError": network_failure(TIMEOUT, "The request to Google's authorization server timed out."),
        "GoogleAuthError": _UNAUTHORIZED,
    },
    "google.api_core.exceptions": {
        "GoogleAPICallError": _call_error,
        "RetryError": network_failure(TIMEOUT, "Google API request timed out after several attempts."),
        "GoogleAPIError": upstream_error("Upstream Google API error: the client library failed.", 500),
    },
}
_OUTCOMES = {f"{module}.{name}": outcome for module, names in _LIBRARIES.items() for name, outcome in names.items()}
