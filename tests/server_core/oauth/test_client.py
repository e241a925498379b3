"""The OAuth client from a 401 response to a token, over the real transport."""

import asyncio

from server_core.oauth.authorization import AuthorizationRefusal
from server_core.oauth.grants import AuthorizationCode
from server_core.oauth.registration import ClientRegistration
from server_core.oauth.token_store import TokenStore
from server_core.runtime.background import spawn
from tests.server_core.oauth.world import CALLBACK, RESULT, SERVER, Reply, World, use
from tests.waiting import within


async def test_a_refusal_leads_to_a_token_and_an_answer(world: World) -> None:
    assert await use(world, world.oauth()) == RESULT
    (asked,) = world.authorization_requests
    assert asked.query["response_type"] == "code"
    assert asked.query["code_challenge_method"] == "S256"
    assert asked.query["resource"] == SERVER
    assert "scope" not in asked.query
    (redeemed,) = world.token_requests
    assert redeemed.form["resource"] == SERVER
    assert redeemed.form["redirect_uri"] == asked.query["redirect_uri"] == CALLBACK
    assert redeemed.form["client_id"] == "client-1"
    sent = [request.headers.get("authorization") for request in world.requests_to(SERVER)]
    assert sent == [None, "Bearer token-1"]


async def test_no_token_is_requested_while_the_server_requires_none(world: World) -> None:
    world.handlers[SERVER] = Reply(body={"jsonrpc": "2.0", "id": 0, "result": RESULT})
    await use(world, world.oauth())
    assert [request.url for request in world.requests] == [SERVER]


async def test_a_token_is_used_again(world: World) -> None:
    oauth = world.oauth()
    await use(world, oauth)
    await use(world, oauth)
    assert len(world.authorization_requests) == 1


async def test_a_stored_token_is_used_by_the_next_process(world: World, store: TokenStore) -> None:
    await use(world, world.oauth(store=store))
    await use(world, world.oauth(store=store))
    assert len(world.authorization_requests) == 1
    assert len(world.requests_to(SERVER)) == 3


async def test_a_token_of_another_client_is_not_used(world: World, store: TokenStore) -> None:
    await use(world, world.oauth(store=store))
    await use(world, world.oauth(store=store, registration=ClientRegistration(client_id="mine")))
    assert [request.query["client_id"] for request in world.authorization_requests] == ["client-1", "mine"]


async def test_concurrent_requests_share_an_authorization(world: World) -> None:
    oauth = world.oauth()
    await within(asyncio.gather(*(use(world, oauth) for _ in range(5))))
    assert len(world.authorization_requests) == 1
    assert len(world.token_requests) == 1


async def test_requests_refused_at_the_same_time_share_a_token(world: World) -> None:
    oauth = world.oauth()
    headers = {"www-authenticate": world.challenge}
    refusals = [
        AuthorizationRefusal("POST", SERVER, 401, headers, 0, await oauth.headers("POST", SERVER)) for _ in range(3)
    ]
    assert all(await within(asyncio.gather(*map(oauth.handle_refusal, refusals))))
    assert len(world.authorization_requests) == 1


async def test_a_waiting_request_can_be_cancelled(world: World) -> None:
    started, never = asyncio.Event(), asyncio.Event()

    class Undecided:
        redirect_uri = CALLBACK

        async def __aenter__(self) -> "Undecided":
            return self

        async def __aexit__(self, *raised: object) -> None:
            return None

        def listen(self, known: str = "") -> "Undecided":
            return self

        async def authorize(self, url: str) -> dict[str, str]:
            started.set()
            await never.wait()
            return {}

    oauth = world.oauth(grant=AuthorizationCode(Undecided()))
    waiting = spawn(use(world, oauth), "use")
    await within(started.wait())
    waiting.cancel()
    await within(asyncio.wait({waiting}))
    assert waiting.cancelled()
    world.handlers[SERVER] = Reply(body={"jsonrpc": "2.0", "id": 0, "result": RESULT})
    assert await use(world, oauth) == RESULT
