"""Convert exceptions of Slack's client `slack_sdk`.

Slack responds to most errors with status 200 and an error code, which determines our status.
"""

from collections.abc import Mapping
from typing import Any

from server_core.adapters.adapter import attribute, describe_error, describe_value, find_entry
from server_core.adapters.outcomes import Facts, Outcome, error_code, response_error, upstream_error
from server_core.errors import ToolRuntimeError, is_http_status
from server_core.runtime.safe_text import call_safely

REFUSED = 400
"""The status for codes that are not in the table: Slack understood the request but refused it."""

_STATUS_OF = {
    401: "invalid_auth not_authed account_inactive token_expired token_revoked invalid_token two_factor_setup_required",
    403: "missing_scope access_denied no_permission not_allowed_token_type ekm_access_denied org_login_required "
    "restricted_action team_access_not_granted not_in_channel is_archived user_is_restricted cannot_dm_bot "
    "posting_to_general_channel_denied",
    404: "not_found unknown_method",
    429: "ratelimited rate_limited message_limit_exceeded",
    500: "internal_error fatal_error",
    503: "service_unavailable request_timeout team_added_to_org",
}
STATUSES = {word: status for status, words in _STATUS_OF.items() for word in words.split()}
"""The error code -> the equivalent status. `..._not_found` is 404, too."""


class SlackAdapter:
    slug = "_slack_sdk"

    def from_exception(self, error: BaseException) -> ToolRuntimeError | None:
        outcome = find_entry(error, _OUTCOMES)
        return None if outcome is None else outcome(error, describe_error(error), {"service": self.slug})


def _api_error(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    response = attribute(error, "response")
    word = error_code(_error_word(response))
    status = attribute(response, "status_code")
    if status is None or (is_http_status(status) and status == 200):
        status = _status(word)
    url, verb = attribute(response, "api_url") or attribute(error, "api_url"), attribute(response, "http_verb")
    if isinstance(url, str):
        facts = {**facts, "endpoint": describe_value(url)}
    if isinstance(verb, str):
        facts = {**facts, "http_method": verb}
    if word:
        facts = {**facts, "error_code": word}
    subject = f"Upstream Slack API error: {word}" if word else "Upstream Slack API error"
    return response_error(subject, status, attribute(response, "headers"), detail, facts)


def _rotation_error(error: BaseException, detail: str, facts: Facts) -> ToolRuntimeError:
    cause = attribute(error, "api_error")
    detail = describe_error(cause) if isinstance(cause, BaseException) else detail
    return upstream_error("Upstream Slack API error: the token could not be renewed.", 401)(error, detail, facts)


def _error_word(response: Any) -> Any:
    # An object that raises when it is read counts as no error code.
    return call_safely(lambda: _read_error(response), lambda _: None)


def _read_error(response: Any) -> Any:
    data = response if isinstance(response, Mapping) else getattr(response, "data", None)
    return data.get("error") if isinstance(data, Mapping) else None


def _status(word: str) -> int:
    return STATUSES.get(word) or (404 if word.endswith("_not_found") else REFUSED)


_SLACK = "slack_sdk.errors"
_OUTCOMES: dict[str, Outcome] = {
    f"{_SLACK}.SlackApiError": _api_error,
    f"{_SLACK}.SlackTokenRotationError": _rotation_error,
    f"{_SLACK}.SlackRequestError": upstream_error("Upstream Slack API error: the request could not be sent.", 502),
    f"{_SLACK}.BotUserAccessError": upstream_error("Upstream Slack API error: a user token is required.", 403),
    f"{_SLACK}.SlackClientConfigurationError": upstream_error(
        "Upstream Slack API error: the client is misconfigured.", 400
    ),
    f"{_SLACK}.SlackObjectFormationError": upstream_error("Upstream Slack API error: an object is malformed.", 400),
    f"{_SLACK}.SlackClientNotConnectedError": upstream_error(
        "Upstream Slack API error: the connection is closed.", 503
    ),
    f"{_SLACK}.SlackClientError": upstream_error("Upstream Slack API error: the client library failed.", 500),
}
