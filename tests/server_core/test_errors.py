"""The errors that authors raise: their kinds, their fields, and their texts."""

from http import HTTPStatus
from typing import Any

import pytest

import server_core
from server_core import errors, exceptions
from server_core.errors import (
    ContextRequiredToolError,
    ErrorKind,
    FatalToolError,
    NetworkTransportError,
    RetryableToolError,
    ToolDefinitionError,
    ToolExecutionError,
    ToolInputError,
    ToolInputSchemaError,
    ToolkitLoadError,
    ToolOutputError,
    ToolOutputSchemaError,
    ToolRuntimeError,
    ToolTimeoutError,
    UpstreamError,
    UpstreamRateLimitError,
    in_context,
)
from tests.tables import each_row

pytestmark = pytest.mark.promises("call errors")

KINDS = [
    "TOOLKIT_LOAD_FAILED",
    "TOOL_DEFINITION_BAD_DEFINITION",
    "TOOL_DEFINITION_BAD_INPUT_SCHEMA",
    "TOOL_DEFINITION_BAD_OUTPUT_SCHEMA",
    "TOOL_RUNTIME_BAD_INPUT_VALUE",
    "TOOL_RUNTIME_BAD_OUTPUT_VALUE",
    "TOOL_RUNTIME_RETRY",
    "TOOL_RUNTIME_CONTEXT_REQUIRED",
    "TOOL_RUNTIME_FATAL",
    "UPSTREAM_RUNTIME_BAD_REQUEST",
    "UPSTREAM_RUNTIME_AUTH_ERROR",
    "UPSTREAM_RUNTIME_NOT_FOUND",
    "UPSTREAM_RUNTIME_VALIDATION_ERROR",
    "UPSTREAM_RUNTIME_RATE_LIMIT",
    "UPSTREAM_RUNTIME_SERVER_ERROR",
    "UPSTREAM_RUNTIME_UNMAPPED",
    "NETWORK_TRANSPORT_RUNTIME_TIMEOUT",
    "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE",
    "NETWORK_TRANSPORT_RUNTIME_UNMAPPED",
    "UNKNOWN",
]


def test_there_are_twenty_kinds_whose_values_are_their_names() -> None:
    assert [str(kind) for kind in ErrorKind] == KINDS
    assert [kind.name for kind in ErrorKind] == KINDS


def test_each_class_has_its_kind_status_and_whether_to_retry() -> None:
    for error, kind, can_retry, status in (
        (ToolRuntimeError("no"), "TOOL_RUNTIME_FATAL", False, None),
        (ToolExecutionError("no"), "TOOL_RUNTIME_FATAL", False, None),
        (ToolInputError("no"), "TOOL_RUNTIME_BAD_INPUT_VALUE", False, 400),
        (ToolOutputError("no"), "TOOL_RUNTIME_BAD_OUTPUT_VALUE", False, 500),
        (RetryableToolError("no"), "TOOL_RUNTIME_RETRY", True, None),
        (ContextRequiredToolError("no", "ask"), "TOOL_RUNTIME_CONTEXT_REQUIRED", False, None),
        (FatalToolError("no"), "TOOL_RUNTIME_FATAL", False, 500),
        (ToolTimeoutError("no"), "TOOL_RUNTIME_FATAL", False, 504),
        (UpstreamRateLimitError("no", 5), "UPSTREAM_RUNTIME_RATE_LIMIT", True, 429),
        (NetworkTransportError("no"), "NETWORK_TRANSPORT_RUNTIME_UNMAPPED", True, None),
    ):
        assert (error.kind, error.can_retry, error.status_code) == (kind, can_retry, status)
        assert str(error) == error.message == "no"


def test_the_status_of_a_service_decides_the_kind() -> None:
    for status, kind, can_retry in (
        (400, "BAD_REQUEST", False),
        (401, "AUTH_ERROR", False),
        (403, "AUTH_ERROR", False),
        (404, "NOT_FOUND", False),
        (418, "BAD_REQUEST", False),
        (422, "VALIDATION_ERROR", False),
        (429, "RATE_LIMIT", True),
        (500, "SERVER_ERROR", True),
        (503, "SERVER_ERROR", True),
        (599, "SERVER_ERROR", True),
        (302, "UNMAPPED", False),
        (100, "UNMAPPED", False),
        (HTTPStatus.NOT_FOUND, "NOT_FOUND", False),
    ):
        error = UpstreamError("no", status)
        assert (error.kind, error.can_retry) == (f"UPSTREAM_RUNTIME_{kind}", can_retry)
        assert type(error.status_code) is int
        assert error.is_upstream_error
        assert not error.is_network_transport_error


