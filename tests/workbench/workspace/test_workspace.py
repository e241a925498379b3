"""What a workspace has of its core, and when it fetches each part again."""

import asyncio
import json
from typing import Any

import pytest

from server_core.errors import ProtocolError, RemoteError
from server_core.records.tap import Direction, Kind
from tests.waiting import until, within
from tests.workbench.tui.fakes import CATALOG, FakeLink, conversation, open_fixed_workspace, record


async def test_an_open_workspace_has_the_server_the_catalog_the_secrets_and_the_sessions() -> None:
    workspace = await open_fixed_workspace(FakeLink())
    assert workspace.connected
    assert workspace.identity["title"] == "Demo"
    assert workspace.core.catalog["generation"] == 2
    assert [secret["key"] for secret in workspace.core.secrets] == ["CITY", "MAP_KEY", "SUPPLIER_KEY"]
    assert [session["key"] for session in workspace.core.sessions] == ["s1", "s2", "s3"]
    assert len(workspace.core.problems) == 2
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


async def test_records_that_were_missed_may_have_reported_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.workspace.core_state._MISSED_S", 0.0)
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    await until(lambda: link.methods.count("core/info") == 1)
    link.asked.clear()
    link.dropped = 3
    for _ in range(3):
        workspace.poll()
    parts = ["catalog/get", "core/info", "secrets/list", "sessions/list"]
    await until(lambda: [part for part in sorted(link.methods) if part in parts] == parts)
    await workspace.close()


async def test_a_part_that_changes_while_it_is_fetched_is_fetched_once_more() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    link.asked.clear()
    began, free = asyncio.Event(), asyncio.Event()
    answer = link.request

    async def wait(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        began.set()
        await free.wait()
        return await answer(method, params)

    link.request = wait  # type: ignore[method-assign]
    workspace.core.refresh_soon("secrets")
    await within(began.wait())
    for _ in range(20):
        workspace.core.refresh_soon("secrets")
        await asyncio.sleep(0)
    free.set()
    await until(lambda: not workspace.core._refreshing)
    assert link.methods.count("secrets/list") == 2
    await workspace.close()


async def test_polling_stops_at_its_time_limit_and_continues_the_next_time() -> None:
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
        ("http_stopped", "core/info"),
    ],
)
async def test_an_event_of_the_core_has_the_part_that_it_changes_fetched_again(event: str, asked: str) -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    link.asked.clear()
    link.arrive([record(1, Kind.LIFECYCLE, Direction.NONE, {"event": event})])
    workspace.poll()
    await until(lambda: asked in link.methods)
    await workspace.close()


async def test_many_events_of_a_kind_have_their_part_fetched_once() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    link.asked.clear()
    link.arrive([record(seq, Kind.LIFECYCLE, Direction.NONE, {"event": "reloaded"}) for seq in range(1, 100)])
    workspace.poll()
    await until(lambda: len(link.methods) >= 3)
    assert sorted(link.methods) == ["accounts/list", "catalog/get", "secrets/list"]
    await workspace.close()


async def test_a_lifecycle_record_that_is_no_object_harms_nothing() -> None:
    workspace = await open_fixed_workspace(FakeLink([record(1, Kind.LIFECYCLE, Direction.NONE, b"[1]")]))
    assert workspace.poll()
    await workspace.close()


async def test_a_body_that_was_dropped_is_fetched_from_the_core() -> None:
    link = FakeLink(conversation())
    link.stored = {item.seq: item for item in conversation()[:15]}
    workspace = await open_fixed_workspace(link)
    workspace.poll()
    assert json.loads(await workspace.body(workspace.timeline[4]))["params"]["name"] == "greet"
    with pytest.raises(ProtocolError, match="no longer has record 16"):
        await workspace.body(workspace.timeline[15])
    await workspace.close()


async def test_a_secret_that_the_core_refuses_is_an_error_with_its_message() -> None:
    link = FakeLink()
    link.answers["secrets/set"] = RemoteError(-32004, "The environment sets CITY.")
    workspace = await open_fixed_workspace(link)
    with pytest.raises(RemoteError, match="The environment sets CITY"):
        await workspace.core.set_secret("CITY", "x")
    await workspace.close()


