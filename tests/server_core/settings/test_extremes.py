"""A server works with every number that the limits permit, with every kind of store."""

from dataclasses import fields
from pathlib import Path

import pytest

from server_core.settings import PREFIX, Settings
from server_core.settings.setting import facts_of
from server_core.settings.sources import read_settings
from tests.server_core.serving.stateless_client import Client, accepted, asking_server, text
from tests.server_core.tasks.clients import CoreClient, Workshop
from tests.server_core.toolkit import call
from tests.server_core.transports.http_site import serving

pytestmark = pytest.mark.promises("settings")
HUGE = {
    item.name: "1" + "0" * 25 if facts_of(item).kind is int else "1e300"
    for item in fields(Settings)
    if facts_of(item).kind in (int, float) and facts_of(item).high is None
}


def settings_with(folder: Path, **given: str) -> Settings:
    given = {
        "state_key": "k" * 32,
        "event_store": str(folder / "events.sqlite"),
        "task_store": str(folder / "tasks.sqlite"),
        **given,
    }
    return read_settings(environment={PREFIX + name.upper(): value for name, value in given.items()}).settings


async def test_no_number_is_too_large_for_a_session_over_http(tmp_path: Path) -> None:
    async with serving(settings_with(tmp_path, **{**HUGE, "list_changed_delay": "0"})) as site:
        await site.open()
        assert len((await site.post(call(1, "tools/list"))).json()["result"]["tools"]) > 2
        await site.post(call(2, "resources/subscribe", uri="toolkit://motto"))
        site.server.resource_updated("toolkit://motto")
        async with site.stream("GET") as events:
            assert (await events.next()).id is not None
        async with site.stream("POST", call(3, "tools/call", name="climb")) as events:
            assert (await events.rest())[-1]["result"]["content"][0]["text"] == "on top"


async def test_no_number_is_too_large_for_a_call_that_requests_input(tmp_path: Path) -> None:
    client = Client(asking_server(settings_with(tmp_path, **HUGE)))
    state = (await client.call("greet"))["result"]["requestState"]
    assert (
        text(await client.call("greet", requestState=state, inputResponses={"who": accepted("Ada")})) == "Hello, Ada!"
    )
    client.session.close()


@pytest.mark.parametrize("store", ["memory", "tasks.sqlite"])
async def test_no_number_is_too_large_for_a_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: str) -> None:
    monkeypatch.chdir(tmp_path)
    workshop = Workshop(settings_with(tmp_path, **HUGE, task_store=store))
    client = CoreClient(workshop, principal="ada")
    task = await client.begin("only_as_task")
    assert "result" in await client.ask("tasks/result", taskId=task)
    assert [item["taskId"] for item in (await client.ask("tasks/list"))["result"]["tasks"]] == [task]
    await workshop.close()
