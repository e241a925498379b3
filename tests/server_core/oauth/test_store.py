"""Stored tokens and clients, and the permissions of the file."""

import json
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.oauth import store as store_module
from server_core.oauth.registration import OAuthClient
from server_core.oauth.store import FileStore, MemoryStore, TokenStore
from server_core.oauth.tokens import Tokens

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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of the file."""
    return tmp_path / "oauth" / "tokens.json"


@pytest.fixture(params=["memory", "file"])
def again(request: pytest.FixtureRequest, path: Path) -> Again:
    """Opens the store again on each call."""
    memory = MemoryStore()
    return lambda: memory if request.param == "memory" else FileStore(path)


def test_stored_entries_are_read_back(again: Again) -> None:
    again().keep_tokens(TOKENS)
    again().keep_client("https://as.test", CLIENT)
    assert again().tokens("https://mcp.test/mcp") == TOKENS
    assert again().client("https://as.test") == CLIENT


def test_unknown_entries_are_none(again: Again) -> None:
    again().keep_tokens(TOKENS)
    assert again().tokens("https://mcp.test") is None
    assert again().client("https://as.test") is None
    again().drop_client("https://as.test")


def test_tokens_of_the_same_issuer_and_resource_replace_each_other(again: Again) -> None:
    other = replace(TOKENS, issuer="https://new.test", access_token="other")
    for entry in (TOKENS, other, replace(TOKENS, access_token="newer")):
        again().keep_tokens(entry)
    assert again().tokens(TOKENS.server) == replace(TOKENS, access_token="newer")
    again().drop_tokens(TOKENS)
    assert again().tokens(TOKENS.server) == other


def test_a_client_is_forgotten(again: Again) -> None:
    again().keep_client("https://as.test", CLIENT)
    again().drop_client("https://as.test")
    assert again().client("https://as.test") is None


def test_the_number_of_tokens_is_bounded(again: Again, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MAX_TOKENS", 5)
    store = again()
    for number in range(6):
        name = f"https://mcp{number}.test"
        store.keep_tokens(replace(TOKENS, server=name, resource=name))
    assert again().tokens("https://mcp0.test") is None
    assert again().tokens("https://mcp1.test") is not None


def test_only_the_owner_can_read_the_file(path: Path) -> None:
    path.parent.mkdir(mode=0o755)
    FileStore(path).keep_tokens(TOKENS)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {entry.name for entry in path.parent.iterdir()} == {"tokens.json", "lock"}


def test_an_unreadable_file_counts_as_empty(path: Path) -> None:
    for content in (
        b"",
        b"\xff",
        b"[" * 100_000,
        b"[]",
        b'"x"',
        b'{"format": 2, "tokens": []}',
        b'{"format": 1}',
        b'{"format": 1, "tokens": {}, "clients": []}',
        b'{"format": 1, "tokens": [7, {}, {"server": 1}]}',
    ):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        assert FileStore(path).tokens(TOKENS.server) is None
        FileStore(path).keep_tokens(TOKENS)
        assert FileStore(path).tokens(TOKENS.server) == TOKENS


def test_a_bad_entry_does_not_hide_the_others(path: Path) -> None:
    FileStore(path).keep_tokens(TOKENS)
    document = json.loads(path.read_text())
    document["tokens"].append(document["tokens"][0] | {"server": "https://other.test", "scopes": "a"})
    path.write_text(json.dumps(document))
    assert FileStore(path).tokens(TOKENS.server) == TOKENS
    assert FileStore(path).tokens("https://other.test") is None


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "oauth").write_text("a file")
    with pytest.raises(ConfigurationError, match="WORKBENCH_HOME"):
        FileStore(tmp_path / "oauth" / "tokens.json").keep_tokens(TOKENS)
    assert FileStore(tmp_path / "oauth" / "tokens.json").tokens(TOKENS.server) is None


def test_the_file_lies_in_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    FileStore().keep_tokens(TOKENS)
    assert (tmp_path / "oauth" / "tokens.json").exists()
