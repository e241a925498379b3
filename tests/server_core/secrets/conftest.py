"""A keyring in memory, and keys that are quickly derived."""

from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from server_core.secrets import vault_key


class MemoryKeyring(KeyringBackend):
    """Keeps passwords as long as a test runs."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError(username)


@pytest.fixture
def memory_keyring() -> Iterator[MemoryKeyring]:
    """The keyring that this process uses during a test."""
    before, ours = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(ours)
    yield ours
    keyring.set_keyring(before)


@pytest.fixture(autouse=True)
def cheap_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deriving a key is meant to be slow, but not here."""
    monkeypatch.setattr(vault_key, "SCRYPT_N", 2)
    monkeypatch.delenv(vault_key.KEY_VARIABLE, raising=False)
    vault_key._derived.cache_clear()
