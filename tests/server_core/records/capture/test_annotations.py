"""What a user has added to records of a capture, which is in the file itself."""

import shutil
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.records.capture import annotations
from server_core.records.capture.annotations import annotations_in, set_annotation
from server_core.records.capture.labels import change_labels
from server_core.records.capture.reader import open_capture
from tests.server_core.records.capture.test_labels import ended_capture


def annotations_of(path: Path) -> dict[int, str]:
    with open_capture(path) as capture:
        return annotations_in(capture.meta)


def test_annotations_are_in_the_capture_and_its_copies_beside_its_name(tmp_path: Path) -> None:
    path = ended_capture()
    set_annotation(path, 1, "look here")
    set_annotation(path, 2, "and here")
    change_labels(path, name="the slow order")
    set_annotation(path, 2, "")
    copy = tmp_path / "copy.capture"
    shutil.copy(path, copy)
    assert annotations_of(path) == annotations_of(copy) == {1: "look here"}


def test_a_capture_has_a_limited_number_of_annotations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotations, "MAX_ANNOTATIONS", 2)
    path = ended_capture()
    for seq in (1, 2, 2):
        set_annotation(path, seq, "x")
    with pytest.raises(ConfigurationError, match="has 2 marks and comments; more are not possible"):
        set_annotation(path, 3, "x")
    set_annotation(path, 1, "")
    set_annotation(path, 3, "x")
    assert set(annotations_of(path)) == {2, 3}


def test_metadata_that_is_no_annotation_is_ignored() -> None:
    meta = {"annotation:x": "a", "annotation:": "b", "annotation:12": "", "name": "c", f"annotation:{'9' * 30}": "d"}
    assert annotations_in(meta) == {}
