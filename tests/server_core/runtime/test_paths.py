"""Where things lie, and that only their owner may look."""

import os
import stat
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.runtime.paths import LONGEST_RUNTIME_FOLDER, captures_folder, data_folder, runtime_folder


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


def link_of_another_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a link that seems to belong to another user."""
    link = Path(os.environ["WORKBENCH_RUNTIME"]) / "link"
    link.symlink_to(folder)
    real = Path.lstat

    def lstat(path: Path) -> os.stat_result:
        facts = list(real(path))
        facts[stat.ST_UID] += path == link
        return os.stat_result(facts)

    monkeypatch.setattr(Path, "lstat", lstat)
    return link


def test_folders_are_made_for_their_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "a" / "b"))
    assert captures_folder() == tmp_path / "a" / "b" / "captures"
    assert [mode(data_folder()), mode(captures_folder()), mode(runtime_folder())] == [0o700] * 3


def test_the_user_s_data_folder_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert data_folder().is_relative_to(tmp_path)


def test_the_runtime_folder_of_the_system_is_used_if_it_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = os.environ["WORKBENCH_RUNTIME"]
    monkeypatch.delenv("WORKBENCH_RUNTIME")
    monkeypatch.setenv("XDG_RUNTIME_DIR", shared)
    assert runtime_folder() == Path(shared) / "workbench"


def test_a_system_without_a_runtime_folder_gets_one_of_the_user_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = os.environ["WORKBENCH_RUNTIME"]
    monkeypatch.delenv("WORKBENCH_RUNTIME")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/nowhere/at/all")
    monkeypatch.setattr("tempfile.tempdir", temporary)
    assert runtime_folder() == Path(temporary) / f"workbench-{os.getuid()}"


@pytest.mark.parametrize("open_mode", [0o755, 0o750, 0o701])
def test_a_runtime_folder_of_ours_that_others_may_enter_is_closed(open_mode: int) -> None:
    folder = runtime_folder()
    folder.chmod(open_mode)
    assert mode(runtime_folder()) == 0o700


@pytest.mark.parametrize("open_mode", [0o1777, 0o777, 0o770, 0o702])
def test_a_folder_that_others_may_write_to_is_refused_and_left_alone(open_mode: int) -> None:
    folder = runtime_folder()
    folder.chmod(open_mode)
    with pytest.raises(ConfigurationError, match="set WORKBENCH_RUNTIME to a folder of your own"):
        runtime_folder()
    assert mode(folder) == open_mode


def test_a_link_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "mine"
    folder.mkdir(mode=0o755)
    link = link_of_another_user(folder, monkeypatch)
    monkeypatch.setenv("WORKBENCH_RUNTIME", str(link))
    with pytest.raises(ConfigurationError, match="must belong to you alone"):
        runtime_folder()
    assert mode(folder) == 0o755


def test_a_runtime_folder_of_another_user_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 123456)
    with pytest.raises(ConfigurationError, match="must belong to you"):
        runtime_folder()


def test_a_path_too_long_for_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_RUNTIME", str(tmp_path / ("x" * LONGEST_RUNTIME_FOLDER)))
    with pytest.raises(ConfigurationError, match="set WORKBENCH_RUNTIME to a path of at most"):
        runtime_folder()


def test_a_folder_that_cannot_be_created_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(ConfigurationError, match="set WORKBENCH_HOME"):
        data_folder()


@pytest.mark.parametrize("open_mode", [0o777, 0o770, 0o702])
def test_a_data_folder_of_ours_that_others_may_write_to_is_closed_with_a_word(
    open_mode: int, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = data_folder()
    folder.chmod(open_mode)
    assert mode(data_folder()) == 0o700
    assert f"others could write to the data folder {folder}" in capsys.readouterr().err
    data_folder()
    assert capsys.readouterr().err == ""


def test_a_data_folder_that_others_may_only_read_is_not_changed() -> None:
    folder = data_folder()
    folder.chmod(0o755)
    assert mode(data_folder()) == 0o755


def test_a_data_folder_that_is_shared_on_purpose_is_refused_and_left_alone() -> None:
    folder = data_folder()
    folder.chmod(0o1777)
    with pytest.raises(ConfigurationError, match=r"All users can write .* set WORKBENCH_HOME"):
        data_folder()
    assert mode(folder) == 0o1777


def test_a_data_folder_behind_a_link_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = link_of_another_user(tmp_path, monkeypatch)
    monkeypatch.setenv("WORKBENCH_HOME", str(link))
    with pytest.raises(ConfigurationError, match="is a link that was created by another user"):
        data_folder()


def test_a_folder_that_is_shared_on_purpose_is_not_reported() -> None:
    folder = runtime_folder()
    folder.chmod(0o1777)
    with pytest.raises(ConfigurationError) as refused:
        runtime_folder()
    assert "chmod" not in str(refused.value)
    folder.chmod(0o777)
    with pytest.raises(ConfigurationError, match=f"or run `chmod 700 {folder}` if no other user needs it"):
        runtime_folder()
