"""The lines that are written of messages: their form, their levels, and what is kept out of them."""

from typing import Any

import pytest

from server_core.middleware import LoggingMiddleware, MiddlewareContext
from server_core.protocol.jsonrpc import Notification, Request

pytestmark = pytest.mark.promises("middleware")


def call(**params: Any) -> MiddlewareContext[Any]:
    return MiddlewareContext(
        message=Request(7, "tools/call", params), method="tools/call", request_id=7, session_id="s1"
    )


async def answer(context: MiddlewareContext[Any]) -> dict[str, Any]:
    return {"content": []}


async def test_a_request_and_its_answer_are_a_line_each() -> None:
    lines: list[str] = []
    assert await LoggingMiddleware(write=lines.append)(call(name="add"), answer) == {"content": []}
    facts = "method=tools/call request_id=7 session_id=s1 name=add"
    assert lines[0] == f"[REQUEST] {facts}"
    assert lines[1].startswith(f"[RESPONSE] {facts} elapsed_ms=")
    assert float(lines[1].rpartition("=")[2]) >= 0


async def test_a_failure_is_logged_by_its_class_alone() -> None:
    lines: list[str] = []

    async def fail(context: MiddlewareContext[Any]) -> Any:
        raise RuntimeError("the password is hunter2")

    with pytest.raises(RuntimeError):
        await LoggingMiddleware("ERROR", lines.append)(call(name="add"), fail)
    assert len(lines) == 1
    assert lines[0].startswith("[ERROR] method=tools/call")
    assert lines[0].endswith("error=RuntimeError")


async def test_a_tool_that_reports_an_error_counts_as_one() -> None:
    lines: list[str] = []

    async def fail(context: MiddlewareContext[Any]) -> Any:
        return {"content": [], "isError": True}

    await LoggingMiddleware("ERROR", lines.append)(call(name="add"), fail)
    assert [line.split()[0] for line in lines] == ["[ERROR]"]


async def test_a_notification_is_a_line() -> None:
    lines: list[str] = []

    async def end(context: MiddlewareContext[Any]) -> None:
        """Nothing more."""

    notification = Notification("notifications/progress", {"progress": 1})
    context = MiddlewareContext(message=notification, method=notification.method, type="notification", source="server")
    await LoggingMiddleware(write=lines.append)(context, end)
    assert lines == ["[NOTIFICATION] method=notifications/progress source=server"]


async def test_names_hold_no_secret_and_make_no_second_line() -> None:
    lines: list[str] = []
    middleware = LoggingMiddleware(write=lines.append, mask=lambda line: line.replace("s3cret", "<secret KEY>"))
    context = MiddlewareContext(
        message=Request(1, "resources/read", {"uri": "https://ada:pass@example.org/s3cret?token=abc"}),
        method="resources/read",
    )
    await middleware(context, answer)
    assert "name=https://example.org/<secret KEY>" in lines[0]
    await middleware(call(name="x\n[REQUEST] method=forged \x1b[31m" + "y" * 1000), answer)
    assert all(line.isprintable() for line in lines)
    assert all(len(line) < 400 for line in lines)


async def test_nothing_is_written_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    await LoggingMiddleware()(call(name="add"), answer)
    out, err = capsys.readouterr()
    assert out == ""
    assert "[REQUEST] method=tools/call" in err


async def test_with_debug_the_params_are_written_as_well_masked_and_bounded() -> None:
    lines: list[str] = []
    middleware = LoggingMiddleware("DEBUG", lines.append, mask=lambda line: line.replace("s3cret", "<secret KEY>"))
    await middleware(call(name="add", arguments={"key": "s3cret", "text": "\n" + "x" * 10_000}), answer)
    assert "'key': '<secret KEY>'" in lines[0]
    assert lines[0].isprintable()
    assert len(lines[0]) < 2200


async def test_below_its_level_nothing_is_written() -> None:
    lines: list[str] = []
    await LoggingMiddleware("WARNING", lines.append)(call(name="add"), answer)
    assert lines == []


def test_a_level_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="Unknown log level 'LOUD'"):
        LoggingMiddleware("LOUD")


async def test_a_name_that_is_too_long_is_masked_before_it_is_cut() -> None:
    lines: list[str] = []
    middleware = LoggingMiddleware(write=lines.append, mask=lambda line: line.replace("s3cret", "<secret KEY>"))
    await middleware(call(name="y" * 197 + "s3cret"), answer)
    assert "s3c" not in lines[0]
    assert "y<se..." in lines[0]
