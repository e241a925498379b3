"""References in arguments are resolved when a call is sent, and the values of secrets are seen nowhere."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from server_core.core import Core
from tests.small_project import small_project
from tests.waiting import until
from tests.workbench.tui.fakes import FakeLink, open_fixed_workspace
from workbench.link.local import LocalLink
from workbench.model.history import RunStatus
from workbench.workspace.project_file import folder_of
from workbench.workspace.workspace import Workspace

SECRET = "quite-secret-42"


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[Core, Workspace]]:
    core = Core(project=small_project(folder), link=False)
    await core.start()
    workspace = Workspace(LocalLink(core))
    try:
        await workspace.open()
        await until(lambda: core.is_loaded)
        yield core, workspace
    finally:
        await workspace.close()
        await core.stop()


async def test_a_secret_is_sent_and_appears_in_no_run_record_or_capture(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / ".env").write_text(f"MY_WORD={SECRET}\n")
    async with serving(tmp_path / "small") as (core, workspace):
        run = workspace.call("shout", {"text": "${secret:MY_WORD}!"})
        await until(lambda: not run.is_running)
        assert (run.status, run.arguments) == (RunStatus.OK, {"text": "${secret:MY_WORD}!"})
        plain = workspace.call("shout", {"text": "me"})
        await until(lambda: not plain.is_running)
        entries = workspace.timeline

        def is_recorded(text: str) -> bool:
            workspace.poll()
            return any(text in str(entry.data) for entry in entries)

        await until(lambda: is_recorded('"text":"me"') and is_recorded("<secret MY_WORD>!"))
        assert SECRET not in str([entry.data for entry in entries]) + str(run)
        assert core.store is not None
        path = core.store.path
    assert path is not None
    assert SECRET.encode() not in path.read_bytes()


async def test_a_value_of_the_last_result_is_sent(tmp_path: Path) -> None:
    async with serving(tmp_path / "small") as (_, workspace):
        first = workspace.call("add", {"a": 2, "b": 3})
        await until(lambda: not first.is_running)
        second = workspace.call("add", {"a": "${last.result}", "b": 1})
        await until(lambda: not second.is_running)
        assert second.result is not None
        assert second.result["structuredContent"] == {"result": 6}


async def test_a_reference_without_a_value_fails_the_call_before_it_is_sent() -> None:
    workspace = await open_fixed_workspace(FakeLink())
    for text, reason in (
        ("${last.result.id}", "there is no earlier result yet"),
        ("${secret:NO_SUCH_THING}", "this secret is not set"),
        ("${secret:WORKBENCH_STATE_KEY}", "reserved"),
    ):
        run = workspace.call("greet", {"name": text})
        await until(lambda run=run: not run.is_running)  # type: ignore[misc]
        assert run.status is RunStatus.ERROR
        assert reason in run.error
    await workspace.close()


async def test_another_server_gets_no_secret_that_its_own_definition_names() -> None:
    workspace = await open_fixed_workspace(FakeLink())
    schema = {"type": "object", "properties": {"key": {"const": "${secret:PATH}"}}}
    workspace.core.info |= {"mode": "relay"}
    workspace.core.catalog = {"tools": [{"name": "greet", "inputSchema": schema}]}
    run = workspace.call("greet", {"key": "${secret:PATH}"})
    await until(lambda: not run.is_running)
    assert run.status is RunStatus.ERROR
    assert "${secret:PATH} is a value in the server's own definition of greet, and was not sent" in run.error
    await workspace.close()


async def test_a_call_that_still_reads_its_secrets_can_be_cancelled() -> None:
    workspace = await open_fixed_workspace(FakeLink())
    run = workspace.call("greet", {"name": "${secret:NO_SUCH_THING}"})
    workspace.cancel(run)
    assert run.status is RunStatus.CANCELLED
    await workspace.close()


def test_the_folder_of_a_project_is_that_of_its_tools(tmp_path: Path) -> None:
    file = tmp_path / "tools.py"
    file.touch()
    assert folder_of(str(tmp_path), is_relay=False) == tmp_path
    assert folder_of(str(file), is_relay=False) == tmp_path
    assert folder_of("npx server", is_relay=True) == Path.cwd()
