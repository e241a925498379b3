"""The checks of tokens: what holds, what does not and why, and what is done about keys."""

import asyncio
import json
import time
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.utils import base64url_encode

from server_core.resource_server import (
    AccessTokenValidationOptions,
    AuthorizationServerEntry,
    InvalidTokenError,
    JWKSTokenValidator,
    KeysUnavailable,
    ResourceServerAuth,
    TokenExpiredError,
)
from server_core.resource_server.accepted_servers import ALGORITHMS
from server_core.resource_server.jwks import FETCH_INTERVAL_SECONDS, Keys
from server_core.runtime.background import spawn
from tests.server_core.resource_server.authority import CANONICAL, ISSUER, Authority, document, hmac_token
from tests.waiting import within

pytestmark = pytest.mark.promises("resource server")


def _validator(authority: Authority, **options: Any) -> ResourceServerAuth:
    return ResourceServerAuth(
        [authority.entry(**options)],
        CANONICAL,
        scopes_supported=[],
        default_challenge_scopes=[],
        transport=authority.transport,
    )


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
async def test_a_token_of_every_algorithm_is_valid(algorithm: str) -> None:
    authority = Authority(algorithm=algorithm)
    owner = await _validator(authority).validate_token(authority.token(email="ada@example.com", client_id="app"))
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


async def test_a_token_that_claims_something_else_is_refused_with_the_reason(authority: Authority) -> None:
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
            await _validator(authority).validate_token(authority.token(**claims_now(claims)))
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
    owner = await _validator(authority, **{option: False}).validate_token(authority.token(**claims_now(claims)))
    assert owner.user_id == "ada"
    assert owner.issuer == ISSUER, "it never comes from an unchecked token"


@pytest.mark.parametrize("claims", [{"exp": -30}, {"iat": 30}, {"nbf": 30}])
async def test_clocks_may_differ_by_the_leeway(authority: Authority, claims: dict[str, Any]) -> None:
    assert (
        await _validator(authority, leeway=600).validate_token(authority.token(**claims_now(claims)))
    ).user_id == "ada"
    with pytest.raises(InvalidTokenError):
        await _validator(authority, leeway=5).validate_token(authority.token(**claims_now(claims)))


async def test_a_single_matching_audience_is_enough(authority: Authority) -> None:
    owner = await _validator(authority).validate_token(authority.token(aud=["https://other.example.com", CANONICAL]))
    assert owner.user_id == "ada"


async def test_scopes_are_read_as_they_are_met(authority: Authority) -> None:
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
        owner = await _validator(authority).validate_token(authority.token(**claims))
        assert sorted(owner.granted_scopes) == scopes


@pytest.mark.parametrize("broken", ["", "x", "a.b", "a.b.c", "....", "é.é.é", "x" * 20_000])
async def test_an_invalid_token_is_refused_without_fetching_keys(broken: str) -> None:
    authority = Authority()
    with pytest.raises(InvalidTokenError):
        await _validator(authority).validate_token(broken)
    assert authority.fetches == 0


async def test_a_body_that_is_no_claims_is_refused(authority: Authority) -> None:
    bodies: tuple[Any, ...] = ([], "text", 7, None)
    for body in bodies:
        with pytest.raises(InvalidTokenError, match="has no claims"):
            await _validator(authority).validate_token(authority.signed(body))


async def test_an_invalid_signature_is_refused(authority: Authority) -> None:
    head, body, _ = authority.token().split(".")
    other = Authority().token().split(".")[2]
    for token in (f"{head}.{body}.{other}", f"{head}.{body}.", f"{head}.{other}.{other}"):
        with pytest.raises(InvalidTokenError):
            await _validator(authority).validate_token(token)


async def test_a_token_signed_with_the_public_key_as_a_secret_is_refused(authority: Authority) -> None:
    public = json.dumps(authority.jwks()["keys"][0])[:64]
    with pytest.raises(InvalidTokenError, match="not signed with ES256"):
        await _validator(authority).validate_token(hmac_token(public))


