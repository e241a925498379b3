"""Calls of tools: whatever an author's code does, the client gets a result and the server continues."""

import asyncio
import threading
from typing import Any

import pytest

from server_core import (
    Context,
    ContextRequiredToolError,
    FatalToolError,
    RemoteError,
    RetryableToolError,
    ToolRuntimeError,
    UpstreamError,
    UpstreamRateLimitError,
    current_context,
    exceptions,
)
from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_PARAMS
from tests.server_core.execution.results import agent_text, kind_of, raiser
from tests.server_core.ports import Call, text_of

pytestmark = pytest.mark.promises("call errors", "error adapters", "debug exposure")


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
