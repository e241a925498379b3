"""Secrets: where they are found, how they are written, and what stays as it was."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from server_core.errors import ConfigurationError
from server_core.runtime import env_file
from server_core.runtime.background import spawn
from server_core.secrets import SecretStatus, SecretStore
from server_core.secrets.secret_store import Place
from tests.server_core.keyrings import MemoryKeyring, WaitingKeyring
from tests.waiting import until, within

pytestmark = pytest.mark.promises("secrets")


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


def test_without_a_project_only_the_folder_itself_is_searched(tmp_path: Path) -> None:
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
    assert [entry.is_set for entry in store.status(["KEY", "BARE", "EMPTY"])] == [False] * 3


def test_a_change_of_the_file_is_seen_at_once(folder: Path) -> None:
    store = SecretStore(folder)
    assert store.get("KEY") is None
    (folder / ".env").write_text("KEY=1\n")
    assert store.get("KEY") == "1"
    (folder / ".env").write_text("KEY=12\n")
    assert store.get("KEY") == "12"
    (folder / ".env").unlink()
    assert store.get("KEY") is None


async def test_a_call_checks_the_env_file_once_for_all_its_secrets(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / ".env"
    file.write_text("A=1\nB=2\nC=3\n")
    store = SecretStore(folder / "tools")
    counted = Counted(monkeypatch, file)
    for value in ("1", "22"):  # The file is edited between two calls of the same generation.
        file.write_text(f"A={value}\nB=2\nC=3\n")
        assert await store.values_async(["A", "B", "C"]) == {"A": value, "B": "2", "C": "3"}
    assert (counted.roots, counted.stats) == (1, 4), "a search for the file, and a check for a change, in each call"


def test_the_root_of_the_project_is_determined_once_a_generation(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".env").write_text("KEY=far\n")
    store = SecretStore(folder / "tools")
    counted = Counted(monkeypatch, folder / ".env")
    assert [store.get("KEY") for _ in range(3)] == ["far"] * 3
    (folder / "tools" / "pyproject.toml").write_text("")
    assert (store.get("KEY"), counted.roots) == ("far", 1)
    store.forget_folders()
    assert (store.get("KEY"), counted.roots) == (None, 2)


def test_a_nearer_env_file_counts_as_soon_as_it_is_created(folder: Path) -> None:
    (folder / ".env").write_text("KEY=far\n")
    store = SecretStore(folder / "tools")
    assert store.get("KEY") == "far"
    (folder / "tools" / ".env").write_text("KEY=near\n")
    assert store.get("KEY") == "near"


class Counted:
    """Counts how often the root of a project is determined, and how often a file's status is read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
        self.roots = self.stats = 0
        root_of, status = env_file.root_of, os.stat

        def counted_root(path: Path) -> Path:
            self.roots += 1
            return root_of(path)

        def counted_status(path: Any, *args: Any, **options: Any) -> os.stat_result:
            self.stats += path == file or path == str(file)
            return status(path, *args, **options)

        monkeypatch.setattr(env_file, "root_of", counted_root)
        monkeypatch.setattr(os, "stat", counted_status)


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


@pytest.mark.parametrize(
    "key", ["ARCADE_API_KEY", "arcade_worker_secret", "MCP_DEBUG", "_HIDDEN", "WORKBENCH_STATE_KEY"]
)
def test_reserved_names_are_never_returned_or_set(folder: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    (folder / ".env").write_text(f"{key}=value\n")
    store = SecretStore(folder)
    assert store.values([key]) == {}
    monkeypatch.setenv(key, "value")
    assert store.get(key) is None
    assert store.status([key]) == [SecretStatus(key, False, "missing", str(folder / ".env"))]
    assert store.readable_keys() == frozenset()
    with pytest.raises(ConfigurationError, match="reserved for the server's own settings"):
        store.set(key, "other")


def test_other_names_of_arcade_can_be_secrets(folder: Path) -> None:
    (folder / ".env").write_text("ARCADE_CUSTOMER=value\n")
    assert SecretStore(folder).get("ARCADE_CUSTOMER") == "value"


def test_an_exact_match_is_preferred_to_a_match_regardless_of_case(folder: Path) -> None:
    (folder / ".env").write_text("Api_Key=mixed\nTOKEN=upper\ntoken=lower\n")
    assert SecretStore(folder).values(["API_KEY", "token", "TOKEN"]) == {
        "API_KEY": "mixed",
        "token": "lower",
        "TOKEN": "upper",
    }


@pytest.mark.parametrize("place", ["keyring", "vault"])
def test_a_secret_can_be_stored_outside_of_the_project(folder: Path, memory_keyring: object, place: Place) -> None:
    SecretStore(folder).set("KEY", "value", place)
    assert not (folder / ".env").exists()
    store = SecretStore(folder / "tools")
    assert store.get("KEY") == store.get("key") == "value"
    assert [(entry.is_set, entry.source) for entry in store.status(["KEY"])] == [(True, place)]
    assert store.readable_keys() == {"KEY"}
    store.unset("KEY")
    assert (store.get("KEY"), store.readable_keys()) == (None, frozenset())


def test_the_places_are_asked_in_order(folder: Path, memory_keyring: object, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SecretStore(folder)
    store.set("KEY", "vault", "vault")
    assert store.get("KEY") == "vault"
    store.set("KEY", "keyring", "keyring")
    assert store.get("KEY") == "keyring"
    store.set("KEY", "file")
    assert store.get("KEY") == "file"
    monkeypatch.setenv("KEY", "environment")
    assert store.get("KEY") == "environment"


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


def test_the_nearest_folder_with_a_project_file_is_the_project(folder: Path) -> None:
    SecretStore(folder / "tools").set("KEY", "value", "vault")
    assert SecretStore(folder).get("KEY") == "value"


def test_another_env_file_can_be_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".env").write_text("KEY=usual\n")
    (folder / "other.env").write_text("KEY=other\n")
    monkeypatch.setenv("WORKBENCH_ENV_FILE", str(folder / "other.env"))
    assert SecretStore(folder).get("KEY") == "other"


async def test_the_loop_continues_while_a_keyring_waits_for_a_user(
    folder: Path, waiting_keyring: WaitingKeyring
) -> None:
    store = SecretStore(folder)
    store.set("KEY", "value", "keyring")
    finding = spawn(store.values_async(["KEY", "OTHER"]), "find")
    await until(waiting_keyring.asked.is_set)
    assert not finding.done()
    waiting_keyring.unlocked.set()
    assert await within(finding) == {"KEY": "value"}


async def test_the_keyring_is_not_used_unless_needed(
    folder: Path, waiting_keyring: WaitingKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SecretStore(folder)
    store.set("KEY", "kept", "keyring")
    (folder / ".env").write_text("FILED=one\n")
    monkeypatch.setenv("KEY", "given")
    names = ["KEY", "filed", "MISSING", "MCP_RESERVED"]
    assert all(map(store.is_readable_now, names))
    assert await store.values_async(names) == {"KEY": "given", "filed": "one"}
    monkeypatch.delenv("KEY")
    assert not store.is_readable_now("key")
    assert not waiting_keyring.asked.is_set()


def test_unsetting_returns_the_places_of_the_secret(folder: Path, memory_keyring: object) -> None:
    store = SecretStore(folder)
    assert store.unset("KEY") == ()
    store.set("KEY", "value", "keyring")
    store.set("KEY", "value")
    assert store.unset("KEY", "vault") == ()
    assert store.unset("KEY") == ("env-file", "keyring")
    assert store.unset("KEY") == ()
