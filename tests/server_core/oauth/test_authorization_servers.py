"""The authorization server: its discovery, its change, and the registration of the client with it."""

from dataclasses import replace

import pytest

from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.registration import ClientRegistration
from server_core.oauth.token_store import TokenStore
from tests.server_core.oauth.world import ISSUER, METADATA, RESULT, SERVER_METADATA, Reply, World, server_metadata, use

DOCUMENT = "https://client.test/me.json"


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


async def test_a_client_that_was_registered_beforehand_is_preferred(world: World) -> None:
    world.server_metadata["client_id_metadata_document_supported"] = True
    registration = replace(ClientRegistration(client_id="mine"), metadata_document=DOCUMENT)
    await use(world, world.oauth(registration=registration))
    assert world.authorization_requests[0].query["client_id"] == "mine"


async def test_metadata_is_read_from_the_url_in_the_challenge(world: World) -> None:
    elsewhere = "https://mcp.test/about.json"
    world.challenge = f'Bearer resource_metadata="{elsewhere}"'
    world.handlers[elsewhere] = Reply(body=world.resource_metadata)
    await use(world, world.oauth())
    assert not world.requests_to(METADATA)


@pytest.mark.parametrize("path", ["/mcp", ""])
async def test_metadata_is_requested_by_path_and_then_at_the_root(world: World, path: str) -> None:
    world.challenge = "Bearer"
    root = "https://mcp.test/.well-known/oauth-protected-resource"
    del world.handlers[METADATA]
    # A site that responds to every URL with the same page.
    world.handlers[METADATA] = Reply(body=b"<html>")
    world.handlers[root] = Reply(body={**world.resource_metadata, "resource": f"https://mcp.test{path}"})
    await use(world, world.oauth())
    assert len(world.requests_to(METADATA)) == 1
    assert world.authorization_requests[0].query["resource"] == f"https://mcp.test{path}"


async def test_metadata_that_the_challenge_names_must_exist(world: World) -> None:
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
