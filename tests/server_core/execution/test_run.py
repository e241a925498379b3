"""Calls of tools: whatever an author's code does, the client gets a result and the server continues."""

import asyncio
import re
import sys
import threading
from typing import Any

import pytest

from server_core import (
    Context,
    ContextRequiredToolError,
    FatalToolError,
    RemoteError,
    RetryableToolError,
    ToolExecutionError,
    ToolRuntimeError,
    UpstreamError,
    UpstreamRateLimitError,
    current_context,
    exceptions,
)
from server_core.errors import MissingCapability, ProtocolError
from server_core.protocol.codes import INVALID_PARAMS
from server_core.protocol.revisions import REVISION_2026_07_28
from server_core.runtime.background import spawn
from tests.server_core.ports import Call, FakePort, text_of
from tests.waiting import until, within

pytestmark = pytest.mark.promises("call errors", "error adapters", "debug exposure")


def agent_text(result: dict[str, Any]) -> str:
    """Return the text of a failure for the agent, without the name of the tool."""
    text = text_of(result)
    assert re.match(rf"\[{kind_of(result)}\] \w+ during execution of tool '\w+': ", text)
    return text.partition(": ")[2]


def kind_of(result: dict[str, Any]) -> str:
    assert result["isError"] is True
    assert "structuredContent" not in result
    return str(result["_meta"]["arcade"]["errorKind"])


async def test_a_plain_function_runs_on_a_thread_and_an_async_one_on_the_loop() -> None:
    def plain() -> bool:
        return threading.current_thread() is threading.main_thread()

    async def awaited() -> bool:
        return threading.current_thread() is threading.main_thread()

    assert (await Call(plain).run())["structuredContent"] == {"result": False}
    assert (await Call(awaited).run())["structuredContent"] == {"result": True}


async def test_arguments_are_passed_and_the_result_is_returned() -> None:
    def add(a: int, b: int = 2) -> int:
        return a + b

    assert await Call(add).run(a=1) == {
        "content": [{"type": "text", "text": "3"}],
        "structuredContent": {"result": 3},
    }


async def test_the_current_context_is_available_in_both_kinds_of_functions_and_in_what_they_call() -> None:
    def deep() -> str:
        context = current_context.get()
        assert context is not None
        return str(context.request_id)

    def plain(context: Context) -> str:
        assert current_context.get() is context
        return deep()

    async def awaited(context: Context) -> str:
        return await asyncio.to_thread(deep)

    assert text_of(await Call(plain).run()) == "7"
    assert text_of(await Call(awaited).run()) == "7"
    assert current_context.get() is None


async def test_a_parameter_named_context_of_another_type_gets_the_argument() -> None:
    def echo(context: str, func: str) -> str:
        return context + func

    assert text_of(await Call(echo).run(context="a", func="b")) == "ab"


async def test_invalid_arguments_become_a_result_that_names_the_fields() -> None:
    def add(a: int) -> int:
        raise AssertionError("must not run")

    call = Call(add)
    result = await call.run(a="x", zzz=1)
    assert kind_of(result) == "TOOL_RUNTIME_BAD_INPUT_VALUE"
    assert result["_meta"]["arcade"] == {
        "errorKind": "TOOL_RUNTIME_BAD_INPUT_VALUE",
        "canRetry": False,
        "statusCode": 400,
    }
    assert agent_text(result) == (
        "Invalid input: a: Input should be a valid integer, unable to parse string as an integer; "
        "zzz: Extra inputs are not permitted"
    )
    assert call.failures[0]["developer_message"] == "a[int_parsing], zzz[extra_forbidden]"


class Hostile(Exception):
    def __str__(self) -> str:
        raise SystemExit(3)


class Own(BaseException): ...


class Careless(ToolExecutionError):
    def __init__(self) -> None:
        """Do not call the method of the base class."""


def raiser(error: BaseException, *, is_async: bool) -> Any:
    async def awaited() -> None:
        raise error

    def plain() -> None:
        raise error

    return awaited if is_async else plain


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
    assert call.failures[0]["file"] == __file__


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
    assert call.failures[0]["file"] == __file__ or call.failures[0]["file"] == ""


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


async def test_a_cancellation_raised_inside_a_tool_is_a_result() -> None:
    async def careless() -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    assert agent_text(await Call(careless).run()) == "An unhandled CancelledError was raised by the tool."


