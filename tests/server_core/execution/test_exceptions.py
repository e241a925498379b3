"""Exceptions of tools: each becomes a result, whatever its class, its text and its attributes do."""

import asyncio
import inspect
import sys
from typing import Any

import pytest

from server_core import Context, FatalToolError, RetryableToolError, ToolExecutionError
from server_core.errors import MissingCapability
from server_core.protocol.revisions import REVISION_2026_07_28
from tests.server_core.execution.results import agent_text, kind_of, raiser
from tests.server_core.ports import Call, FakePort
from tests.waiting import within

pytestmark = pytest.mark.promises("call errors", "error adapters", "debug exposure")


class Hostile(Exception):
    def __str__(self) -> str:
        raise SystemExit(3)


class Own(BaseException): ...


class Careless(ToolExecutionError):
    def __init__(self) -> None:
        """Do not call the method of the base class."""


@pytest.mark.parametrize("is_async", [True, False])
async def test_every_exception_of_a_tool_becomes_a_result_without_its_text(is_async: bool) -> None:
    for error in (
        ValueError("hunter2"),
        SystemExit(1),
        KeyboardInterrupt(),
        Own("hunter2"),
        Hostile(),
        StopIteration(1),
        GeneratorExit(),
    ):
        call = Call(raiser(error, is_async=is_async))
        result = await within(call.run())
        assert kind_of(result) == "TOOL_RUNTIME_FATAL"
        raised = "RuntimeError" if isinstance(error, StopIteration) else type(error).__name__
        assert agent_text(result) == f"An unhandled {raised} was raised by the tool."
        assert "hunter2" not in str(result)
        assert call.failures[0]["developer_message"].startswith((f"{raised}: ", f"{raised} (no exception message)"))


class OfNoClass(Exception):
    @property
    def __class__(self) -> type:
        raise RuntimeError("hunter2")


class OfAnotherClass(Exception):
    @property
    def __class__(self) -> type:
        return ToolExecutionError


class OfNoFields(Exception):
    def __getattribute__(self, name: str) -> Any:
        raise KeyError(name)


class OfABrokenField(RetryableToolError):
    message = property(lambda self: 1 / 0, lambda self, value: None)


@pytest.mark.parametrize("hostile", [OfNoClass, OfAnotherClass, OfNoFields, OfABrokenField])
async def test_an_exception_that_cannot_be_read_becomes_a_result_too(hostile: type[Exception]) -> None:
    call = Call(raiser(hostile("hunter2"), is_async=False))
    result = await within(call.run())
    assert kind_of(result) == "TOOL_RUNTIME_FATAL"
    assert agent_text(result) == f"An unhandled {hostile.__name__} was raised by the tool."
    assert call.failures[0]["developer_message"].startswith(f"{hostile.__name__}: ")
    assert call.failures[0]["file"] == inspect.getfile(raiser)


class ReadableOnce(RetryableToolError):
    """Its text can be read once; the second read exits."""

    looks = 0

    @property
    def status_code(self) -> int | None:
        self.looks += 1
        if self.looks > 1:
            raise SystemExit(3)
        return 400

    @status_code.setter
    def status_code(self, value: int | None) -> None: ...


class OfNoPlace(RetryableToolError):
    @property
    def where(self) -> str:  # type: ignore[override]
        return sys.exit(3)


