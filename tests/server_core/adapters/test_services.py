"""Exceptions of the clients of Google, Microsoft and Slack."""

from types import SimpleNamespace
from typing import Any

import pytest

from server_core.adapters.google import GoogleAdapter
from server_core.adapters.microsoft import MicrosoftAdapter, PowerBiAdapter
from server_core.adapters.slack import SlackAdapter
from server_core.errors import NetworkTransportError, ToolRuntimeError, UpstreamRateLimitError
from tests.server_core.adapters.families import names, of
from tests.tables import each_row

pytestmark = pytest.mark.promises("error adapters")

SECRET = "the text of the service: hunter2"


class Headers(dict[str, Any]):
    """A response of httplib2: a mapping of its headers."""

    status = 0


def google(status: int, headers: dict[str, str] | None = None, **members: Any) -> BaseException:
    response = Headers(headers or {})
    response.status = status
    uri = "https://www.googleapis.com/x?key=SECRET"
    return of("googleapiclient.errors", "HttpError", SECRET, resp=response, uri=uri, **members)


def kiota(status: int | None, headers: dict[str, Any] | None = None, code: str = "") -> BaseException:
    members: dict[str, Any] = {"response_status_code": status, "response_headers": headers}
    if not code:
        return of("kiota_abstractions.api_error", "APIError", SECRET, **members)
    home = "msgraph.generated.models.o_data_errors.o_data_error"
    return of(home, "ODataError", SECRET, error=SimpleNamespace(code=code, message=SECRET), **members)


def slack(word: str, status: int = 200, headers: dict[str, str] | None = None) -> BaseException:
    response = SimpleNamespace(
        status_code=status,
        headers=headers or {},
        data={"ok": False, "error": word},
        api_url="https://slack.com/api/chat.postMessage?token=SECRET",
        http_verb="POST",
    )
    return of("slack_sdk.errors", "SlackApiError", SECRET, response=response)


CASES: list[tuple[Any, BaseException, str, int | None, bool, str]] = [
    (GoogleAdapter, google(404), "NOT_FOUND", 404, False, "Upstream Google API error (Not Found, client error)."),
    (GoogleAdapter, google(503), "SERVER_ERROR", 503, True, ""),
    (GoogleAdapter, of("googleapiclient.errors", "InvalidJsonError", SECRET), "SERVER_ERROR", 502, True, ""),
    (GoogleAdapter, of("googleapiclient.errors", "UnknownApiNameOrVersion", SECRET), "NOT_FOUND", 404, False, ""),
    (GoogleAdapter, of("googleapiclient.errors", "MediaUploadSizeError", SECRET), "BAD_REQUEST", 400, False,
     "Upstream Google API error: the file is too large."),
    (GoogleAdapter, of("googleapiclient.errors", "UnacceptableMimeTypeError", SECRET), "BAD_REQUEST", 400, False,
     "Upstream Google API error: the media type is not accepted."),
    (GoogleAdapter, of("googleapiclient.errors", "InvalidChunkSizeError", SECRET), "BAD_REQUEST", 400, False,
     "Upstream Google API error: the chunk size is invalid."),
    (GoogleAdapter, of("googleapiclient.errors", "InvalidNotificationError", SECRET), "BAD_REQUEST", 400, False,
     "Upstream Google API error: the notification is invalid."),
    (GoogleAdapter, of("googleapiclient.errors", "UnknownFileType", SECRET), "SERVER_ERROR", 500, True, ""),
    (GoogleAdapter, of("google.auth.exceptions", "RefreshError", SECRET), "AUTH_ERROR", 401, False, ""),
    (GoogleAdapter, of("google.api_core.exceptions", "NotFound", SECRET, code=404), "NOT_FOUND", 404, False, ""),
    (MicrosoftAdapter, kiota(401), "AUTH_ERROR", 401, False, "Microsoft Graph rejected the authorization."),
    (MicrosoftAdapter, kiota(403), "AUTH_ERROR", 403, False, "Microsoft Graph does not permit this for the account."),
    (MicrosoftAdapter, kiota(409), "BAD_REQUEST", 409, False, "Microsoft Graph refused the request."),
    (MicrosoftAdapter, kiota(502), "SERVER_ERROR", 502, True, "Microsoft Graph failed with a server error."),
    (MicrosoftAdapter, kiota(503, code="Other"), "SERVER_ERROR", 503, True,
     "Microsoft Graph failed with a server error."),
    (PowerBiAdapter, kiota(404), "NOT_FOUND", 404, False, "Microsoft Power BI has no such resource."),
    (SlackAdapter, slack("invalid_auth"), "AUTH_ERROR", 401, False, "Upstream Slack API error: invalid_auth."),
    (SlackAdapter, slack("missing_scope"), "AUTH_ERROR", 403, False, "Upstream Slack API error: missing_scope."),
    (SlackAdapter, slack("channel_not_found"), "NOT_FOUND", 404, False, "Upstream Slack API error: channel_not_found."),
    (SlackAdapter, slack("internal_error"), "SERVER_ERROR", 500, True, "Upstream Slack API error: internal_error."),
    (SlackAdapter, slack("no_such_word"), "BAD_REQUEST", 400, False, "Upstream Slack API error: no_such_word."),
    (SlackAdapter, slack("prose with hunter2"), "BAD_REQUEST", 400, False, "Upstream Slack API error."),
    (SlackAdapter, slack("x", 502), "SERVER_ERROR", 502, True, "Upstream Slack API error: x."),
    (SlackAdapter, of("slack_sdk.errors", "SlackRequestError", SECRET), "SERVER_ERROR", 502, True, ""),
    (SlackAdapter, of("slack_sdk.errors", "BotUserAccessError", SECRET), "AUTH_ERROR", 403, False, ""),
    (SlackAdapter, of("slack_sdk.errors", "SlackClientConfigurationError"), "BAD_REQUEST", 400, False, ""),
    (SlackAdapter, of("slack_sdk.errors", "SlackClientNotConnectedError"), "SERVER_ERROR", 503, True, ""),
    (SlackAdapter, of("slack_sdk.errors", "SlackTokenRotationError"), "AUTH_ERROR", 401, False, ""),
]  # fmt: skip


