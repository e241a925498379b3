"""How a test fails: at once, in bounded time, with all that its author needs to know."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from server_core import MCPApp
from tests.tables import each_row
from tests.workbench.testing.cafe import SECRET, new_cafe
from workbench.testing import (
    REVISIONS,
    Client,
    ProblemsFound,
    RequestFailed,
    TookTooLong,
    ToolFailed,
    Unmet,
    assert_no_problems,
)

pytest_plugins = ("pytester",)


@each_row("revision", REVISIONS)
def test_a_tool_that_fails_fails_the_test_with_the_message_for_its_author(revision: str) -> None:
    with Client(new_cafe(), revision=revision) as client, pytest.raises(ToolFailed) as failed:
        client.call("order_cake")
    error = failed.value
    assert (error.error_kind, error.can_retry, error.result.hint) == ("TOOL_RUNTIME_RETRY", True, "Offer soup.")
    for part in ("order_cake failed: ", "There is no cake left.", "kind: TOOL_RUNTIME_RETRY", "stock: 0"):
        assert part in str(error)


@each_row("revision", REVISIONS)
def test_a_tool_that_stumbles_shows_the_line_where_it_did(revision: str) -> None:
    with Client(new_cafe(), revision=revision) as client, pytest.raises(ToolFailed) as failed:
        client.call("stumble")
    assert "developer message: ZeroDivisionError: division by zero" in str(failed.value)
    assert "return str(1 / 0)" in str(failed.value)


def test_a_failure_shows_no_secret_and_nothing_that_a_terminal_interprets() -> None:
    with Client(new_cafe(), secrets={"KITCHEN_KEY": SECRET}) as client, pytest.raises(ToolFailed) as failed:
        client.call("shout_key")
    assert "the key is <secret KITCHEN_KEY>" in str(failed.value)
    assert SECRET not in str(failed.value)
    assert "\x1b" not in str(failed.value)


def test_a_failure_is_an_assertion() -> None:
    with Client(new_cafe()) as client, pytest.raises(AssertionError):
        client.call("stumble")


def test_a_failure_that_is_expected_can_be_looked_at() -> None:
    with Client(new_cafe()) as client:
        result = client.call_tool("order_cake", check=False)
    assert result.is_error
    assert (result.error_kind, result.can_retry) == ("TOOL_RUNTIME_RETRY", True)
    assert result.developer_message == "stock: 0"
    assert "There is no cake left." in result.text


def test_a_failure_points_at_the_line_of_the_test(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(
        """
        from tests.workbench.testing.cafe import new_cafe
        from workbench.testing import Client

        def test_it():
            with Client(new_cafe()) as client:
                client.call("stumble")
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ['>*client.call("stumble")', "*ToolFailed: stumble failed: *", "test_*.py:6: ToolFailed"]
    )
    result.stdout.no_fnmatch_line("*loop_thread.py*")
    result.stdout.no_fnmatch_line("*blocking.py*")


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("with Client('nope'): pass", "with Client('nope'): pass", "The file or folder *nope* does not exist*"),
        ("with Client(42): pass", "with Client(42): pass", "There is nothing to serve in 42; pass an MCPApp, *"),
        (
            "with Client(new_cafe()) as client: client.answers.decline()",
            "with Client(new_cafe()) as client:*",
            "these answers were not requested*",
        ),
    ],
)
def test_a_failure_outside_of_requests_points_at_the_line_of_the_test(
    body: str, line: str, message: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(
        "from tests.workbench.testing.cafe import new_cafe\nfrom workbench.testing import Client\n"
        f"def test_it():\n    {body}\n"
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f">*{line}", f"E *{message}"])
    for file in ("contextlib.py", "client.py", "loop_thread.py", "serving.py", "conversation.py"):
        result.stdout.no_fnmatch_line(f"*{file}*")


def test_a_failure_explains_how_a_test_provides_what_is_missing() -> None:
    with Client(new_cafe()) as client:
        for tool, advice in (
            ("show_key", "workbench_secrets"),
            ("show_caller", r"Client\(meta=\{...\}\)"),
            ("show_account", "an account is a token among the secrets"),
        ):
            with pytest.raises(ToolFailed, match=f"In a test, .*{advice}"):
                client.call(tool)


def test_an_async_client_explains_what_to_do_where_asyncio_does_not_run() -> None:
    with Client(new_cafe()).on_thread() as client, pytest.raises(Unmet, match="`anyio_backend` return"):
        client.call("greet", name="Ada").send(None)
    with pytest.raises(Unmet, match="`anyio_backend` return"):
        Client(new_cafe()).__aenter__().send(None)


async def test_a_client_of_another_loop_explains_what_to_do() -> None:
    async with Client(new_cafe()) as client:

        async def call() -> None:
            await client.call("greet", name="Ada")

        with pytest.raises(Unmet, match="opened on another event loop"):
            await asyncio.to_thread(asyncio.run, call())


def test_an_unknown_tool_is_refused() -> None:
    with Client(new_cafe()) as client, pytest.raises(RequestFailed, match="Unknown tool: 'gret'") as failed:
        client.call("gret", name="Ada")
    assert (failed.value.method, failed.value.code) == ("tools/call", -32602)


def test_arguments_that_do_not_fit_are_a_failure_of_the_tool() -> None:
    with Client(new_cafe()) as client:
        result = client.call_tool("greet", {"nam": "Ada"}, check=False)
    assert result.error_kind == "TOOL_RUNTIME_BAD_INPUT_VALUE"


