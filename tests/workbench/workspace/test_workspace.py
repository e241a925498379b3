"""What a terminal works on, with a link to no core and a scripted server."""

import json

import pytest

from server_core.errors import ConnectionFailed, ProtocolError, RemoteError
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, REVISIONS
from server_core.records.tap import Direction, Kind
from tests.waiting import until, within
from tests.workbench.client.scripted import ScriptedServer
from tests.workbench.tui.fakes import CATALOG, NOON, SERVER, FakeLink, conversation, open_fixed_desk, record
from workbench.model.history import RunStatus
from workbench.model.traffic.marks import PROBE
from workbench.workspace.workspace import Desk


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


async def test_an_open_desk_knows_the_server_the_catalog_the_secrets_and_the_sessions() -> None:
    desk = await open_fixed_desk(FakeLink())
    assert desk.connected
    assert desk.identity["title"] == "Demo"
    assert desk.catalog["generation"] == 2
    assert [secret["key"] for secret in desk.secrets] == ["CITY", "MAP_KEY", "SUPPLIER_KEY"]
    assert [session["key"] for session in desk.sessions] == ["s1", "s2", "s3"]
    assert len(desk.problems) == 2
    await desk.close()


async def test_a_viewer_opens_no_session_and_reads_the_name_from_the_catalog() -> None:
    link = FakeLink()
    link.info["role"] = "viewer"
    desk = await open_fixed_desk(link)
    assert desk.session is None
    assert desk.identity["name"] == "demo"
    assert link.server.heard == []
    await desk.close()


async def test_polling_takes_all_that_has_come_and_says_so_once() -> None:
    link = FakeLink(conversation())
    desk = await open_fixed_desk(link)
    told: list[str] = []
    desk.on_change = told.append
    assert desk.poll()
    assert len(desk.timeline) == len(conversation())
    assert told == ["timeline"]
    assert not desk.poll()
    await desk.close()


async def test_polling_stops_when_its_time_is_up_and_goes_on_the_next_time() -> None:
    many = [record(seq, Kind.STDERR, Direction.NONE, b"x") for seq in range(1, 2001)]
    desk = await open_fixed_desk(FakeLink(many))
    desk.poll(budget_s=0)
    first = len(desk.timeline)
    assert 0 < first < 2000
    while desk.poll(budget_s=0):
        pass
    assert len(desk.timeline) == 2000
    await desk.close()


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
    desk = await open_fixed_desk(link)
    link.asked.clear()
    link.arrive([record(1, Kind.LIFECYCLE, Direction.NONE, {"event": event})])
    desk.poll()
    await until(lambda: asked in methods(link))
    await desk.close()


async def test_many_events_of_one_kind_have_their_part_fetched_once() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    link.asked.clear()
    link.arrive([record(seq, Kind.LIFECYCLE, Direction.NONE, {"event": "reloaded"}) for seq in range(1, 100)])
    desk.poll()
    await until(lambda: len(methods(link)) >= 3)
    assert sorted(methods(link)) == ["accounts/list", "catalog/get", "secrets/list"]
    await desk.close()


async def test_a_lifecycle_record_that_is_no_object_harms_nothing() -> None:
    desk = await open_fixed_desk(FakeLink([record(1, Kind.LIFECYCLE, Direction.NONE, b"[1]")]))
    assert desk.poll()
    await desk.close()


async def test_a_call_is_a_run_that_ends_with_the_result() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    run = desk.call("greet", {"name": "Ada"})
    assert run.is_running
    request = await link.server.hear("tools/call")
    assert request["params"]["arguments"] == {"name": "Ada"}
    link.server.answer(request, {"content": [{"type": "text", "text": "Hello"}]})
    await until(lambda: not run.is_running)
    assert run.status is RunStatus.OK
    assert run.started == NOON
    await desk.close()


