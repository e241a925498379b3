"""Secrets: where they are found, how they are written, and what stays as it was."""

import os
import stat
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.secrets import SecretStatus, SecretStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a folder of tools in it."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "tools").mkdir()
    return tmp_path


def test_a_secret_comes_from_the_env_file_of_the_project_above(folder: Path) -> None:
    (folder / ".env").write_text("KEY=value\n")
    store = SecretStore(folder / "tools")
    assert store.get("KEY") == "value"
    assert store.status(["KEY", "OTHER"]) == [
        SecretStatus("KEY", True, ".env", str(folder / ".env")),
        SecretStatus("OTHER", False, "missing", str(folder / ".env")),
    ]


def test_the_nearest_env_file_counts(folder: Path) -> None:
    (folder / ".env").write_text("KEY=far\nFAR=x\n")
    (folder / "tools" / ".env").write_text("KEY=near\n")
    store = SecretStore(folder / "tools")
    assert store.values(["KEY", "FAR"]) == {"KEY": "near"}


def test_the_search_ends_at_the_project(folder: Path) -> None:
    (folder / ".env").write_text("KEY=far\n")
    (folder / "tools" / "pyproject.toml").write_text("")
    assert SecretStore(folder / "tools").get("KEY") is None


def test_without_a_project_only_the_folder_itself_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=far\n")
    (tmp_path / "tools").mkdir()
    store = SecretStore(tmp_path / "tools")
    assert store.get("KEY") is None
    assert store.path == tmp_path / "tools" / ".env"


def test_the_environment_wins(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".env").write_text("KEY=file\n")
    monkeypatch.setenv("KEY", "environment")
    store = SecretStore(folder)
    assert store.get("KEY") == "environment"
    assert store.status(["KEY"])[0].source == "environment"


def test_a_secret_that_is_set_to_nothing_is_missing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".env").write_text("KEY=\nBARE\n")
    monkeypatch.setenv("EMPTY", "")
    store = SecretStore(folder)
    assert store.values(["KEY", "BARE", "EMPTY"]) == {}
    assert [one.is_set for one in store.status(["KEY", "BARE", "EMPTY"])] == [False] * 3


def test_a_change_of_the_file_is_seen_at_once(folder: Path) -> None:
    store = SecretStore(folder)
    assert store.get("KEY") is None
    (folder / ".env").write_text("KEY=1\n")
    assert store.get("KEY") == "1"
    (folder / ".env").write_text("KEY=12\n")
    assert store.get("KEY") == "12"
    (folder / ".env").unlink()
    assert store.get("KEY") is None


@pytest.mark.parametrize(
    "value",
    [
        "plain",
        "with spaces # and a hash",
        "it's",
        'say "hi"',
        "back\\slash\\n",
        "two\nlines",
        "$HOME ${PATH}",
        " edge ",
        "hä€",
        "a=b",
    ],
)
def test_any_value_comes_back_as_it_was_given(folder: Path, value: str) -> None:
    SecretStore(folder).set("KEY", value)
    assert SecretStore(folder).get("KEY") == value


def test_a_new_file_is_for_the_owner_alone_and_lies_beside_the_project_file(folder: Path) -> None:
    SecretStore(folder / "tools").set("KEY", "value")
    assert stat.S_IMODE((folder / ".env").stat().st_mode) == 0o600
    assert [path.name for path in sorted(folder.iterdir())] == [".env", "pyproject.toml", "tools"]


def test_an_open_file_is_closed_to_others_when_it_is_written(folder: Path) -> None:
    (folder / ".env").write_text("A=1\n")
    (folder / ".env").chmod(0o644)
    SecretStore(folder).set("KEY", "value")
    assert stat.S_IMODE((folder / ".env").stat().st_mode) == 0o600


BEFORE = "# Comment\n\nexport A='1'\nKEY=old # note\n\nB=\"two\nlines\"\n  C = 3\nnonsense line\nKEY=again\nlast=x"


def test_setting_changes_one_line_and_keeps_all_others(folder: Path) -> None:
    (folder / ".env").write_text(BEFORE)
    SecretStore(folder).set("KEY", "new")
    assert (folder / ".env").read_text() == BEFORE.replace("KEY=old # note", "KEY='new'").replace("KEY=again\n", "")
    SecretStore(folder).set("MORE", "x")
    assert (folder / ".env").read_text().endswith("last=x\nMORE='x'\n")


def test_unsetting_takes_the_line_away_and_keeps_all_others(folder: Path) -> None:
    (folder / ".env").write_text(BEFORE)
    store = SecretStore(folder)
    store.unset("KEY")
    assert store.get("KEY") is None
    assert (folder / ".env").read_text() == BEFORE.replace("KEY=old # note\n", "").replace("KEY=again\n", "")


def test_unsetting_what_is_not_set_makes_no_file(folder: Path) -> None:
    SecretStore(folder).unset("KEY")
    assert not (folder / ".env").exists()


def test_a_symbolic_link_stays_one(folder: Path) -> None:
    (folder / "real.env").write_text("A=1\n")
    (folder / ".env").symlink_to("real.env")
    SecretStore(folder).set("KEY", "value")
    assert (folder / ".env").is_symlink()
    assert (folder / "real.env").read_text() == "A=1\nKEY='value'\n"


def test_what_the_environment_holds_is_not_set_or_unset_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "environment")
    store = SecretStore(folder)
    with pytest.raises(ConfigurationError, match=r"KEY is set in the environment .* would have no effect"):
        store.set("KEY", "value")
    with pytest.raises(ConfigurationError, match="cannot be unset from here"):
        store.unset("KEY")
    assert not (folder / ".env").exists()


@pytest.mark.parametrize("key", ["", "1A", "A B", "A=B", "A\nB", "Ä"])
def test_a_key_that_is_no_name_is_refused(folder: Path, key: str) -> None:
    with pytest.raises(ConfigurationError, match="no name of a secret"):
        SecretStore(folder).set(key, "value")
    with pytest.raises(ConfigurationError, match="no name of a secret"):
        SecretStore(folder).unset(key)


@pytest.mark.parametrize("value", ["", "a\0b"])
def test_a_value_that_cannot_be_kept_is_refused(folder: Path, value: str) -> None:
    with pytest.raises(ConfigurationError, match="KEY"):
        SecretStore(folder).set("KEY", value)


def test_a_file_that_is_no_text_is_told_with_its_path(folder: Path) -> None:
    (folder / ".env").write_bytes(b"KEY=\xff\xfe")
    with pytest.raises(ConfigurationError, match=r"\.env cannot be read"):
        SecretStore(folder).get("KEY")
    with pytest.raises(ConfigurationError, match=r"\.env cannot be written"):
        SecretStore(folder).set("KEY", "value")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".env").write_text("A=1\n")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(ConfigurationError, match="Permission denied"):
        SecretStore(folder).set("KEY", "value")
    assert (folder / ".env").read_text() == "A=1\n"
    assert [path.name for path in sorted(folder.iterdir())] == [".env", "pyproject.toml", "tools"]
