"""What a terminal works on, with a link to no core and a scripted server."""

import json

import pytest

from server_core.errors import ConnectionFailed, ProtocolError, RemoteError
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, REVISIONS
from server_core.records.tap import Direction, Kind
from tests.waiting import until, within
from tests.workbench.client.scripted import ScriptedServer
from tests.workbench.tui.fakes import CATALOG, NOON, SERVER, FakeLink, conversation, open_fixed_workspace, record
from workbench.model.history import RunStatus
from workbench.model.traffic.vocabulary import PROBE
from workbench.workspace.workspace import Workspace


class FakeProcess:
    """The process of a core that is no more."""

    def __init__(self, words: str = "The core k7 ended with exit code 1.") -> None:
        self.words = words
        self.stopped = False

    def post_mortem(self) -> str:
        return self.words

    async def stop(self) -> None:
        self.stopped = True


def methods(link: FakeLink) -> list[str]:
    return [method for method, _ in link.asked]


async def test_an_open_workspace_has_the_server_the_catalog_the_secrets_and_the_sessions() -> None:
    workspace = await open_fixed_workspace(FakeLink())
    assert workspace.connected
    assert workspace.identity["title"] == "Demo"
    assert workspace.catalog["generation"] == 2
    assert [secret["key"] for secret in workspace.secrets] == ["CITY", "MAP_KEY", "SUPPLIER_KEY"]
    assert [session["key"] for session in workspace.sessions] == ["s1", "s2", "s3"]
    assert len(workspace.problems) == 2
    await workspace.close()


async def test_a_viewer_opens_no_session_and_reads_the_name_from_the_catalog() -> None:
    link = FakeLink()
    link.info["role"] = "viewer"
    workspace = await open_fixed_workspace(link)
    assert workspace.session is None
    assert workspace.identity["name"] == "demo"
    assert link.server.received == []
    await workspace.close()


async def test_polling_receives_all_records_and_notifies_once() -> None:
    link = FakeLink(conversation())
    workspace = await open_fixed_workspace(link)
    changes: list[str] = []
    workspace.on_change = changes.append
    assert workspace.poll()
    assert len(workspace.timeline) == len(conversation())
    assert changes == ["timeline"]
    assert not workspace.poll()
    await workspace.close()


async def test_polling_stops_when_its_time_is_up_and_goes_on_the_next_time() -> None:
    many = [record(seq, Kind.STDERR, Direction.NONE, b"x") for seq in range(1, 2001)]
    workspace = await open_fixed_workspace(FakeLink(many))
    workspace.poll(budget_s=0)
    first = len(workspace.timeline)
    assert 0 < first < 2000
    while workspace.poll(budget_s=0):
        pass
    assert len(workspace.timeline) == 2000
    await workspace.close()


@pytest.mark.parametrize(
    ("event", "asked"),
    [
        ("reloaded", "catalog/get"),
        ("loaded", "secrets/list"),
        ("reload_failed", "catalog/get"),
        ("secrets_changed", "secrets/list"),
        ("session_opened", "sessions/list"),
        ("http_listening", "core/info"),
    ],
)
async def test_an_event_of_the_core_has_the_part_that_it_changes_fetched_again(event: str, asked: str) -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    link.asked.clear()
    link.arrive([record(1, Kind.LIFECYCLE, Direction.NONE, {"event": event})])
    workspace.poll()
    await until(lambda: asked in methods(link))
    await workspace.close()


async def test_many_events_of_a_kind_have_their_part_fetched_once() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    link.asked.clear()
    link.arrive([record(seq, Kind.LIFECYCLE, Direction.NONE, {"event": "reloaded"}) for seq in range(1, 100)])
    workspace.poll()
    await until(lambda: len(methods(link)) >= 3)
    assert sorted(methods(link)) == ["accounts/list", "catalog/get", "secrets/list"]
    await workspace.close()


