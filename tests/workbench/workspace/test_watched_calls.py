"""Calls that a workspace runs again after each reload of a real core."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from server_core.core import Core
from server_core.protocol.revisions import Revision
from tests.waiting import until
from tests.workbench.tui.working import in_both_eras
from workbench.link.local import LocalLink
from workbench.model.catalog import OfferKind
from workbench.model.saved_calls import SavedCall
from workbench.workspace.unattended import UnattendedWorkspace
from workbench.workspace.watched_calls import WatchedCall, WatchedCalls
from workbench.workspace.workspace import Workspace

TOOLS = '''
from typing import Annotated
from server_core import Context, tool
from server_core.types import ToolAnnotations


@tool
def greet(name: str) -> str:
    """Greet."""
    return f"Hello, {name}!"


@tool
async def ask(context: Context) -> str:
    """Ask."""
    answer = await context.ui.elicit("Which table?", {"type": "object", "properties": {"table": {"type": "string"}}})
    return answer.action


@tool(annotations=ToolAnnotations(destructiveHint=True, readOnlyHint=False))
def clear() -> str:
    """Clear."""
    return "cleared"
'''


@asynccontextmanager
async def watching(folder: Path, revision: Revision | None = None) -> AsyncIterator[tuple[WatchedCalls, Path]]:
    file = folder / "tools.py"
    file.write_text(TOOLS)
    core = Core(project=folder, reload=True, link=False)
    await core.start()
    workspace = Workspace(LocalLink(core), revision=revision)
    try:
        await workspace.open()
        unattended = UnattendedWorkspace(workspace)
        await unattended.until(lambda: workspace.core.is_loaded and workspace.core.tool("greet"))
        yield workspace.watched_calls, file
        await workspace.close()
    finally:
        await core.stop()


def call(tool: str, **arguments: Any) -> SavedCall:
    return SavedCall("", OfferKind.TOOL, tool, arguments)


async def has_run(watched: WatchedCall) -> None:
    await until(lambda: watched.result is not None)


@in_both_eras
async def test_a_save_runs_a_watched_call_again_and_compares_it(tmp_path: Path, revision: Revision) -> None:
    async with watching(tmp_path, revision) as (watched, file):
        ada = watched.add(call("greet", name="Ada"))
        watched.run_soon(ada)
        await has_run(ada)
        assert ada.result is not None
        assert ada.result.is_green
        file.write_text(TOOLS.replace("Hello", "Welcome"))
        await until(lambda: watched.red == 1)
        assert [(each.before, each.after) for each in ada.result.changes] == [('"Hello, Ada!"', '"Welcome, Ada!"')]
        watched.accept(ada)
        assert watched.red == 0


@in_both_eras
async def test_a_question_of_a_watched_call_is_declined_and_named(tmp_path: Path, revision: Revision) -> None:
    async with watching(tmp_path, revision) as (watched, _):
        asking = watched.add(call("ask"))
        watched.run_soon(asking)
        await has_run(asking)
        assert asking.result is not None
        assert asking.result.asked == ("Which table?",)
        assert asking.result.is_green


@in_both_eras
async def test_a_rule_of_the_project_answers_a_watched_call(tmp_path: Path, revision: Revision) -> None:
    (tmp_path / "workbench.yaml").write_text("rules:\n  tables: {answer: accept}\n")
    async with watching(tmp_path, revision) as (watched, _):
        asking = watched.add(call("ask"))
        watched.run_soon(asking)
        await has_run(asking)
        assert asking.result is not None
        assert asking.result.asked == ()
        assert asking.result.ruled == ("rule `tables` answered",)


async def test_a_destructive_call_is_only_run_if_the_user_has_agreed(tmp_path: Path) -> None:
    async with watching(tmp_path) as (watched, _):
        refused, agreed = watched.add(call("clear")), watched.add(call("clear", x=1), may_destroy=True)
        watched.run_soon(refused, agreed)
        await has_run(agreed)
        assert refused.result is not None
        assert agreed.result is not None
        assert refused.result.run is None
        assert "destructiveHint" in refused.result.problem
        assert not refused.result.is_red
        assert agreed.result.run is not None


async def test_a_tool_that_becomes_destructive_is_not_called_any_more(tmp_path: Path) -> None:
    async with watching(tmp_path) as (watched, file):
        ada = watched.add(call("greet", name="Ada"))
        watched.run_soon(ada)
        await has_run(ada)
        file.write_text(
            TOOLS.replace("@tool\ndef greet", "@tool(annotations=ToolAnnotations(destructiveHint=True))\ndef greet")
        )
        await until(lambda: ada.result is not None and ada.result.run is None)


async def test_a_saved_call_that_changes_is_compared_with_its_new_first_result(tmp_path: Path) -> None:
    async with watching(tmp_path) as (watched, _):
        named = SavedCall("hello", OfferKind.TOOL, "greet", {"name": "Ada"})
        hello = watched.add(named)
        watched.run_soon(hello)
        await has_run(hello)
        watched.update_saved([SavedCall("hello", OfferKind.TOOL, "greet", {"name": "Bo"})])
        await until(lambda: hello.result is not None and hello.result.call.arguments == {"name": "Bo"})
        assert hello.result is not None
        assert hello.result.is_green
        watched.update_saved([])
        assert watched.calls == []


async def test_a_call_without_a_name_becomes_the_saved_call_with_its_arguments(tmp_path: Path) -> None:
    async with watching(tmp_path) as (watched, _):
        ada = watched.add(call("greet", name="Ada"))
        watched.update_saved([SavedCall("hello", OfferKind.TOOL, "greet", {"name": "Ada"})])
        assert ada.label == "hello"


async def test_nothing_is_called_before_the_tools_are_known(tmp_path: Path) -> None:
    async with watching(tmp_path) as (watched, _):
        core, catalog = watched._workspace.core, watched._workspace.core.catalog
        core.catalog = {}
        clear = watched.add(call("clear"))
        watched.run_soon(clear)
        await until(lambda: watched._worker is not None and watched._worker.done())
        assert clear.result is None
        core.catalog = catalog
        watched.note_change()
        await has_run(clear)
        assert clear.result is not None
        assert clear.result.run is None