async def test_a_token_without_a_signature_is_refused(authority: Authority) -> None:
    _, body, _ = authority.token().split(".")
    head = "eyJhbGciOiJub25lIiwia2lkIjoiZmlyc3QifQ"
    with pytest.raises(InvalidTokenError):
        await _validator(authority).validate_token(f"{head}.{body}.")


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
            await _validator(authority).validate_token(authority.token())


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
async def test_a_key_that_is_too_short_is_not_used() -> None:
    authority = Authority(algorithm="RS256")
    authority.sign_with("short", rsa.generate_private_key(public_exponent=65537, key_size=1024))
    with pytest.raises(InvalidTokenError, match="key of the token cannot be used with RS256"):
        await _validator(authority).validate_token(authority.token())


@pytest.mark.parametrize("algorithm", [["ES256"], {"ES256": 1}, None, 7, "", "es256"], ids=str)
async def test_any_value_of_the_algorithm_header_is_handled(authority: Authority, algorithm: Any) -> None:
    _, body, signature = authority.token().split(".")
    header = base64url_encode(json.dumps({"alg": algorithm, "kid": "first"}).encode()).decode()
    with pytest.raises(InvalidTokenError, match="not signed with ES256"):
        await _validator(authority).validate_token(f"{header}.{body}.{signature}")


async def test_a_token_without_a_key_id_is_checked_with_the_only_key() -> None:
    authority = Authority()
    assert (await _validator(authority).validate_token(authority.token(is_anonymous=True))).user_id == "ada"


# Keys.


async def test_keys_are_fetched_once_for_many_tokens() -> None:
    authority = Authority()
    validator = _validator(authority)
    for _ in range(3):
        await validator.validate_token(authority.token())
    assert authority.fetches == 1


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def test_a_key_that_is_not_known_is_looked_for_at_once_but_not_each_time() -> None:
    authority, clock = Authority(), Clock()
    keys = Keys(authority.jwks_uri, 3600, authority.transport, clock)
    assert await keys.find("first")
    authority.rotate("second")
    assert await keys.find("second") is None, "the last fetch was a moment ago"
    clock.now += FETCH_INTERVAL_SECONDS
    assert await keys.find("second")
    assert authority.fetches == 2
    for number in range(100):
        assert await keys.find(f"made up {number}") is None
    assert authority.fetches == 2


async def test_keys_are_fetched_again_when_they_are_old_and_an_old_key_is_no_longer_valid() -> None:
    authority, clock = Authority(), Clock()
    keys = Keys(authority.jwks_uri, 60, authority.transport, clock)
    assert await keys.find("first")
    authority.rotate("second")
    clock.now += 61
    assert await keys.find("first") is None
    assert authority.fetches == 2


async def test_keys_that_cannot_be_fetched_again_are_used_for_twice_their_time() -> None:
    authority, clock = Authority(), Clock()
    keys = Keys(authority.jwks_uri, 60, authority.transport, clock)
    assert await keys.find("first")
    authority.is_down = True
    clock.now += 61
    assert await keys.find("first")
    clock.now += 60
    with pytest.raises(KeysUnavailable, match="cannot be fetched"):
        await keys.find("first")
    authority.is_down = False
    clock.now += FETCH_INTERVAL_SECONDS
    assert await keys.find("first")


