"""Vaults: stored values are returned, and only with the key; the keyring of the machine, and when there is none."""

import json
import stat
import sys
from pathlib import Path

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring

from server_core.errors import ConfigurationError
from server_core.secrets import vault_key
from server_core.secrets.vault import FileVault, KeyringVault
from tests.server_core.keyrings import MemoryKeyring

pytestmark = pytest.mark.promises("secrets")


def test_a_stored_value_is_returned_in_its_namespace_only(tmp_path: Path) -> None:
    vault = FileVault(tmp_path)
    vault.set("a", "KEY", "välue")
    assert FileVault(tmp_path).get("a", "KEY") == vault.get("a", "KEY") == "välue"
    assert vault.get("b", "KEY") is None
    vault.delete("a", "KEY")
    assert FileVault(tmp_path).get("a", "KEY") is None


def test_reading_without_a_file_creates_no_file(tmp_path: Path) -> None:
    vault = FileVault(tmp_path / "none")
    assert vault.get("a", "KEY") is None
    vault.delete("a", "KEY")
    assert not (tmp_path / "none").exists()


def test_the_vault_is_in_the_data_folder_when_no_folder_is_given(tmp_path: Path) -> None:
    FileVault().set("a", "KEY", "value")
    assert FileVault().path == tmp_path / "workbench-home" / "secrets" / "vault"
    assert FileVault().path.is_file()


def test_the_files_are_for_the_owner_alone_and_hold_neither_names_nor_values_in_clear(tmp_path: Path) -> None:
    FileVault(tmp_path / "kept").set("namespace", "API_KEY", "sesame-open")
    for path in (tmp_path / "kept").iterdir():
        assert b"API_KEY" not in path.read_bytes()
        assert b"sesame" not in path.read_bytes()
        assert b"namespace" not in path.read_bytes()
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "kept" / "vault").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "kept" / "key").stat().st_mode) == 0o600


def test_no_two_writes_are_encrypted_alike(tmp_path: Path) -> None:
    vault = FileVault(tmp_path)
    vault.set("a", "KEY", "value")
    first = vault.path.read_bytes()
    vault.set("a", "KEY", "value")
    assert vault.path.read_bytes() != first


def test_values_stored_by_another_process_are_not_lost(tmp_path: Path) -> None:
    vault, other = FileVault(tmp_path), FileVault(tmp_path)
    vault.set("a", "ONE", "1")
    other.set("a", "OTHER", "2")
    vault.set("a", "THIRD", "3")
    assert [other.get("a", key) for key in ("ONE", "OTHER", "THIRD")] == ["1", "2", "3"]


def test_with_a_key_in_the_environment_no_key_is_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(vault_key.KEY_VARIABLE, "correct horse")
    FileVault(tmp_path).set("a", "KEY", "value")
    assert not (tmp_path / "key").exists()
    assert FileVault(tmp_path).get("a", "KEY") == "value"
    monkeypatch.setenv(vault_key.KEY_VARIABLE, "wrong horse")
    with pytest.raises(ConfigurationError, match="WORKBENCH_SECRETS_KEY is not the key"):
        FileVault(tmp_path).get("a", "KEY")
    monkeypatch.delenv(vault_key.KEY_VARIABLE)
    with pytest.raises(ConfigurationError, match="set WORKBENCH_SECRETS_KEY to that key"):
        FileVault(tmp_path).get("a", "KEY")


def test_a_vault_is_closed_with_the_key_of_the_environment_at_its_next_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FileVault(tmp_path).set("a", "KEY", "value")
    monkeypatch.setenv(vault_key.KEY_VARIABLE, "correct horse")
    vault = FileVault(tmp_path)
    assert vault.get("a", "KEY") == "value"
    vault.set("a", "OTHER", "x")
    (tmp_path / "key").unlink()
    assert FileVault(tmp_path).get("a", "KEY") == "value"


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"format": 2}', b'{"format": 1}', b"\xff", b"[" * 100_000])
def test_an_invalid_vault_is_reported_and_not_changed(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "vault").write_bytes(text)
    with pytest.raises(ConfigurationError, match="is not a vault"):
        FileVault(tmp_path).get("a", "KEY")
    with pytest.raises(ConfigurationError, match="is not a vault"):
        FileVault(tmp_path).set("a", "KEY", "value")
    assert (tmp_path / "vault").read_bytes() == text


@pytest.mark.parametrize("part", ["sealed", "nonce"])
def test_a_vault_that_was_changed_is_not_believed(tmp_path: Path, part: str) -> None:
    vault = FileVault(tmp_path)
    vault.set("a", "KEY", "value")
    document = json.loads(vault.path.read_bytes())
    document[part] = ("B" if document[part][0] == "A" else "A") + document[part][1:]
    vault.path.write_text(json.dumps(document))
    with pytest.raises(ConfigurationError, match="cannot be decrypted"):
        FileVault(tmp_path).get("a", "KEY")


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    FileVault(tmp_path).set("a", "KEY", "value")
    (tmp_path / "key").chmod(0o644)
    with pytest.raises(ConfigurationError, match="run `chmod 600"):
        FileVault(tmp_path).get("a", "KEY")


def test_a_missing_key_is_not_replaced(tmp_path: Path) -> None:
    FileVault(tmp_path).set("a", "KEY", "value")
    (tmp_path / "key").unlink()
    with pytest.raises(ConfigurationError, match="key of your vault, cannot be read"):
        FileVault(tmp_path).set("a", "OTHER", "value")
    assert not (tmp_path / "key").exists()


def test_no_error_and_no_repr_contains_a_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(vault_key.KEY_VARIABLE, "correct horse")
    assert "horse" not in repr(vault_key.key_for_writing(tmp_path))
    assert "secret=" not in repr(vault_key.key_for_writing(tmp_path))


def test_a_value_in_the_keyring_is_returned_until_it_is_removed(memory_keyring: MemoryKeyring) -> None:
    vault = KeyringVault()
    vault.set("secret", "KEY", "value")
    assert memory_keyring.stored == {("workbench secret", "KEY"): "value"}
    assert (vault.get("secret", "KEY"), vault.get("other", "KEY")) == ("value", None)
    vault.delete("secret", "KEY")
    vault.delete("secret", "KEY")
    assert memory_keyring.stored == {}


def test_without_the_package_of_the_keyring_its_installation_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'mcp-tool-workbench\[keyring\]'"):
        KeyringVault().get("secret", "KEY")


def test_a_missing_keyring_is_explained_without_values(memory_keyring: MemoryKeyring) -> None:
    keyring.set_keyring(NoKeyring())
    with pytest.raises(ConfigurationError, match=r"does not respond .* --store vault") as caught:
        KeyringVault().set("secret", "KEY", "sesame")
    assert "sesame" not in str(caught.value)