async def test_progress_reaches_the_run() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    run = desk.call("roast", {})
    request = await link.server.hear("tools/call")
    token = request["params"]["_meta"]["progressToken"]
    link.server.tell("notifications/progress", progressToken=token, progress=2, total=4, message="half")
    await until(lambda: run.progress)
    assert run.progress[0].fraction == 0.5
    await desk.close()


async def test_a_cancelled_run_tells_the_server_and_ends() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    run = desk.call("roast", {})
    request = await link.server.hear("tools/call")
    desk.cancel(run)
    told = await link.server.hear("notifications/cancelled")
    assert told["params"]["requestId"] == request["id"]
    await until(lambda: run.status is RunStatus.CANCELLED)
    await desk.close()


async def test_a_call_without_a_connection_fails_at_once() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    link.closed.set()
    await until(lambda: not desk.connected)
    run = desk.call("greet", {})
    assert run.status is RunStatus.ERROR
    assert "Not connected" in run.error
    await desk.close()


async def test_the_answer_that_never_comes_because_the_server_hung_up_fails_the_run() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    run = desk.call("greet", {})
    await link.server.hear("tools/call")
    link.server.hang_up()
    await until(lambda: not run.is_running)
    assert run.status is RunStatus.ERROR
    await desk.close()


async def test_a_question_of_the_server_waits_and_is_announced() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    told: list[str] = []
    desk.on_change = told.append
    link.server.ask(7, "sampling/createMessage", messages=[], maxTokens=10)
    await until(lambda: desk.questions.waiting)
    assert "questions" in told
    await desk.close()


async def test_a_core_that_ends_unasked_leaves_its_post_mortem() -> None:
    link, process = FakeLink(), FakeProcess("The core k7 ended with exit code 1.\nboom")
    desk = Desk(link, revision=LATEST, process=process)
    await desk.open()
    link.closed.set()
    await until(lambda: desk.post_mortem)
    assert desk.post_mortem == "The core k7 ended with exit code 1.\nboom"
    assert not desk.connected
    await desk.close()


async def test_a_connection_that_is_lost_while_the_core_runs_is_told_too() -> None:
    link = FakeLink()
    desk = Desk(link, revision=LATEST, process=FakeProcess(""))
    await desk.open()
    link.closed.set()
    await until(lambda: desk.post_mortem)
    assert desk.post_mortem == "The connection to the core is lost."
    await desk.close()


async def test_leaving_is_no_loss() -> None:
    desk = await open_fixed_desk(FakeLink())
    await desk.close()
    await until(lambda: not desk.connected)
    assert desk.post_mortem is None


async def test_stopping_leaves_the_core_and_ends_its_process() -> None:
    link, process = FakeLink(), FakeProcess()
    desk = Desk(link, revision=LATEST, process=process)
    await desk.open()
    await within(desk.stop())
    assert process.stopped
    assert link.closed.is_set()


async def test_stopping_a_core_in_this_process_asks_it() -> None:
    link = FakeLink()
    desk = Desk(link, revision=LATEST)
    await desk.open()
    await within(desk.stop())
    assert "core/stop" in methods(link)
    assert link.closed.is_set()


async def test_stopping_a_core_that_is_gone_does_not_fail() -> None:
    link = FakeLink()
    desk = Desk(link, revision=LATEST)
    await desk.open()
    link.answers["core/stop"] = ConnectionFailed("gone")
    await within(desk.stop())
    assert link.closed.is_set()


async def test_detaching_keeps_the_core_without_opening_a_port() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    assert "workbench attach k7" in await within(desk.detach())
    assert "core/keep" in methods(link)
    assert not {"core/stop", "core/http"} & set(methods(link))


async def test_detaching_leaves_the_core_serving_http_where_that_is_chosen() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    words = await within(desk.detach(serve_http=True))
    assert "core/stop" not in methods(link)
    assert "http://127.0.0.1:8000/mcp" in words
    assert "workbench attach k7" in words


async def test_a_core_that_cannot_serve_http_is_not_left_in_that_way() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    link.answers["core/http"] = RemoteError(-32004, "port in use")
    with pytest.raises(RemoteError, match="port in use"):
        await within(desk.detach(serve_http=True))
    assert desk.connected
    await desk.close()


