"""When the lists of a relayed server are requested."""

import asyncio
from typing import Any

import pytest

from server_core.errors import ConnectionFailed, ProtocolError
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.runtime.background import spawn
from workbench.workspace.relayed_lists import RelayedLists


class FakeSession:
    """Answers each request for a list when `release` is called; `asked` has the requests."""

    capabilities: dict[str, Any] = {"tools": {}, "resources": {}}

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._gate = asyncio.Event()

    def release(self) -> None:
        self._gate.set()

    async def _answer(self, name: str) -> list[dict[str, Any]]:
        self.asked.append(name)
        await self._gate.wait()
        return [{"name": f"{name} {len(self.asked)}"}]

    async def list_tools(self) -> list[dict[str, Any]]:
        return await self._answer("tools")

    async def list_resources(self) -> list[dict[str, Any]]:
        return await self._answer("resources")

    async def list_resource_templates(self) -> list[dict[str, Any]]:
        return await self._answer("templates")

    async def list_prompts(self) -> list[dict[str, Any]]:
        return await self._answer("prompts")


async def test_only_a_list_that_has_changed_since_its_request_is_requested_again() -> None:
    session, lists = FakeSession(), RelayedLists()
    first = spawn(lists.fetch(session), "fetch")  # type: ignore[arg-type]
    await asyncio.sleep(0)
    # The first list has been requested, so it may lack the change; the others have not.
    for _ in range(3):
        assert lists.handle("notifications/tools/list_changed")
        assert lists.handle("notifications/resources/list_changed")
    assert not lists.handle("notifications/message")
    others = [spawn(lists.fetch(session), "fetch") for _ in range(3)]  # type: ignore[arg-type]
    session.release()
    await asyncio.gather(first, *others)
    assert session.asked == ["tools", "resources", "templates", "tools"]
    assert others[-1].result()["tools"] == [{"name": "tools 4"}]
    assert others[-1].result()["prompts"] == []


async def test_a_list_that_could_not_be_fetched_is_requested_again() -> None:
    session, lists = FakeSession(), RelayedLists()
    session.release()

    async def fail() -> list[dict[str, Any]]:
        raise ConnectionFailed("lost")

    session.list_tools, answer = fail, session.list_tools  # type: ignore[method-assign]
    with pytest.raises(ConnectionFailed):
        await lists.fetch(session)  # type: ignore[arg-type]
    session.list_tools = answer  # type: ignore[method-assign]
    assert (await lists.fetch(session))["tools"]


async def test_a_list_that_the_server_answers_wrongly_is_a_problem_and_hides_no_other() -> None:
    session, lists = FakeSession(), RelayedLists()
    session.release()

    async def refuse() -> list[dict[str, Any]]:
        raise ProtocolError(INTERNAL_ERROR, "tools[3] is no object.")

    session.list_tools, answer = refuse, session.list_tools  # type: ignore[method-assign]
    catalog = await lists.fetch(session)  # type: ignore[arg-type]
    assert (catalog["tools"], len(catalog["resources"])) == ([], 1)
    assert [problem["message"] for problem in catalog["problems"]] == [
        "The list of tools is not shown: tools[3] is no object."
    ]
    session.list_tools = answer  # type: ignore[method-assign]
    assert lists.handle("notifications/tools/list_changed")
    catalog = await lists.fetch(session)  # type: ignore[arg-type]
    assert (len(catalog["tools"]), catalog["problems"]) == (1, [])
