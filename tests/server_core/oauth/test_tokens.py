"""Token requests and token responses."""

import base64
from dataclasses import replace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.registration import OAuthClient
from server_core.oauth.tokens import CLIENT_ASSERTION, Tokens, authenticate, read_token_response
from tests.tables import each_row

FORM = {"grant_type": "client_credentials"}
ISSUER = "https://as.test"


def pem(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> str:
    """Return a key as it stands in files."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


KEY = pem(ec.generate_private_key(ec.SECP256R1()))


def test_a_secret_is_encoded_before_it_is_written_into_a_header() -> None:
    client = OAuthClient("a:b c", "client_secret_basic", "p%+o")
    form, header = authenticate(client, FORM, ISSUER, 0)
    assert form == FORM
    assert base64.b64decode(header.removeprefix("Basic ")).decode() == "a%3Ab+c:p%25%2Bo"


@each_row(
    ("client", "added"),
    [
        (OAuthClient("me", "client_secret_post", "s"), {"client_id": "me", "client_secret": "s"}),
        (OAuthClient("me"), {"client_id": "me"}),
        (OAuthClient(""), {}),
    ],
)
def test_a_client_names_itself_in_the_form(client: OAuthClient, added: dict[str, str]) -> None:
    assert authenticate(client, FORM, ISSUER, 0) == (FORM | added, "")


@each_row("algorithm", ["ES256", "RS256", "PS256"])
def test_an_assertion_names_the_client_and_the_issuer(algorithm: str) -> None:
    key = ec.generate_private_key(ec.SECP256R1()) if algorithm == "ES256" else rsa.generate_private_key(65537, 2048)
    client = OAuthClient("me", "private_key_jwt", private_key=pem(key), algorithm=algorithm)
    form, header = authenticate(client, FORM, ISSUER, 1000.5)
    assert header == ""
    assert form["client_assertion_type"] == CLIENT_ASSERTION
    options: Any = {"verify_exp": False, "verify_iat": False}
    claims = jwt.decode(form["client_assertion"], key.public_key(), [algorithm], audience=ISSUER, options=options)
    assert (claims["iss"], claims["sub"], claims["iat"], claims["exp"]) == ("me", "me", 1000, 1300)
    again, _ = authenticate(client, FORM, ISSUER, 1000.5)
    assert jwt.decode(again["client_assertion"], options={"verify_signature": False})["jti"] != claims["jti"]


@each_row(
    ("key", "algorithm"), [("no key", "ES256"), ("", "ES256"), (KEY, "RS256"), (KEY, "none-such")],
    ids=["no key", "empty", "another kind", "another algorithm"],
)  # fmt: skip
def test_a_key_that_cannot_sign_is_not_shown(key: str, algorithm: str) -> None:
    client = OAuthClient("me", "private_key_jwt", private_key=key, algorithm=algorithm)
    with pytest.raises(AuthorizationFailed, match="cannot sign") as caught:
        authenticate(client, FORM, ISSUER, 0)
    assert "PRIVATE KEY" not in str(caught.value)


def test_a_lifetime_is_a_number_of_seconds_or_unknown() -> None:
    for expires_in, lifetime in (
        (60, 60.0),
        (0, 0.0),
        ("60", 60.0),
        (None, None),
        (-1, None),
        (True, None),
        ("soon", None),
        (1e300, None),
        ([], None),
        (float("nan"), None),
    ):
        document = {"access_token": "a", "token_type": "Bearer", "expires_in": expires_in}
        assert read_token_response(200, document, ISSUER, {}).lifetime == lifetime


def test_tokens_end_a_little_early_or_never() -> None:
    tokens = Tokens("https://mcp.test", ISSUER, "https://mcp.test", "me", "a", expires_at=1000.0)
    assert [tokens.expires_soon(now) for now in (900.0, 971.0, 1001.0)] == [False, True, True]
    assert not replace(tokens, expires_at=0.0).expires_soon(1e12)


def test_tokens_do_not_show_secrets() -> None:
    tokens = Tokens("s", "i", "r", "c", "the-access", refresh_token="the-refresh", key="the-key")
    answer = read_token_response(200, {"access_token": "the-access", "refresh_token": "the-refresh"}, ISSUER, {})
    for secret in ("the-access", "the-refresh", "the-key"):
        assert secret not in f"{tokens!r} {answer!r}"
