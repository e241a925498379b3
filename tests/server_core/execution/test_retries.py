"""Retries of tools: after which errors, how often, and with which arguments."""

import pytest

from server_core import (
    Context,
    FatalToolError,
    NetworkTransportError,
    RetryableToolError,
    ToolRuntimeError,
    UpstreamError,
    UpstreamRateLimitError,
)
from server_core.errors import ErrorKind
from server_core.execution.run import invoke_with_retries, pause_after
from tests.server_core.ports import Call, FakePort, tool_of

pytestmark = pytest.mark.promises("tool options")


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server_core.execution.run.FIRST_PAUSE", 0.0)


class Service:
    """Raises these errors, one a call, and then succeeds."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.calls: list[list[int]] = []

    def __call__(self, numbers: list[int]) -> int:
        self.calls.append(list(numbers))
        numbers.append(99)
        if self.errors:
            raise self.errors.pop(0)
        return sum(numbers)


async def run(service: Service, retries: int) -> object:
    tool = tool_of(service, name="x", retries=retries)
    return await invoke_with_retries(tool, {"numbers": [1]}, Context(FakePort(), 1))


async def test_a_failed_call_is_retried_with_a_new_copy_of_its_arguments() -> None:
    service = Service(UpstreamError("down", status_code=503), UpstreamRateLimitError("busy", retry_after_ms=0))
    assert await run(service, 2) == 100
    assert service.calls == [[1], [1], [1]]


async def test_the_exception_of_the_last_attempt_is_raised() -> None:
    service = Service(UpstreamError("one", status_code=503), UpstreamError("two", status_code=500))
    with pytest.raises(UpstreamError, match="two"):
        await run(service, 1)
    assert len(service.calls) == 2


async def test_a_library_exception_is_retried_when_its_adapter_allows_it() -> None:
    import httpx

    service = Service(httpx.ConnectError("no route", request=httpx.Request("GET", "https://a.example")))
    assert await run(service, 1) == 100


@pytest.mark.parametrize(
    "error",
    [
        FatalToolError("no"),
        ValueError("a mistake of the tool"),
        UpstreamError("not there", status_code=404),
        RetryableToolError("other words", additional_prompt_content="Try a shorter text."),
        UpstreamRateLimitError("come back tomorrow", retry_after_ms=86_400_000),
    ],
    ids=lambda item: type(item).__name__,
)
async def test_an_error_that_a_retry_cannot_change_is_not_retried(error: Exception) -> None:
    service = Service(error, error)
    with pytest.raises(type(error)):
        await run(service, 5)
    assert len(service.calls) == 1


def test_each_pause_is_twice_the_previous_pause_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server_core.execution.run.FIRST_PAUSE", 0.5)
    unreachable = NetworkTransportError("gone", kind=ErrorKind.NETWORK_TRANSPORT_RUNTIME_UNREACHABLE, can_retry=True)
    assert [pause_after(unreachable, tried) for tried in (1, 2, 3, 6, 7, 8)] == [0.5, 1.0, 2.0, 16.0, None, None]
    assert pause_after(UpstreamRateLimitError("busy", retry_after_ms=2500), 1) == 2.5
    assert pause_after(ToolRuntimeError("no"), 1) is None
    assert pause_after(UpstreamRateLimitError("busy", retry_after_ms="soon"), 1) == 0.5  # type: ignore[arg-type]


async def test_a_call_is_retried_within_its_time_limit() -> None:
    service = Service(UpstreamError("down", status_code=503))
    result = await Call(service, name="x", retries=1, timeout=10).run(numbers=[1])
    assert result["structuredContent"] == {"result": 100}


async def test_each_failed_attempt_is_reported_to_the_author_and_the_last_to_the_agent() -> None:
    busy = UpstreamRateLimitError("busy", retry_after_ms=3, developer_message="at https://user:pw@host/a?key=hunter2")
    call = Call(Service(busy, UpstreamError("down", status_code=503), UpstreamError("off", status_code=500)), retries=2)
    result = await call.run(numbers=[1])
    assert [event for event, _ in call.reports] == ["tool_retried", "tool_retried", "tool_failed"]
    assert call.reports[0][1] == {
        "id": 7,
        "tool": call.tool.name,
        "tried": 1,
        "most": 3,
        "waiting_ms": 3,
        "kind": "UPSTREAM_RUNTIME_RATE_LIMIT",
        "message": "busy",
        "developer_message": "at https://host/a",
    }
    assert call.reports[1][1]["tried"] == 2
    assert "busy" not in str(result)
    assert "down" not in str(result)


async def test_a_tool_that_succeeds_at_once_reports_no_attempt() -> None:
    call = Call(Service(), name="x", retries=2)
    await call.run(numbers=[1])
    assert call.reports == []


async def test_invalid_arguments_are_not_retried() -> None:
    service = Service()
    result = await Call(service, name="x", retries=3).run(numbers="none")
    assert result["_meta"]["arcade"]["errorKind"] == "TOOL_RUNTIME_BAD_INPUT_VALUE"
    assert service.calls == []
