"""The file with saved calls: read again when it changes, and changed without touching the rest."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from workbench.model.catalog import OfferKind
from workbench.model.saved_calls import SavedCall
from workbench.workspace.saved_calls_file import SavedCallsFile

GREET = SavedCall("greet", OfferKind.TOOL, "greet", {"name": "Ada"})
MENU = SavedCall("menu", OfferKind.RESOURCE, "demo://menu")


def test_calls_are_saved_renamed_and_deleted(tmp_path: Path) -> None:
    file = SavedCallsFile(tmp_path)
    assert file.read().calls == ()
    file.save(GREET)
    file.save(MENU)
    file.rename("greet", "hello")
    file.delete("menu")
    assert [call.name for call in file.read().calls] == ["hello"]
    file.save(SavedCall("hello", OfferKind.TOOL, "greet"))
    assert file.read().calls == (SavedCall("hello", OfferKind.TOOL, "greet"),)


def test_terminals_that_save_calls_at_the_same_time_lose_none(tmp_path: Path) -> None:
    calls = [SavedCall(f"call {number}", OfferKind.TOOL, "greet") for number in range(10)]
    with ThreadPoolExecutor(len(calls)) as terminals:
        list(terminals.map(lambda call: SavedCallsFile(tmp_path).save(call), calls))
    assert {call.name for call in SavedCallsFile(tmp_path).read().calls} == {call.name for call in calls}


def test_a_file_that_was_changed_elsewhere_is_read_again(tmp_path: Path) -> None:
    file = SavedCallsFile(tmp_path)
    assert file.has_changed
    file.read()
    assert not file.has_changed
    file.path.write_text("calls:\n  a: {tool: b}\n")
    assert file.has_changed
    assert [call.name for call in file.read().calls] == ["a"]
    assert not file.has_changed
    file.path.unlink()
    assert file.has_changed
    assert file.read().calls == ()


def test_the_mode_of_the_file_and_a_link_to_it_stay(tmp_path: Path) -> None:
    target = tmp_path / "shared.yaml"
    target.write_text("calls:\n")
    target.chmod(0o664)
    file = SavedCallsFile(tmp_path)
    file.path.symlink_to(target)
    file.save(GREET)
    assert file.path.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o664
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shared.yaml", "workbench.yaml"]


def test_a_call_that_would_make_the_file_too_large_to_be_read_is_refused(tmp_path: Path) -> None:
    file = SavedCallsFile(tmp_path)
    file.save(GREET)
    with pytest.raises(ConfigurationError, match="more than 1,000,000 bytes"):
        file.save(SavedCall("all", OfferKind.TOOL, "greet", {"name": "x" * 1_000_000}))
    assert file.read().calls == (GREET,)


def test_a_name_that_is_taken_is_not_given_twice(tmp_path: Path) -> None:
    file = SavedCallsFile(tmp_path)
    file.save(GREET)
    file.save(MENU)
    with pytest.raises(ConfigurationError, match="is not changed"):
        file.rename("greet", "menu")
    assert [call.name for call in file.read().calls] == ["greet", "menu"]


@pytest.mark.parametrize("text", ["calls: [", "calls: {a: {tool: b}}\n", "calls:\n  a: &x {tool: b}\n  b: *x\n"])
def test_a_file_that_cannot_be_changed_safely_is_left_alone(tmp_path: Path, text: str) -> None:
    file = SavedCallsFile(tmp_path)
    file.path.write_text(text)
    with pytest.raises(ConfigurationError, match=r"workbench\.yaml is not changed"):
        file.delete("a")
    assert file.path.read_text() == text


def test_a_file_that_cannot_be_read_or_written_is_a_problem(tmp_path: Path) -> None:
    file = SavedCallsFile(tmp_path)
    file.path.write_bytes(b"\xff\xfe\xff")
    assert "cannot be read" in file.read().problems[0]
    file.path.unlink()
    os.mkfifo(file.path)
    assert "cannot be read" in file.read().problems[0]
    with pytest.raises(ConfigurationError, match="cannot be written"):
        SavedCallsFile(tmp_path / "gone").save(GREET)
