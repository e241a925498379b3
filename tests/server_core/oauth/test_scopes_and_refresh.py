"""The scopes that the OAuth client requests, and tokens that it refreshes."""

import pytest

from server_core.errors import ConnectionFailed
from server_core.oauth.errors import TokenRefused
from server_core.oauth.token_store import TokenStore
from tests.clock import Clock
from tests.server_core.oauth.world import ISSUER, RESULT, SERVER, Reply, Request, World, use


@pytest.mark.parametrize(
    ("challenged", "supported", "of_server", "asked"),
    [
        ("a b", ["c"], None, "a b"),
        ("", ["c", "d"], None, "c d"),
        ("", None, None, None),
        ("a", None, ["a", "offline_access"], "a offline_access"),
        ("a", None, ["a"], "a"),
        ("", None, ["offline_access"], None),
    ],
)
async def test_only_the_required_scopes_are_requested(
    world: World, challenged: str, supported: list[str] | None, of_server: list[str] | None, asked: str | None
) -> None:
    world.challenge += f', scope="{challenged}"'
    world.resource_metadata["scopes_supported"] = supported
    world.server_metadata["scopes_supported"] = of_server
    await use(world, world.oauth())
    assert world.authorization_requests[0].query.get("scope") == asked


async def test_more_scopes_are_requested_when_required_and_none_is_lost(world: World) -> None:
    world.challenge += ', scope="read"'
    oauth = world.oauth()
    await use(world, oauth)
    world.required_scopes = {"write"}
    await use(world, oauth)
    assert [request.query["scope"] for request in world.authorization_requests] == ["read", "read write"]


async def test_scopes_that_were_not_granted_are_not_requested_again(world: World) -> None:
    world.challenge += ', scope="admin"'
    world.required_scopes = {"admin"}

    def give_less(request: Request) -> Reply:
        reply = world.token(request)
        world.tokens[reply.body["access_token"]] = set()
        return reply

    world.handlers[f"{ISSUER}/token"] = give_less
    with pytest.raises(ConnectionFailed, match="403"):
        await use(world, world.oauth())
    assert len(world.authorization_requests) == 1


async def test_a_server_that_always_requires_more_scopes_fails(world: World) -> None:
    def insatiable(request: Request) -> Reply:
        if "authorization" not in request.headers:
            return Reply(401, headers={"www-authenticate": world.challenge})
        scope = f"s{len(world.requests_to(SERVER))}"
        return Reply(403, headers={"www-authenticate": f'Bearer error="insufficient_scope", scope="{scope}"'})

    world.handlers[SERVER] = insatiable
    world.handlers["https://mcp.test/.well-known/oauth-protected-resource"] = Reply(404)
    with pytest.raises(ConnectionFailed, match="403"):
        await use(world, world.oauth())
    assert len(world.authorization_requests) <= 5


async def test_a_token_that_has_ended_is_replaced_before_it_is_sent(world: World) -> None:
    world.issues_refresh_tokens = True
    clock = Clock()
    oauth = world.oauth(clock=clock)
    await use(world, oauth)
    clock.now += world.lifetime
    await use(world, oauth)
    assert world.token_requests[1].form["grant_type"] == "refresh_token"
    assert world.token_requests[1].form["refresh_token"] == "refresh-1"
    assert world.token_requests[1].form["resource"] == SERVER
    assert [request.headers.get("authorization") for request in world.requests_to(SERVER)][-1] == "Bearer token-2"
    assert len(world.authorization_requests) == 1


async def test_a_revoked_token_is_refreshed(world: World) -> None:
    world.issues_refresh_tokens = True
    oauth = world.oauth()
    await use(world, oauth)
    world.tokens.clear()
    await use(world, oauth)
    assert [request.form["grant_type"] for request in world.token_requests] == ["authorization_code", "refresh_token"]


async def test_a_refresh_token_stays_valid_until_it_is_replaced(world: World, store: TokenStore) -> None:
    world.issues_refresh_tokens = True
    oauth = world.oauth(store=store)
    await use(world, oauth)
    world.issues_refresh_tokens = False
    for _ in range(2):
        world.tokens.clear()
        await use(world, oauth)
    assert [request.form.get("refresh_token") for request in world.token_requests] == [None, "refresh-1", "refresh-1"]


async def test_the_user_is_asked_again_when_a_refresh_token_is_refused(world: World) -> None:
    world.issues_refresh_tokens = True
    oauth = world.oauth()
    await use(world, oauth)
    world.tokens.clear()

    def no_refreshing(request: Request) -> Reply:
        if request.form["grant_type"] == "refresh_token":
            return Reply(400, {"error": "invalid_grant"})
        return world.token(request)

    world.handlers[f"{ISSUER}/token"] = no_refreshing
    await use(world, oauth)
    assert len(world.authorization_requests) == 2


async def test_a_user_is_asked_again_when_a_refreshed_token_is_refused(world: World) -> None:
    world.issues_refresh_tokens = True
    oauth = world.oauth()
    await use(world, oauth)
    world.tokens.clear()

    def refresh_in_vain(request: Request) -> Reply:
        reply = world.token(request)
        if request.form["grant_type"] == "refresh_token":
            world.tokens.clear()
        return reply

    world.handlers[f"{ISSUER}/token"] = refresh_in_vain
    assert await use(world, oauth) == RESULT
    grants = [request.form["grant_type"] for request in world.token_requests]
    assert grants == ["authorization_code", "refresh_token", "authorization_code"]


async def test_a_refresh_token_survives_errors_of_its_server(world: World, store: TokenStore) -> None:
    world.issues_refresh_tokens = True
    oauth = world.oauth(store=store)
    await use(world, oauth)
    world.tokens.clear()
    world.handlers[f"{ISSUER}/token"] = Reply(503)
    with pytest.raises(TokenRefused, match="status 503"):
        await use(world, oauth)
    world.handlers[f"{ISSUER}/token"] = world.token
    await use(world, oauth)
    assert len(world.authorization_requests) == 1


async def test_a_token_refreshed_by_another_process_is_used(world: World, store: TokenStore) -> None:
    world.issues_refresh_tokens = True
    ours, other = world.oauth(store=store), world.oauth(store=store)
    await use(world, ours)
    await use(world, other)
    world.tokens.clear()
    await use(world, other)
    used = {"refresh-1"}

    def rotating(request: Request) -> Reply:
        if request.form.get("refresh_token") in used:
            return Reply(400, {"error": "invalid_grant"})
        return world.token(request)

    world.handlers[f"{ISSUER}/token"] = rotating
    await use(world, ours)
    assert len(world.authorization_requests) == 1


async def test_an_expired_token_without_a_refresh_token_is_requested_again(world: World) -> None:
    clock = Clock()
    oauth = world.oauth(clock=clock)
    await use(world, oauth)
    clock.now += world.lifetime
    await use(world, oauth)
    assert [request.headers.get("authorization") for request in world.requests_to(SERVER)][2:] == [
        None,
        "Bearer token-2",
    ]