class Slow(Authority):
    """Its keys come when the test releases them."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.respond = asyncio.Event()

    @property
    def transport(self) -> httpx.MockTransport:
        async def answer(request: httpx.Request) -> httpx.Response:
            self.asked.set()
            await self.respond.wait()
            return self.answer(request)

        return httpx.MockTransport(answer)


async def test_who_waits_for_a_fetch_that_fails_late_waits_for_no_other() -> None:
    authority, clock = Slow(), Clock()
    authority.is_down = True
    keys = Keys(authority.jwks_uri, 60, authority.transport, clock)
    waiting = [spawn(keys.find(f"made up {number}"), "find") for number in range(5)]
    await within(authority.asked.wait())
    clock.now += 3 * FETCH_INTERVAL_SECONDS
    authority.respond.set()
    result = await within(asyncio.gather(*waiting, return_exceptions=True))
    assert [type(error) for error in result] == [KeysUnavailable] * 5
    assert authority.fetches == 1


async def test_a_client_that_disconnects_cancels_no_key_request_of_others() -> None:
    authority, clock = Slow(), Clock()
    keys = Keys(authority.jwks_uri, 60, authority.transport, clock)
    impatient, other = spawn(keys.find("made up"), "find"), spawn(keys.find("first"), "find")
    await within(authority.asked.wait())
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(impatient)
    authority.respond.set()
    assert await within(other)
    assert authority.fetches == 1


async def test_known_keys_are_used_while_a_fetch_hangs() -> None:
    authority, clock = Slow(), Clock()
    authority.respond.set()
    keys = Keys(authority.jwks_uri, 60, authority.transport, clock)
    assert await within(keys.find("first"))
    authority.is_down = True
    clock.now += 61
    assert await within(keys.find("first")), "whoever comes first finds out that they cannot be fetched"
    authority.respond.clear()
    authority.asked.clear()
    clock.now += FETCH_INTERVAL_SECONDS
    assert await within(keys.find("first"))
    await within(authority.asked.wait())
    assert await within(keys.find("first"))
    authority.is_down = False
    authority.rotate("second")
    authority.respond.set()
    assert await within(keys.find("second")), "a key that is not known is waited for"


@pytest.mark.parametrize("published", [[], {"keys": {}}, {"no": "keys"}, "text"], ids=str)
async def test_an_invalid_key_set_counts_as_missing(published: Any) -> None:
    transport = httpx.MockTransport(lambda request: document(published))
    with pytest.raises(KeysUnavailable):
        await Keys("https://as.example.com/jwks", 60, transport).find("first")


# Several authorization servers.


def _of_two(first_server: Authority, other: Authority) -> ResourceServerAuth:
    def answer(request: httpx.Request) -> httpx.Response:
        return (first_server if str(request.url) == first_server.jwks_uri else other).answer(request)

    return ResourceServerAuth(
        [first_server.entry(), other.entry()],
        CANONICAL,
        scopes_supported=[],
        default_challenge_scopes=[],
        transport=httpx.MockTransport(answer),
    )


async def test_a_token_of_either_authorization_server_is_valid_and_only_its_issuer_is_asked() -> None:
    first_server, other = Authority("https://one.example.com"), Authority("https://other.example.com", "RS256")
    validator = _of_two(first_server, other)
    assert (await validator.validate_token(other.token())).issuer == "https://other.example.com"
    assert (first_server.fetches, other.fetches) == (0, 1)
    first_server.is_down = True
    assert (await validator.validate_token(other.token())).user_id == "ada"
    with pytest.raises(KeysUnavailable):
        await validator.validate_token(first_server.token())


async def test_the_same_name_at_two_authorization_servers_is_two_users() -> None:
    first_server, other = Authority("https://one.example.com"), Authority("https://other.example.com")
    validator = _of_two(first_server, other)
    first, second = [await validator.validate_token(authority.token()) for authority in (first_server, other)]
    assert first.user_id == second.user_id
    assert first.principal != second.principal


async def test_an_authorization_server_cannot_sign_for_another() -> None:
    first_server, other = Authority("https://one.example.com"), Authority("https://other.example.com")
    with pytest.raises(InvalidTokenError):
        await _of_two(first_server, other).validate_token(other.token(iss="https://one.example.com"))


async def test_a_token_of_an_unknown_user_is_refused_for_all() -> None:
    first_server, other = Authority("https://one.example.com"), Authority("https://other.example.com")
    with pytest.raises(InvalidTokenError, match="failed for all configured authorization servers"):
        await _of_two(first_server, other).validate_token(Authority("https://third.example.com").token())
    with pytest.raises(InvalidTokenError, match="for another audience"):
        await _of_two(first_server, other).validate_token(other.token(aud="x"))
    with pytest.raises(InvalidTokenError, match="is not a JSON Web Token"):
        await _of_two(first_server, other).validate_token("an opaque one")


# Tokens as authors describe them.


async def test_an_explicit_audience_replaces_the_url() -> None:
    authority = Authority()
    validator = JWKSTokenValidator(
        authority.jwks_uri,
        [ISSUER, "https://alias.example.com"],
        ["app", "other"],
        "ES256",
        transport=authority.transport,
    )
    owner = await validator.validate_token(authority.token(aud="app", iss="https://alias.example.com"))
    assert owner.issuer == "https://alias.example.com"
    with pytest.raises(InvalidTokenError, match="another audience"):
        await validator.validate_token(authority.token())
    assert validator.get_resource_metadata() is None
    assert not validator.supports_oauth_discovery()


@pytest.mark.parametrize("algorithm", ["HS256", "none", "", "rs256"])
def test_an_unsupported_algorithm_is_reported_with_those_supported(algorithm: str) -> None:
    with pytest.raises(ValueError, match=r"Unsupported algorithm.*ES256.*RS256"):
        JWKSTokenValidator("https://as.example.com/jwks", ISSUER, CANONICAL, algorithm)


def test_keys_are_not_asked_for_where_anybody_could_answer() -> None:
    with pytest.raises(ValueError, match="it must be https"):
        JWKSTokenValidator("http://as.example.com/jwks", ISSUER, CANONICAL)
    JWKSTokenValidator("http://127.0.0.1:9000/jwks", ISSUER, CANONICAL)


@pytest.mark.parametrize("nobody", [[], "", [""], ["a", None]], ids=str)
def test_no_expected_issuer_is_no_expectation(nobody: Any) -> None:
    with pytest.raises(ValueError, match=r"audience is .* any token would be accepted"):
        JWKSTokenValidator("https://as.example.com/jwks", ISSUER, nobody)
    with pytest.raises(ValueError, match=r"issuer is .* any token would be accepted"):
        JWKSTokenValidator("https://as.example.com/jwks", nobody, CANONICAL)


@pytest.mark.parametrize(("issuer", "audiences"), [("", None), (7, None), (ISSUER, [""]), (ISSUER, [None])], ids=str)
def test_an_entry_must_name_its_issuer_and_audiences(issuer: Any, audiences: Any) -> None:
    with pytest.raises(ValueError, match=r"issuer is|expected_audiences are"):
        AuthorizationServerEntry(ISSUER, issuer, f"{ISSUER}/jwks", expected_audiences=audiences)


def test_a_leeway_cannot_be_negative() -> None:
    with pytest.raises(ValueError, match="leeway is -1"):
        AccessTokenValidationOptions(leeway=-1)


def test_the_metadata_names_the_authorization_servers() -> None:
    authority = Authority()
    validator = ResourceServerAuth(
        [authority.entry()], CANONICAL, scopes_supported=["b", "a", "b"], default_challenge_scopes=[]
    )
    assert validator.get_resource_metadata() == {
        "resource": CANONICAL,
        "authorization_servers": [ISSUER],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["b", "a"],
    }
    assert validator.supports_oauth_discovery()


def test_invalid_scopes_are_refused() -> None:
    for scope in (
        "",
        " ",
        "a b",
        'a"b',
        "a\\b",
        "é",
        "a\nb",
        7,
    ):
        for supported, challenged in (([scope], []), ([], [scope])):
            with pytest.raises(ValueError, match="is not a scope"):
                ResourceServerAuth(
                    [Authority().entry()], CANONICAL, scopes_supported=supported, default_challenge_scopes=challenged
                )


def test_a_url_that_clients_cannot_use_is_refused() -> None:
    for url in (
        "hello world",
        "mcp.example.com/mcp",
        "ftp://mcp.example.com",
        "http://mcp.example.com/mcp",
        "http://0.0.0.0/mcp",
        "http://10.0.0.1/mcp",
        "http://box.local/mcp",
        'https://mcp.example.com/"',
        "https://mcp .example.com/mcp",
        "https://mcp.example.com/a b",
        "https://mcp.example.com/%zz",
        "https://mcp.example.com/%a",
        "https://mcp.example.com/mcp#x",
        "https://mcp.example.com/mcp#",
        "https://user:pass@mcp.example.com/mcp",
        "https://mcp.example.com:port/mcp",
        "https:///mcp",
        7,
    ):
        with pytest.raises(ValueError, match="canonical_url"):
            ResourceServerAuth([Authority().entry()], url)


def test_a_valid_canonical_url_is_used_unchanged() -> None:
    for url in (
        "https://mcp.example.com/mcp",
        "https://mcp.example.com",
        "https://mcp.example.com:8443/mcp?tenant=a",
        "http://127.0.0.1:8000/mcp",
        "http://localhost:8000/mcp",
        "http://LocalHost/mcp",
        "http://[::1]:8000/mcp",
        "https://mcp.example.com/%20x",
    ):
        auth = ResourceServerAuth([Authority().entry()], url, scopes_supported=[], default_challenge_scopes=[])
        metadata = auth.get_resource_metadata()
        assert metadata["resource"] == url
