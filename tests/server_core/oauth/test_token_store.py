"""Stored tokens and clients, and the permissions of the file."""

import json
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.oauth import token_store as store_module
from server_core.oauth.registration import OAuthClient
from server_core.oauth.token_store import KEY, NAMESPACE, TokenStore
from server_core.oauth.tokens import Tokens
from server_core.secrets.vault import FileVault, MemoryVault

TOKENS = Tokens(
    "https://mcp.test/mcp",
    "https://as.test",
    "https://mcp.test",
    "me",
    "access",
    "DPoP",
    1234.5,
    "refresh",
    ("a", "b"),
    ("a",),
    "key",
)
CLIENT = OAuthClient(
    "me", "client_secret_post", "secret", redirect_uri="http://127.0.0.1:1/callback", is_registered=True
)

Again = Callable[[], TokenStore]


@pytest.fixture(params=["memory", "file"])
def again(request: pytest.FixtureRequest, tmp_path: Path) -> Again:
    """Opens the store again on each call."""
    memory = MemoryVault()
    return lambda: TokenStore(memory if request.param == "memory" else FileVault(tmp_path))


def test_stored_entries_are_read_back(again: Again) -> None:
    again().store_tokens(TOKENS)
    again().store_client("https://as.test", CLIENT)
    assert again().tokens("https://mcp.test/mcp") == TOKENS
    assert again().client("https://as.test") == CLIENT


def test_entries_that_are_not_stored_are_none(again: Again) -> None:
    again().store_tokens(TOKENS)
    assert again().tokens("https://mcp.test") is None
    assert again().client("https://as.test") is None
    again().remove_client("https://as.test")


def test_tokens_of_the_same_issuer_and_resource_replace_each_other(again: Again) -> None:
    other = replace(TOKENS, issuer="https://new.test", access_token="other")
    for entry in (TOKENS, other, replace(TOKENS, access_token="newer")):
        again().store_tokens(entry)
    assert again().tokens(TOKENS.server) == replace(TOKENS, access_token="newer")
    again().remove_tokens(TOKENS)
    assert again().tokens(TOKENS.server) == other


def test_a_client_is_forgotten(again: Again) -> None:
    again().store_client("https://as.test", CLIENT)
    again().remove_client("https://as.test")
    assert again().client("https://as.test") is None


def test_the_number_of_tokens_is_bounded(again: Again, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MAX_TOKENS", 5)
    store = again()
    for number in range(6):
        name = f"https://mcp{number}.test"
        store.store_tokens(replace(TOKENS, server=name, resource=name))
    assert again().tokens("https://mcp0.test") is None
    assert again().tokens("https://mcp1.test") is not None


def test_tokens_are_encrypted_in_a_file_that_only_the_owner_can_read(tmp_path: Path) -> None:
    vault = FileVault(tmp_path / "secrets")
    TokenStore(vault).store_tokens(TOKENS)
    TokenStore(vault).store_client("https://as.test", CLIENT)
    assert stat.S_IMODE(vault.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(vault.path.parent.stat().st_mode) == 0o700
    for text in (TOKENS.access_token, TOKENS.refresh_token, CLIENT.secret, TOKENS.issuer):
        assert text.encode() not in vault.path.read_bytes()


def test_contents_that_cannot_be_read_count_as_missing() -> None:
    vault = MemoryVault()
    for content in (
        "",
        "[" * 100_000,
        "[]",
        '"x"',
        '{"format": 2, "tokens": []}',
        '{"format": 1}',
        '{"format": 1, "tokens": {}, "clients": []}',
        '{"format": 1, "tokens": [7, {}, {"server": 1}]}',
    ):
        vault.set(NAMESPACE, KEY, content)
        assert TokenStore(vault).tokens(TOKENS.server) is None
        TokenStore(vault).store_tokens(TOKENS)
        assert TokenStore(vault).tokens(TOKENS.server) == TOKENS


def test_a_bad_entry_does_not_hide_the_others() -> None:
    vault = MemoryVault()
    TokenStore(vault).store_tokens(TOKENS)
    document = json.loads(vault.get(NAMESPACE, KEY) or "")
    document["tokens"].append(document["tokens"][0] | {"server": "https://other.test", "scopes": "a"})
    vault.set(NAMESPACE, KEY, json.dumps(document))
    assert TokenStore(vault).tokens(TOKENS.server) == TOKENS
    assert TokenStore(vault).tokens("https://other.test") is None


def test_a_vault_that_cannot_be_read_holds_no_tokens_and_reports_why_when_written(tmp_path: Path) -> None:
    (tmp_path / "vault").write_text("not a vault")
    store = TokenStore(FileVault(tmp_path))
    assert store.tokens(TOKENS.server) is None
    with pytest.raises(ConfigurationError, match="move it away"):
        store.store_tokens(TOKENS)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "secrets").write_text("a file")
    store = TokenStore(FileVault(tmp_path / "secrets"))
    with pytest.raises(ConfigurationError, match="WORKBENCH_HOME"):
        store.store_tokens(TOKENS)
    assert store.tokens(TOKENS.server) is None


def test_tokens_of_other_namespaces_are_untouched(tmp_path: Path) -> None:
    vault = FileVault(tmp_path)
    vault.set("auth", "account", "theirs")
    TokenStore(vault).store_tokens(TOKENS)
    assert (vault.get("auth", "account"), TokenStore(vault).tokens(TOKENS.server)) == ("theirs", TOKENS)