def test_a_refusal_is_described_without_the_text_of_the_service() -> None:
    for adapter, raised, kind, status, can_retry, message in CASES:
        error = adapter().from_exception(raised)
        assert isinstance(error, ToolRuntimeError)
        assert (error.kind, error.status_code, error.can_retry) == (f"UPSTREAM_RUNTIME_{kind}", status, can_retry)
        assert not message or error.message == message
        assert "hunter2" not in error.message
        assert "SECRET" not in f"{error.message}{error.extra}"
        assert error.extra is not None
        assert error.extra["service"] == adapter.slug


def test_rate_limits_are_recognised_by_the_codes_of_each_service() -> None:
    for adapter, raised, status, wait in (
        (GoogleAdapter, google(429, {"retry-after": "3"}), 429, 3000),
        (GoogleAdapter, google(403, error_details=[{"reason": "userRateLimitExceeded"}]), 403, None),
        (MicrosoftAdapter, kiota(429, {"Retry-After": {"5"}}), 429, 5000),
        (MicrosoftAdapter, kiota(503, {"Retry-After": "9"}, "ServiceUnavailable"), 503, 9000),
        (SlackAdapter, slack("ratelimited"), 429, None),
        (SlackAdapter, slack("ratelimited", 429, {"Retry-After": "30"}), 429, 30_000),
    ):
        error = adapter().from_exception(raised)
        assert isinstance(error, UpstreamRateLimitError)
        assert (error.status_code, error.retry_after_ms) == (status, wait)


@each_row(
    ("adapter", "raised"),
    [
        (GoogleAdapter, of("googleapiclient.errors", "BatchError", resp=None)),
        (GoogleAdapter, of("google.auth.exceptions", "TransportError")),
        (GoogleAdapter, of("google.api_core.exceptions", "RetryError")),
        (MicrosoftAdapter, kiota(None)),
        (MicrosoftAdapter, kiota(999)),
    ],
)
def test_an_error_without_a_status_is_a_network_failure(adapter: Any, raised: BaseException) -> None:
    assert isinstance(adapter().from_exception(raised), NetworkTransportError)


def test_every_exception_of_a_library_is_recognised() -> None:
    for adapter, module in (
        (GoogleAdapter, "googleapiclient.errors"),
        (GoogleAdapter, "google.auth.exceptions"),
        (GoogleAdapter, "google.api_core.exceptions"),
        (GoogleAdapter, "httplib2.error"),
        (SlackAdapter, "slack_sdk.errors"),
        (MicrosoftAdapter, "kiota_abstractions.api_error"),
        (MicrosoftAdapter, "kiota_http._exceptions"),
    ):
        for name in names(module):
            assert isinstance(adapter().from_exception(of(module, name)), ToolRuntimeError)


def test_network_failures_of_google_can_be_retried() -> None:
    error = GoogleAdapter().from_exception(of("httplib2.error", "ServerNotFoundError", SECRET))
    assert error is not None
    assert (error.kind, error.can_retry) == ("NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", True)
    assert error.message == "Google API request failed before reaching the service."


def test_slack_may_name_the_url_beside_its_response() -> None:
    members = {"response": {"ok": False, "error": "ratelimited"}, "api_url": "https://slack.com/api/x?token=SECRET"}
    error = SlackAdapter().from_exception(of("slack_sdk.errors", "SlackApiError", **members))
    assert error is not None
    assert error.extra == {
        "service": "_slack_sdk",
        "endpoint": "https://slack.com/api/x",
        "error_code": "ratelimited",
    }


@each_row("adapter", [GoogleAdapter, MicrosoftAdapter, SlackAdapter])
def test_other_exceptions_are_not_recognised(adapter: Any) -> None:
    assert adapter().from_exception(ValueError("x")) is None
