"""The variables that expose failures to agents: without effect unless their value names the risk exactly."""

import logging
from typing import Any

import pytest

from server_core import Context, FatalToolError, RetryableToolError
from server_core.auth.requirement import Authorization
from server_core.execution import debug_exposure
from server_core.execution.debug_exposure import ACCEPTED, DEVELOPER_MESSAGE, STACKTRACE
from tests.server_core.ports import Call, text_of

pytestmark = pytest.mark.promises("debug exposure")

BLAMED = "[TOOL_RUNTIME_FATAL] FatalToolError during execution of tool 'crash': "


@pytest.fixture(autouse=True)
def unwarned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debug_exposure, "_warned", set())


def crash() -> None:
    raise ValueError("password=hunter2")


async def test_nothing_is_exposed_by_default() -> None:
    result = await Call(crash).run()
    assert text_of(result) == f"{BLAMED}An unhandled ValueError was raised by the tool."
    assert "hunter2" not in str(result)


@pytest.mark.parametrize("value", ["1", "true", "yes", ACCEPTED.upper(), f" {ACCEPTED}"])
async def test_any_other_value_has_no_effect_and_is_reported_once(
    value: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(DEVELOPER_MESSAGE, value)
    monkeypatch.setenv(STACKTRACE, value)
    for _ in range(3):
        assert "[DEBUG]" not in text_of(await Call(crash).run())
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.WARNING, f"{name} is set, but not to {ACCEPTED!r}, so it has no effect.")
        for name in (DEVELOPER_MESSAGE, STACKTRACE)
    ]


async def test_the_developer_message_is_added_to_the_text(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(DEVELOPER_MESSAGE, ACCEPTED)
    for _ in range(2):
        text = text_of(await Call(crash).run())
    assert text == (
        f"{BLAMED}An unhandled ValueError was raised by the tool.\n\n"
        f"[DEBUG] developer_message: {BLAMED}ValueError: password=hunter2"
    )
    (warning,) = caplog.records
    assert "are sent to every agent whose call fails" in warning.getMessage()


async def test_the_stack_trace_is_added_to_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STACKTRACE, ACCEPTED)
    text = text_of(await Call(crash).run())
    assert "\n\n[DEBUG] stacktrace:\nTraceback (most recent call last):\n" in text
    assert text.endswith("ValueError: password=hunter2\n")
    assert "developer_message" not in text


async def test_an_error_that_the_author_raised_has_no_stack_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise RetryableToolError("No table.", additional_prompt_content="Take another day.")

    monkeypatch.setenv(DEVELOPER_MESSAGE, ACCEPTED)
    monkeypatch.setenv(STACKTRACE, ACCEPTED)
    assert text_of(await Call(full).run()) == (
        "[TOOL_RUNTIME_RETRY] RetryableToolError during execution of tool 'full': No table.\n\nTake another day."
        "\n\n[DEBUG] stacktrace: unavailable (tool error payload did not include one)"
    )


async def test_an_error_with_a_cause_has_the_stack_trace_of_both(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrapped() -> None:
        try:
            crash()
        except ValueError as error:
            raise FatalToolError("No.") from error

    monkeypatch.setenv(STACKTRACE, ACCEPTED)
    text = text_of(await Call(wrapped).run())
    assert "in crash\n" in text
    assert "direct cause" in text


async def test_neither_secrets_nor_secret_parts_of_urls_are_exposed(monkeypatch: pytest.MonkeyPatch) -> None:
    def leak(context: Context) -> None:
        raise ValueError(f"{context.get_secret('KEY')} at https://user:pw@host/x?token=abc")

    monkeypatch.setenv(DEVELOPER_MESSAGE, ACCEPTED)
    monkeypatch.setenv(STACKTRACE, ACCEPTED)
    options: dict[str, Any] = {"requires_secrets": ["KEY"]}
    text = text_of(await Call(leak, {"KEY": "very-secret-value"}, **options).run())
    assert "ValueError: <secret KEY> at https://host/x" in text
    assert not any(secret in text for secret in ("very-secret-value", "user:pw", "token=abc"))


async def test_the_token_of_an_account_is_not_exposed(monkeypatch: pytest.MonkeyPatch) -> None:
    def leak(context: Context) -> None:
        raise ValueError(f"refused {context.get_auth_token_or_empty()}")

    monkeypatch.setenv(DEVELOPER_MESSAGE, ACCEPTED)
    monkeypatch.setenv(STACKTRACE, ACCEPTED)
    call = Call(leak)
    call.context.authorization = Authorization("very-secret-token")
    text = text_of(await call.run())
    assert "ValueError: refused <secret token>" in text
    assert "very-secret-token" not in text
