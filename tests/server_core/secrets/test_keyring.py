"""The keyring of the machine: what is kept there, and the explanation when there is none."""

import sys

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring

from server_core.errors import ConfigurationError
from server_core.secrets.vault import KeyringVault
from tests.server_core.keyrings import MemoryKeyring

pytestmark = pytest.mark.promises("secrets")


def test_a_stored_value_is_returned_until_it_is_removed(memory_keyring: MemoryKeyring) -> None:
    vault = KeyringVault()
    vault.set("secret", "KEY", "value")
    assert memory_keyring.stored == {("workbench secret", "KEY"): "value"}
    assert (vault.get("secret", "KEY"), vault.get("other", "KEY")) == ("value", None)
    vault.delete("secret", "KEY")
    vault.delete("secret", "KEY")
    assert memory_keyring.stored == {}


def test_without_the_package_its_installation_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'mcp-tool-workbench\[keyring\]'"):
        KeyringVault().get("secret", "KEY")


def test_a_missing_keyring_is_explained_without_values(memory_keyring: MemoryKeyring) -> None:
    keyring.set_keyring(NoKeyring())
    with pytest.raises(ConfigurationError, match=r"does not respond .* --store vault") as caught:
        KeyringVault().set("secret", "KEY", "sesame")
    assert "sesame" not in str(caught.value)
