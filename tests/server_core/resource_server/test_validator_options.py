"""The arguments of a validator: authorization servers, audiences, algorithms, scopes and URLs."""

from typing import Any

import httpx
import pytest

from server_core.resource_server import (
    AccessTokenValidationOptions,
    AuthorizationServerEntry,
    InvalidTokenError,
    JWKSTokenValidator,
    KeysUnavailable,
    ResourceServerAuth,
)
from tests.server_core.resource_server.authority import CANONICAL, ISSUER, Authority
from tests.tables import each_row

pytestmark = pytest.mark.promises("resource server")


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


async def test_equal_names_at_two_authorization_servers_are_two_users() -> None:
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


@each_row("algorithm", ["HS256", "none", "", "rs256"])
def test_an_unsupported_algorithm_is_reported_with_those_supported(algorithm: str) -> None:
    with pytest.raises(ValueError, match=r"Unsupported algorithm.*ES256.*RS256"):
        JWKSTokenValidator("https://as.example.com/jwks", ISSUER, CANONICAL, algorithm)


def test_keys_are_requested_only_over_https_or_from_this_machine() -> None:
    with pytest.raises(ValueError, match="it must be https"):
        JWKSTokenValidator("http://as.example.com/jwks", ISSUER, CANONICAL)
    JWKSTokenValidator("http://127.0.0.1:9000/jwks", ISSUER, CANONICAL)


@each_row("empty", [[], "", [""], ["a", None]])
def test_empty_issuers_and_audiences_are_refused(empty: Any) -> None:
    with pytest.raises(ValueError, match=r"audience is .* any token would be accepted"):
        JWKSTokenValidator("https://as.example.com/jwks", ISSUER, empty)
    with pytest.raises(ValueError, match=r"issuer is .* any token would be accepted"):
        JWKSTokenValidator("https://as.example.com/jwks", empty, CANONICAL)


@each_row(("issuer", "audiences"), [("", None), (7, None), (ISSUER, [""]), (ISSUER, [None])])
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