async def test_our_errors_have_their_facts_in_the_result() -> None:
    for error, facts, text in (
        (
            RetryableToolError("again", "detail", additional_prompt_content="hint", retry_after_ms=5),
            {"errorKind": "TOOL_RUNTIME_RETRY", "canRetry": True, "additionalPromptContent": "hint", "retryAfterMs": 5},
            "again\n\nhint",
        ),
        (
            ContextRequiredToolError("which?", "ask"),
            {"errorKind": "TOOL_RUNTIME_CONTEXT_REQUIRED", "canRetry": False, "additionalPromptContent": "ask"},
            "which?\n\nask",
        ),
        (FatalToolError("no"), {"errorKind": "TOOL_RUNTIME_FATAL", "canRetry": False, "statusCode": 500}, "no"),
        (
            RetryableToolError("a number that no client reads", retry_after_ms=10**5000),
            {"errorKind": "TOOL_RUNTIME_RETRY", "canRetry": True},
            "a number that no client reads",
        ),
        (
            UpstreamError("gone", 404),
            {"errorKind": "UPSTREAM_RUNTIME_NOT_FOUND", "canRetry": False, "statusCode": 404},
            "gone",
        ),
        (
            UpstreamRateLimitError("slow", None),
            {"errorKind": "UPSTREAM_RUNTIME_RATE_LIMIT", "canRetry": True, "statusCode": 429},
            "slow",
        ),
        (
            RemoteError(-1, "no thanks"),
            {"errorKind": "TOOL_RUNTIME_FATAL", "canRetry": False, "statusCode": 500},
            "The client returned an error: no thanks",
        ),
        (
            exceptions.ProtocolError("It broke."),
            {"errorKind": "TOOL_RUNTIME_FATAL", "canRetry": False, "statusCode": 500},
            "It broke.",
        ),
        (
            ProtocolError(INVALID_PARAMS, "bad"),
            {"errorKind": "TOOL_RUNTIME_FATAL", "canRetry": False, "statusCode": 500},
            "bad",
        ),
    ):
        result = await Call(raiser(error, is_async=False)).run()
        name = type(error).__name__ if isinstance(error, ToolRuntimeError) else "FatalToolError"
        whole = f"[{facts['errorKind']}] {name} during execution of tool 'plain': {text}"
        assert result == {"content": [{"type": "text", "text": whole}], "isError": True, "_meta": {"arcade": facts}}


async def test_the_author_gets_the_details_that_the_agent_does_not() -> None:
    def fail() -> None:
        raise ValueError("at https://user:pw@host/path?token=hunter2")

    call = Call(fail)
    result = await call.run()
    (failure,) = call.failures
    assert failure["tool"] == "fail"
    assert failure["id"] == 7
    assert failure["developer_message"] == "ValueError: at https://host/path"
    assert "in fail\n" in failure["traceback"]
    assert "invocation.py" not in failure["traceback"]
    assert "hunter2" not in str(failure) + str(result)


async def test_a_result_without_a_json_form_becomes_an_error_result() -> None:
    def give() -> Any:
        return float("nan")

    call = Call(give)
    result = await call.run()
    assert kind_of(result) == "TOOL_RUNTIME_BAD_OUTPUT_VALUE"
    assert agent_text(result) == "Failed to serialize tool output: the value cannot be represented in JSON."
    assert call.failures[0]["developer_message"].startswith("ValueError: ")


async def test_a_coroutine_that_was_not_awaited_becomes_an_error_result() -> None:
    async def later() -> str:
        return "x"

    def give() -> Any:
        return later()

    result = await Call(give).run()
    assert agent_text(result) == "Failed to serialize tool output: it is a coroutine that was not awaited."


async def test_a_tool_that_lacks_a_secret_does_not_run() -> None:
    def secretive() -> None:
        raise AssertionError("must not run")

    result = await Call(secretive, {"A": "x", "B": ""}, requires_secrets=["A", "B"]).run()
    assert kind_of(result) == "TOOL_RUNTIME_CONTEXT_REQUIRED"
    assert result["content"][0]["text"].startswith("✗ Missing secret: B\n\n  Tool 'secretive' requires this secret")


async def test_a_secret_reaches_the_tool_that_declares_it() -> None:
    def secretive(context: Context) -> str:
        return context.get_secret("key")

    assert text_of(await Call(secretive, {"KEY": "value"}, requires_secrets=["KEY"]).run()) == "value"


async def test_an_undeclared_secret_becomes_a_result_that_explains_how_to_declare_it() -> None:
    def secretive(context: Context) -> str:
        return context.get_secret("KEY")

    assert "requires_secrets=['KEY']" in text_of(await Call(secretive).run())


