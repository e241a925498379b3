"""Proofs of possession, checked as a server checks them."""

import hashlib
from typing import Any

import jwt
import pytest

from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.proofs import ProofKey
from server_core.oauth.token_store import TokenStore
from tests.clock import Clock
from tests.server_core.oauth.world import ISSUER, METADATA, RESULT, SERVER, Reply, Request, World, use


def checked(proof: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return header and claims of a proof after verifying its signature."""
    header = jwt.get_unverified_header(proof)
    assert header["typ"] == "dpop+jwt"
    assert "d" not in header["jwk"]
    key: Any = jwt.PyJWK(header["jwk"], algorithm="ES256").key
    return header, jwt.decode(proof, key, ["ES256"], options={"verify_iat": False})


def test_a_proof_is_for_a_single_request() -> None:
    key = ProofKey(clock=Clock())
    proof = key.prove("POST", "https://mcp.test/mcp?a=1#b", token="t", nonce="n")
    _, claims = checked(proof)
    assert claims.pop("jti")
    ath = jwt.utils.base64url_encode(hashlib.sha256(b"t").digest()).decode()
    assert claims == {"htm": "POST", "htu": "https://mcp.test/mcp", "iat": 1000, "ath": ath, "nonce": "n"}
    assert proof != key.prove("POST", "https://mcp.test/mcp?a=1#b", token="t", nonce="n")


def test_a_stored_key_is_the_same_key() -> None:
    key = ProofKey()
    assert ProofKey(key.pem()).public_jwk() == key.public_jwk()
    assert ProofKey().public_jwk() != key.public_jwk()
    assert "PRIVATE" not in repr(key)


class Bound(World):
    """A world whose tokens are bound to keys."""

    def __init__(self) -> None:
        super().__init__()
        self.challenge = f'DPoP resource_metadata="{METADATA}"'
        self.server_metadata["dpop_signing_alg_values_supported"] = ["ES256"]
        self.nonces = {ISSUER: "", SERVER: ""}
        self.proofs: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.handlers[SERVER] = self.check_and_serve

    def check_proof(self, request: Request, nonce: str) -> bool:
        header, claims = checked(request.headers["dpop"])
        assert (claims["htm"], claims["htu"]) == (request.method, request.url)
        self.proofs.append(claims)
        self.keys.add(header["jwk"]["x"])
        return bool(claims.get("nonce", "") == nonce)

    def check_and_serve(self, request: Request) -> Reply:
        if "authorization" not in request.headers:
            return self.serve(request)
        assert request.headers["authorization"].startswith("DPoP ")
        if not self.check_proof(request, self.nonces[SERVER]):
            headers = {"www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": self.nonces[SERVER]}
            return Reply(401, headers=headers)
        return self.serve(request)

    def token(self, request: Request) -> Reply:
        if not self.check_proof(request, self.nonces[ISSUER]):
            return Reply(400, {"error": "use_dpop_nonce"}, {"dpop-nonce": self.nonces[ISSUER]})
        reply = super().token(request)
        reply.body["token_type"] = "DPoP"
        return reply


@pytest.mark.parametrize(("of_issuer", "of_server"), [("", ""), ("n1", ""), ("", "n2"), ("n1", "n2")])
async def test_tokens_are_bound_and_each_request_proves_it(of_issuer: str, of_server: str) -> None:
    world = Bound()
    world.nonces = {ISSUER: of_issuer, SERVER: of_server}
    oauth = world.oauth()
    for _ in range(2):
        assert await use(world, oauth) == RESULT
    assert len({claims["jti"] for claims in world.proofs}) == len(world.proofs)
    assert len(world.keys) == 1
    assert len(world.authorization_requests) == 1


async def test_a_bound_token_is_used_and_refreshed_with_its_key_in_the_next_process() -> None:
    world, store = Bound(), TokenStore()
    world.issues_refresh_tokens = True
    await use(world, world.oauth(store=store))
    await use(world, world.oauth(store=store))
    world.tokens.clear()
    await use(world, world.oauth(store=store))
    assert len(world.keys) == 1
    assert len(world.authorization_requests) == 1


async def test_an_expired_bound_token_is_replaced_by_another_bound_token() -> None:
    world, clock = Bound(), Clock()
    world.issues_refresh_tokens = True
    oauth = world.oauth(clock=clock)
    await use(world, oauth)
    clock.now += world.lifetime
    await use(world, oauth)
    assert [request.form["grant_type"] for request in world.token_requests] == ["authorization_code", "refresh_token"]
    assert len(world.keys) == 1


async def test_a_server_that_wants_proofs_gets_no_other_token() -> None:
    world = Bound()
    world.server_metadata["dpop_signing_alg_values_supported"] = ["none"]
    with pytest.raises(AuthorizationFailed, match="does not support"):
        await use(world, world.oauth())


async def test_a_nonce_that_is_never_right_ends_it() -> None:
    world = Bound()

    def moody(request: Request) -> Reply:
        return Reply(400, {"error": "use_dpop_nonce"}, {"dpop-nonce": f"n{len(world.token_requests)}"})

    world.handlers[f"{ISSUER}/token"] = moody
    with pytest.raises(AuthorizationFailed, match="use_dpop_nonce"):
        await use(world, world.oauth())
    assert len(world.token_requests) == 2
