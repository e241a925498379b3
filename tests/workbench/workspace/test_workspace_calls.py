"""Calls in a workspace: their runs, their requests to the user, and the sessions in which they are sent."""

import pytest

from server_core.errors import RemoteError
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, REVISIONS
from tests.waiting import until, within
from tests.workbench.client.scripted import ScriptedServer
from tests.workbench.tui.fakes import NOON, SERVER, FakeLink, open_fixed_workspace
from workbench.model.catalog import Offer, OfferKind
from workbench.model.history import RunStatus
from workbench.model.traffic.vocabulary import PROBE
from workbench.workspace.runs import MAX_UPDATES, Runs
from workbench.workspace.workspace import Workspace


async def test_a_call_is_a_run_that_ends_with_the_result() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    run = workspace.call("greet", {"name": "Ada"})
    assert run.is_running
    request = await link.server.message("tools/call")
    assert request["params"]["arguments"] == {"name": "Ada"}
    link.server.answer(request, {"content": [{"type": "text", "text": "Hello"}]})
    await until(lambda: not run.is_running)
    assert run.status is RunStatus.OK
    assert run.started == NOON
    await workspace.close()


async def test_progress_reaches_the_run() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    run = workspace.call("roast", {})
    request = await link.server.message("tools/call")
    token = request["params"]["_meta"]["progressToken"]
    link.server.notify("notifications/progress", progressToken=token, progress=2, total=4, message="half")
    await until(lambda: run.progress)
    assert run.progress[0].fraction == 0.5
    await workspace.close()


async def test_a_cancelled_run_notifies_the_server_and_ends() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    run = workspace.call("roast", {})
    request = await link.server.message("tools/call")
    workspace.cancel(run)
    changes = await link.server.message("notifications/cancelled")
    assert changes["params"]["requestId"] == request["id"]
    await until(lambda: run.status is RunStatus.CANCELLED)
    await workspace.close()


async def test_a_call_without_a_connection_fails_at_once() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    link.closed.set()
    await until(lambda: not workspace.connected)
    run = workspace.call("greet", {})
    assert run.status is RunStatus.ERROR
    assert "The core is lost" in run.error
    await workspace.close()


async def test_a_run_fails_when_the_server_disconnects_before_the_response() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    run = workspace.call("greet", {})
    await link.server.message("tools/call")
    link.server.hang_up()
    await until(lambda: not run.is_running)
    assert run.status is RunStatus.ERROR
    await workspace.close()


async def test_a_request_of_the_server_waits_and_is_announced() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    changes: list[str] = []
    workspace.on_change = changes.append
    link.server.ask(7, "sampling/createMessage", messages=[], maxTokens=10)
    await until(lambda: workspace.questions.waiting)
    await until(lambda: "questions" in changes)
    await workspace.close()


DISCOVERED = {
    "resultType": "complete",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}, "logging": {}},
    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "demo", "version": "1"}},
}


async def test_another_revision_is_another_session_and_the_previous_session_is_closed() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    before, link.server = link.server, ScriptedServer(server__discover=DISCOVERED)
    changes: list[str] = []
    workspace.on_change = changes.append
    await within(workspace.switch_revision(LATEST_STATELESS))
    assert workspace.session is not None
    assert workspace.session.revision is LATEST_STATELESS
    assert before.is_closed
    assert "link" in changes
    run = workspace.call("greet", {})
    request = await link.server.message("tools/call")
    assert request["params"]["_meta"]["io.modelcontextprotocol/logLevel"] == "debug"
    link.server.answer(request, {"resultType": "complete", "content": []})
    await until(lambda: run.status is RunStatus.OK)
    await workspace.close()


async def test_an_unsupported_revision_changes_nothing() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    before, link.server = link.server, ScriptedServer(server__discover={"error": {"code": -32601, "message": "no"}})
    with pytest.raises(RemoteError):
        await within(workspace.switch_revision(LATEST_STATELESS))
    assert workspace.session is not None
    assert workspace.session.revision is LATEST
    assert not before.is_closed
    assert link.server.is_closed
    await workspace.close()


async def test_the_newest_revision_of_a_relayed_server_is_discovered_and_of_a_project_it_is_known() -> None:
    for mode, reply in (("relay", {"initialize": SERVER}), ("project", {"server/discover": DISCOVERED})):
        link = FakeLink()
        link.info["mode"] = mode
        link.server = ScriptedServer()
        link.server.replies = {
            "server/discover": {"error": {"code": -32601, "message": "no"}},
            "tools/list": {"tools": []},
        }
        link.server.replies |= reply
        workspace = Workspace(link)
        await within(workspace.open())
        assert workspace.session is not None
        assert workspace.session.revision is (LATEST if mode == "relay" else LATEST_STATELESS)
        probes = [item for item in link.server.received if PROBE in item.get("params", {}).get("_meta", {})]
        assert len(probes) == (mode == "relay")
        await workspace.close()


async def test_the_chosen_log_level_applies_to_the_next_session() -> None:
    link = FakeLink()
    link.server.replies["logging/setLevel"] = {}
    workspace = await open_fixed_workspace(link)
    assert "logging/setLevel" not in [item.get("method") for item in link.server.received]
    await within(workspace.set_log_level("error"))
    link.server = ScriptedServer(logging__setLevel={})
    await within(workspace.switch_revision(REVISIONS["2025-06-18"]))
    assert (await link.server.message("logging/setLevel"))["params"] == {"level": "error"}
    await workspace.close()


@pytest.mark.parametrize(("support", "as_task"), [("required", False), ("optional", True)])
async def test_a_tool_is_called_as_a_task_where_it_has_to_be_or_a_person_wants_it(support: str, as_task: bool) -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    workspace.core.catalog["tools"] = [
        {"name": "roast", "execution": {"taskSupport": support}},
        {"name": "odd", "execution": 5},
    ]
    run = workspace.call("roast", {}, as_task=as_task)
    request = await link.server.message("tools/call")
    assert request["params"]["task"] == {}
    state = {"taskId": "t", "pollInterval": 20, "statusMessage": "hot\x1b"}
    link.server.replies["tasks/get"] = {**state, "status": "working"}
    link.server.answer(request, {"task": {**state, "status": "working"}})
    await until(lambda: run.task == "is running: hot\\x1b")
    workspace.cancel(run)
    assert (await link.server.message("tasks/cancel"))["params"] == {"taskId": "t"}
    await until(lambda: run.status is RunStatus.CANCELLED)
    assert workspace.core.task_support("odd") == workspace.core.task_support("unknown") == "forbidden"
    await workspace.close()


async def test_calls_have_the_facts_of_the_caller_that_the_user_set() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    workspace.set_caller_attributes({"team": "beans"})
    workspace.call("greet", {})
    request = await within(link.server.message("tools/call"))
    assert request["params"]["_meta"]["team"] == "beans"
    assert "progressToken" in request["params"]["_meta"]
    await workspace.close()


async def test_reads_of_an_updated_resource_leave_the_other_runs_in_the_history() -> None:
    link = FakeLink()
    link.server.replies["resources/read"] = {"contents": []}
    workspace = await open_fixed_workspace(link)
    runs = Runs(lambda: workspace, lambda: None)
    run = runs.start(Offer(OfferKind.RESOURCE, "demo://menu", "menu", "", {}), {})
    for _ in range(MAX_UPDATES + 5):
        await until(lambda: not any(other.is_running for other in workspace.history))
        run = runs.read_again(run)
    assert [other.number for other in workspace.history] == [1, *range(7, MAX_UPDATES + 7)]
    await workspace.close()
