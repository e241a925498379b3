"""Convert exceptions of Microsoft's clients (kiota, on which the Graph SDK is built).

The text of the service is only for the author; the agent gets a fixed sentence for each kind of error.
"""

from typing import Any

from server_core.adapters.adapter import attribute, describe_error, find_entry
from server_core.adapters.outcomes import UNMAPPED, error_code, network_failure, response_error
from server_core.errors import ToolRuntimeError, is_http_status

LIMIT_CODES = frozenset({"TooManyRequests", "ServiceUnavailable"})
"""With status 503, these codes mean a rate limit."""


class MicrosoftAdapter:
    slug = "_microsoft_graph"
    product = "Microsoft Graph"

    def from_exception(self, error: BaseException) -> ToolRuntimeError | None:
        if not find_entry(error, _KIOTA):
            return None
        facts = {"service": self.slug}
        status = attribute(error, "response_status_code")
        if status is None:
            return network_failure(UNMAPPED, f"{self.product} request failed before a complete response was received.")(
                error, describe_error(error), facts
            )
        if word := error_code(attribute(attribute(error, "error"), "code")):
            facts["error_code"] = word
        is_limit = is_http_status(status) and status == 503 and word in LIMIT_CODES
        subject = f"{self.product} {'rate limit exceeded' if is_limit else _subject(status)}"
        headers = attribute(error, "response_headers")
        return response_error(subject, status, headers, describe_error(error), facts, is_limit=is_limit)


class PowerBiAdapter(MicrosoftAdapter):
    """Converts the same exceptions, raised by tools for Power BI."""

    slug = "_microsoft_powerbi"
    product = "Microsoft Power BI"


def _subject(status: Any) -> str:
    if not is_http_status(status):
        return "refused the request"
    return _SUBJECTS.get(status) or ("failed with a server error" if status >= 500 else "refused the request")


_SUBJECTS = {
    401: "rejected the authorization",
    403: "does not permit this for the account",
    404: "has no such resource",
    429: "rate limit exceeded",
}
_KIOTA = {"kiota_abstractions.api_error.APIError": True, "kiota_http._exceptions.KiotaHTTPXError": True}