class NamelessClass(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise SystemExit(3)


class Nameless(ValueError, metaclass=NamelessClass):
    pass


@pytest.mark.parametrize(
    ("hostile", "known"),
    [
        (ReadableOnce, "ReadableOnce: its own code raised SystemExit"),
        (OfNoPlace, "OfNoPlace: its own code raised SystemExit"),
        (Nameless, "Nameless: hunter2"),
    ],
    ids=["minds", "place", "name"],
)
async def test_an_exception_that_changes_its_text_cannot_end_the_server(hostile: type[Exception], known: str) -> None:
    call = Call(raiser(hostile("hunter2"), is_async=False))
    result = await within(call.run())
    assert agent_text(result) == f"An unhandled {known.partition(':')[0]} was raised by the tool."
    assert call.failures[0]["developer_message"].startswith(known)


def grouped(*errors: Exception) -> ExceptionGroup[Exception]:
    return ExceptionGroup("the text of a group", errors)


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (grouped(RetryableToolError("No.")), "TOOL_RUNTIME_RETRY", "No."),
        (
            grouped(grouped(grouped(TimeoutError("hunter2")))),
            "NETWORK_TRANSPORT_RUNTIME_TIMEOUT",
            "The operation timed out before it was complete.",
        ),
        (grouped(ValueError("hunter2")), "TOOL_RUNTIME_FATAL", "An unhandled ValueError was raised by the tool."),
        (
            grouped(RetryableToolError("No."), ValueError("hunter2")),
            "TOOL_RUNTIME_FATAL",
            "An unhandled ExceptionGroup was raised by the tool.",
        ),
        (
            BaseExceptionGroup("hunter2", [SystemExit(3)]),
            "TOOL_RUNTIME_FATAL",
            "An unhandled BaseExceptionGroup was raised by the tool.",
        ),
    ],
)
async def test_a_group_of_one_exception_is_treated_as_that_exception(
    error: BaseException, kind: str, text: str
) -> None:
    call = Call(raiser(error, is_async=True))
    result = await within(call.run())
    assert (kind_of(result), agent_text(result)) == (kind, text)
    assert call.failures[0]["file"] == inspect.getfile(raiser) or call.failures[0]["file"] == ""


async def test_an_exception_in_a_task_group_is_reported_where_it_was_raised() -> None:
    async def failing() -> None:
        raise RetryableToolError("No.")

    async def gathers() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(failing())

    call = Call(gathers)
    assert agent_text(await within(call.run())) == "No."
    assert "in failing" in call.failures[0]["traceback"]


async def test_a_request_error_in_a_group_is_a_request_error() -> None:
    call = Call(raiser(grouped(MissingCapability("No.")), is_async=True), port=FakePort(revision=REVISION_2026_07_28))
    with pytest.raises(MissingCapability):
        await within(call.run())


@pytest.mark.parametrize("message", ["", " ", "\n \n"])
async def test_an_error_without_a_text_is_described_as_such(message: str) -> None:
    result = await Call(raiser(FatalToolError(message), is_async=True)).run()
    assert agent_text(result) == "(no details provided)"


async def test_no_fact_contains_secret_parts_of_a_url() -> None:
    facts = {"asked": ["https://u:pw@host/x?token=abc"], "again": {"after": 5, "header": "Bearer abcdefghijkl"}}
    call = Call(raiser(FatalToolError("No.", extra=facts), is_async=True))
    await within(call.run())
    assert call.failures[0]["extra"] == {
        "asked": ["https://host/x"],
        "again": {"after": 5, "header": "Bearer <hidden>"},
    }


async def test_facts_that_are_too_long_are_truncated() -> None:
    call = Call(raiser(FatalToolError("No.", extra={"body": "x" * 5_000_000}), is_async=True))
    await within(call.run())
    assert len(str(call.failures[0]["extra"])) < 110_000


@pytest.mark.parametrize("error", [ValueError("x" * 5_000_000), FatalToolError("x" * 5_000_000)], ids=type)
async def test_a_text_that_is_too_long_is_truncated(error: BaseException) -> None:
    call = Call(raiser(error, is_async=True))
    result = await within(call.run())
    assert len(str(result)) < 200_000
    assert "characters omitted" in str(call.failures[0])
    assert len(str(call.failures[0])) < 400_000


async def test_a_secret_in_the_message_of_an_author_does_not_reach_the_agent() -> None:
    def leak(context: Context) -> None:
        key = context.get_secret("KEY")
        raise RetryableToolError(f"refused {key}", additional_prompt_content=f"use another than {key}")

    result = await Call(leak, {"KEY": "very-secret-value"}, requires_secrets=["KEY"]).run()
    assert agent_text(result) == "refused <secret KEY>\n\nuse another than <secret KEY>"
    assert result["_meta"]["arcade"]["additionalPromptContent"] == "use another than <secret KEY>"


class Leaving:
    slug = "leaving"

    def from_exception(self, error: BaseException) -> None:
        raise SystemExit(3)


async def test_an_adapter_that_exits_is_skipped() -> None:
    call = Call(raiser(ValueError("x"), is_async=True), adapters=[Leaving()])
    assert agent_text(await within(call.run())) == "An unhandled ValueError was raised by the tool."
    assert call.failures[0]["adapter_problems"]


async def test_an_error_without_a_message_is_reported() -> None:
    result = await Call(raiser(Careless(), is_async=True)).run()
    assert kind_of(result) == "TOOL_RUNTIME_FATAL"
