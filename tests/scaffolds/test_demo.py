"""The demo as its clients see it: every tool called over a session, nothing reached over a network."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import scaffolds
from server_core.core import Core
from server_core.records.tap import Kind
from server_core.transports.memory import MemoryChannel
from tests.waiting import until, within
from workbench.client.questions import PendingQuestions, Question
from workbench.client.session import ClientSession


@asynccontextmanager
async def opened(folder: Path, *rules: Callable[[Question], bool]) -> AsyncIterator[tuple[Core, ClientSession]]:
    """Serve a copy of the demo, and open a session on it whose questions the rules answer."""
    project = scaffolds.create("demo", scaffolds.SENTINEL, folder / "demo")
    core = Core(project=project, capture=False, link=False)
    await core.start()
    session = await within(ClientSession.open(MemoryChannel(core), questions=PendingQuestions(list(rules))))
    try:
        yield core, session
    finally:
        await session.close()
        await core.stop()


async def call(session: ClientSession, tool: str, **arguments: Any) -> dict[str, Any]:
    return await within(session.call_tool(tool, arguments).result())


def text_of(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


async def test_the_demo_has_no_problems(tmp_path: Path) -> None:
    async with opened(tmp_path) as (core, session):
        await within(session.list_tools())
        assert core.generation is not None
        assert [problem.message for problem in core.generation.problems] == []


async def test_a_booking_accepts_the_whole_form_and_returns_it_structured(tmp_path: Path) -> None:
    arguments = {
        "contact": {"name": "Ada", "email": "ada@example.org"},
        "day": "2030-05-17",
        "guests": [{"name": "Ada"}, {"name": "Grace", "diet": "nuts"}],
        "seating": "terrace",
    }
    async with opened(tmp_path) as (_, session):
        booking = (await call(session, "book_table", **arguments))["structuredContent"]
    assert booking["table"] == 22
    assert (booking["day"], booking["hour"], booking["seating"]) == ("2030-05-17", 19, "terrace")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"guests": []}, "guests"),
        ({"hour": 23}, "hour"),
        ({"day": "tomorrow"}, "day"),
        ({"seating": "roof"}, "seating"),
        ({"contact": {"name": "Ada", "email": "nowhere"}}, "contact.email"),
    ],
)
async def test_a_booking_that_does_not_fit_names_the_field(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    good = {
        "contact": {"name": "Ada", "email": "ada@example.org"},
        "day": "2030-05-17",
        "guests": [{"name": "Ada"}],
    }
    async with opened(tmp_path) as (_, session):
        result = await call(session, "book_table", **(good | change))
    assert result["isError"]
    assert field in text_of(result)


async def test_questions_reach_the_user_and_the_model(tmp_path: Path) -> None:
    def answer(question: Question) -> bool:
        if question.kind == "elicitation":
            return question.accept({"dessert": "fruit", "spoons": 3})
        return question.reply("Green Cloud")

    async with opened(tmp_path, answer) as (_, session):
        assert text_of(await call(session, "choose_dessert")) == "One fruit with 3 spoon(s)."
        named = await call(session, "name_dish", ingredients=["spinach"])
        assert text_of(named) == "On the menu today: Green Cloud"


async def test_brewing_can_be_cancelled(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, session):
        brewing = session.call_tool("brew", {"cups": 50, "seconds_per_cup": 0.01})
        await until(lambda: len(brewing.progress) >= 2)
        brewing.cancel("enough coffee")
        # The server is free at once: what comes next does not wait for fifty cups.
        assert text_of(await call(session, "greet", name="Ada")) == "Hello, Ada!"


async def test_a_dish_that_is_sold_out_can_be_tried_again_with_a_hint(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, session):
        result = await call(session, "order_dish", dish="cheesecake")
    facts = result["_meta"]["arcade"]
    assert (facts["errorKind"], facts["canRetry"]) == ("TOOL_RUNTIME_RETRY", True)


async def test_the_secret_is_asked_for_and_never_recorded(tmp_path: Path) -> None:
    async with opened(tmp_path) as (core, session):
        seen = core.tap.subscribe(None, lambda: None)
        missing = await call(session, "order_beans", kilos=5)
        assert missing["isError"]
        assert "SUPPLIER_KEY" in text_of(missing)
        core.set_secret("SUPPLIER_KEY", "s3cret-bean-key")
        assert "beans:5kg" in text_of(await call(session, "order_beans", kilos=5))
        assert not [record for record in seen.drain() if b"s3cret-bean-key" in record.data]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (404, "UPSTREAM_RUNTIME_NOT_FOUND"),
        (429, "UPSTREAM_RUNTIME_RATE_LIMIT"),
        (503, "UPSTREAM_RUNTIME_SERVER_ERROR"),
    ],
)
async def test_an_upstream_failure_is_an_error_that_agents_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, kind: str
) -> None:
    answering(monkeypatch, lambda request: httpx.Response(status))
    async with opened(tmp_path) as (_, session):
        result = await call(session, "fetch_page", url="https://example.org/")
    assert result["isError"]
    assert result["_meta"]["arcade"]["errorKind"] == kind


async def test_a_missing_service_is_an_error_that_agents_know(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    answering(monkeypatch, refuse)
    async with opened(tmp_path) as (_, session):
        result = await call(session, "fetch_page", url="https://example.org/")
    assert result["_meta"]["arcade"]["errorKind"] == "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE"


async def test_a_page_has_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, lambda request: httpx.Response(200, text="hello"))
    async with opened(tmp_path) as (_, session):
        assert "5 bytes of text/plain" in text_of(await call(session, "fetch_page", url="https://example.org/"))


async def test_resources_and_prompts_are_there(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, session):
        menu = (await within(session.read_resource("demo://menu")))["contents"][0]
        assert "quiche" in menu["text"]
        dish = (await within(session.read_resource("demo://dishes/soup")))["contents"][0]
        assert json.loads(dish["text"]) == {"dish": "soup", "price": 4.5}
        reference = {"type": "ref/prompt", "name": "invitation"}
        completed = await within(session.complete(reference, {"name": "occasion", "value": "w"}, {}))
        assert completed["completion"]["values"] == ["wedding"]


async def test_a_saved_file_changes_the_tools_while_the_session_stays(tmp_path: Path) -> None:
    async with opened(tmp_path) as (core, session):
        await within(session.list_tools())
        file = tmp_path / "demo" / "tools" / "basics.py"
        file.write_text(file.read_text(encoding="utf-8").replace("Hello, {name}!", "Ahoy, {name}!"), encoding="utf-8")
        seen = core.tap.subscribe(None, lambda: None)
        await within(core.reload_now())
        assert text_of(await call(session, "greet", name="Ada")) == "Ahoy, Ada!"
        assert any(record.kind is Kind.LIFECYCLE and b'"reloaded"' in record.data for record in seen.drain())


def answering(monkeypatch: pytest.MonkeyPatch, answer: Callable[[httpx.Request], httpx.Response]) -> None:
    """Let every HTTP client that tools make be answered by a function."""
    original = httpx.AsyncClient

    def client(**options: Any) -> httpx.AsyncClient:
        return original(transport=httpx.MockTransport(answer), **options)

    monkeypatch.setattr(httpx, "AsyncClient", client)