async def test_a_lifecycle_record_that_is_no_object_harms_nothing() -> None:
    workspace = await open_fixed_workspace(FakeLink([record(1, Kind.LIFECYCLE, Direction.NONE, b"[1]")]))
    assert workspace.poll()
    await workspace.close()


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
    assert "Not connected" in run.error
    await workspace.close()


async def test_the_answer_that_never_comes_because_the_server_hung_up_fails_the_run() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    run = workspace.call("greet", {})
    await link.server.message("tools/call")
    link.server.hang_up()
    await until(lambda: not run.is_running)
    assert run.status is RunStatus.ERROR
    await workspace.close()


async def test_a_question_of_the_server_waits_and_is_announced() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    changes: list[str] = []
    workspace.on_change = changes.append
    link.server.ask(7, "sampling/createMessage", messages=[], maxTokens=10)
    await until(lambda: workspace.questions.waiting)
    assert "questions" in changes
    await workspace.close()


async def test_a_core_that_ends_unasked_leaves_its_post_mortem() -> None:
    link, process = FakeLink(), FakeProcess("The core k7 ended with exit code 1.\nboom")
    workspace = Workspace(link, revision=LATEST, process=process)
    await workspace.open()
    link.closed.set()
    await until(lambda: workspace.post_mortem)
    assert workspace.post_mortem == "The core k7 ended with exit code 1.\nboom"
    assert not workspace.connected
    await workspace.close()


async def test_a_connection_that_is_lost_while_the_core_runs_is_reported_too() -> None:
    link = FakeLink()
    workspace = Workspace(link, revision=LATEST, process=FakeProcess(""))
    await workspace.open()
    link.closed.set()
    await until(lambda: workspace.post_mortem)
    assert workspace.post_mortem == "The connection to the core is lost."
    await workspace.close()


async def test_leaving_is_no_loss() -> None:
    workspace = await open_fixed_workspace(FakeLink())
    await workspace.close()
    await until(lambda: not workspace.connected)
    assert workspace.post_mortem is None


async def test_stopping_leaves_the_core_and_ends_its_process() -> None:
    link, process = FakeLink(), FakeProcess()
    workspace = Workspace(link, revision=LATEST, process=process)
    await workspace.open()
    await within(workspace.stop())
    assert process.stopped
    assert link.closed.is_set()


async def test_stopping_a_core_in_this_process_asks_it() -> None:
    link = FakeLink()
    workspace = Workspace(link, revision=LATEST)
    await workspace.open()
    await within(workspace.stop())
    assert "core/stop" in methods(link)
    assert link.closed.is_set()


async def test_stopping_a_core_that_is_gone_does_not_fail() -> None:
    link = FakeLink()
    workspace = Workspace(link, revision=LATEST)
    await workspace.open()
    link.answers["core/stop"] = ConnectionFailed("gone")
    await within(workspace.stop())
    assert link.closed.is_set()


async def test_detaching_keeps_the_core_without_opening_a_port() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    assert "workbench attach k7" in await within(workspace.detach())
    assert "core/keep" in methods(link)
    assert not {"core/stop", "core/http"} & set(methods(link))


async def test_detaching_leaves_the_core_serving_http_where_that_is_chosen() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    words = await within(workspace.detach(serve_http=True))
    assert "core/stop" not in methods(link)
    assert "http://127.0.0.1:8000/mcp" in words
    assert "workbench attach k7" in words


async def test_a_core_that_cannot_serve_http_is_not_left_in_that_way() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    link.answers["core/http"] = RemoteError(-32004, "port in use")
    with pytest.raises(RemoteError, match="port in use"):
        await within(workspace.detach(serve_http=True))
    assert workspace.connected
    await workspace.close()


async def test_an_address_that_is_served_already_is_not_asked_for_again() -> None:
    link = FakeLink()
    link.info["http_url"] = "http://127.0.0.1:9/mcp"
    workspace = await open_fixed_workspace(link)
    assert await workspace.serve_http() == "http://127.0.0.1:9/mcp"
    assert "core/http" not in methods(link)
    await workspace.close()


