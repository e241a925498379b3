"""The registration of the client, and its authentication."""

from typing import Any

import pytest

from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.registration import (
    ClientRegistration,
    OAuthClient,
    choose_authentication,
    configured_client,
    is_reusable,
    read_registration,
    registration_request,
)
from tests.server_core.oauth.test_authorization_code import BACK, server
from tests.tables import each_row

DOCUMENT = "https://client.test/me.json"


def test_the_authentication_is_supported_by_both_sides() -> None:
    for supported, secret, key, assigned, chosen in (
        (None, "", "", "", "none"),
        (None, "s", "", "", "client_secret_basic"),
        (("none",), "s", "", "", "none"),
        (("client_secret_post",), "s", "", "", "client_secret_post"),
        (("client_secret_post", "client_secret_basic"), "s", "", "", "client_secret_basic"),
        (("client_secret_basic",), "s", "", "client_secret_post", "client_secret_post"),
        (("client_secret_basic",), "", "", "client_secret_basic", "none"),
        (("private_key_jwt",), "s", "k", "", "private_key_jwt"),
        (("tls_client_auth",), "s", "", "", "client_secret_basic"),
        (("none",), "s", "", "something_new", "none"),
    ):
        assert choose_authentication(server(authentication=supported), secret, key, assigned) == chosen


@each_row(
    ("registration", "takes_documents", "client_id"),
    [
        (ClientRegistration(client_id="mine", metadata_document=DOCUMENT), True, "mine"),
        (ClientRegistration(client_id="mine", issuer="https://as.test"), False, "mine"),
        (ClientRegistration(metadata_document=DOCUMENT), True, DOCUMENT),
        (ClientRegistration(metadata_document=DOCUMENT), False, None),
        (ClientRegistration(), True, None),
    ],
)
def test_a_client_is_known_beforehand_or_not(
    registration: ClientRegistration, takes_documents: bool, client_id: str | None
) -> None:
    client = configured_client(registration, server(supports_metadata_documents=takes_documents))
    assert (None if client is None else client.client_id) == client_id


def test_a_client_of_another_server_is_not_shown() -> None:
    with pytest.raises(AuthorizationFailed, match=r"registered with https://other\.test"):
        configured_client(ClientRegistration(client_id="mine", issuer="https://other.test"), server())


@each_row(
    ("given", "method", "grants"),
    [
        ({}, "none", ["authorization_code", "refresh_token"]),
        ({"authentication": ("client_secret_post", "client_secret_basic")}, "client_secret_basic",
         ["authorization_code", "refresh_token"]),
        ({"authentication": ("private_key_jwt",), "grants": ("authorization_code",)}, "none", ["authorization_code"]),
    ],
)  # fmt: skip
def test_a_native_client_is_registered(given: dict[str, Any], method: str, grants: list[str]) -> None:
    asked = server(registration_endpoint="https://as.test/register", **given)
    body = registration_request(ClientRegistration(), asked, BACK, ("a", "b"))
    assert body == {
        "client_name": "workbench",
        "application_type": "native",
        "redirect_uris": [BACK],
        "grant_types": grants,
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
        "scope": "a b",
    }


def test_a_registration_response_is_read() -> None:
    document = {
        "client_id": "c",
        "client_secret": "s",
        "client_secret_expires_at": 99,
        "token_endpoint_auth_method": "client_secret_post",
    }
    client = read_registration(201, document, server(), BACK)
    assert client == OAuthClient("c", "client_secret_post", "s", redirect_uri=BACK, expires_at=99.0, is_registered=True)
    assert "'s'" not in repr(client)


def test_an_invalid_client_is_refused() -> None:
    for document in (
        None,
        [],
        {},
        {"client_id": 7},
        {"client_id": ""},
        {"client_id": "a\nb"},
        {"client_id": "c", "client_secret": 7},
        {"client_id": "x" * 20_000},
    ):
        with pytest.raises(AuthorizationFailed, match="invalid id or secret"):
            read_registration(201, document, server(), BACK)


def test_a_refused_registration_is_explained() -> None:
    document = {"error": "invalid_redirect_uri", "error_description": "not for native"}
    with pytest.raises(
        TokenRefused, match=r"invalid_redirect_uri: not for native.*WORKBENCH_OAUTH_CLIENT_ID"
    ) as caught:
        read_registration(400, document, server(), BACK)
    assert caught.value.code == "invalid_redirect_uri"


@each_row(
    ("expires_at", "redirect_uri", "does"),
    [(0, BACK, True), (11, BACK, True), (9, BACK, False), (0, "http://x", False)],
)
def test_a_registration_serves_for_its_time_and_place(expires_at: float, redirect_uri: str, does: bool) -> None:
    assert is_reusable(OAuthClient("c", redirect_uri=BACK, expires_at=expires_at), redirect_uri, 10) is does
