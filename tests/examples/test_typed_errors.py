"""Each failure has the kind and the hints for agents, and hides what is meant for authors."""

from typing import Any

import pytest

from tests.examples.typed_errors import app
from workbench.testing import Client, ToolResult

pytestmark = pytest.mark.promises("call errors")

FAILURES: list[tuple[str, dict[str, Any], dict[str, Any], str, str]] = [
    (
        "ParseDate",
        {"date_str": "soon"},
        {
            "errorKind": "TOOL_RUNTIME_RETRY",
            "canRetry": True,
            "additionalPromptContent": "Write the day like 2026-01-31.",
        },
        "[TOOL_RUNTIME_RETRY] RetryableToolError during execution of tool 'parse_date': 'soon' is no day.\n\n"
        "Write the day like 2026-01-31.",
        "Invalid isoformat string: 'soon'",
    ),
    (
        "LookupUser",
        {"email": "ada"},
        {
            "errorKind": "TOOL_RUNTIME_CONTEXT_REQUIRED",
            "canRetry": False,
            "additionalPromptContent": "Ask the person for the whole address. Do not guess.",
        },
        "[TOOL_RUNTIME_CONTEXT_REQUIRED] ContextRequiredToolError during execution of tool 'lookup_user': "
        "'ada' is only a part of an address.\n\nAsk the person for the whole address. Do not guess.",
        "",
    ),
    (
        "FetchWeather",
        {"city": "London"},
        {"errorKind": "UPSTREAM_RUNTIME_RATE_LIMIT", "canRetry": True, "retryAfterMs": 2000, "statusCode": 429},
        "[UPSTREAM_RUNTIME_RATE_LIMIT] UpstreamRateLimitError during execution of tool 'fetch_weather': "
        "The weather service wants a pause.",
        "",
    ),
    (
        "CallUpstreamWithExpiredToken",
        {},
        {"errorKind": "UPSTREAM_RUNTIME_AUTH_ERROR", "canRetry": False, "statusCode": 403},
        "[UPSTREAM_RUNTIME_AUTH_ERROR] UpstreamError during execution of tool 'call_upstream_with_expired_token': "
        "The service has refused the token.",
        "GET /me gave 403",
    ),
    (
        "CallFlakyUpstream",
        {},
        {"errorKind": "UPSTREAM_RUNTIME_SERVER_ERROR", "canRetry": True, "statusCode": 502},
        "[UPSTREAM_RUNTIME_SERVER_ERROR] UpstreamError during execution of tool 'call_flaky_upstream': "
        "The service is down.",
        "",
    ),
    (
        "MysteryBug",
        {},
        {"errorKind": "TOOL_RUNTIME_FATAL", "canRetry": False, "statusCode": 500},
        "[TOOL_RUNTIME_FATAL] FatalToolError during execution of tool 'mystery_bug': "
        "An unhandled RuntimeError was raised by the tool.",
        "Only the author reads this.",
    ),
]


@pytest.mark.parametrize(
    ("tool", "arguments", "meta", "text", "developer_message"), FAILURES, ids=[item[0] for item in FAILURES]
)
async def test_a_failure_has_its_kind_and_hints(
    tool: str, arguments: dict[str, Any], meta: dict[str, Any], text: str, developer_message: str, revision: str
) -> None:
    async with Client(app, revision=revision) as client:
        result = await client.call_tool(f"TypedErrors_{tool}", arguments, check=False)
    assert result.is_error
    assert result.meta["arcade"] == meta
    assert result.text == text
    assert result.structured is None
    assert developer_message in result.developer_message


async def test_a_call_that_does_not_fail_has_a_result(revision: str) -> None:
    async with Client(app, revision=revision) as client:

        async def call(tool: str, **arguments: str) -> ToolResult:
            return await client.call(f"TypedErrors_{tool}", **arguments)

        assert (await call("ParseDate", date_str="2026-01-31")).text == "2026-01-31"
        assert (await call("LookupUser", email="ada@example.com")).structured["name"] == "Ada"
        assert (await call("FetchWeather", city="Oslo")).structured["condition"] == "partly cloudy"
