"""Secrets of a project: where they are read from, and which places are used first."""

import os
from pathlib import Path
from typing import Any

import pytest

from server_core.errors import ConfigurationError
from server_core.runtime import env_file
from server_core.runtime.background import spawn
from server_core.secrets import SecretStatus, SecretStore
from server_core.secrets.secret_store import Place
from tests.server_core.keyrings import WaitingKeyring
from tests.waiting import until, within

pytestmark = pytest.mark.promises("secrets")


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


def test_the_places_are_searched_in_order(
    folder: Path, memory_keyring: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SecretStore(folder)
    store.set("KEY", "vault", "vault")
    assert store.get("KEY") == "vault"
    store.set("KEY", "keyring", "keyring")
    assert store.get("KEY") == "keyring"
    store.set("KEY", "file")
    assert store.get("KEY") == "file"
    monkeypatch.setenv("KEY", "environment")
    assert store.get("KEY") == "environment"


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
