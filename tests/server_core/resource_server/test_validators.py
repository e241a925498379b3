"""The checks of a token: which are valid, and why the others are refused."""

import json
import time
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.utils import base64url_encode

from server_core.resource_server import InvalidTokenError, JWKSTokenValidator, TokenExpiredError
from server_core.resource_server.accepted_servers import ALGORITHMS
from tests.server_core.resource_server.authority import CANONICAL, ISSUER, Authority, hmac_token, validator_of

pytestmark = pytest.mark.promises("resource server")


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
async def test_a_token_of_every_algorithm_is_valid(algorithm: str) -> None:
    authority = Authority(algorithm=algorithm)
    owner = await validator_of(authority).validate_token(authority.token(email="ada@example.com", client_id="app"))
    assert (owner.user_id, owner.client_id, owner.email, owner.issuer) == ("ada", "app", "ada@example.com", ISSUER)
    assert owner.granted_scopes == {"mcp"}
    assert owner.claims["aud"] == CANONICAL


@pytest.mark.parametrize(("declared", "algorithm"), [("EdDSA", "Ed25519"), ("Ed25519", "EdDSA")])
async def test_the_two_names_of_ed25519_are_equivalent(declared: str, algorithm: str) -> None:
    authority = Authority(algorithm=algorithm)
    validator = JWKSTokenValidator(authority.jwks_uri, ISSUER, CANONICAL, declared, transport=authority.transport)
    assert (await validator.validate_token(authority.token())).user_id == "ada"


HOUR = 3600


def claims_now(claims: dict[str, Any]) -> dict[str, Any]:
    """Claims whose times are given in seconds from now on."""
    now = int(time.time())
    return {name: now + value if type(value) is int and name != "sub" else value for name, value in claims.items()}


async def test_a_token_with_invalid_claims_is_refused_with_the_reason(authority: Authority) -> None:
    for claims, reason in (
        ({"exp": -HOUR}, "Token has expired"),
        ({"exp": None}, "The token has no expiration time (exp)"),
        ({"exp": "tomorrow"}, "The token has an invalid time (exp)"),
        ({"exp": True}, "The token has an invalid time (exp)"),
        ({"exp": float("inf")}, "The token has an invalid time (exp)"),
        ({"exp": float("nan")}, "The token has an invalid time (exp)"),
        ({"exp": 10**400}, "The token has an invalid time (exp)"),
        ({"nbf": -(10**400)}, "The token has an invalid time (nbf)"),
        ({"iat": HOUR}, "The token was issued in the future (iat)"),
        ({"nbf": HOUR}, "The token is not valid yet (nbf)"),
        ({"iss": "https://evil.example.com"}, "The token is from another issuer"),
        ({"iss": None}, "The token is from another issuer"),
        ({"iss": [ISSUER]}, "The token is from another issuer"),
        ({"aud": "https://other.example.com"}, "The token is for another audience"),
        ({"aud": None}, "The token is for another audience"),
        ({"aud": {CANONICAL: 1}}, "The token is for another audience"),
        ({"aud": [["x"], 7]}, "The token is for another audience"),
        ({"sub": None}, "The token has no subject (sub)"),
        ({"sub": ""}, "The token has no subject (sub)"),
        ({"sub": "a\ud800"}, "The token has no subject (sub)"),
        ({"sub": 7}, "The token has no subject (sub)"),
    ):
        with pytest.raises(InvalidTokenError) as refused:
            await validator_of(authority).validate_token(authority.token(**claims_now(claims)))
        assert str(refused.value) == reason
        assert isinstance(refused.value, TokenExpiredError) == (reason == "Token has expired")


@pytest.mark.parametrize(
    ("option", "claims"),
    [
        ("verify_exp", {"exp": -HOUR}),
        ("verify_exp", {"exp": None}),
        ("verify_iat", {"iat": HOUR}),
        ("verify_nbf", {"nbf": HOUR}),
        ("verify_iss", {"iss": "https://other.example.com"}),
    ],
)
async def test_disabled_checks_are_skipped(authority: Authority, option: str, claims: dict[str, Any]) -> None:
    owner = await validator_of(authority, **{option: False}).validate_token(authority.token(**claims_now(claims)))
    assert owner.user_id == "ada"
    assert owner.issuer == ISSUER, "it never comes from an unchecked token"


@pytest.mark.parametrize("claims", [{"exp": -30}, {"iat": 30}, {"nbf": 30}])
async def test_clocks_may_differ_by_the_leeway(authority: Authority, claims: dict[str, Any]) -> None:
    assert (
        await validator_of(authority, leeway=600).validate_token(authority.token(**claims_now(claims)))
    ).user_id == "ada"
    with pytest.raises(InvalidTokenError):
        await validator_of(authority, leeway=5).validate_token(authority.token(**claims_now(claims)))


