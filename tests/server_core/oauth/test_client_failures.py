"""Responses that the OAuth client must not trust, and what it never sends or shows."""

from typing import Any

import pytest

from server_core.errors import ConnectionFailed
from server_core.oauth.authorization import AuthorizationRefusal
from server_core.oauth.client import OAuthAuthorization
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.registration import ClientRegistration
from server_core.oauth.token_store import TokenStore
from tests.server_core.oauth.world import ISSUER, METADATA, RESULT, SERVER, Reply, Request, World, use


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
async def test_an_invalid_response_is_not_redeemed(world: World, back: dict[str, Any], message: str) -> None:
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


async def test_an_issuer_that_is_not_announced_is_compared_too(world: World) -> None:
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
async def test_untrusted_metadata_of_a_server_ends_the_authorization(
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
async def test_untrusted_metadata_of_an_authorization_server_ends_the_authorization(
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


async def test_a_token_that_is_refused_at_once_is_not_requested_again(world: World) -> None:
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


async def test_no_message_and_no_representation_contains_a_secret(world: World, store: TokenStore) -> None:
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
