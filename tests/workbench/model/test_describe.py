"""The words for durations, sizes, types, results and errors."""

from typing import Any

import pytest

from server_core.errors import RemoteError
from workbench.model import describe


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, ""),
        (-1, "0.0 ms"),
        (0.0004, "0.4 ms"),
        (0.0096, "10 ms"),
        (0.012, "12 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.00 s"),
        (9.99, "9.99 s"),
        (9.996, "10.0 s"),
        (59.99, "60.0 s"),
        (125, "2 min 5 s"),
        (3599.9, "1 h 0 min"),
        (7260, "2 h 1 min"),
    ],
)
def test_durations_are_written_as_people_read_them(seconds: float | None, text: str) -> None:
    assert describe.duration(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KB"),
        (3200, "3.1 KB"),
        (1024**2 - 1, "1.0 MB"),
        (5 * 1024**4, "5120.0 GB"),
    ],
)
def test_sizes_are_written_as_people_read_them(count: int, text: str) -> None:
    assert describe.size(count) == text


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "date"}, "date"),
        ({"type": "array", "items": {"type": "string"}}, "list of string"),
        ({"type": "array"}, "list"),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {}]}, "(integer, any)"),
        ({"type": ["null", "integer"]}, "null or integer"),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, "string or null"),
        ({"enum": ["a", 1]}, '"a" | 1'),
        ({"const": None}, "null"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "map of integer"),
        ({"properties": {}}, "object"),
        ({"$ref": "#/$defs/Guest"}, "Guest"),
        (True, "any"),
        (False, "nothing"),
        ({"type": 5, "anyOf": 5, "enum": 5}, "any"),
        ({"type": "\x1b[1m"}, "\\x1b[1m"),
    ],
)
def test_types_are_named_in_a_few_words(schema: Any, text: str) -> None:
    assert describe.schema_type(schema) == text


def test_a_type_that_holds_itself_is_named_too() -> None:
    schema: dict[str, Any] = {"type": "array"}
    schema["items"] = schema
    assert describe.schema_type(schema).startswith("list of list of")


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ({"type": "text", "text": "hi\nthere\x1b"}, "hi\\nthere\\x1b"),
        ({"type": "image", "mimeType": "image/png", "data": "QUJD"}, "image/png image, 3 B"),
        ({"type": "audio", "mimeType": "audio/wav", "data": "QUI="}, "audio/wav audio, 2 B"),
        ({"type": "image"}, "unknown type image, 0 B"),
        (
            {"type": "resource", "resource": {"uri": "demo://x", "mimeType": "text/plain", "text": "é"}},
            "resource demo://x, text/plain, 2 B",
        ),
        ({"type": "resource", "resource": 5}, "resource 5"),
        (
            {"type": "resource_link", "uri": "demo://x", "name": "x", "mimeType": "text/plain"},
            "link demo://x x text/plain",
        ),
        ({"type": "new", "a": 1}, '{"type": "new", "a": 1}'),
        (5, "5"),
    ],
)
def test_content_is_described_on_a_single_line(item: Any, text: str) -> None:
    assert describe.content(item) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"content": []}, "empty result"),
        ({"content": [], "isError": True}, "failed without a message"),
        ({"content": [], "structuredContent": {"a": 1}}, '{"a": 1}'),
        ({"content": [{"type": "text", "text": "a"}, {}, {}]}, "a (and 2 more)"),
        ({"content": 5}, "empty result"),
    ],
)
def test_a_result_is_described_on_a_single_line(value: Any, text: str) -> None:
    assert describe.result(value) == text


def test_a_failure_has_its_kind_and_what_to_do() -> None:
    failure = describe.failure(
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


@pytest.mark.parametrize(
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
    failure = describe.failure(
        {"isError": True, "content": [{"type": "text", "text": text}], "_meta": {"arcade": facts}}
    )
    assert failure is not None
    assert failure.message == (message or text)


def test_a_failure_without_facts_gives_no_advice() -> None:
    failure = describe.failure(
        {"isError": True, "content": [], "_meta": {"arcade": {"canRetry": "yes", "retryAfterMs": True}}}
    )
    assert failure == describe.ToolFailure("the tool failed without a message")
    assert failure.advice == ""


@pytest.mark.parametrize(("can_retry", "advice"), [(True, "a retry may succeed"), (False, "a retry will not help")])
def test_a_failure_shows_whether_a_retry_may_succeed(can_retry: bool, advice: str) -> None:
    assert describe.ToolFailure("no", can_retry=can_retry).advice == advice


def test_a_result_that_is_well_is_no_failure() -> None:
    assert describe.failure({"content": [], "isError": False}) is None


def test_an_error_of_the_protocol_explains_what_to_do() -> None:
    text = describe.remote_error(RemoteError(-32602, "Unknown tool: 'ad'", {"name": "ad"}))
    assert text == 'error -32602: Unknown tool: \'ad\' ({"name": "ad"}). Check the name and the arguments.'


def test_a_message_that_is_a_sentence_ends_once() -> None:
    text = describe.remote_error(RemoteError(-32600, "No back-channel."))
    assert text == "error -32600: No back-channel. The server did not accept the message as a request."


def test_an_unknown_error_is_described_unchanged() -> None:
    assert describe.remote_error(RemoteError(7, "odd\x1b")) == "error 7: odd\\x1b"


def test_instructions_for_programs_are_not_repeated_for_users() -> None:
    def failed(text: str) -> dict[str, Any]:
        content = [{"type": "text", "text": "✗ Missing secret: PIN"}, {"type": "text", "text": text}]
        return {"isError": True, "content": content, "_meta": {"arcade": {"additionalPromptContent": "Set PIN."}}}

    failure = describe.failure(failed('{"llm_instructions": "Set PIN."}'))
    assert failure is not None
    assert (failure.message, failure.hint) == ("✗ Missing secret: PIN", "Set PIN.")
    for other in ('{"llm_instructions": "Another."}', "[1]", "{", "Set PIN."):
        failure = describe.failure(failed(other))
        assert failure is not None
        assert other in failure.message