async def test_a_single_matching_audience_is_enough(authority: Authority) -> None:
    owner = await validator_of(authority).validate_token(authority.token(aud=["https://other.example.com", CANONICAL]))
    assert owner.user_id == "ada"


async def test_scopes_are_read_from_both_claims_in_every_form(authority: Authority) -> None:
    for claims, scopes in (
        ({"scope": "read  write"}, ["read", "write"]),
        ({"scope": None, "scp": ["read", "write"]}, ["read", "write"]),
        ({"scope": None, "scp": "read write"}, ["read", "write"]),
        ({"scope": ["read"], "scp": ["write"]}, ["read"]),
        ({"scope": 7, "scp": ["write"]}, ["write"]),
        ({"scope": None, "scp": ['a"b', "a b", "é", "", 7, "write"]}, ["write"]),
        ({"scope": ""}, []),
        ({"scope": None}, []),
    ):
        owner = await validator_of(authority).validate_token(authority.token(**claims))
        assert sorted(owner.granted_scopes) == scopes


@pytest.mark.parametrize("broken", ["", "x", "a.b", "a.b.c", "....", "é.é.é", "x" * 20_000])
async def test_an_invalid_token_is_refused_without_fetching_keys(broken: str) -> None:
    authority = Authority()
    with pytest.raises(InvalidTokenError):
        await validator_of(authority).validate_token(broken)
    assert authority.fetches == 0


async def test_a_body_that_is_no_claims_is_refused(authority: Authority) -> None:
    bodies: tuple[Any, ...] = ([], "text", 7, None)
    for body in bodies:
        with pytest.raises(InvalidTokenError, match="has no claims"):
            await validator_of(authority).validate_token(authority.signed(body))


async def test_an_invalid_signature_is_refused(authority: Authority) -> None:
    head, body, _ = authority.token().split(".")
    other = Authority().token().split(".")[2]
    for token in (f"{head}.{body}.{other}", f"{head}.{body}.", f"{head}.{other}.{other}"):
        with pytest.raises(InvalidTokenError):
            await validator_of(authority).validate_token(token)


async def test_a_token_signed_with_the_public_key_as_a_secret_is_refused(authority: Authority) -> None:
    public = json.dumps(authority.jwks()["keys"][0])[:64]
    with pytest.raises(InvalidTokenError, match="not signed with ES256"):
        await validator_of(authority).validate_token(hmac_token(public))


async def test_a_token_without_a_signature_is_refused(authority: Authority) -> None:
    _, body, _ = authority.token().split(".")
    head = "eyJhbGciOiJub25lIiwia2lkIjoiZmlyc3QifQ"
    with pytest.raises(InvalidTokenError):
        await validator_of(authority).validate_token(f"{head}.{body}.")


async def test_a_key_that_is_not_for_this_is_not_used() -> None:
    for change in (
        {"alg": "RS256"},
        {"alg": ["ES256"]},
        {"use": "enc"},
        {"use": ["sig"]},
        {"key_ops": ["encrypt"]},
        {"key_ops": "verify"},
        {"d": "AA"},
        {"kty": "RSA"},
        {"x": "AA"},
        {"x": 7},
        {"crv": "P-384"},
        {"kty": "oct", "k": "AA"},
    ):
        authority = Authority()
        authority.published = {"keys": [{**authority.jwks()["keys"][0], **change}]}
        with pytest.raises(
            InvalidTokenError,
            match=r"key of the token (cannot be used with|is compromised|is not a signing key)|signature",
        ):
            await validator_of(authority).validate_token(authority.token())


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
async def test_a_key_that_is_too_short_is_not_used() -> None:
    authority = Authority(algorithm="RS256")
    authority.sign_with("short", rsa.generate_private_key(public_exponent=65537, key_size=1024))
    with pytest.raises(InvalidTokenError, match="key of the token cannot be used with RS256"):
        await validator_of(authority).validate_token(authority.token())


@pytest.mark.parametrize("algorithm", [["ES256"], {"ES256": 1}, None, 7, "", "es256"], ids=str)
async def test_any_value_of_the_algorithm_header_is_handled(authority: Authority, algorithm: Any) -> None:
    _, body, signature = authority.token().split(".")
    header = base64url_encode(json.dumps({"alg": algorithm, "kid": "first"}).encode()).decode()
    with pytest.raises(InvalidTokenError, match="not signed with ES256"):
        await validator_of(authority).validate_token(f"{header}.{body}.{signature}")


async def test_a_token_without_a_key_id_is_checked_with_the_only_key() -> None:
    authority = Authority()
    assert (await validator_of(authority).validate_token(authority.token(is_anonymous=True))).user_id == "ada"
