"""Keys that are quickly derived."""

import pytest

from server_core.secrets import vault_key


@pytest.fixture(autouse=True)
def cheap_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deriving a key is meant to be slow, but not here."""
    monkeypatch.setattr(vault_key, "SCRYPT_N", 2)
    monkeypatch.delenv(vault_key.KEY_VARIABLE, raising=False)
    vault_key._derive.cache_clear()