def test_an_invalid_status_of_http_is_refused_where_it_is_passed() -> None:
    for status in (
        0,
        42,
        99,
        600,
        999,
        -1,
        "404",
        None,
        True,
        404.0,
    ):
        with pytest.raises(ValueError, match="is not an HTTP status; give UpstreamError an int from 100 to 599"):
            UpstreamError("no", status)


def test_the_connection_has_kinds_of_its_own() -> None:
    error = NetworkTransportError("no", kind=ErrorKind.NETWORK_TRANSPORT_RUNTIME_TIMEOUT, can_retry=False)
    assert (error.can_retry, error.status_code) == (False, None)
    assert error.is_network_transport_error
    with pytest.raises(ValueError, match="use a kind that starts with NETWORK_TRANSPORT_"):
        NetworkTransportError("no", kind=ErrorKind.TOOL_RUNTIME_FATAL)


@each_row(
    ("error", "payload"),
    [
        (
            RetryableToolError("no", "detail", "hint", 500, {"more": 1}),
            {
                "message": "no",
                "developer_message": "detail",
                "kind": "TOOL_RUNTIME_RETRY",
                "can_retry": True,
                "status_code": None,
                "additional_prompt_content": "hint",
                "retry_after_ms": 500,
                "more": 1,
            },
        ),
        (
            FatalToolError("no"),
            {
                "message": "no",
                "developer_message": None,
                "kind": "TOOL_RUNTIME_FATAL",
                "can_retry": False,
                "status_code": 500,
            },
        ),
        (
            UpstreamRateLimitError("no", None),
            {
                "message": "no",
                "developer_message": None,
                "kind": "UPSTREAM_RUNTIME_RATE_LIMIT",
                "can_retry": True,
                "status_code": 429,
                "retry_after_ms": None,
            },
        ),
    ],
)
def test_a_payload_has_the_facts_the_hints_and_the_additions(error: ToolRuntimeError, payload: dict[str, Any]) -> None:
    assert error.to_payload() == payload


def test_the_kind_in_a_payload_is_one_of_the_kinds() -> None:
    assert FatalToolError("no").to_payload()["kind"] is ErrorKind.TOOL_RUNTIME_FATAL


def test_added_members_hide_no_fact() -> None:
    assert (
        FatalToolError("no", extra={"message": "yes", "kind": "UNKNOWN"}).to_payload()["kind"] == "TOOL_RUNTIME_FATAL"
    )


@each_row(
    ("error", "text"),
    [
        (FatalToolError("no"), "[TOOL_RUNTIME_FATAL] FatalToolError during execution of tool 'f': no"),
        (
            ToolInputSchemaError("no"),
            "[TOOL_DEFINITION_BAD_INPUT_SCHEMA] ToolInputSchemaError in definition of tool 'f': no",
        ),
        (
            ToolOutputSchemaError("no"),
            "[TOOL_DEFINITION_BAD_OUTPUT_SCHEMA] ToolOutputSchemaError in definition of tool 'f': no",
        ),
        (
            ToolDefinitionError("no"),
            "[TOOL_DEFINITION_BAD_DEFINITION] ToolDefinitionError in definition of tool 'f': no",
        ),
        (ToolkitLoadError("no"), "[TOOLKIT_LOAD_FAILED] ToolkitLoadError when loading toolkit 'f': no"),
    ],
)
def test_an_error_names_its_owner(error: Any, text: str) -> None:
    assert in_context(error, "f") == text
    assert str(error) == "no"


def test_an_author_finds_the_errors_beside_the_tools() -> None:
    for name in ("RetryableToolError", "ResourceNotFound", "ToolInputError", "ToolTimeoutError", "ErrorKind"):
        assert getattr(server_core, name) is getattr(errors, name)


def test_every_name_of_arcade_is_an_error_of_ours() -> None:
    for name in exceptions.__all__:
        error = getattr(exceptions, name)
        assert error is ErrorKind or issubclass(error, errors.WorkbenchError)
        assert not hasattr(errors, name) or issubclass(getattr(errors, name), error)


FURTHER_ARGUMENTS = {"UpstreamError": (502,), "UpstreamRateLimitError": (10,), "ContextRequiredToolError": ("Ask.",)}


def test_every_error_is_created_with_the_arguments_of_arcade() -> None:
    for name in [item for item in exceptions.__all__ if item != "ErrorKind"]:
        error = getattr(exceptions, name)("It broke.", *FURTHER_ARGUMENTS.get(name, ()))
        assert str(error) == "It broke."


@each_row("name", ["ProtocolError", "RequestError", "ServerRequestError", "ResponseError", "MCPError"])
def test_errors_of_a_client_are_caught_by_the_names_of_arcade(name: str) -> None:
    with pytest.raises(getattr(exceptions, name)):
        raise errors.RemoteError(-32603, "no")
