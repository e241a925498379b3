"""The OAuth settings."""

from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.oauth import grant_from, oauth_for, redirect_uri_from, registration_from
from server_core.oauth.grants import AuthorizationCode, ClientCredentials
from server_core.oauth.registration import ClientRegistration


def test_nothing_has_to_be_set() -> None:
    assert registration_from({}) == ClientRegistration()
    assert grant_from(None, {}) == AuthorizationCode()
    assert redirect_uri_from({}) == ""
    assert repr(oauth_for("https://mcp.test/")) == "OAuthAuthorization('https://mcp.test')"


def test_a_client_is_set_in_the_environment(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.write_text("a key")
    environment = {
        "WORKBENCH_OAUTH_CLIENT_ID": "me",
        "WORKBENCH_OAUTH_CLIENT_SECRET": "s",
        "WORKBENCH_OAUTH_PRIVATE_KEY_FILE": str(key),
        "WORKBENCH_OAUTH_ALGORITHM": "RS256",
        "WORKBENCH_OAUTH_ISSUER": "https://as.test",
        "WORKBENCH_OAUTH_CLIENT_METADATA": "https://client.test/me.json",
    }
    assert registration_from(environment) == ClientRegistration(
        "me", "s", "a key", "RS256", "https://as.test", "https://client.test/me.json"
    )


def test_client_credentials_are_a_setting() -> None:
    assert grant_from(None, {"WORKBENCH_OAUTH_GRANT": "client_credentials"}) == ClientCredentials()


def test_a_client_secret_is_for_confidential_clients() -> None:
    with pytest.raises(ConfigurationError, match="WORKBENCH_OAUTH_ISSUER") as caught:
        registration_from({"WORKBENCH_OAUTH_CLIENT_ID": "me", "WORKBENCH_OAUTH_CLIENT_SECRET": "the-secret"})
    assert "the-secret" not in str(caught.value)


def test_a_wrong_setting_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="WORKBENCH_OAUTH_GRANT is 'password'"):
        grant_from(None, {"WORKBENCH_OAUTH_GRANT": "password"})
    with pytest.raises(ConfigurationError, match="WORKBENCH_OAUTH_PRIVATE_KEY_FILE"):
        registration_from({"WORKBENCH_OAUTH_PRIVATE_KEY_FILE": str(tmp_path / "gone")})
