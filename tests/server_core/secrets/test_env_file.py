"""Secrets in the `.env` file: which values are read, and how they are written."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.secrets import SecretStore

pytestmark = pytest.mark.promises("secrets")


def test_any_value_is_read_as_it_was_written(folder: Path) -> None:
    for value in (
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
    ):
        SecretStore(folder).set("KEY", value)
        assert SecretStore(folder).get("KEY") == value


def test_a_new_file_is_private_and_beside_the_project_file(folder: Path) -> None:
    SecretStore(folder / "tools").set("KEY", "value")
    assert stat.S_IMODE((folder / ".env").stat().st_mode) == 0o600
    assert [path.name for path in sorted(folder.iterdir())] == [".env", "pyproject.toml", "tools"]


def test_an_open_file_is_closed_to_others_when_it_is_written(folder: Path) -> None:
    (folder / ".env").write_text("A=1\n")
    (folder / ".env").chmod(0o644)
    SecretStore(folder).set("KEY", "value")
    assert stat.S_IMODE((folder / ".env").stat().st_mode) == 0o600


BEFORE = "# Comment\n\nexport A='1'\nKEY=old # note\n\nB=\"two\nlines\"\n  C = 3\nnonsense line\nKEY=again\nlast=x"


def test_setting_changes_a_single_line(folder: Path) -> None:
    (folder / ".env").write_text(BEFORE)
    SecretStore(folder).set("KEY", "new")
    assert (folder / ".env").read_text() == BEFORE.replace("KEY=old # note", "KEY='new'").replace("KEY=again\n", "")
    SecretStore(folder).set("MORE", "x")
    assert (folder / ".env").read_text().endswith("last=x\nMORE='x'\n")


def test_unsetting_removes_the_line_and_preserves_all_others(folder: Path) -> None:
    (folder / ".env").write_text(BEFORE)
    store = SecretStore(folder)
    store.unset("KEY")
    assert store.get("KEY") is None
    assert (folder / ".env").read_text() == BEFORE.replace("KEY=old # note\n", "").replace("KEY=again\n", "")


def test_unsetting_a_missing_secret_creates_no_file(folder: Path) -> None:
    SecretStore(folder).unset("KEY")
    assert not (folder / ".env").exists()


def test_a_symbolic_link_remains_a_link(folder: Path) -> None:
    (folder / "real.env").write_text("A=1\n")
    (folder / ".env").symlink_to("real.env")
    SecretStore(folder).set("KEY", "value")
    assert (folder / ".env").is_symlink()
    assert (folder / "real.env").read_text() == "A=1\nKEY='value'\n"


def test_secrets_of_the_environment_are_not_set_or_unset(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "environment")
    store = SecretStore(folder)
    with pytest.raises(ConfigurationError, match=r"KEY is set in the environment .* would have no effect"):
        store.set("KEY", "value")
    with pytest.raises(ConfigurationError, match="cannot be unset from here"):
        store.unset("KEY")
    assert not (folder / ".env").exists()


@pytest.mark.parametrize("key", ["", "1A", "A B", "A=B", "A\nB", "Ä"])
def test_a_key_that_is_no_name_is_refused(folder: Path, key: str) -> None:
    with pytest.raises(ConfigurationError, match="not a name of a secret"):
        SecretStore(folder).set(key, "value")
    with pytest.raises(ConfigurationError, match="not a name of a secret"):
        SecretStore(folder).unset(key)


@pytest.mark.parametrize("value", ["", "a\0b"])
def test_a_value_that_cannot_be_stored_is_refused(folder: Path, value: str) -> None:
    with pytest.raises(ConfigurationError, match="KEY"):
        SecretStore(folder).set("KEY", value)


def test_a_binary_file_is_reported_with_its_path(folder: Path) -> None:
    (folder / ".env").write_bytes(b"KEY=\xff\xfe")
    with pytest.raises(ConfigurationError, match=r"\.env cannot be read"):
        SecretStore(folder).get("KEY")
    with pytest.raises(ConfigurationError, match=r"\.env cannot be read: it is not UTF-8 text"):
        SecretStore(folder).set("KEY", "value")


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (errno.ENOSPC, "No space left on device; free some space on that disk"),
        (errno.EROFS, "Read-only file system; choose a writable location"),
        (errno.EACCES, "Permission denied; correct its permissions, or those of its folder"),
    ],
)
def test_the_advice_for_a_file_that_cannot_be_written_depends_on_the_reason(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: int, advice: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(ConfigurationError, match=rf"\.env cannot be written: {advice}\.$"):
        SecretStore(folder).set("KEY", "value")


WRITERS = 8


SETTER = """
import sys
from pathlib import Path
from server_core.secrets import SecretStore

sys.stdin.readline()
SecretStore(Path(sys.argv[1])).set(sys.argv[2], "value")
"""


def test_processes_that_set_secrets_at_the_same_time_lose_none(folder: Path) -> None:
    (folder / "real.env").touch()
    (folder / ".env").symlink_to("real.env")
    keys = [f"KEY_{number}" for number in range(WRITERS)]
    writers = [
        subprocess.Popen([sys.executable, "-c", SETTER, str(folder), key], stdin=subprocess.PIPE, env=os.environ.copy())
        for key in keys
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    assert SecretStore(folder).readable_keys() == set(keys)
    assert (folder / ".env").is_symlink()
    assert stat.S_IMODE((folder / "real.env").stat().st_mode) == 0o600
    assert {path.name for path in folder.iterdir()} <= {".env", "real.env", "pyproject.toml", "tools", "workbench-home"}


def test_a_failed_write_leaves_the_old_file_and_nothing_else(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".env").write_text("A=1\n")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(ConfigurationError, match="Permission denied"):
        SecretStore(folder).set("KEY", "value")
    assert (folder / ".env").read_text() == "A=1\n"
    assert [path.name for path in sorted(folder.iterdir())] == [".env", "pyproject.toml", "tools"]
