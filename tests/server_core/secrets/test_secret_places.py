"""Secrets in the keyring and in the vault, and grants to other projects."""

from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.secrets import SecretStore
from tests.server_core.keyrings import MemoryKeyring

pytestmark = pytest.mark.promises("secrets")


def test_a_secret_is_stored_once_in_keyring_or_vault(folder: Path, memory_keyring: MemoryKeyring) -> None:
    store = SecretStore(folder)
    store.set("KEY", "one", "keyring")
    store.set("KEY", "two", "vault")
    assert (store.get("KEY"), memory_keyring.stored) == ("two", {})


def test_a_place_that_would_have_no_effect_is_refused(folder: Path) -> None:
    store = SecretStore(folder)
    store.set("KEY", "file")
    with pytest.raises(ConfigurationError, match=r"KEY is set in .*\.env, which has precedence; remove it there first"):
        store.set("KEY", "value", "vault")


def test_unsetting_in_a_place_leaves_the_others(folder: Path) -> None:
    store = SecretStore(folder)
    store.set("KEY", "kept", "vault")
    store.set("KEY", "file")
    store.unset("KEY", "env-file")
    assert store.get("KEY") == "kept"
    store.unset("KEY", "keyring")
    assert store.get("KEY") == "kept"


def test_another_project_reads_granted_secrets_until_they_are_revoked(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    mine, theirs = SecretStore(folder), SecretStore(other)
    mine.set("KEY", "value", "vault")
    mine.set("OTHER", "secret", "vault")
    assert theirs.values(["KEY", "OTHER"]) == {}
    mine.grant("KEY", other)
    assert theirs.values(["KEY", "OTHER"]) == {"KEY": "value"}
    assert [(entry.owner, entry.source) for entry in theirs.status(["KEY"])] == [(str(folder), "vault")]
    assert [entry.readers for entry in mine.status(["KEY"])] == [(str(other),)]
    mine.set("KEY", "new", "vault")
    assert theirs.get("KEY") == "new"
    theirs.unset("KEY")
    assert mine.get("KEY") == "new"
    theirs.set("KEY", "own", "vault")
    assert (mine.get("KEY"), theirs.get("KEY")) == ("new", "own")
    theirs.unset("KEY")
    mine.revoke("KEY", other)
    assert theirs.get("KEY") is None


def test_only_secrets_in_keyring_or_vault_can_be_granted(folder: Path, tmp_path: Path) -> None:
    store = SecretStore(folder)
    store.set("KEY", "value")
    with pytest.raises(ConfigurationError, match="neither in the keyring nor in the vault"):
        store.grant("KEY", Path("/"))
    with pytest.raises(ConfigurationError, match="name another project"):
        store.grant("KEY", folder / "tools")


def test_unsetting_returns_the_places_of_the_secret(folder: Path, memory_keyring: object) -> None:
    store = SecretStore(folder)
    assert store.unset("KEY") == ()
    store.set("KEY", "value", "keyring")
    store.set("KEY", "value")
    assert store.unset("KEY", "vault") == ()
    assert store.unset("KEY") == ("env-file", "keyring")
    assert store.unset("KEY") == ()