async def test_an_address_that_is_served_already_is_not_asked_for_again() -> None:
    link = FakeLink()
    link.info["http_url"] = "http://127.0.0.1:9/mcp"
    desk = await open_fixed_desk(link)
    assert await desk.serve_http() == "http://127.0.0.1:9/mcp"
    assert "core/http" not in methods(link)
    await desk.close()


async def test_a_body_that_was_let_go_is_fetched_from_the_core() -> None:
    link = FakeLink()
    link.stored = {one.seq: one for one in conversation()}
    desk = await open_fixed_desk(link)
    assert json.loads(await desk.body(5))["params"]["name"] == "greet"
    with pytest.raises(ProtocolError, match="no record 99"):
        await desk.body(99)
    await desk.close()


async def test_a_secret_that_the_core_refuses_is_an_error_with_its_words() -> None:
    link = FakeLink()
    link.answers["secrets/set"] = RemoteError(-32004, "The environment sets CITY.")
    desk = await open_fixed_desk(link)
    with pytest.raises(RemoteError, match="The environment sets CITY"):
        await desk.set_secret("CITY", "x")
    await desk.close()


async def test_a_secret_that_was_set_is_looked_up_again_and_its_value_is_kept_nowhere() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    await desk.set_secret("SUPPLIER_KEY", "s3cret-value")
    assert link.asked[-2] == ("secrets/set", {"key": "SUPPLIER_KEY", "value": "s3cret-value"})
    assert methods(link)[-1] == "secrets/list"
    assert "s3cret-value" not in repr(vars(desk))
    await desk.close()


async def test_reloading_shows_while_it_lasts_and_ends_also_when_it_fails() -> None:
    link = FakeLink()
    link.answers["core/reload"] = RemoteError(-32004, "cannot reload")
    desk = await open_fixed_desk(link)
    seen: list[bool] = []
    desk.on_change = lambda part: seen.append(desk.reloading)
    with pytest.raises(RemoteError):
        await desk.reload()
    assert seen == [True, False]
    await desk.close()


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
async def test_a_folder_has_no_tools_only_when_nothing_at_all_was_found(
    catalog: dict[str, object], expected: bool
) -> None:
    link = FakeLink()
    nothing = {part: [] for part in ("tools", "resources", "templates", "prompts", "problems")}
    link.answers["catalog/get"] = {**CATALOG, **nothing, **catalog}
    desk = await open_fixed_desk(link)
    assert desk.has_tools is expected
    await desk.close()


async def test_what_a_relayed_server_offers_is_asked_of_the_server() -> None:
    link = FakeLink()
    link.info["mode"] = "relay"
    link.answers["catalog/get"] = {**CATALOG, "generation": 0, "tools": [], "problems": []}
    link.server.replies["tools/list"] = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    desk = await open_fixed_desk(link)
    assert [tool["name"] for tool in desk.catalog["tools"]] == ["echo"]
    assert desk.is_loaded
    assert [message["method"] for message in link.server.heard if "id" in message] == ["initialize", "tools/list"]
    await desk.close()


async def test_a_relayed_server_that_changes_its_tools_is_asked_again() -> None:
    link = FakeLink()
    link.info["mode"] = "relay"
    link.answers["catalog/get"] = {**CATALOG, "generation": 0, "tools": [], "problems": []}
    link.server.replies["tools/list"] = {"tools": []}
    desk = await open_fixed_desk(link)
    link.server.replies["tools/list"] = {"tools": [{"name": "new", "inputSchema": {"type": "object"}}]}
    link.server.tell("notifications/tools/list_changed")
    await until(lambda: desk.catalog["tools"])
    assert desk.catalog["tools"][0]["name"] == "new"
    await desk.close()


DISCOVERED = {
    "resultType": "complete",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}, "logging": {}},
    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "demo", "version": "1"}},
}


