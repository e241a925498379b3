"""The register of values: whose each is, and what a file that is none of ours leads to."""

import stat
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.secrets.register import Register, RegisterEntry

pytestmark = pytest.mark.promises("secrets")


def test_processes_share_the_register(tmp_path: Path) -> None:
    entry, other = Register(tmp_path), Register(tmp_path)
    entry.add(RegisterEntry("KEY", "/a", "vault"))
    assert other.readable("/a") == (RegisterEntry("KEY", "/a", "vault"),)
    other.add(RegisterEntry("KEY", "/b", "keyring"))
    assert entry.readable("/b") == (RegisterEntry("KEY", "/b", "keyring"),)
    assert stat.S_IMODE((tmp_path / "register.json").stat().st_mode) == 0o600


def test_a_projects_own_value_comes_before_a_granted_value(tmp_path: Path) -> None:
    register = Register(tmp_path)
    register.add(RegisterEntry("KEY", "/a", "keyring"))
    register.add(RegisterEntry("KEY", "/b", "vault"))
    assert register.set_reader("/a", "KEY", "/b", may_read=True) == 1
    assert [entry.owner for entry in register.readable("/b")] == ["/b", "/a"]
    assert register.set_reader("/a", "KEY", "/b", may_read=False) == 1
    assert [entry.owner for entry in register.readable("/b")] == ["/b"]


def test_granting_a_missing_secret_does_nothing(tmp_path: Path) -> None:
    assert Register(tmp_path).set_reader("/a", "KEY", "/b", may_read=True) == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"format": 2, "secrets": []}',
        '{"format": 1, "secrets": [{}]}',
        '{"format": 1, "secrets": [{"key": 1, "owner": "", "store": "vault", "readers": []}]}',
        '{"format": 1, "secrets": [{"key": "", "owner": "", "store": "attic", "readers": []}]}',
        "[" * 100_000,
    ],
)
def test_an_invalid_register_is_reported_and_not_changed(tmp_path: Path, text: str) -> None:
    (tmp_path / "register.json").write_text(text)
    with pytest.raises(ConfigurationError, match="register of your secrets, cannot be read"):
        Register(tmp_path).readable("/a")
    with pytest.raises(ConfigurationError, match="register of your secrets, cannot be read"):
        Register(tmp_path).add(RegisterEntry("KEY", "/a", "vault"))
    assert (tmp_path / "register.json").read_text() == text
