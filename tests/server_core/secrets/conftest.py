"""Keys that are quickly derived, and a project."""

from pathlib import Path

import pytest

from server_core.secrets import vault_key


@pytest.fixture(autouse=True)
def cheap_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deriving a key is meant to be slow, but not here."""
    monkeypatch.setattr(vault_key, "SCRYPT_N", 2)
    monkeypatch.delenv(vault_key.KEY_VARIABLE, raising=False)
    vault_key._derive.cache_clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a folder of tools in it."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "tools").mkdir()
    return tmp_path