async def test_a_secret_that_was_set_is_listed_again_and_its_value_is_stored_nowhere() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    await workspace.core.set_secret("SUPPLIER_KEY", "s3cret-value")
    assert link.asked[-2] == ("secrets/set", {"key": "SUPPLIER_KEY", "value": "s3cret-value"})
    assert link.methods[-1] == "secrets/list"
    assert "s3cret-value" not in repr(vars(workspace))
    await workspace.close()


async def test_reloading_is_shown_until_it_ends_or_fails() -> None:
    link = FakeLink()
    link.answers["core/reload"] = RemoteError(-32004, "cannot reload")
    workspace = await open_fixed_workspace(link)
    seen: list[bool] = []
    workspace.on_change = lambda part: seen.append(workspace.core.reloading)
    with pytest.raises(RemoteError):
        await workspace.core.reload()
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
    assert workspace.core.has_tools is expected
    await workspace.close()


async def test_the_catalog_of_a_relayed_server_is_requested_from_the_server() -> None:
    link = FakeLink()
    link.info["mode"] = "relay"
    link.answers["catalog/get"] = {**CATALOG, "generation": 0, "tools": [], "problems": []}
    echo = {"name": "echo", "inputSchema": {"type": "object"}}
    # What only our core adds is not believed: the editor would open the file, and the terminal wait so long.
    foreign = {"source": {"file": "-c:!date", "line": "1"}, "timeout": "long", "secrets": ["KEY"]}
    link.server.replies["tools/list"] = {"tools": [echo | foreign]}
    workspace = await open_fixed_workspace(link)
    assert workspace.core.catalog["tools"] == [echo]
    assert workspace.core.is_loaded
    assert [message["method"] for message in link.server.received if "id" in message] == ["initialize", "tools/list"]
    await workspace.close()


async def test_the_offers_of_a_relayed_server_stay_until_it_has_listed_them_again() -> None:
    link = FakeLink()
    link.info["mode"] = "relay"
    link.answers["catalog/get"] = {**CATALOG, "generation": 0, "tools": [], "problems": []}
    link.server.replies["tools/list"] = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    workspace = await open_fixed_workspace(link)
    del link.server.replies["tools/list"]
    link.server.notify("notifications/tools/list_changed")
    await until(lambda: [message["method"] for message in link.server.received].count("tools/list") == 2)
    assert [tool["name"] for tool in workspace.core.catalog["tools"]] == ["echo"]
    await workspace.close()


async def test_the_tools_of_a_relayed_server_are_requested_again_after_a_change() -> None:
    link = FakeLink()
    link.info["mode"] = "relay"
    link.answers["catalog/get"] = {**CATALOG, "generation": 0, "tools": [], "problems": []}
    link.server.replies["tools/list"] = {"tools": []}
    workspace = await open_fixed_workspace(link)
    link.server.replies["tools/list"] = {"tools": [{"name": "new", "inputSchema": {"type": "object"}}]}
    link.server.notify("notifications/tools/list_changed")
    await until(lambda: workspace.core.catalog["tools"])
    assert workspace.core.catalog["tools"][0]["name"] == "new"
    await workspace.close()


async def test_the_roots_and_the_log_level_survive_a_restart_on_the_same_project_only() -> None:
    roots = [{"uri": "file:///tea"}]
    first, again, other = FakeLink(), FakeLink(), FakeLink()
    for link in (first, again, other):
        link.server.replies["logging/setLevel"] = {}
    other.info["project"] = "/another"
    before = await open_fixed_workspace(first)
    await before.set_roots(roots)
    await before.set_log_level("error")
    for next_link, expected in ((again, (roots, "error")), (other, ([], "debug"))):
        after = await open_fixed_workspace(next_link)
        await after.continue_from(before)
        assert (after.roots, after.log_level) == expected
        await after.close()
    await before.close()
