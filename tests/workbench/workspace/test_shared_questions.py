"""Two terminals on one core: a question of a call in one is shown in both, and answered in either."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from server_core.core import Core
from server_core.errors import RemoteError
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from tests.waiting import until
from workbench.client.call_elsewhere import CallElsewhere
from workbench.client.questions import Question
from workbench.link.local import LocalLink
from workbench.workspace import shared_questions
from workbench.workspace.asking_calls import (
    EXTENSION_S,
    deadline_of,
    extend_time,
    timed_call,
    unanswered_texts,
    update_deadline,
    why_no_extension,
)
from workbench.workspace.workspace import Workspace

_TOOLS = '''
import asyncio
from typing import Annotated

from server_core import Context, tool


@tool
async def choose(context: Context) -> Annotated[str, "The choice."]:
    """Ask for a dessert."""
    schema = {"type": "object", "properties": {"dessert": {"type": "string"}}, "required": ["dessert"]}
    answer = await context.ui.elicit("Which dessert?", schema)
    return f"{answer.action}: {(answer.content or {}).get('dessert')}"
'''

_ASKS_TWICE = '''

@tool
async def choose_two(context: Context) -> Annotated[str, "The choices."]:
    """Ask two questions at once."""
    schema = {"type": "object", "properties": {"dessert": {"type": "string"}}}
    first, second = context.ui.elicit("First?", schema), context.ui.elicit("Second?", schema)
    answers = await asyncio.gather(first, second)
    return ", ".join(answer.action for answer in answers)
'''

in_both_eras = pytest.mark.parametrize("revision", [LATEST, LATEST_STATELESS], ids=["session", "stateless"])


@pytest.fixture(autouse=True)
def without_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_questions, "PAUSE_S", 0.0)


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    (tmp_path / "tools.py").write_text(_TOOLS + _ASKS_TWICE)
    core = Core(project=tmp_path, link=False)
    await core.start()
    await core.wait_loaded()
    yield core
    await core.stop()


@asynccontextmanager
async def attached(core: Core, revision: Revision, role: str = "admin") -> AsyncIterator[Workspace]:
    workspace = Workspace(LocalLink(core, role), revision=revision)
    await workspace.open()
    yield workspace
    await workspace.close()


async def question_in(workspace: Workspace) -> Question:
    """Return the first open question of a terminal, as soon as it has one."""
    await until(lambda: workspace.poll() is not None and workspace.questions.waiting)
    return workspace.questions.waiting[0]


@in_both_eras
async def test_a_question_that_waits_is_shown_in_a_terminal_that_attaches_and_answered_there(
    core: Core, revision: Revision
) -> None:
    async with attached(core, revision) as first:
        run = first.call("choose", {})
        own = await question_in(first)
        async with attached(core, revision) as second:
            assert [question.params["message"] for question in second.questions.waiting] == ["Which dessert?"]
            assert second.questions.waiting[0].session == f"choose id {run.request_id} in another terminal"
            second.questions.waiting[0].accept({"dessert": "cake"})
            await until(lambda: first.poll() is not None and not run.is_running)
            assert run.result is not None
            assert run.result["content"][0]["text"] == "accept: cake"
            assert own.is_answered_elsewhere
            assert not first.questions.waiting
            assert not second.questions.waiting


@in_both_eras
async def test_the_time_to_answer_is_known_and_extended_in_another_terminal(core: Core, revision: Revision) -> None:
    async with attached(core, revision) as first, attached(core, revision) as second:
        run = first.call("choose", {})
        own, shared = await question_in(first), await question_in(second)
        call = timed_call(second, shared)
        assert isinstance(call, CallElsewhere)
        assert why_no_extension(second, call) is None
        before = deadline_of(second, shared)
        assert before is not None
        await extend_time(second, call, shared)
        # The core is asked about a call whose request is in memory.
        await until(lambda: first.poll() is not None and any(each.method == "tools/call" for each in first.timeline))
        await update_deadline(first, run)
        for workspace, question in ((first, own), (second, shared)):
            deadline = deadline_of(workspace, question)
            assert deadline is not None
            assert deadline > before + EXTENSION_S / 2
        shared.decline()
        await until(lambda: first.poll() is not None and not run.is_running)


@in_both_eras
async def test_a_question_that_its_own_terminal_answers_is_withdrawn_in_the_others(
    core: Core, revision: Revision
) -> None:
    async with attached(core, revision) as first, attached(core, revision) as second:
        run = first.call("choose", {})
        shared = await question_in(second)
        (await question_in(first)).accept({"dessert": "pie"})
        await until(lambda: second.poll() is not None and shared.withdrawn)
        assert [text.rpartition(" – ")[2] for text in unanswered_texts(second)] == [
            "answered or ended in its own terminal"
        ]
        await until(lambda: not run.is_running)
        assert run.result is not None
        assert run.result["content"][0]["text"] == "accept: pie"


@in_both_eras
@pytest.mark.parametrize("answered_in", [0, 1])
async def test_of_several_questions_of_a_call_those_that_are_answered_count_in_no_terminal(
    core: Core, revision: Revision, answered_in: int
) -> None:
    def waiting(workspace: Workspace) -> list[str]:
        workspace.poll()
        return sorted(question.params["message"] for question in workspace.questions.waiting)

    async with attached(core, revision) as first, attached(core, revision) as second:
        run = first.call("choose_two", {})
        terminals = (first, second)
        await until(lambda: all(waiting(each) == ["First?", "Second?"] for each in terminals))
        for message, left in (("Second?", ["First?"]), ("First?", [])):
            asked = terminals[answered_in].questions.waiting
            next(question for question in asked if question.params["message"] == message).decline()
            await until(lambda left=left: all(waiting(each) == left for each in terminals))  # type: ignore[misc]
        await until(lambda: first.poll() is not None and not run.is_running)
        assert run.result is not None
        assert run.result["content"][0]["text"] == "decline, decline"


@in_both_eras
async def test_a_question_is_withdrawn_in_the_others_when_its_call_is_cancelled(core: Core, revision: Revision) -> None:
    async with attached(core, revision) as first, attached(core, revision) as second:
        run = first.call("choose", {})
        shared = await question_in(second)
        first.cancel(run)
        await until(lambda: second.poll() is not None and shared.withdrawn)


@in_both_eras
async def test_a_question_that_is_refused_is_withdrawn_in_the_others(core: Core, revision: Revision) -> None:
    async with attached(core, revision) as first, attached(core, revision) as second:
        run = first.call("choose", {})
        shared = await question_in(second)
        (await question_in(first)).refuse(-1, "No.")
        await until(lambda: second.poll() is not None and shared.withdrawn)
        await until(lambda: not run.is_running)


async def test_a_question_is_withdrawn_in_the_others_when_its_terminal_closes(core: Core) -> None:
    async with attached(core, LATEST) as second:
        async with attached(core, LATEST) as first:
            first.call("choose", {})
            shared = await question_in(second)
        await until(lambda: second.poll() is not None and shared.withdrawn)


async def test_of_two_answers_the_first_counts_and_the_other_is_listed_as_late(core: Core) -> None:
    async with attached(core, LATEST) as first, attached(core, LATEST) as second, attached(core, LATEST) as third:
        run = first.call("choose", {})
        early, late = await question_in(second), await question_in(third)
        early.accept({"dessert": "cake"})
        late.decline()
        await until(lambda: not run.is_running)
        await until(lambda: late in third.questions.withdrawn)
        assert late.is_answered_elsewhere
        assert run.result is not None
        assert run.result["content"][0]["text"] == "accept: cake"


async def test_a_viewer_gets_no_questions_and_cannot_answer_any(core: Core) -> None:
    async with attached(core, LATEST) as first, attached(core, LATEST, "viewer") as viewer:
        first.call("choose", {})
        await question_in(first)
        listed = (await viewer.link.request("questions/list"))["questions"]
        assert listed[0]["method"] == "elicitation/create"
        assert not viewer.questions.waiting
        with pytest.raises(RemoteError, match="needs the role operator"):
            await viewer.link.request("questions/answer", {**listed[0], "result": {"action": "decline"}})


async def test_a_question_of_a_relayed_server_is_answered_in_another_terminal(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(_TOOLS)
    core = Core(upstream=[sys.executable, "-m", "workbench", "serve", str(tmp_path), "--stdio"], link=False)
    await core.start()
    try:
        async with attached(core, LATEST) as first, attached(core, LATEST) as second:
            run = first.call("choose", {})
            own, shared = await question_in(first), await question_in(second)
            assert shared.session == "a tool in another terminal"
            shared.accept({"dessert": "cake"})
            await until(lambda: first.poll() is not None and not run.is_running)
            assert own.is_answered_elsewhere
            assert run.result is not None
            assert run.result["content"][0]["text"] == "accept: cake"
    finally:
        await core.stop()


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("questions/list", {"without": "s1"}, "must be a list of ids"),
        ("questions/answer", {"session": "s1", "key": "x"}, '"result" must be an object'),
        ("questions/answer", {"session": "s1", "key": "x", "result": {}}, "no longer open"),
    ],
)
async def test_bad_requests_about_questions_are_refused_with_the_reason(
    core: Core, method: str, params: dict[str, object], message: str
) -> None:
    async with attached(core, LATEST) as terminal:
        with pytest.raises(RemoteError, match=message):
            await terminal.link.request(method, params)
