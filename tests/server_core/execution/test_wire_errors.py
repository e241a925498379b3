"""JSON-RPC errors for the exceptions that the handling of a request raises."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server_core import MCPApp
from server_core.errors import (
    ContextError,
    FatalToolError,
    MissingCapability,
    PromptError,
    ProtocolError,
    RemoteError,
    ResourceError,
    ResourceNotFound,
    ToolInputError,
)
from server_core.execution.wire_errors import request_report, rpc_error
from server_core.protocol.codes import INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from tests.server_core.execution.app_client import Client
from tests.tables import each_row
from tests.waiting import within

pytestmark = pytest.mark.promises("call errors")

FAILED = "Internal error: the server's code failed; the details are in the logs of the server."


def test_an_exception_becomes_the_error_of_the_response() -> None:
    for error, code, message in (
        (ProtocolError(RESOURCE_NOT_FOUND, "gone", {"uri": "x"}), RESOURCE_NOT_FOUND, "gone"),
        (ToolInputError("Invalid input: a: no", "detail"), INVALID_PARAMS, "Invalid input: a: no"),
        (FatalToolError("no", "hunter2"), INTERNAL_ERROR, "no"),
        (ContextError("This client cannot"), INTERNAL_ERROR, "This client cannot"),
        (ResourceError("no paper"), INTERNAL_ERROR, "no paper"),
        (PromptError("no ink"), INTERNAL_ERROR, "no ink"),
        (RemoteError(-1, "refused"), INTERNAL_ERROR, "The client returned an error: refused"),
        (ValueError("hunter2"), INTERNAL_ERROR, FAILED),
        (SystemExit("hunter2"), INTERNAL_ERROR, FAILED),
    ):
        answer = rpc_error(error, LATEST)
        assert (answer.code, answer.message) == (code, message)
        assert type(answer) is ProtocolError


@pytest.mark.parametrize(
    ("revision", "code"),
    [(LATEST, RESOURCE_NOT_FOUND), (LATEST_STATELESS, INVALID_PARAMS)],
    ids=["session", "stateless"],
)
def test_a_missing_resource_is_reported_with_its_uri(revision: Revision, code: int) -> None:
    answer = rpc_error(ResourceNotFound(uri="shop://goods/7"), revision)
    assert (answer.code, answer.message, answer.data) == (
        code,
        "Resource not found: shop://goods/7",
        {"uri": "shop://goods/7"},
    )
    assert rpc_error(ResourceNotFound("No such cake.", "a://b"), revision).message == "No such cake."


def leaving(*_: object) -> Any:
    raise SystemExit(3)


class NoMessage(ResourceNotFound):
    message = property(leaving)

    def __init__(self) -> None:
        """Do not call the method of the base class."""


class NoCode(ProtocolError):
    code = property(leaving)

    def __init__(self) -> None:
        """Do not call the method of the base class."""


class NoRequirement(MissingCapability):
    required = property(leaving)

    def __init__(self) -> None:
        """Do not call the method of the base class."""


@each_row("error", [NoMessage(), NoCode(), NoRequirement()])
def test_an_error_that_cannot_be_read_becomes_an_error_response_too(error: BaseException) -> None:
    assert rpc_error(error, LATEST_STATELESS).code == INTERNAL_ERROR


@each_row(
    ("data", "expected"),
    [
        ({"a": [1, None]}, {"a": [1, None]}),
        (None, None),
        ({"at": Path("x")}, {"at": "x"}),
        (float("nan"), None),
        ({("no", "key"): 1}, {}),
    ],
)
def test_the_data_of_an_error_is_converted_to_json(data: Any, expected: Any) -> None:
    assert rpc_error(ProtocolError(-5, "No.", data), LATEST).data == expected


def test_an_invalid_code_and_message_are_replaced() -> None:
    error = ProtocolError("five", Path("x"))  # type: ignore[arg-type]
    answer = rpc_error(error, LATEST)
    assert (answer.code, answer.message) == (INTERNAL_ERROR, "x")
    assert rpc_error(ProtocolError(-5, " "), LATEST).message == "(no details provided)"


def test_a_group_with_one_error_is_sent_as_that_error() -> None:
    group = ExceptionGroup("g", [ResourceNotFound("No such cake.", "a://b")])
    assert rpc_error(group, LATEST).message == "No such cake."


def test_the_author_gets_the_developer_message_without_secrets() -> None:
    error = FatalToolError("No.", "asked https://u:pw@host/x?token=abc")
    report = request_report(error)
    assert report is not None
    assert report["message"] == "asked https://host/x"
    assert request_report(FatalToolError("No.")) is None


async def ask(app: MCPApp, method: str, **params: Any) -> dict[str, Any]:
    """Return the response to one request."""
    return await within(Client(app).request(method, **params))


class Nameless(type):
    """A metaclass whose `__name__` exits."""

    def __getattribute__(self, name: str) -> Any:
        return leaving() if name in {"__name__", "__qualname__"} else super().__getattribute__(name)


class NoName(Exception, metaclass=Nameless): ...


def raising(error: BaseException, *, is_async: bool) -> Callable[[], Any]:
    """Return a function that raises an exception."""

    async def awaited() -> str:
        raise error

    def plain() -> str:
        raise error

    return awaited if is_async else plain


@pytest.mark.parametrize("is_async", [True, False])
async def test_every_exception_of_a_resource_or_a_prompt_becomes_an_error_response(is_async: bool) -> None:
    for raised in (
        KeyboardInterrupt(),
        GeneratorExit(),
        SystemExit(3),
        NoMessage(),
        NoCode(),
        NoName(),
    ):
        app = MCPApp("shop", toolkit="")

        function = raising(raised, is_async=is_async)
        app.resource("shop://sign")(function)
        app.prompt(name="greet")(function)
        for method, params in (("resources/read", {"uri": "shop://sign"}), ("prompts/get", {"name": "greet"})):
            answer = await ask(app, method, **params)
            assert answer["error"]["code"] == INTERNAL_ERROR


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ("x" * 20_000_000, "its size is 20.0 MB, and the limit is 16.8 MB."),
        (b"x" * 15_000_000, "its size is 20.0 MB, and the limit is 16.8 MB."),
        (itertools.count(), "it is an iterator."),
        ({"rows": [itertools.count()]}, "it holds an iterator."),
    ],
    ids=["a long text", "long bytes", "an endless iterator", "one inside"],
)
async def test_a_resource_larger_than_a_message_is_refused_with_the_reason(made: Any, reason: str) -> None:
    app = MCPApp("shop", toolkit="")
    app.resource("shop://all")(lambda: made)
    error = (await ask(app, "resources/read", uri="shop://all"))["error"]
    assert (error["code"], error["message"]) == (INTERNAL_ERROR, f"The resource cannot be sent: {reason}")


async def test_a_prompt_larger_than_a_message_is_refused_with_the_reason() -> None:
    app = MCPApp("shop", toolkit="")
    app.prompt(name="all")(lambda: "x" * 20_000_000)
    error = (await ask(app, "prompts/get", name="all"))["error"]
    assert error["message"] == "The prompt cannot be sent: its size is 20.0 MB, and the limit is 16.8 MB."
