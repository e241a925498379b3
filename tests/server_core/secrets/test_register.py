"""The register of values: whose each is, and what a file that is none of ours leads to."""

import stat
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.secrets.register import Register, Registered

ROWS = ("S13",)


def test_what_one_process_registers_another_sees(tmp_path: Path) -> None:
    one, other = Register(tmp_path), Register(tmp_path)
    one.add(Registered("KEY", "/a", "vault"))
    assert other.readable("/a") == (Registered("KEY", "/a", "vault"),)
    other.add(Registered("KEY", "/b", "keyring"))
    assert one.readable("/b") == (Registered("KEY", "/b", "keyring"),)
    assert stat.S_IMODE((tmp_path / "register.json").stat().st_mode) == 0o600


def test_a_projects_own_value_comes_before_one_that_it_was_granted(tmp_path: Path) -> None:
    register = Register(tmp_path)
    register.add(Registered("KEY", "/a", "keyring"))
    register.add(Registered("KEY", "/b", "vault"))
    assert register.set_reader("/a", "KEY", "/b", may_read=True) == 1
    assert [one.owner for one in register.readable("/b")] == ["/b", "/a"]
    assert register.set_reader("/a", "KEY", "/b", may_read=False) == 1
    assert [one.owner for one in register.readable("/b")] == ["/b"]


def test_granting_what_is_not_there_does_nothing(tmp_path: Path) -> None:
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
def test_a_file_that_is_no_register_is_told_and_left_alone(tmp_path: Path, text: str) -> None:
    (tmp_path / "register.json").write_text(text)
    with pytest.raises(ConfigurationError, match="register of your secrets, cannot be read"):
        Register(tmp_path).readable("/a")
    with pytest.raises(ConfigurationError, match="register of your secrets, cannot be read"):
        Register(tmp_path).add(Registered("KEY", "/a", "vault"))
    assert (tmp_path / "register.json").read_text() == text
