"""Files are read as values of a form, within limits, and with errors that name what is wrong."""

import os
from pathlib import Path

import pytest

from workbench.workspace import value_files
from workbench.workspace.value_files import FileValueError, describe_value, path_proposals, read_value


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "notes.txt").write_text("tea ☕", encoding="utf-8")
    (tmp_path / "image.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden").write_text("x", encoding="utf-8")
    return tmp_path


def test_text_is_read_as_utf_8_and_bytes_as_base64(folder: Path) -> None:
    assert read_value("docs/notes.txt", is_binary=False) == "tea ☕"
    assert read_value(str(folder / "image.png"), is_binary=True) == "iVBORw=="


def test_a_path_begins_at_the_home_folder_with_a_tilde(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder / "docs"))
    assert read_value("~/notes.txt", is_binary=False) == "tea ☕"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("missing.txt", "there is no file missing.txt in "),
        ("docs", "docs is a folder"),
        ("image.png", "image.png is no text: byte 0 is not UTF-8"),
        ("pipe", "pipe is no regular file"),
        ("/dev/zero", "/dev/zero is no regular file"),
        ("a\0b", "cannot be read"),
        ("docs/notes.txt/x", "docs/notes.txt/x cannot be read: not a directory"),
        ("n" * 3000, "cannot be read: file name too long"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(path: str, reason: str) -> None:
    os.mkfifo("pipe")
    with pytest.raises(FileValueError, match="^" + reason if reason[0] != "c" else reason):
        read_value(path, is_binary=False)


def test_a_file_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_files, "MAX_BYTES", 4)
    with pytest.raises(FileValueError, match=r"notes.txt has 7 B; at most 4 B are sent"):
        read_value("docs/notes.txt", is_binary=False)


def test_a_file_is_described_by_its_size_and_how_it_begins() -> None:
    assert describe_value("docs/notes.txt", is_binary=False) == "‹@docs/notes.txt: 5 characters, tea ☕›"
    assert describe_value("image.png", is_binary=True) == "‹@image.png: 8 base64 characters, iVBORw==›"
    assert describe_value("missing", is_binary=True).startswith("‹@missing: there is no file")


def test_paths_are_completed_folder_by_folder_and_hidden_files_come_last(folder: Path) -> None:
    assert path_proposals("@") == ["@docs/", "@image.png", "@.hidden"]
    assert path_proposals("@doc") == ["@docs/"]
    assert path_proposals("@docs/") == ["@docs/notes.txt"]
    assert path_proposals("@docs/ote") == ["@docs/notes.txt"]
    assert path_proposals(f"@{folder}/im") == [f"@{folder}/image.png"]
    assert path_proposals("@missing/") == []
    assert path_proposals("@a\0/") == []