async def test_a_tool_that_exceeds_its_time_limit_is_cancelled() -> None:
    async def slow() -> None:
        await asyncio.Event().wait()

    call = Call(slow, timeout=0.01)
    result = await within(call.run())
    assert agent_text(result) == "Tool 'slow' did not finish within 0.01 seconds."
    assert result["_meta"]["arcade"]["statusCode"] == 504
    assert call.context.cancelled


async def test_a_thread_that_exceeds_its_time_limit_can_check_its_cancellation() -> None:
    saw = threading.Event()

    def slow(context: Context) -> None:
        while not context.cancelled:
            pass
        saw.set()

    result = await within(Call(slow, timeout=0.01).run())
    assert result["isError"]
    await until(saw.is_set)


async def test_a_tool_that_ignores_its_cancellation_is_abandoned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server_core.execution.run.CANCEL_GRACE", 0.01)
    free, ended = asyncio.Event(), asyncio.Event()

    async def stubborn() -> None:
        while not free.is_set():
            try:
                await free.wait()
            except asyncio.CancelledError:
                continue
        ended.set()

    result = await within(Call(stubborn, timeout=0.01).run())
    assert agent_text(result) == "Tool 'stubborn' did not finish within 0.01 seconds."
    free.set()
    await within(ended.wait())


async def test_a_tool_that_exits_within_its_time_limit_becomes_a_result() -> None:
    assert kind_of(await within(Call(raiser(SystemExit(3), is_async=True), timeout=60).run())) == "TOOL_RUNTIME_FATAL"


async def test_cancelling_a_call_with_a_time_limit_cancels_its_tool() -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    task = spawn(Call(slow, timeout=60).run(), "call")
    await within(begun.wait())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(task)
    assert cancelled.is_set()


async def test_a_timeout_error_of_the_tool_is_not_its_time_limit() -> None:
    async def slow() -> None:
        raise TimeoutError

    result = await Call(slow, timeout=60).run()
    assert kind_of(result) == "NETWORK_TRANSPORT_RUNTIME_TIMEOUT"


async def test_cancelling_the_task_cancels_an_async_tool_and_is_raised_again() -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    call = Call(slow)
    task = asyncio.get_running_loop().create_task(call.run())
    await within(started.wait())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(task)
    assert ended.is_set()
    assert call.context.cancelled
    assert call.failures == []


async def test_cancelling_the_task_wakes_a_thread_that_waits_for_the_client() -> None:
    asked = asyncio.Event()
    woken = threading.Event()

    async def never(*_: Any) -> Any:
        asked.set()
        await asyncio.Event().wait()

    def ask(context: Context) -> None:
        try:
            context.blocking.roots.list()
        finally:
            woken.set()

    call = Call(ask)
    call.port.client.capabilities = {"roots": {}}
    call.port._answer = never
    task = asyncio.get_running_loop().create_task(call.run())
    await within(asked.wait())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(task)
    await until(woken.is_set)


async def test_an_adapter_of_the_tool_is_tried_first_and_a_failing_adapter_is_skipped() -> None:
    class Broken:
        slug = "broken"

        def from_exception(self, error: BaseException) -> None:
            raise RuntimeError

    class Mine:
        slug = "mine"

        def from_exception(self, error: BaseException) -> Any:
            return UpstreamError("mine", 404) if isinstance(error, KeyError) else "nonsense"

    def fail(key: bool) -> None:
        raise KeyError if key else ValueError

    options: dict[str, Any] = {"adapters": [Broken(), Mine()]}
    assert agent_text(await Call(fail, **options).run(key=True)) == "mine"
    assert agent_text(await Call(fail, **options).run(key=False)) == "An unhandled ValueError was raised by the tool."


async def test_an_upstream_error_contains_a_secret_in_no_form() -> None:
    import httpx

    async def fetch() -> str:
        request = httpx.Request("GET", "https://user:pw@api.example.com/v1/x?token=hunter2")
        httpx.Response(404, request=request).raise_for_status()
        return ""

    call = Call(fetch)
    result = await call.run()
    assert agent_text(result) == "Upstream HTTP request failed (Not Found, client error)."
    assert call.failures[0]["extra"] == {
        "service": "_http",
        "endpoint": "https://api.example.com/v1/x",
        "http_method": "GET",
    }
    assert "hunter2" not in str(result) + str(call.failures)
    assert "pw@" not in str(result) + str(call.failures)