@each_row("revision", REVISIONS)
def test_a_resource_that_cannot_be_read_shows_its_author_why(revision: str) -> None:
    with Client(new_cafe(), revision=revision) as client, pytest.raises(RequestFailed) as failed:
        client.read_resource("cafe://broken")
    assert "KeyError: 'the cook has left'" in str(failed.value)
    assert 'raise KeyError("the cook has left")' in str(failed.value)


def test_a_tool_that_never_ends_fails_the_test_in_time() -> None:
    with Client(new_cafe(), timeout=0.05) as client:
        with pytest.raises(TookTooLong, match=r"wait: no response within 0\.05 seconds"):
            client.call("wait")
        assert client.call_tool("greet", {"name": "Ada"}, timeout=5).text == "Hello, Ada!"


async def test_a_tool_that_never_ends_fails_an_async_test_in_time() -> None:
    async with Client(new_cafe()) as client:
        with pytest.raises(TookTooLong):
            await client.call_tool("wait", timeout=0.05)
        assert (await client.call("greet", name="Ada")).text == "Hello, Ada!"


def test_a_tool_that_blocks_the_loop_is_distinguished_from_a_tool_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.testing.sync_client.GRACE_SECONDS", 0.05)
    with Client(new_cafe(), timeout=0.05) as client, pytest.raises(TookTooLong, match="does an `async def` tool block"):
        client.call("block", seconds=0.5)


def test_a_tool_that_blocks_the_loop_does_not_delay_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.testing.sync_client.GRACE_SECONDS", 0.05)
    for module in ("client", "loop_thread"):
        monkeypatch.setattr(f"workbench.testing.{module}.LAST_SECONDS", 0.05)
        monkeypatch.setattr(f"workbench.testing.{module}.END_SECONDS", 3600.0)
    gate = threading.Event()
    app = MCPApp("inn", toolkit="")

    @app.tool
    async def block() -> str:
        """Hold up the loop until the client has left."""
        gate.wait()
        return "late"

    try:
        with pytest.raises(TookTooLong, match="is blocked"), Client(app, timeout=0.05) as client:
            client.call("block")
    finally:
        gate.set()


async def test_a_lifespan_that_fails_at_its_end_fails_the_test() -> None:
    @asynccontextmanager
    async def lifespan(app: MCPApp) -> AsyncIterator[None]:
        yield
        raise RuntimeError("the door is stuck")

    app = MCPApp("inn", toolkit="", lifespan=lifespan)

    @app.tool
    def greet() -> str:
        """Greet."""
        return "Hello"

    part = "(?s)the lifespan of 'inn' failed at its end: RuntimeError: the door is stuck.*raise RuntimeError"
    with pytest.raises(Unmet, match=part), Client(app) as client:
        client.call(greet)
    with pytest.raises(Unmet, match=part):
        async with Client(app) as client_here:
            await client_here.call(greet)


def test_a_notification_that_does_not_come_fails_the_test_in_time() -> None:
    with Client(new_cafe()) as client:
        with pytest.raises(TookTooLong, match=r"list_changed was not received within .* so far: nothing"):
            client.wait_for("notifications/tools/list_changed", timeout=0.05)
        client.call("brew", cups=0)
        with pytest.raises(TookTooLong, match=r"number 3 of notifications/message .* notifications/message \(2\)"):
            client.wait_for("notifications/message", count=3, timeout=0.05)


def test_a_file_that_cannot_be_served_fails_the_test_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("from server_core import tool\n\n@tool\ndef one(x):\n    '''One.'''\n")
    with pytest.raises(ProblemsFound, match=r"broken\.py:\d+: error: ") as caught, Client(tmp_path):
        pass
    assert caught.value.problems[0].severity == "error"


def test_a_file_that_cannot_be_imported_fails_the_test(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(
        "from server_core import tool\nimport no_such_module_at_all\n@tool\ndef a(): 1\n"
    )
    with pytest.raises(ProblemsFound, match="no_such_module_at_all"), Client(tmp_path):
        pass


def test_all_valid_files_are_served_where_problems_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("from server_core import tool\nimport no_such_module_at_all\n")
    (tmp_path / "good.py").write_text(
        "from server_core import tool\n@tool\ndef one() -> str:\n    '''1.'''\n    return '1'\n"
    )
    with Client(tmp_path, allow_problems=True) as client:
        assert client.call("one").text == "1"


def test_a_folder_without_problems_passes(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(
        "from server_core import tool\n@tool\ndef one() -> str:\n    '''Count.'''\n    return '1'\n"
    )
    assert_no_problems(tmp_path)
    assert_no_problems(new_cafe())


def test_a_folder_with_problems_fails_with_all_of_them(tmp_path: Path) -> None:
    tool = "from server_core import tool\n@tool\ndef {0}(x) -> str:\n    '''{0}.'''\n    return '1'\n"
    (tmp_path / "first.py").write_text(tool.format("one"))
    (tmp_path / "second.py").write_text(tool.format("two"))
    with pytest.raises(ProblemsFound) as caught:
        assert_no_problems(str(tmp_path))
    assert {Path(problem.file).name for problem in caught.value.problems} == {"first.py", "second.py"}


def test_an_app_with_problems_fails() -> None:
    app = MCPApp("one")

    @app.tool
    def untyped(x) -> str:  # type: ignore[no-untyped-def]
        """Take anything."""
        return "1"

    with pytest.raises(ProblemsFound, match="untyped"):
        assert_no_problems(app)
