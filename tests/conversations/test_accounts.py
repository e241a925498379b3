"""Tools that act in a user's account, over every transport and in every revision, with a service that is mocked."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from server_core import Context, MCPApp
from server_core.auth import GitHub
from server_core.errors import ErrorKind, UpstreamError
from server_core.protocol.revisions import Revision
from tests.conversations.conftest import World, over
from tests.server_core.auth.person import MockAccounts, agree
from tests.server_core.toolkit import generation
from tests.waiting import until, within

pytestmark = pytest.mark.promises("tool authorization")
SHOWS_URLS = {"elicitation": {"form": {}, "url": {}}}


def shows_urls(revision: Revision) -> bool:
    return revision.url_elicitation


@pytest.fixture
async def accounts(world: World) -> AsyncIterator[MockAccounts]:
    """The world's server with tools that act in accounts, and the broker that it asks."""
    app = MCPApp("accounts", toolkit="")

    @app.tool(requires_auth=GitHub(scopes=["repo"]))
    async def who(context: Context) -> str:
        """Return the user of the account."""
        assert context.authorization is not None
        assert context.get_auth_token_or_empty() == context.authorization.token
        return f"{context.authorization.user_info['email']} {context.authorization.token[:5]}"

    @app.tool(requires_auth=GitHub(scopes=["repo"]))
    async def refused() -> str:
        """Raise that the service has refused the token."""
        raise UpstreamError("The service refused.", status_code=401)

    catalog, problems = app.build()
    assert not problems
    async with MockAccounts() as accounts:
        world.server.open_broker = lambda: accounts.broker
        world.server.swap(generation(catalog, app))
        yield accounts


def texts_of(result: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The two texts of a call that could not be made: for users, and for programs."""
    assert result["isError"] is True
    assert "structuredContent" not in result
    text, facts = (block["text"] for block in result["content"])
    if "_meta" in result:
        assert result["_meta"]["arcade"]["errorKind"] == ErrorKind.TOOL_RUNTIME_CONTEXT_REQUIRED
    return text, json.loads(facts)


@over(shows_urls)
async def test_the_call_continues_once_the_user_has_agreed(world: World, accounts: MockAccounts) -> None:
    session = await world.open(capabilities=SHOWS_URLS)
    call = session.call_tool("who", {})
    await until(lambda: session.questions.waiting)
    (question,) = session.questions.waiting
    assert question.mode == "url"
    assert "GitHub (mock)" in question.params["message"]
    question.accept()
    page = await agree(question.params["url"], person="ada")
    assert "can now use your account" in page
    result = await within(call.result())
    assert result["content"][0]["text"] == "ada mock-"
    # From now on the user is not asked.
    again = await within(session.call_tool("who", {}).result())
    assert again["content"][0]["text"] == "ada mock-"
    assert session.questions.waiting == []


@over(shows_urls)
async def test_a_user_may_return_before_their_client_has_answered_that_they_agreed(
    world: World, accounts: MockAccounts
) -> None:
    session = await world.open(capabilities=SHOWS_URLS)
    call = session.call_tool("who", {})
    await until(lambda: session.questions.waiting)
    (question,) = session.questions.waiting
    await agree(question.params["url"], person="ada")
    if world.revision.stateless:
        question.accept()  # Only its client can bring the call back.
    result = await within(call.result())
    assert result["content"][0]["text"] == "ada mock-"
    await until(lambda: session.questions.waiting == [])


@over(shows_urls)
@pytest.mark.parametrize("how", ["client", "service"])
async def test_a_user_who_declines_is_not_asked_again(world: World, accounts: MockAccounts, how: str) -> None:
    session = await world.open(capabilities=SHOWS_URLS)
    call = session.call_tool("who", {})
    await until(lambda: session.questions.waiting)
    (question,) = session.questions.waiting
    if how == "client":
        question.decline()
    else:
        question.accept()
        await agree(question.params["url"], "deny")
    text, facts = texts_of(await within(call.result()))
    assert text.startswith("✗ Authorization declined")
    assert "authorization_url" not in facts


@over(shows_urls)
async def test_a_user_who_dismisses_the_request_gets_the_url_to_agree_later(
    world: World, accounts: MockAccounts
) -> None:
    session = await world.open(capabilities=SHOWS_URLS)
    call = session.call_tool("who", {})
    await until(lambda: session.questions.waiting)
    url = session.questions.waiting[0].params["url"]
    session.questions.waiting[0].cancel()
    text, facts = texts_of(await within(call.result()))
    assert text.startswith("⚠ Authorization required")
    assert facts["authorization_url"] == url


@over()
async def test_a_client_without_url_mode_gets_the_url_and_calls_again(world: World, accounts: MockAccounts) -> None:
    session = await world.open(capabilities={})
    text, facts = texts_of(await within(session.call_tool("who", {}).result()))
    assert text.startswith("⚠ Authorization required\n\n  Tool 'who' needs your permission to access your account")
    assert set(facts) == {"authorization_url", "llm_instructions"}
    assert facts["authorization_url"] in text
    assert facts["authorization_url"] in facts["llm_instructions"]
    # A second call before that gets the same link, which is still valid.
    assert texts_of(await within(session.call_tool("who", {}).result()))[1] == facts
    await agree(facts["authorization_url"], person="ada")
    result = await within(session.call_tool("who", {}).result())
    assert result["content"][0]["text"] == "ada mock-"


@over(transports=("memory",))
async def test_no_token_is_in_any_record(world: World, accounts: MockAccounts) -> None:
    accounts.broker._grants._masker = world.server.tap.masker
    records = world.server.tap.subscribe(None, lambda: None)
    session = await world.open(capabilities={})
    _, facts = texts_of(await within(session.call_tool("who", {}).result()))
    await agree(facts["authorization_url"])
    await within(session.call_tool("who", {}).result())
    (stored,) = accounts.vault._contents["auth"].values()
    tokens = [json.loads(stored)[name] for name in ("access_token", "refresh_token")]
    seen = b"".join(record.data for record in records.drain())
    world.server.tap.unsubscribe(records)
    assert b"tools/call" in seen
    assert not any(token.encode() in seen for token in tokens)


@over(transports=("memory",))
async def test_a_refused_token_is_replaced_in_the_next_call(world: World, accounts: MockAccounts) -> None:
    session = await world.open(capabilities={})
    _, facts = texts_of(await within(session.call_tool("who", {}).result()))
    await agree(facts["authorization_url"])
    before = dict(accounts.vault._contents["auth"])
    result = await within(session.call_tool("refused", {}).result())
    assert result["_meta"]["arcade"]["errorKind"] == ErrorKind.UPSTREAM_RUNTIME_AUTH_ERROR
    assert not (await within(session.call_tool("who", {}).result())).get("isError")
    (old,), (new,) = before.values(), accounts.vault._contents["auth"].values()
    assert json.loads(old)["access_token"] != json.loads(new)["access_token"]