async def test_a_body_that_was_let_go_is_fetched_from_the_core() -> None:
    link = FakeLink()
    link.stored = {item.seq: item for item in conversation()}
    workspace = await open_fixed_workspace(link)
    assert json.loads(await workspace.body(5))["params"]["name"] == "greet"
    with pytest.raises(ProtocolError, match="no longer has record 99"):
        await workspace.body(99)
    await workspace.close()


async def test_a_secret_that_the_core_refuses_is_an_error_with_its_words() -> None:
    link = FakeLink()
    link.answers["secrets/set"] = RemoteError(-32004, "The environment sets CITY.")
    workspace = await open_fixed_workspace(link)
    with pytest.raises(RemoteError, match="The environment sets CITY"):
        await workspace.set_secret("CITY", "x")
    await workspace.close()


async def test_a_secret_that_was_set_is_looked_up_again_and_its_value_is_kept_nowhere() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    await workspace.set_secret("SUPPLIER_KEY", "s3cret-value")
    assert link.asked[-2] == ("secrets/set", {"key": "SUPPLIER_KEY", "value": "s3cret-value"})
    assert methods(link)[-1] == "secrets/list"
    assert "s3cret-value" not in repr(vars(workspace))
    await workspace.close()


async def test_reloading_shows_while_it_lasts_and_ends_also_when_it_fails() -> None:
    link = FakeLink()
    link.answers["core/reload"] = RemoteError(-32004, "cannot reload")
    workspace = await open_fixed_workspace(link)
    seen: list[bool] = []
    workspace.on_change = lambda part: seen.append(workspace.reloading)
    with pytest.raises(RemoteError):
        await workspace.reload()
    assert seen == [True, False]
    await workspace.close()


@pytest.mark.parametrize(
    ("catalog", "expected"),
    [
        ({}, False),
        ({"generation": 0}, True),
        ({"tools": CATALOG["tools"]}, True),
        ({"problems": CATALOG["problems"]}, True),
        ({"prompts": [{"name": "p"}]}, True),
    ],
)
async def test_a_folder_has_no_tools_only_when_nothing_at_all_was_discovered(
    catalog: dict[str, object], expected: bool
) -> None:
    link = FakeLink()
    nothing = {part: [] for part in ("tools", "resources", "templates", "prompts", "problems")}
    link.answers["catalog/get"] = {**CATALOG, **nothing, **catalog}
    workspace = await open_fixed_workspace(link)
    assert workspace.has_tools is expected
    await workspace.close()


async def test_what_a_relayed_server_offers_is_asked_of_the_server() -> None:
    link = FakeLink()
    link.info["mode"] = "relay"
    link.answers["catalog/get"] = {**CATALOG, "generation": 0, "tools": [], "problems": []}
    link.server.replies["tools/list"] = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    workspace = await open_fixed_workspace(link)
    assert [tool["name"] for tool in workspace.catalog["tools"]] == ["echo"]
    assert workspace.is_loaded
    assert [message["method"] for message in link.server.received if "id" in message] == ["initialize", "tools/list"]
    await workspace.close()


async def test_a_relayed_server_that_changes_its_tools_is_asked_again() -> None:
    link = FakeLink()
    link.info["mode"] = "relay"
    link.answers["catalog/get"] = {**CATALOG, "generation": 0, "tools": [], "problems": []}
    link.server.replies["tools/list"] = {"tools": []}
    workspace = await open_fixed_workspace(link)
    link.server.replies["tools/list"] = {"tools": [{"name": "new", "inputSchema": {"type": "object"}}]}
    link.server.notify("notifications/tools/list_changed")
    await until(lambda: workspace.catalog["tools"])
    assert workspace.catalog["tools"][0]["name"] == "new"
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


async def test_a_revision_that_the_server_does_not_speak_leaves_everything_as_it_was() -> None:
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


async def test_the_log_level_that_was_chosen_holds_in_the_next_session() -> None:
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
    workspace.catalog["tools"] = [
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
    assert workspace.task_support("odd") == workspace.task_support("unknown") == "forbidden"
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
