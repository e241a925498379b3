"""Tools that fail, each in another way: their errors let agents know whether to try again, and with what."""

from datetime import date
from typing import Annotated

from server_core import MCPApp
from server_core.exceptions import (
    ContextRequiredToolError,
    RetryableToolError,
    UpstreamError,
    UpstreamRateLimitError,
)

app = MCPApp("typed_errors", version="1.0.0")


@app.tool
def parse_date(date_str: Annotated[str, "A day"]) -> str:
    """Read a day; an agent that wrote it in another format gets a hint."""
    try:
        return date.fromisoformat(date_str).isoformat()
    except ValueError as error:
        raise RetryableToolError(
            f"{date_str!r} is no day.",
            additional_prompt_content="Write the day like 2026-01-31.",
            developer_message=str(error),
        ) from error


@app.tool
def lookup_user(email: Annotated[str, "Their address"]) -> dict[str, str]:
    """Find a user; without a complete email address, more context is required."""
    if "@" not in email:
        raise ContextRequiredToolError(
            f"{email!r} is only a part of an address.",
            additional_prompt_content="Ask the person for the whole address. Do not guess.",
        )
    return {"email": email, "name": email.partition("@")[0].title()}


@app.tool
def fetch_weather(city: Annotated[str, "Where"]) -> dict[str, str]:
    """Forecast the weather; for some cities the service limits the rate."""
    if city == "London":
        raise UpstreamRateLimitError("The weather service wants a pause.", retry_after_ms=2000)
    return {"city": city, "condition": "partly cloudy"}


@app.tool
def call_upstream_with_expired_token() -> dict[str, str]:
    """Call a service that knows the caller no longer."""
    raise UpstreamError("The service has refused the token.", status_code=403, developer_message="GET /me gave 403")


@app.tool
def call_flaky_upstream() -> str:
    """Call a service that is down."""
    raise UpstreamError("The service is down.", status_code=502)


@app.tool
def mystery_bug() -> str:
    """Fail with an unexpected exception."""
    raise RuntimeError("Only the author reads this.")


if __name__ == "__main__":
    app.run()
