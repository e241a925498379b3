"""The authorization request, and the checks of its response."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from server_core.oauth.authorization_code import (
    AuthorizationRequest,
    authorization_url,
    code_challenge,
    code_of_redirect,
    new_authorization_request,
    redirect_parameters,
)
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.server_metadata import ServerMetadata
from tests.tables import each_row

BACK = "http://127.0.0.1:7/callback"


def server(**given: Any) -> ServerMetadata:
    """Return an authorization server with the usual properties."""
    usual: dict[str, Any] = {
        "issuer": "https://as.test",
        "token_endpoint": "https://as.test/token",
        "authorization_endpoint": "https://as.test/authorize",
        "challenge_methods": ("plain", "S256"),
    }
    return ServerMetadata(**usual | given)


def request(**given: Any) -> AuthorizationRequest:
    """Return an authorization request with known secrets."""
    return AuthorizationRequest(server(**given), BACK, "the state", "the verifier")


def test_the_challenge_is_that_of_the_rfc() -> None:
    # RFC 7636 appendix B.
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert code_challenge(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_each_authorization_has_secrets_of_its_own() -> None:
    first, second = new_authorization_request(server(), BACK), new_authorization_request(server(), BACK)
    assert {first.state, first.verifier}.isdisjoint({second.state, second.verifier})
    assert 43 <= len(first.verifier) <= 128
    assert first.state not in repr(first)
    assert first.verifier not in repr(first)


def test_the_url_contains_all_parameters() -> None:
    address = authorization_url(request(), "me & you", "https://mcp.test/mcp", ("a", "offline_access"))
    assert address.startswith("https://as.test/authorize?")
    assert parse_qs(urlsplit(address).query, strict_parsing=True) == {
        "response_type": ["code"],
        "client_id": ["me & you"],
        "redirect_uri": [BACK],
        "state": ["the state"],
        "code_challenge": [code_challenge("the verifier")],
        "code_challenge_method": ["S256"],
        "resource": ["https://mcp.test/mcp"],
        "scope": ["a offline_access"],
        "prompt": ["consent"],
    }


def test_an_endpoint_keeps_a_query_of_its_own_and_loses_its_fragment() -> None:
    asked = request(authorization_endpoint="https://as.test/authorize?tenant=a#x")
    address = urlsplit(authorization_url(asked, "me", "https://mcp.test", ()))
    assert address.query.startswith("tenant=a&response_type=code&")
    assert address.fragment == ""
    assert "scope" not in parse_qs(address.query)


@each_row(
    "given", [{"challenge_methods": None}, {"challenge_methods": ()}, {"challenge_methods": ("plain",)},
              {"authorization_endpoint": ""}]
)  # fmt: skip
def test_an_unsafe_server_gets_no_request(given: dict[str, Any]) -> None:
    with pytest.raises(AuthorizationFailed):
        new_authorization_request(server(**given), BACK)


def test_a_response_contains_its_code() -> None:
    assert code_of_redirect({"code": "c", "state": "the state"}, request()) == "c"
    answer = {"code": "c", "state": "the state", "iss": "https://as.test"}
    assert code_of_redirect(answer, request(sends_issuer=True)) == "c"


def test_a_refusal_is_reported_in_a_short_line() -> None:
    answer = {"state": "the state", "error": "access_denied", "error_description": "No\nway " + "x" * 1000}
    with pytest.raises(TokenRefused) as caught:
        code_of_redirect(answer, request())
    assert caught.value.code == "access_denied"
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_the_parameters_of_an_answer_are_decoded_once() -> None:
    assert redirect_parameters("/callback?iss=https%3A%2F%2Fas.test&code=a%252B&state=") == {
        "iss": "https://as.test",
        "code": "a%2B",
        "state": "",
    }


@each_row("address", ["/callback?code=a&code=b", "/callback?" + "&".join(f"p{n}=1" for n in range(100)),
                                     "http://[::1/callback?code=a"])  # fmt: skip
def test_an_ambiguous_redirect_is_refused(address: str) -> None:
    with pytest.raises(AuthorizationFailed):
        redirect_parameters(address)
