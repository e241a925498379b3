"""The grants that need no user."""

from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.grants import (
    ID_JAG,
    ID_TOKEN,
    TOKEN_EXCHANGE,
    ClientCredentials,
    EnterpriseManaged,
    Grant,
    WorkloadIdentity,
)
from server_core.oauth.registration import ClientRegistration
from server_core.oauth.tokens import JWT_BEARER
from tests.server_core.oauth.test_tokens import pem
from tests.server_core.oauth.world import ISSUER, RESULT, SERVER, Reply, Request, World, use

PROVIDER = "https://idp.test/token"


@pytest.fixture
def world() -> World:
    """A world in which a scope is required, and no consent is needed."""
    world = World()
    world.challenge += ', scope="read"'
    world.server_metadata |= {"token_endpoint_auth_methods_supported": ["client_secret_basic", "none"]}
    return world


async def test_a_client_requests_a_token_for_itself_with_its_secret(world: World) -> None:
    registration = ClientRegistration(client_id="me", client_secret="s")
    assert await use(world, world.oauth(grant=ClientCredentials(), registration=registration)) == RESULT
    (redeemed,) = world.token_requests
    assert redeemed.form == {"grant_type": "client_credentials", "scope": "read", "resource": SERVER}
    assert redeemed.headers["authorization"].startswith("Basic ")
    assert not world.authorization_requests


async def test_a_client_requests_a_token_for_itself_with_its_key(world: World) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    registration = ClientRegistration(client_id="me", private_key=pem(key))
    await use(world, world.oauth(grant=ClientCredentials(), registration=registration))
    (redeemed,) = world.token_requests
    claims = jwt.decode(redeemed.form["client_assertion"], key.public_key(), ["ES256"], audience=ISSUER)
    assert claims["sub"] == "me"
    assert "client_id" not in redeemed.form


async def test_client_credentials_request_no_refresh_token(world: World) -> None:
    world.server_metadata["scopes_supported"] = ["read", "offline_access"]
    registration = ClientRegistration(client_id="me", client_secret="s")
    await use(world, world.oauth(grant=ClientCredentials(), registration=registration))
    assert world.token_requests[0].form["scope"] == "read"


@pytest.mark.parametrize(
    ("registration", "message"),
    [
        (ClientRegistration(), "requires a registered client"),
        (ClientRegistration(client_id="me"), "neither a secret nor a key"),
    ],
)
async def test_client_credentials_need_a_configured_client(
    world: World, registration: ClientRegistration, message: str
) -> None:
    with pytest.raises(AuthorizationFailed, match=message):
        await use(world, world.oauth(grant=ClientCredentials(), registration=registration))
    assert not world.token_requests
    assert not world.requests_to(f"{ISSUER}/register")


def provider(request: Request) -> Reply:
    """Respond as the identity provider of an organisation."""
    return Reply(body={"access_token": "the-id-jag", "token_type": "N_A", "issued_token_type": ID_JAG})


async def test_an_identity_provider_vouches_for_a_user(world: World) -> None:
    world.handlers[PROVIDER] = provider
    grant = EnterpriseManaged(PROVIDER, "at-idp", "the-id-token", "idp-secret")
    registration = ClientRegistration(client_id="me", client_secret="s")
    assert await use(world, world.oauth(grant=grant, registration=registration)) == RESULT
    (exchanged,), (redeemed,) = world.requests_to(PROVIDER), world.token_requests
    assert exchanged.form == {
        "grant_type": TOKEN_EXCHANGE,
        "requested_token_type": ID_JAG,
        "audience": ISSUER,
        "resource": SERVER,
        "scope": "read",
        "subject_token": "the-id-token",
        "subject_token_type": ID_TOKEN,
        "client_id": "at-idp",
        "client_secret": "idp-secret",
    }
    assert redeemed.form == {
        "grant_type": JWT_BEARER,
        "assertion": "the-id-jag",
        "scope": "read",
        "resource": SERVER,
    }
    assert redeemed.headers["authorization"].startswith("Basic ")


@pytest.mark.parametrize(
    "reply",
    [
        Reply(403, {"error": "access_denied", "error_description": "the-id-token is no good"}),
        Reply(body={}),
        Reply(404),
    ],
)
async def test_no_token_is_requested_without_an_assertion(world: World, reply: Reply) -> None:
    world.handlers[PROVIDER] = reply
    grant = EnterpriseManaged(PROVIDER, "at-idp", "the-id-token")
    with pytest.raises(AuthorizationFailed, match="identity provider") as caught:
        await use(world, world.oauth(grant=grant, registration=ClientRegistration(client_id="me", client_secret="s")))
    assert "the-id-token" not in f"{caught.value} {grant!r}"
    assert not world.token_requests


@pytest.mark.parametrize("client_id", ["", "me"])
async def test_a_platform_vouches_for_its_workload(world: World, client_id: str) -> None:
    grant = WorkloadIdentity("the-jwt")
    assert await use(world, world.oauth(grant=grant, registration=ClientRegistration(client_id=client_id))) == RESULT
    form: dict[str, Any] = {"grant_type": JWT_BEARER, "assertion": "the-jwt", "scope": "read", "resource": SERVER}
    assert world.token_requests[0].form == form | ({"client_id": client_id} if client_id else {})
    assert "the-jwt" not in repr(grant)


@pytest.mark.parametrize("code", ["invalid_grant", "invalid_scope", "unauthorized_client", "use_dpop_nonce"])
async def test_a_refused_grant_is_reported_and_not_retried(world: World, code: str) -> None:
    world.handlers[f"{ISSUER}/token"] = Reply(400, {"error": code}, {"dpop-nonce": "n"})
    grant: Grant = WorkloadIdentity("the-jwt")
    with pytest.raises(TokenRefused, match=code):
        await use(world, world.oauth(grant=grant))
    assert len(world.token_requests) == 1
