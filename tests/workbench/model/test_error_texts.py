"""The words for failures of tools and for JSON-RPC errors."""

from typing import Any

import pytest

from server_core.errors import RemoteError
from tests.tables import each_row
from workbench.model.error_texts import ToolFailure, remote_error_text, tool_failure


def test_a_failure_has_its_kind_and_what_to_do() -> None:
    failure = tool_failure(
        {
            "isError": True,
            "content": [{"type": "text", "text": "Too many guests"}],
            "_meta": {
                "arcade": {
                    "errorKind": "TOOL_RUNTIME_RETRY",
                    "canRetry": True,
                    "additionalPromptContent": "At most 8.",
                    "retryAfterMs": 1500,
                    "statusCode": 429,
                }
            },
        }
    )
    assert failure is not None
    assert (failure.message, failure.kind, failure.status_code) == ("Too many guests", "TOOL_RUNTIME_RETRY", 429)
    assert failure.advice == "At most 8; retry after 1.50 s"


@each_row(
    ("text", "message"),
    [
        ("[TOOL_RUNTIME_RETRY] RetryableToolError during execution of tool 'book': Full.\n\nTake another.", "Full."),
        ("[TOOL_RUNTIME_FATAL] FatalToolError during execution of tool 'book': Full.", None),
        ("Full.\n\nTake another.", "Full."),
        ("[TOOL_RUNTIME_RETRY] Full.", None),
    ],
)
def test_a_failure_is_described_without_repeating_its_facts(text: str, message: str | None) -> None:
    facts = {"errorKind": "TOOL_RUNTIME_RETRY", "additionalPromptContent": "Take another."}
    failure = tool_failure({"isError": True, "content": [{"type": "text", "text": text}], "_meta": {"arcade": facts}})
    assert failure is not None
    assert failure.message == (message or text)


def test_a_failure_without_facts_gives_no_advice() -> None:
    for milliseconds in (True, 10**400, float("inf")):
        facts = {"canRetry": "yes", "retryAfterMs": milliseconds}
        failure = tool_failure({"isError": True, "content": [], "_meta": {"arcade": facts}})
        assert failure == ToolFailure("the tool failed without a message")
        assert failure.advice == ""


@pytest.mark.parametrize(("can_retry", "advice"), [(True, "a retry may succeed"), (False, "a retry will not help")])
def test_a_failure_shows_whether_a_retry_may_succeed(can_retry: bool, advice: str) -> None:
    assert ToolFailure("no", can_retry=can_retry).advice == advice


def test_a_failure_of_an_argument_advises_to_change_it() -> None:
    failure = ToolFailure("no", kind="TOOL_RUNTIME_BAD_INPUT_VALUE", can_retry=False)
    assert failure.advice == "the same arguments will fail again; change them"


def test_a_result_that_is_well_is_no_failure() -> None:
    assert tool_failure({"content": [], "isError": False}) is None


def test_an_error_of_the_protocol_explains_what_to_do() -> None:
    text = remote_error_text(RemoteError(-32602, "Unknown tool: 'ad'", {"name": "ad"}))
    assert text == 'error -32602: Unknown tool: \'ad\' ({"name": "ad"}). Check the name and the arguments.'


def test_a_message_that_is_a_sentence_ends_once() -> None:
    text = remote_error_text(RemoteError(-32600, "No back-channel."))
    assert text == "error -32600: No back-channel. The server did not accept the message as a request."


def test_an_unknown_error_is_described_unchanged() -> None:
    assert remote_error_text(RemoteError(7, "odd\x1b")) == "error 7: odd\\x1b"


def test_instructions_for_programs_are_not_repeated_for_users() -> None:
    def failed(text: str) -> dict[str, Any]:
        content = [{"type": "text", "text": "✗ Missing secret: PIN"}, {"type": "text", "text": text}]
        facts = {
            "errorKind": "TOOL_RUNTIME_CONTEXT_REQUIRED",
            "canRetry": False,
            "additionalPromptContent": "Set PIN.",
        }
        return {"isError": True, "content": content, "_meta": {"arcade": facts}}

    failure = tool_failure(failed('{"llm_instructions": "Set PIN."}'))
    assert failure is not None
    assert (failure.message, failure.hint) == ("✗ Missing secret: PIN", "Set PIN.")
    assert failure.advice == "retry when this is done"
    for other in ('{"llm_instructions": "Another."}', "[1]", "{", "Set PIN."):
        failure = tool_failure(failed(other))
        assert failure is not None
        assert other in failure.message
        assert failure.advice == "Set PIN; retry when this is done"
