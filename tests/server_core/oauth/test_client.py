"""The OAuth client from a 401 response to a token, over the real transport."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from server_core.errors import ConnectionFailed
from server_core.oauth.authorization import AuthorizationRefusal
from server_core.oauth.client import OAuthAuthorization
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.grants import AuthorizationCode
from server_core.oauth.registration import ClientRegistration
from server_core.oauth.token_store import TokenStore
from server_core.runtime.background import spawn
from tests.server_core.oauth.world import (
    CALLBACK,
    ISSUER,
    METADATA,
    RESULT,
    SERVER,
    SERVER_METADATA,
    Reply,
    Request,
    World,
    server_metadata,
    use,
)
from tests.waiting import within

DOCUMENT = "https://client.test/me.json"


@pytest.fixture
def world() -> World:
    """A world in which all servers behave correctly."""
    return World()


@pytest.fixture
def store() -> TokenStore:
    """An empty store."""
    return TokenStore()


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


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


async def test_nothing_is_asked_for_while_a_server_wants_nothing(world: World) -> None:
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


# Failures.


@pytest.mark.parametrize(
    ("back", "message"),
    [
        ({"iss": "https://evil.test"}, "from another server"),
        ({"iss": f"{ISSUER}/"}, "from another server"),
        ({"iss": "HTTPS://as.test"}, "from another server"),
        ({"iss": None}, "lacks the issuer"),
        ({"state": "other"}, "belongs to another request"),
        ({"state": None}, "belongs to another request"),
        ({"code": None}, "contains no code"),
        ({"error": "access_denied", "error_description": "No."}, r"access_denied \(No\.\)"),
    ],
)
async def test_an_answer_that_is_not_right_is_not_redeemed(world: World, back: dict[str, Any], message: str) -> None:
    world.redirect_changes |= back
    with pytest.raises(AuthorizationFailed, match=message):
        await use(world, world.oauth())
    assert world.authorization_requests
    assert not world.token_requests


async def test_errors_of_another_issuer_are_not_repeated(world: World) -> None:
    world.redirect_changes = {"iss": "https://evil.test", "error": "call_this_number", "error_description": "555"}
    with pytest.raises(AuthorizationFailed) as caught:
        await use(world, world.oauth())
    assert "555" not in str(caught.value)
    assert "call_this" not in str(caught.value)


async def test_an_issuer_that_is_not_announced_is_compared_all_the_same(world: World) -> None:
    del world.server_metadata["authorization_response_iss_parameter_supported"]
    world.redirect_changes = {"iss": "https://evil.test"}
    with pytest.raises(AuthorizationFailed, match="from another server"):
        await use(world, world.oauth())


async def test_an_issuer_may_be_absent_where_it_is_not_announced(world: World) -> None:
    del world.server_metadata["authorization_response_iss_parameter_supported"]
    world.redirect_changes = {}
    assert await use(world, world.oauth()) == RESULT


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"resource": "https://evil.test/mcp"}, "is the metadata of https://evil.test/mcp"),
        ({"resource": "https://mcp.test/mc"}, "is the metadata of"),
        ({"resource": "http://mcp.test/mcp"}, "not secure"),
        ({"resource": None}, "must be a string"),
        ({"authorization_servers": []}, "names no authorization server"),
        ({"authorization_servers": None}, "names no authorization server"),
        ({"authorization_servers": "https://as.test"}, "list of strings"),
        ({"authorization_servers": [7]}, "list of strings"),
        ({"authorization_servers": ["http://as.test"]}, "not secure"),
        ({"authorization_servers": ["http://localhost:9"]}, "on this machine"),
        ({"authorization_servers": ["https://169.254.169.254"]}, "link-local"),
        ({"authorization_servers": ["file:///etc/passwd"]}, "not an http or https URL"),
        ({"authorization_servers": ["https://name:word@as.test"]}, "name or password"),
        ({"scopes_supported": {"a": 1}}, "list of strings"),
    ],
)
async def test_a_servers_metadata_that_cannot_be_trusted_ends_it(
    world: World, changes: dict[str, Any], message: str
) -> None:
    world.resource_metadata |= changes
    with pytest.raises(AuthorizationFailed, match=message):
        await use(world, world.oauth())
    assert {request.url for request in world.requests} == {SERVER, METADATA}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"issuer": "https://honest.test"}, "is the metadata of the issuer 'https://honest.test'"),
        ({"issuer": f"{ISSUER}/"}, "is the metadata of the issuer"),
        ({"issuer": None}, "is the metadata of the issuer"),
        ({"token_endpoint": None}, "`token_endpoint`"),
        ({"token_endpoint": "http://as.test/token"}, "not secure"),
        ({"token_endpoint": "https://127.0.0.1/token"}, "on this machine"),
        ({"token_endpoint": ["https://as.test/token"]}, "must be a string"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "not an http or https URL"),
        ({"authorization_endpoint": "file:///bin/sh"}, "not an http or https URL"),
        ({"authorization_endpoint": "https://as.test/a b"}, "not a valid URL"),
        ({"authorization_endpoint": None}, "no authorization endpoint"),
        ({"code_challenge_methods_supported": None}, "PKCE"),
        ({"code_challenge_methods_supported": ["plain"]}, "PKCE"),
        ({"code_challenge_methods_supported": "S256"}, "list of strings"),
        ({"registration_endpoint": None}, "WORKBENCH_OAUTH_CLIENT_ID"),
    ],
)
async def test_an_authorization_servers_metadata_that_cannot_be_trusted_ends_it(
    world: World, changes: dict[str, Any], message: str
) -> None:
    world.server_metadata |= changes
    with pytest.raises(AuthorizationFailed, match=message):
        await use(world, world.oauth())
    assert not world.authorization_requests
    assert not world.token_requests


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "invalid token response"),
        ({"access_token": 7, "token_type": "Bearer"}, "invalid token response"),
        ({"access_token": "a\r\nX-Evil: 1", "token_type": "Bearer"}, "invalid token response"),
        ({"access_token": "a b", "token_type": "Bearer"}, "invalid token response"),
        ({"access_token": "x" * 20_000, "token_type": "Bearer"}, "invalid token response"),
        ({"access_token": "a", "token_type": "Bearer", "refresh_token": ["r"]}, "invalid token response"),
        ({"access_token": "a", "token_type": "mac"}, "unknown type 'mac'"),
        ({"access_token": "a"}, "unknown type"),
        ({"access_token": "a", "token_type": "DPoP"}, "without a proof"),
        ([], "invalid token response"),
    ],
)
async def test_a_response_without_a_token_fails(world: World, given: Any, message: str) -> None:
    world.handlers[f"{ISSUER}/token"] = Reply(body=given)
    with pytest.raises(AuthorizationFailed, match=message):
        await use(world, world.oauth())


async def test_a_token_that_is_refused_at_once_is_not_asked_for_again(world: World) -> None:
    world.handlers[f"{ISSUER}/token"] = Reply(body={"access_token": "dud", "token_type": "Bearer"})
    with pytest.raises(AuthorizationFailed, match=r"rejects the token that https://as\.test has just issued"):
        await use(world, world.oauth())
    assert len(world.authorization_requests) == 1


async def test_a_server_with_another_scheme_gets_no_token(world: World) -> None:
    world.challenge = 'Basic realm="x"'
    with pytest.raises(ConnectionFailed, match="401"):
        await use(world, world.oauth())
    assert [request.url for request in world.requests] == [SERVER]


async def test_tokens_are_not_sent_in_the_open(world: World) -> None:
    oauth = OAuthAuthorization("http://mcp.test/mcp", transport=world.transport())
    world.handlers["http://mcp.test/mcp"] = Reply(401)
    with pytest.raises(AuthorizationFailed, match="must be https"):
        await oauth.handle_refusal(AuthorizationRefusal("POST", "http://mcp.test/mcp", 401, {}, 0, {}))
    assert not world.requests


async def test_a_token_is_shown_to_no_other_server(world: World) -> None:
    oauth = world.oauth()
    await use(world, oauth)
    assert await oauth.headers("POST", SERVER) == {"Authorization": "Bearer token-1"}
    for other in ("https://other.test/mcp", "http://mcp.test/mcp", "https://mcp.test:8443/mcp"):
        assert await oauth.headers("POST", other) == {}
        assert not await oauth.handle_refusal(AuthorizationRefusal("POST", other, 401, {}, 0, {}))


async def test_no_request_is_sent_without_a_client(world: World) -> None:
    with pytest.raises(AuthorizationFailed, match=r"workbench list --url https://mcp\.test/mcp"):
        await use(world, OAuthAuthorization(SERVER, transport=world.transport()))
    assert not world.requests_to(f"{ISSUER}/register")


async def test_no_message_and_no_representation_holds_a_secret(world: World, store: TokenStore) -> None:
    def echo(request: Request) -> Reply:
        description = f"no: {request.form['code']} {request.form['code_verifier']} {request.form['client_secret']}"
        return Reply(400, {"error": "invalid_grant", "error_description": description})

    world.server_metadata |= {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    world.handlers[f"{ISSUER}/token"] = echo
    registration = ClientRegistration(client_id="mine", client_secret="very-secret")
    oauth = world.oauth(registration=registration, store=store)
    with pytest.raises(TokenRefused) as caught:
        await use(world, oauth)
    for secret in ("code-1", "very-secret", world.token_requests[0].form["code_verifier"]):
        assert secret not in f"{caught.value} {registration!r} {oauth!r}"


# Scopes.


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
async def test_no_more_is_asked_for_than_is_needed(
    world: World, challenged: str, supported: list[str] | None, of_server: list[str] | None, asked: str | None
) -> None:
    world.challenge += f', scope="{challenged}"'
    world.resource_metadata["scopes_supported"] = supported
    world.server_metadata["scopes_supported"] = of_server
    await use(world, world.oauth())
    assert world.authorization_requests[0].query.get("scope") == asked


async def test_more_is_asked_for_when_it_is_needed_and_nothing_is_lost(world: World) -> None:
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


# Refreshing.


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


async def test_a_refresh_token_stays_in_force_until_another_comes(world: World, store: TokenStore) -> None:
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


async def test_a_refresh_token_outlives_the_troubles_of_its_server(world: World, store: TokenStore) -> None:
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


# The authorization server, and the client's registration.


async def test_a_new_authorization_server_gets_no_old_credentials(world: World, store: TokenStore) -> None:
    world.issues_refresh_tokens = True
    oauth = world.oauth(store=store)
    await use(world, oauth)
    world.tokens.clear()
    new = "https://new.test"
    world.resource_metadata["authorization_servers"] = [new]
    world.redirect_changes = {"iss": new}
    world.handlers[f"{new}/.well-known/oauth-authorization-server"] = Reply(body=server_metadata(new))
    world.handlers[f"{new}/authorize"] = world.authorize
    world.handlers[f"{new}/token"] = world.token
    world.handlers[f"{new}/register"] = Reply(201, {"client_id": "theirs"})
    await use(world, oauth)
    (asked,), (redeemed,) = world.requests_to(f"{new}/authorize"), world.requests_to(f"{new}/token")
    assert asked.query["client_id"] == redeemed.form["client_id"] == "theirs"
    assert redeemed.form["grant_type"] == "authorization_code"
    assert "refresh-1" not in redeemed.body.decode()
    assert len(world.token_requests) == 1


async def test_a_refresh_token_stays_with_its_issuer_even_when_the_client_is_known_to_both(world: World) -> None:
    world.issues_refresh_tokens = True
    world.server_metadata["client_id_metadata_document_supported"] = True
    oauth = world.oauth(registration=ClientRegistration(metadata_document=DOCUMENT))
    await use(world, oauth)
    world.tokens.clear()
    new = "https://new.test"
    metadata = server_metadata(new, client_id_metadata_document_supported=True)
    world.resource_metadata["authorization_servers"] = [new]
    world.redirect_changes = {"iss": new}
    world.handlers[f"{new}/.well-known/oauth-authorization-server"] = Reply(body=metadata)
    world.handlers[f"{new}/authorize"] = world.authorize
    world.handlers[f"{new}/token"] = world.token
    await use(world, oauth)
    assert [request.form["grant_type"] for request in world.requests_to(f"{new}/token")] == ["authorization_code"]


@pytest.mark.parametrize("issuer", ["", ISSUER])
async def test_credentials_are_for_a_single_authorization_server(world: World, issuer: str) -> None:
    oauth = world.oauth(registration=ClientRegistration(client_id="mine", client_secret="s3cret", issuer=issuer))
    await use(world, oauth)
    world.tokens.clear()
    new = "https://new.test"
    world.resource_metadata["authorization_servers"] = [new]
    world.handlers[f"{new}/.well-known/oauth-authorization-server"] = Reply(body=server_metadata(new))
    with pytest.raises(AuthorizationFailed, match=r"registered with https://as\.test"):
        await use(world, oauth)
    assert not world.requests_to(f"{new}/authorize")


async def test_among_several_the_authorization_server_that_knows_the_client_is_asked(world: World) -> None:
    world.resource_metadata["authorization_servers"] = ["https://first.test", ISSUER]
    await use(world, world.oauth(registration=ClientRegistration(client_id="mine", issuer=ISSUER)))
    assert world.authorization_requests[0].query["client_id"] == "mine"
    assert not any("first.test" in request.url for request in world.requests)


async def test_a_client_is_registered_once(world: World, store: TokenStore) -> None:
    await use(world, world.oauth(store=store))
    world.tokens.clear()
    await use(world, world.oauth(store=store))
    assert len(world.requests_to(f"{ISSUER}/register")) == 1
    assert [request.query["client_id"] for request in world.authorization_requests] == ["client-1", "client-1"]


async def test_a_client_that_its_server_no_longer_knows_is_registered_again_the_next_time(
    world: World, store: TokenStore
) -> None:
    await use(world, world.oauth(store=store))
    world.tokens.clear()
    world.handlers[f"{ISSUER}/token"] = Reply(401, {"error": "invalid_client"})
    with pytest.raises(TokenRefused, match="invalid_client"):
        await use(world, world.oauth(store=store))
    world.handlers[f"{ISSUER}/token"] = world.token
    await use(world, world.oauth(store=store))
    assert len(world.requests_to(f"{ISSUER}/register")) == 2


async def test_a_metadata_document_is_the_client_id_where_supported(world: World) -> None:
    registration = ClientRegistration(metadata_document=DOCUMENT)
    await use(world, world.oauth(registration=registration))
    world.tokens.clear()
    world.server_metadata["client_id_metadata_document_supported"] = True
    await use(world, world.oauth(registration=registration))
    assert [request.query["client_id"] for request in world.authorization_requests] == ["client-1", DOCUMENT]
    assert len(world.requests_to(f"{ISSUER}/register")) == 1


async def test_a_client_that_was_registered_beforehand_goes_before_all_else(world: World) -> None:
    world.server_metadata["client_id_metadata_document_supported"] = True
    registration = replace(ClientRegistration(client_id="mine"), metadata_document=DOCUMENT)
    await use(world, world.oauth(registration=registration))
    assert world.authorization_requests[0].query["client_id"] == "mine"


# The URLs of the metadata.


async def test_metadata_is_read_from_the_url_in_the_challenge(world: World) -> None:
    elsewhere = "https://mcp.test/about.json"
    world.challenge = f'Bearer resource_metadata="{elsewhere}"'
    world.handlers[elsewhere] = Reply(body=world.resource_metadata)
    await use(world, world.oauth())
    assert not world.requests_to(METADATA)


@pytest.mark.parametrize("path", ["/mcp", ""])
async def test_metadata_is_looked_for_by_path_and_then_at_the_root(world: World, path: str) -> None:
    world.challenge = "Bearer"
    root = "https://mcp.test/.well-known/oauth-protected-resource"
    del world.handlers[METADATA]
    # A site that responds to every URL with the same page.
    world.handlers[METADATA] = Reply(body=b"<html>")
    world.handlers[root] = Reply(body={**world.resource_metadata, "resource": f"https://mcp.test{path}"})
    await use(world, world.oauth())
    assert len(world.requests_to(METADATA)) == 1
    assert world.authorization_requests[0].query["resource"] == f"https://mcp.test{path}"


async def test_metadata_that_the_refusal_names_must_be_there(world: World) -> None:
    del world.handlers[METADATA]
    with pytest.raises(AuthorizationFailed, match="but there is no document"):
        await use(world, world.oauth())
    assert len(world.requests_to("https://mcp.test/.well-known/oauth-protected-resource")) == 0


@pytest.mark.parametrize("place", [0, 1, 2])
async def test_an_issuer_with_a_path_is_discovered_at_each_url(world: World, place: int) -> None:
    issuer = f"{ISSUER}/tenant"
    ways = [
        f"{ISSUER}/.well-known/oauth-authorization-server/tenant",
        f"{ISSUER}/.well-known/openid-configuration/tenant",
        f"{ISSUER}/tenant/.well-known/openid-configuration",
    ]
    world.resource_metadata["authorization_servers"] = [issuer]
    world.redirect_changes = {"iss": issuer}
    world.handlers[ways[place]] = Reply(body={**world.server_metadata, "issuer": issuer})
    await use(world, world.oauth())
    assert [request.url for request in world.requests if ".well-known" in request.url][1:] == ways[: place + 1]


async def test_an_authorization_server_without_metadata_is_not_guessed(world: World) -> None:
    del world.handlers[SERVER_METADATA]
    with pytest.raises(AuthorizationFailed, match="publishes no metadata"):
        await use(world, world.oauth())


@pytest.mark.parametrize("has_metadata", [False, True])
async def test_a_server_of_2025_03_26_issues_its_tokens_itself(world: World, has_metadata: bool) -> None:
    site = "https://mcp.test"
    world.challenge = "Bearer"
    del world.handlers[METADATA]
    for name, handler in {"authorize": world.authorize, "token": world.token, "register": world.register}.items():
        world.handlers[f"{site}/{'own/' if has_metadata else ''}{name}"] = handler
    if has_metadata:
        metadata = {**server_metadata(f"{site}/own"), "issuer": site}
        world.handlers[f"{site}/.well-known/oauth-authorization-server"] = Reply(body=metadata)
    world.redirect_changes = {"iss": site} if has_metadata else {}
    assert await use(world, world.oauth()) == RESULT


async def test_a_server_that_only_supports_api_keys_is_reported(world: World) -> None:
    world.challenge = "Bearer"
    del world.handlers[METADATA]
    with pytest.raises(AuthorizationFailed, match="or pass credentials with --header"):
        await use(world, world.oauth())


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