async def test_another_revision_is_another_session_and_the_one_before_is_closed() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    before, link.server = link.server, ScriptedServer(server__discover=DISCOVERED)
    told: list[str] = []
    desk.on_change = told.append
    await within(desk.speak(LATEST_STATELESS))
    assert desk.session is not None
    assert desk.session.revision is LATEST_STATELESS
    assert before.is_closed
    assert "link" in told
    run = desk.call("greet", {})
    request = await link.server.hear("tools/call")
    assert request["params"]["_meta"]["io.modelcontextprotocol/logLevel"] == "debug"
    link.server.answer(request, {"resultType": "complete", "content": []})
    await until(lambda: run.status is RunStatus.OK)
    await desk.close()


async def test_a_revision_that_the_server_does_not_speak_leaves_everything_as_it_was() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    before, link.server = link.server, ScriptedServer(server__discover={"error": {"code": -32601, "message": "no"}})
    with pytest.raises(RemoteError):
        await within(desk.speak(LATEST_STATELESS))
    assert desk.session is not None
    assert desk.session.revision is LATEST
    assert not before.is_closed
    assert link.server.is_closed
    await desk.close()


async def test_the_newest_revision_of_a_relayed_server_is_found_out_and_of_a_project_it_is_known() -> None:
    for mode, reply in (("relay", {"initialize": SERVER}), ("project", {"server/discover": DISCOVERED})):
        link = FakeLink()
        link.info["mode"] = mode
        link.server = ScriptedServer()
        link.server.replies = {
            "server/discover": {"error": {"code": -32601, "message": "no"}},
            "tools/list": {"tools": []},
        }
        link.server.replies |= reply
        desk = Desk(link)
        await within(desk.open())
        assert desk.session is not None
        assert desk.session.revision is (LATEST if mode == "relay" else LATEST_STATELESS)
        probes = [one for one in link.server.heard if PROBE in one.get("params", {}).get("_meta", {})]
        assert len(probes) == (mode == "relay")
        await desk.close()


async def test_the_log_level_that_was_chosen_holds_in_the_next_session() -> None:
    link = FakeLink()
    link.server.replies["logging/setLevel"] = {}
    desk = await open_fixed_desk(link)
    assert "logging/setLevel" not in [one.get("method") for one in link.server.heard]
    await within(desk.want_logs("error"))
    link.server = ScriptedServer(logging__setLevel={})
    await within(desk.speak(REVISIONS["2025-06-18"]))
    assert (await link.server.hear("logging/setLevel"))["params"] == {"level": "error"}
    await desk.close()


@pytest.mark.parametrize(("support", "as_task"), [("required", False), ("optional", True)])
async def test_a_tool_is_called_as_a_task_where_it_has_to_be_or_a_person_wants_it(support: str, as_task: bool) -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    desk.catalog["tools"] = [{"name": "roast", "execution": {"taskSupport": support}}, {"name": "odd", "execution": 5}]
    run = desk.call("roast", {}, as_task=as_task)
    request = await link.server.hear("tools/call")
    assert request["params"]["task"] == {}
    state = {"taskId": "t", "pollInterval": 20, "statusMessage": "hot\x1b"}
    link.server.replies["tasks/get"] = {**state, "status": "working"}
    link.server.answer(request, {"task": {**state, "status": "working"}})
    await until(lambda: run.task == "works: hot\\x1b")
    desk.cancel(run)
    assert (await link.server.hear("tasks/cancel"))["params"] == {"taskId": "t"}
    await until(lambda: run.status is RunStatus.CANCELLED)
    assert desk.task_support("odd") == desk.task_support("unknown") == "forbidden"
    await desk.close()


async def test_calls_tell_of_their_caller_what_the_person_says() -> None:
    link = FakeLink()
    desk = await open_fixed_desk(link)
    desk.tell_of_caller({"team": "beans"})
    desk.call("greet", {})
    request = await within(link.server.hear("tools/call"))
    assert request["params"]["_meta"]["team"] == "beans"
    assert "progressToken" in request["params"]["_meta"]
    await desk.close()
