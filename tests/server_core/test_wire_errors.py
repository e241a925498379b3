"""JSON-RPC errors for whatever the handling of a request raises."""

import pytest

from server_core.errors import (
    ContextError,
    FatalToolError,
    PromptError,
    ProtocolError,
    RemoteError,
    ResourceError,
    ResourceNotFound,
    ToolInputError,
)
from server_core.protocol.codes import INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from server_core.wire_errors import rpc_error

ROWS = ("S6",)

FAILED = "Internal error: the server's code failed; who runs the server can see why."


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ProtocolError(RESOURCE_NOT_FOUND, "gone", {"uri": "x"}), RESOURCE_NOT_FOUND, "gone"),
        (ToolInputError("Invalid input: a: no", "detail"), INVALID_PARAMS, "Invalid input: a: no"),
        (FatalToolError("no", "hunter2"), INTERNAL_ERROR, "no"),
        (ContextError("This client cannot"), INTERNAL_ERROR, "This client cannot"),
        (ResourceError("no paper"), INTERNAL_ERROR, "no paper"),
        (PromptError("no ink"), INTERNAL_ERROR, "no ink"),
        (RemoteError(-1, "refused"), INTERNAL_ERROR, "The client answered with an error: refused"),
        (ValueError("hunter2"), INTERNAL_ERROR, FAILED),
        (SystemExit("hunter2"), INTERNAL_ERROR, FAILED),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_an_exception_becomes_the_error_that_answers_the_request(error: BaseException, code: int, message: str) -> None:
    answer = rpc_error(error, LATEST)
    assert (answer.code, answer.message) == (code, message)
    assert type(answer) is ProtocolError


@pytest.mark.parametrize(
    ("revision", "code"),
    [(LATEST, RESOURCE_NOT_FOUND), (LATEST_STATELESS, INVALID_PARAMS)],
    ids=["session", "stateless"],
)
def test_a_resource_that_is_not_there_is_told_with_its_address(revision: Revision, code: int) -> None:
    answer = rpc_error(ResourceNotFound(uri="shop://goods/7"), revision)
    assert (answer.code, answer.message, answer.data) == (
        code,
        "Resource not found: shop://goods/7",
        {"uri": "shop://goods/7"},
    )
    assert rpc_error(ResourceNotFound("No such cake.", "a://b"), revision).message == "No such cake."
